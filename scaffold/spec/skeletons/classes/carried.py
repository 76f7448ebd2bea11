"""What the tool does not read of a class is carried: its text goes word for word to where it stood.

A method is understood where each argument and the result has a type of the grammar, and the tests can call it.
"""

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from scaffold.spec.names import argument_name_fault
from scaffold.spec.rules.methods import OPERATORS
from scaffold.spec.skeletons.words.annotations import is_of_grammar, results, type_of
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes, Path
from scaffold.spec.skeletons.words.values import expression
from scaffold.spec.source.definitions import is_generator, needed_arguments, returns_value
from scaffold.spec.source.expressions import Function, first_line


def blocks(body: Iterable[ast.stmt], names: Names) -> list[list[ast.stmt]]:
    """The statements of a class, those together that are carried as a whole: definitions of one name, and what is neither
    field nor method."""
    grouped: list[list[ast.stmt]] = []
    for one in body:
        if (
            grouped
            and _group(one, names) is not None
            and _group(one, names) == _group(grouped[-1][-1], names)
        ):
            grouped[-1].append(one)
        else:
            grouped.append([one])
    return grouped


def _group(statement: ast.stmt, names: Names) -> str | None:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return f"def {name}"
        case ast.AnnAssign() if not is_carried(statement, names):
            return None
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return None
        case _:
            return "statements"


def is_carried(statement: ast.AnnAssign, names: Names) -> bool:
    """Whether an annotation makes no field: `x: ClassVar[int] = 3`, `_: KW_ONLY`."""
    annotation = statement.annotation
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.lstrip().startswith("ClassVar")
    head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return names.of(head).rpartition(".")[2] in ("ClassVar", "KW_ONLY")


def is_understood(node: Function, owner: str, names: Names, notes: Notes) -> bool:
    """Whether the signature and the result say all that the tests need, and the body gives something."""
    rest = [*node.args.args[bool(owner) :], *node.args.kwonlyargs]
    return (
        is_plain(node, owner, names)
        and (not node.name.startswith("__") or node.name in ("__call__", *OPERATORS))
        and (node.returns is None or result_text(node, names, notes) is not None)
        and all(argument_text(one, names, notes) is not None for one in rest)
    )


def is_plain(node: Function, owner: str, names: Names) -> bool:
    """Whether a method takes its arguments by name and gives something, whatever their types."""
    arguments = node.args
    starts = not owner or [one.arg for one in arguments.args[:1]] == [owner]
    is_odd = arguments.vararg or arguments.kwarg or arguments.posonlyargs or is_generator(node)
    is_overload = any(names.of(one).rpartition(".")[2] == "overload" for one in node.decorator_list)
    gives = returns_value(node) or is_left_open(node, names)
    return isinstance(node, ast.FunctionDef) and starts and gives and not is_odd and not is_overload


def is_left_open(node: Function, names: Names) -> bool:
    """Whether subclasses write it."""
    body = node.body[ast.get_docstring(node) is not None :]
    gives = node.returns is not None and ast.unparse(node.returns) != "None"
    is_empty = [ast.unparse(one) for one in body] == ["..."] or (gives and not body)
    return (names.is_abstract and is_empty) or any(
        names.of(one) == "abc.abstractmethod" for one in node.decorator_list
    )


def argument_text(one: ast.arg, names: Names, notes: Notes) -> str | None:
    """The type of an argument in the grammar; None where it has none there."""
    if one.annotation is None or argument_name_fault(one.arg, "", reserved=False) is not None:
        return None
    return _text_of(one.annotation, names, notes)


def result_text(node: Function, names: Names, notes: Notes) -> str | None:
    """The types of the result in the grammar; None where they have none there."""
    if node.returns is None:
        return None
    texts = [_text_of(one, names, notes) for one in results(node.returns)]
    known = [text for text in texts if text is not None]
    return ", ".join(known) if known and len(known) == len(texts) else None


