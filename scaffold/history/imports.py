"""Merge of the import blocks of three texts as sets, so that neighbouring lines do not collide."""

import ast
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from scaffold.files.texts import lines_of
from scaffold.import_lines import sorted_lines

PLACE = "\0imports\n"
_WIDTH = 88


class Block(Struct, frozen=True):
    """File and the span of its first consecutive imports at the top level."""

    lines: tuple[str, ...]
    start: int
    end: int
    nodes: tuple[ast.Import | ast.ImportFrom, ...]

    @property
    def text(self) -> str:
        return "".join(self.lines[self.start : self.end])

    @property
    def without(self) -> str:
        """The file with a placeholder line for the block, which is the same in all files."""
        return "".join([*self.lines[: self.start], PLACE, *self.lines[self.end :]])

    @property
    def statements(self) -> tuple[str, ...]:
        """Statements that import a single name each."""
        return tuple(text for node in self.nodes for text in _single(node))

    @property
    def own(self) -> set[str]:
        """Packages of the project: the last of several sections, if a section of other libraries precedes
        it."""
        sections = [part for part in re.split(r"\n\s*\n", self.text) if part.strip()]
        roots = [re.findall(r"^(?:from|import) (\w+)", part, re.MULTILINE) for part in sections]
        has_own = len(roots) > 2 or (len(roots) == 2 and "jax" in roots[0])
        return set(roots[-1]) if has_own else set()


def block_of(text: str) -> Block | None:
    """Return the import block of a text, or None if there is none that ends at its lines' ends.

    Text that does not parse has none either.
    """
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return None
    nodes = [*_first_imports(body)]
    if not nodes:
        return None
    lines = tuple(lines_of(text))
    start, end = nodes[0].lineno - 1, nodes[-1].end_lineno or 0
    others = [node for node in body if node not in nodes]
    shares = any(node.lineno - 1 < end and (node.end_lineno or 0) > start for node in others)
    return None if shares else Block(lines, start, end, tuple(nodes))


def _first_imports(body: Sequence[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    begun = False
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            begun = True
            yield node
        elif begun:
            return


def _single(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        name = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
        if isinstance(node, ast.Import):
            yield f"import {name}"
        else:
            yield f"from {'.' * node.level}{node.module or ''} import {name}"


def merged_block(base: Block, mine: Block, new: Block, rest: str) -> str:
    """Return the import block for `rest`, the merge of the three texts without their blocks."""
    wanted = _wanted(base, mine, new, rest)
    if set(wanted) == set(mine.statements):
        return mine.text
    # A comment among the imports belongs to one of them, and stays above it.
    if "#" in mine.text or "__future__" in mine.text:
        more = sorted(set(wanted) - set(mine.statements))
        return mine.text + "".join(f"{line}\n" for line in more)
    if set(wanted) == set(new.statements):
        return new.text
    first_party = mine.own | new.own | base.own
    return "".join(f"{_wrapped(line)}\n" for line in sorted_lines(wanted, first_party))


def _wanted(base: Block, mine: Block, new: Block, rest: str) -> list[str]:
    """Return the merged set of imports, and imports that only a side dropped but `rest` still reads."""
    before, ours, theirs = set(base.statements), set(mine.statements), set(new.statements)
    kept = {x for x in ours | theirs if x in (theirs if (x in ours) == (x in before) else ours)}
    lost = (ours | theirs) - kept
    read = _names_in(rest) if lost else set[str]()
    bound = {_bound(statement) for statement in kept}
    return sorted(
        kept
        | {statement for statement in lost if _bound(statement) in read and _bound(statement) not in bound}
    )


def _bound(statement: str) -> str:
    return re.split(r" as | import |^import ", statement)[-1].split(".")[0]


def _names_in(text: str) -> set[str]:
    """Return the names that a text reads, or all its words if markers keep it from parsing."""
    try:
        tree = ast.parse(text.replace(PLACE, "\n"))
    except (SyntaxError, ValueError, RecursionError):
        return set(re.findall(r"\w+", text))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    quoted = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    in_annotations = (
        text for text in quoted if isinstance(text, str) and re.fullmatch(r"[\w\[\]., |]+", text)
    )
    return names | {name for text in in_annotations for name in re.findall(r"\w+", text)}


def _wrapped(line: str) -> str:
    if len(line) <= _WIDTH:
        return line
    module, _, names = line.partition(" import ")
    return "\n".join([f"{module} import (", *(f"    {name.strip()}," for name in names.split(",")), ")"])
