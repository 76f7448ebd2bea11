"""A class taken out of its module: its statement word for word, and the statements and imports that it reads."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from scaffold.errors import ScaffoldError
from scaffold.files.places import read_regular
from scaffold.spec.expressions import first_line, free_names
from scaffold.spec.helpers import Helper, bound_by, helpers_in, joined
from scaffold.spec.skeletons.names import Import, is_for_types, read_names

FUTURE = "from __future__ "
TYPE_CHECKING = "from typing import TYPE_CHECKING"


class NotSaidError(Exception):
    """What stands in the way of saying a class as a spec, in one line."""


class ClassSource(Struct, frozen=True):
    """A class, and what it needs of its module, each part as text."""

    name: str
    kind: str
    """As the interpreter found it: `module`, `nnx`, `registered`, `namedtuple`, `abstract module`."""
    imports: tuple[str, ...]
    """The import statements, with whole names of modules."""
    above: str
    """The statements that stand above the class."""
    text: str
    """The class statement, with its decorators."""
    below: str
    """The statements that stand below it, those that register it among them."""


def class_source(placed: Mapping[str, Any]) -> ClassSource:
    """The class at the place that the interpreter told. Raises `NotSaidError` where there is no source of it."""
    if placed["made_of"] is not None and not placed["has_statement"]:
        return named_tuple(str(placed["name"]), placed["made_of"])
    try:
        text = read_regular(Path(placed["file"])).decode("utf-8-sig").replace("\r\n", "\n")
        return source_in(text, placed)
    except (OSError, ValueError, SyntaxError, ScaffoldError):
        raise NotSaidError("its source is not found") from None


def named_tuple(name: str, fields: Iterable[tuple[str, str]]) -> ClassSource:
    """The class statement of what `collections.namedtuple(...)` gave."""
    rows = [f"    {field}: Any{f' = {default}' if default else ''}" for field, default in fields]
    text = "\n".join([f"class {name}(NamedTuple):", *(rows or ["    pass"])])
    return ClassSource(name, "namedtuple", ("from typing import Any, NamedTuple",), "", text, "")


def source_in(text: str, placed: Mapping[str, Any]) -> ClassSource:
    """The class in the text of its module. Raises `NotSaidError` where there is none."""
    name = str(placed["name"])
    if "." in name:
        raise NotSaidError(
            f"it lies within `{name.rpartition('.')[0]}`, and a spec is of a class of a module"
        )
    body = ast.parse(text).body
    classes = [one for one in body if isinstance(one, ast.ClassDef) and one.name == name]
    if not classes:
        raise NotSaidError(f"`{placed['file']}` has no statement `class {name}` of its own")
    node = classes[-1]
    needed = _needed(body, node, text)
    beside = [one for one in body if one in needed and not isinstance(one, Import)]
    texts = [_segment(text, one) for one in (node, *beside)]
    for_types = _for_types(body, texts, placed)
    return ClassSource(
        name,
        str(placed["kind"]),
        (*_imports(body, [node, *beside], texts, placed), *([TYPE_CHECKING] if for_types else [])),
        "\n\n".join(filter(None, (for_types, joined(_helpers(text, beside, above=node))))),
        _segment(text, node),
        joined(_helpers(text, beside, below=node)),
    )


def _helpers(
    text: str, beside: Iterable[ast.stmt], *, above: ast.stmt | None = None, below: ast.stmt | None = None
) -> Iterator[Helper]:
    """The statements above a class, or below it."""
    first, last = (below.lineno if below else 0), (above.lineno if above else text.count("\n") + 2)
    return helpers_in(text, [one for one in beside if first < one.lineno < last])


def _for_types(body: Iterable[ast.stmt], texts: Iterable[str], placed: Mapping[str, Any]) -> str:
    """What is imported below `TYPE_CHECKING`, as far as the texts say it."""
    words = set(re.findall(r"\w+", "\n".join(texts)))
    blocks = (one for one in _absolute(body, placed["module"], placed["file"]) if is_for_types(one))
    pairs = (pair for one in blocks for pair in read_names(one.body).lines)
    needed = list(dict.fromkeys(line for name, line in pairs if name in words))
    return "\n".join(["if TYPE_CHECKING:", *(f"    {line}" for line in needed)]) if needed else ""


def _needed(body: list[ast.stmt], node: ast.ClassDef, text: str) -> set[ast.stmt]:
    """The statements of the module that the class reads, through others too, and those that register or change it."""
    found, ahead = set[ast.stmt](), [node, *(one for one in body if _is_about(one, node.name))]
    binding = {name: one for one in body if _goes_along(one, body) for name in bound_by(one)}
    while ahead:
        statement = ahead.pop()
        if statement not in found:
            found.add(statement)
            names = free_names(_segment(text, statement), expression=False)
            ahead += [binding[name] for name in names if name in binding]
    return found - {node}


def _is_about(statement: ast.stmt, name: str) -> bool:
    """Whether a statement registers the class, or changes it."""
    match statement:
        case ast.ClassDef() | ast.Import() | ast.ImportFrom():
            return False
        case ast.FunctionDef(decorator_list=decorators):
            return any(_says(one, name) for one in decorators)
        case ast.Assign() | ast.AnnAssign():
            return _says(statement, name) and not bound_by(statement)
        case _:
            return _says(statement, name)


def _says(node: ast.AST, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))


def _goes_along(statement: ast.stmt, body: Iterable[ast.stmt]) -> bool:
    """Whether it is a function or a constant; other classes are imported from where they are, and so is what others register with."""
    if isinstance(statement, ast.FunctionDef):
        return not (statement.decorator_list and _dispatches(statement, body))
    return isinstance(statement, ast.Assign | ast.AnnAssign)


def _dispatches(function: ast.FunctionDef, body: Iterable[ast.stmt]) -> bool:
    """Whether classes are registered with a function: one made of its text would know of none but this."""
    registers = (one for part in body for one in ast.walk(part) if isinstance(one, ast.Attribute))
    words = (ast.unparse(one).lower() for one in function.decorator_list)
    return any(word.endswith("dispatch") for word in words) or any(
        one.attr == "register" and _says(one.value, function.name) for one in registers
    )


def _imports(
    body: list[ast.stmt], kept: Iterable[ast.stmt], texts: list[str], placed: Mapping[str, Any]
) -> Iterator[str]:
    """The imports whose names the kept statements say, and those of what else they read of the module."""
    words = set(re.findall(r"\w+", "\n".join(texts)))
    absolute = list(_absolute(body, placed["module"], placed["file"]))
    names = read_names(one for one in absolute if not is_for_types(one))
    needed = [pair for pair in names.lines if pair[1].startswith(FUTURE) or {pair[0]} & {*words, "*"}]
    yield from dict.fromkeys(_shown(name, line, placed["public"]) for name, line in needed)
    bound = {name for one in kept for name in bound_by(one)} | {name for name, _ in names.lines}
    bound |= {name for one in body if is_for_types(one) for name in bound_by(one)}
    free = {name for one in texts for name in free_names(one, expression=False)}
    yield from (
        f"from {placed['module']} import {name}" for name in sorted(free - bound) if _is_own(name, body)
    )


def _is_own(name: str, body: Iterable[ast.stmt]) -> bool:
    return any(name in bound_by(one) for one in body)


def _shown(name: str, line: str, public: Mapping[str, str]) -> str:
    """An import of a private module, by the public one that shows the same."""
    is_plain = line.startswith("from ") and line.endswith(f" import {name}")
    return f"from {public[name]} import {name}" if is_plain and name in public else line


def _segment(text: str, node: ast.stmt) -> str:
    """The lines of a statement, with its decorators."""
    return "\n".join(text.split("\n")[first_line(node) - 1 : node.end_lineno])


def _absolute(body: Iterable[ast.stmt], module: str, file: str) -> Iterator[ast.stmt]:
    """The statements, in which relative imports name the whole module; those below `TYPE_CHECKING` too."""
    package = module.split(".") if Path(file).name == "__init__.py" else module.split(".")[:-1]
    for one in body:
        if is_for_types(one):
            one.body = [*_absolute(one.body, module, file)]
        if isinstance(one, ast.ImportFrom) and one.level:
            above = package[: len(package) - one.level + 1]
            one.module, one.level = ".".join([*above, *([one.module] if one.module else [])]), 0
        yield one
