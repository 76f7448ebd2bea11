"""What the tool does not read of a class is carried: its text goes word for word to where it stood."""

import ast
from collections.abc import Iterable, Iterator

from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes
from scaffold.spec.source.definitions import ABSTRACT_VARIABLES, says_nothing
from scaffold.spec.source.expressions import first_line, string_lines


def blocks(body: Iterable[ast.stmt], names: Names) -> list[list[ast.stmt]]:
    """The statements of a class, those together that are carried as a whole: definitions of one name, and what is neither
    field nor method."""
    grouped: list[list[ast.stmt]] = []
    group: str | None = None
    for statement in body:
        before, group = group, _group(statement, names)
        if group is not None and group == before:
            grouped[-1].append(statement)
        else:
            grouped.append([statement])
    return grouped


def _group(statement: ast.stmt, names: Names) -> str | None:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return f"def {name}"
        case ast.AnnAssign() if not is_carried(statement, names):
            return None
        case _:
            return None if says_nothing(statement) else "statements"


def is_carried(statement: ast.AnnAssign, names: Names) -> bool:
    """Whether an annotation makes no field: `x: ClassVar[int] = 3`, `_: KW_ONLY`, `x: eqx.AbstractVar[Array]`, which subclasses store."""
    annotation = statement.annotation
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.lstrip().startswith("ClassVar")
    head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return names.of(head).rpartition(".")[2] in ("ClassVar", "KW_ONLY", *ABSTRACT_VARIABLES)


def source_of(nodes: Iterable[ast.stmt], notes: Notes, leaving: Iterable[ast.expr] = ()) -> str:
    """Statements that follow each other, word for word from the first column on, without the lines of some decorators."""
    listed = list(nodes)
    first, last = first_line(listed[0]), listed[-1].end_lineno or listed[-1].lineno
    left = {
        line
        for decorator in leaving
        for line in range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1)
    }
    lines = outdented(notes, first, last, listed[0].col_offset)
    return "\n".join(line for number, line in lines if number not in left).strip("\n").rstrip()


def outdented(notes: Notes, first: int, last: int, column: int) -> Iterator[tuple[int, str]]:
    """The lines `first` to `last` with their numbers, moved left by `column`, but for what lies in a string."""
    inside = string_lines(notes.text)
    for number, line in enumerate(notes.lines[first - 1 : last], first):
        is_moved = number not in inside and not line[:column].strip()
        yield number, line[column:] if is_moved else line
