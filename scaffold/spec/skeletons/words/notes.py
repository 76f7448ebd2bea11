"""Notes taken while a skeleton is read: its text, the location of each key, and the faults."""

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from scaffold.comments import comments, is_directive
from scaffold.errors import Fault
from scaffold.source.expressions import expression_or_none, first_line
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.raw import as_toml
from scaffold.spec.tables.check_keys import is_value

Path = tuple[str, ...]


class Notes(Struct, dict=True):
    """Text of a file, with the locations of the keys of one class and the faults found so far."""

    text: str
    where: str
    """Name of the place in faults: the file, and the class if the file has several."""
    locations: dict[Path, tuple[int, int]] = {}
    faults: list[Fault] = []
    written: dict[Path, str] = {}
    """Source of annotations, docstrings and comments behind fields, as their author spelt them."""

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def position(self, node: ast.AST) -> tuple[int, int]:
        """Return the line and column of a node, both from 1.

        Columns count characters, where `ast` counts bytes.
        """
        line: int = getattr(node, "lineno", 1)
        column: int = getattr(node, "col_offset", 0)
        return line, len(self.lines[line - 1].encode()[:column].decode(errors="replace")) + 1

    def note(self, path: Path, node: ast.AST) -> None:
        """Record the location of a key, and of each name in its expression."""
        self.locations.setdefault(path, self.position(node))
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                self.locations.setdefault((*path, part.id), self.position(part))
            elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                self.locations.setdefault((*path, f"{part.value.id}.{part.attr}"), self.position(part))

    def keep(self, path: Path, node: ast.expr | None) -> None:
        """Record the location and the source of an annotation or docstring. The source of None is empty."""
        self.written[path] = self.segment(node) if node is not None else ""
        if node is not None:
            self.note(path, node)

    def keep_doc(self, path: Path, statement: ast.stmt) -> None:
        """Record the location and the source of a docstring."""
        if isinstance(statement, ast.Expr):
            self.keep(path, statement.value)

    def refuse(self, node: ast.AST, path: Path, message: str, fix: str, legal: tuple[str, ...] = ()) -> None:
        line, column = self.position(node)
        where = ": ".join(filter(None, (self.where, ".".join(path))))
        self.faults.append(Fault(where, message, fix, legal, line=line, column=column))

    def source_of(self, node: ast.expr) -> str:
        """Return the source of an expression.

        `ast.get_source_segment` would split the whole text each time.
        """
        if not hasattr(node, "lineno"):  # no parser made it
            return ast.unparse(node)
        lines = [line.encode() for line in self.lines[node.lineno - 1 : node.end_lineno or node.lineno]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode()

    def segment(self, node: ast.expr) -> str:
        """Return the source of an expression, in parentheses if several lines would not parse without."""
        text = self.source_of(node)
        if "\n" not in text or expression_or_none(text) is not None:
            return text
        return f"({text}\n)" if "#" in text else f"({text})"

    @cached_property
    def comments(self) -> Mapping[int, str]:
        """Map each line with a comment to the comment."""
        return dict(comments(self.text))

    def comment_of(self, node: ast.stmt, above: int) -> str:
        """Return the comments between line `above` and a statement that are indented like the statement."""
        column, first = node.col_offset, first_line(node)
        lines = (self.lines[number - 1].rstrip() for number in range(above + 1, first))
        plain_lines = (line for line in lines if not is_directive(line.strip()))
        start = f"{self.lines[first - 1][:column]}#"  # behind spaces, or behind tabs
        kept = [line[column:] for line in plain_lines if not line or line.startswith(start)]
        return "\n".join(kept).strip("\n")

    def comment_above(self, node: ast.stmt, above: int) -> str:
        """Return the comments above a statement, with the blank line that sets a section's comment apart."""
        comment = self.comment_of(node, above)
        is_apart = bool(comment) and not self.lines[first_line(node) - 2].strip()
        return f"{comment}\n\n" if is_apart else comment

    def comment_behind(self, node: ast.stmt) -> str:
        """Return the comment on the last line of a statement, unless the comment is a tool's directive."""
        comment = self.comments.get(node.end_lineno or 0, "")
        return "" if is_directive(comment) else comment

    def has_comment_in_header(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Whether a comment stands behind code on the lines of a function's signature."""
        lines = range(node.lineno, node.body[0].lineno)
        return any(not self._is_aside(line) for line in lines if line in self.comments)

    def has_comment_within(self, node: ast.expr) -> bool:
        """Whether a comment stands on any line of an expression but the last."""
        return any(line in self.comments for line in range(node.lineno, node.end_lineno or node.lineno))

    def comments_around(self, first: int, last: int, above: int, indent: int) -> tuple[int, int]:
        """Extend lines `first` to `last`, from 1, over comments below line `above` and comments behind."""
        while first > above + 1 and self._is_aside(first - 1):
            first -= 1
        while last < len(self.lines) and self._is_aside(last + 1, indent):
            last += 1
        return first, last

    def _is_aside(self, line: int, indent: int = 0) -> bool:
        """Whether a line is blank, or a comment that is indented by at least `indent`."""
        text = self.lines[line - 1]
        bare = text.lstrip()
        return not bare or (bare[0] == "#" and len(text) - len(bare) >= indent)


def raw_value(node: ast.expr, notes: Notes) -> Any:
    """Return a literal as TOML has it. Any other expression becomes its source behind `=`."""
    value = as_toml(literal_or_none(node))
    if isinstance(value, str) and value.startswith("="):
        return f"={value!r}"
    return value if is_value(value, tables=True) else f"={expression(node, notes)}"


def expression(node: ast.expr, notes: Notes) -> str:
    """Return the source of an expression. A lambda gives the source of its body."""
    return notes.segment(node.body if isinstance(node, ast.Lambda) else node)


def table(node: ast.expr, notes: Notes) -> Any:
    """Return dicts as tables, alone or in a list. Any other expression gives its value."""
    if isinstance(node, ast.List | ast.Tuple) and all(isinstance(element, ast.Dict) for element in node.elts):
        return [table(element, notes) for element in node.elts]
    pairs = [*entries(node)]
    if not isinstance(node, ast.Dict) or len(pairs) < len(node.keys):
        return raw_value(node, notes)
    return {name: table(value, notes) for name, value in pairs}


def entries(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the entries of a dict display whose keys are string literals."""
    for key, value in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, value
