"""The import blocks of three texts to one: what is imported is a set, in which lines do not collide."""

import ast
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from scaffold.files.texts import lines_of
from scaffold.import_lines import sorted_lines

PLACE = "\0imports\n"
_WIDTH = 88


class Block(Struct, frozen=True):
    """A file and where its first imports stand, those that follow each other at the top level."""

    lines: tuple[str, ...]
    start: int
    end: int
    nodes: tuple[ast.Import | ast.ImportFrom, ...]

    @property
    def text(self) -> str:
        return "".join(self.lines[self.start : self.end])

    @property
    def without(self) -> str:
        """The file with one line in the place of the block, which is the same in all files."""
        return "".join([*self.lines[: self.start], PLACE, *self.lines[self.end :]])

    @property
    def statements(self) -> tuple[str, ...]:
        """A statement for each thing that is imported."""
        return tuple(text for node in self.nodes for text in _single(node))

    @property
    def own(self) -> set[str]:
        """The packages in sections below the first that is not of the standard library: those of the project."""
        sections = [part for part in re.split(r"\n\s*\n", self.text) if part.strip()]
        roots = [re.findall(r"^(?:from|import) (\w+)", part, re.MULTILINE) for part in sections]
        has_own = len(roots) > 2 or (len(roots) == 2 and "jax" in roots[0])
        return set(roots[-1]) if has_own else set()


def block_of(text: str) -> Block | None:
    """The block of a text, None where it does not parse, imports nothing, or has more on a line with an import."""
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
    """The block for the text `rest`, which is merged of the three without theirs."""
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
    """What either side imports since the last common text, and what one has left out but the other still reads."""
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
    """The names that are read; in a text with markers, whatever looks like one."""
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