def _text_of(annotation: ast.expr, names: Names, notes: Notes) -> str | None:
    text, _ = type_of(annotation, names, notes)
    return text if is_of_grammar(text, names) else None


def carried(node: Function, path: Path, names: Names, notes: Notes) -> dict[str, Any]:
    """The table of a method that is carried: its text, and the arguments with which the tests can call it."""
    _note(node, path, notes)
    table = {"source": source_of([node], notes, leaving=_of_vocabulary(node, names))}
    given = arguments_of(node, names, notes)
    returned = result_text(node, names, notes)
    table |= {"args": ", ".join(given)} if given else {}
    return table | ({"returns": returned} if returned is not None and returns_value(node) else {})


def arguments_of(node: Function, names: Names, notes: Notes) -> list[str]:
    """The arguments that have a type of the grammar, and by their names alone those that must be given without one."""
    needed = {one.arg for one in needed_arguments(node)}
    found: list[str] = []
    for one, default in arguments_with_defaults(node):
        text = argument_text(one, names, notes)
        # What follows an argument that is left out is given by name.
        if "*" not in found and ((text is None and one.arg not in needed) or one in node.args.kwonlyargs):
            found.append("*")
        told = one.arg if text is None else f"{one.arg}: {text}"
        is_left_out = (text is None and one.arg not in needed) or (
            "*" in found and one in node.args.posonlyargs
        )
        if not is_left_out:
            found.append(told if default is None else f"{told} = {default_source(default, notes)}")
    return found[: len(found) - (found[-1:] == ["*"])]


def arguments_with_defaults(node: Function) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """The named arguments of a method, but for the instance or the class, each with its default."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults]
    is_static = any(ast.unparse(one) == "staticmethod" for one in node.decorator_list)
    yield from list(zip(positional, defaults, strict=True))[not is_static :]
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def default_source(node: ast.expr, notes: Notes) -> str:
    """The source of a default; a lambda and a comparison in parentheses, so that no comma and no `=` ends it."""
    return f"({notes.segment(node)})" if isinstance(node, ast.Lambda) else expression(node, notes)


def _note(node: Function, path: Path, notes: Notes) -> None:
    notes.positions[path] = notes.position(node)
    for part in (*node.body, *node.decorator_list, node):
        notes.note((*path, "body"), part)


def _of_vocabulary(node: Function, names: Names) -> list[ast.expr]:
    """The decorators that are words of the vocabulary: they are for the tool, and not for the class."""
    called = (one for one in node.decorator_list if isinstance(one, ast.Call))
    return [one for one in called if names.word(one.func) == "call"]


def source_of(nodes: Iterable[ast.stmt], notes: Notes, leaving: Iterable[ast.expr] = ()) -> str:
    """Statements that follow each other, word for word from the first column on, without the lines of some decorators."""
    listed = list(nodes)
    first, last = first_line(listed[0]), listed[-1].end_lineno or listed[-1].lineno
    left = {line for one in leaving for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}
    kept = [
        line for number, line in outdented(notes, first, last, listed[0].col_offset) if number not in left
    ]
    return "\n".join(kept).strip("\n").rstrip()


def outdented(notes: Notes, first: int, last: int, column: int) -> Iterator[tuple[int, str]]:
    """The lines `first` to `last` with their numbers, moved left by `column`, but for what lies in a string."""
    inside = string_lines(notes.text)
    for number, line in enumerate(notes.lines[first - 1 : last], first):
        is_moved = number not in inside and not line[:column].strip()
        yield number, line[column:] if is_moved else line


@lru_cache(maxsize=4)  # every method of a file asks for the same
def string_lines(text: str) -> frozenset[int]:
    """The numbers of the lines that begin inside a string."""
    inside: set[int] = set()
    starts: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name == "STRING":
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif name in ("FSTRING_START", "TSTRING_START"):
            starts.append(token.start[0])
        elif name in ("FSTRING_END", "TSTRING_END"):
            inside.update(range(starts.pop() + 1, token.end[0] + 1))
    return frozenset(inside)
