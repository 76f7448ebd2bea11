"""A class taken out of its module: its statement word for word, and the statements and imports that it reads."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from scaffold.errors import ScaffoldError
from scaffold.files.places import read_regular
from scaffold.source.expressions import Import, first_line, free_names, nodes_of
from scaffold.spec.helpers import bound_by, source_of
from scaffold.spec.skeletons.words.names import is_for_types, read_names

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
        holder = name.rpartition(".")[0]
        raise NotSaidError(f"it lies within `{holder}`, and a spec is of a class of a module")
    module = _module(text, placed["module"], placed["file"])
    classes = [node for node in module.body if isinstance(node, ast.ClassDef) and node.name == name]
    if not classes:
        raise NotSaidError(f"`{placed['file']}` has no statement `class {name}` of its own")
    node = classes[-1]
    needed = _needed(module, node)
    beside = [part for part in module.body if part in needed and not isinstance(part, Import)]
    texts = [module.segment(statement) for statement in (node, *beside)]
    for_types = _for_types(module.body, texts)
    above = source_of(text, (part for part in beside if part.lineno < node.lineno))
    return ClassSource(
        name,
        str(placed["kind"]),
        (*_imports(module, [node, *beside], texts, placed), *([TYPE_CHECKING] if for_types else [])),
        "\n\n".join(filter(None, (for_types, above))),
        texts[0],
        source_of(text, (part for part in beside if part.lineno > node.lineno)),
    )


class _Module(Struct, frozen=True):
    """A module as its classes are looked for in it."""

    lines: list[str]
    body: list[ast.stmt]
    bound: dict[ast.stmt, tuple[str, ...]]
    """The names that each statement binds."""
    registries: set[str]
    """The functions with which classes are registered."""

    def segment(self, node: ast.stmt) -> str:
        """The lines of a statement, with its decorators."""
        return "\n".join(self.lines[first_line(node) - 1 : node.end_lineno])


@lru_cache(4)  # each class of a module asks for the same
def _module(text: str, name: str, file: str) -> _Module:
    """The module of this text, whose imports name whole modules."""
    body = [*_absolute(ast.parse(text).body, name, file)]
    bound = {statement: bound_by(statement) for statement in body}
    return _Module(text.split("\n"), body, bound, _registries(body))


def _for_types(body: Iterable[ast.stmt], texts: Iterable[str]) -> str:
    """What is imported below `TYPE_CHECKING`, as far as the texts say it."""
    words = set(re.findall(r"\w+", "\n".join(texts)))
    blocks = (statement for statement in body if is_for_types(statement))
    pairs = (pair for block in blocks for pair in read_names(block.body).lines)
    needed = list(dict.fromkeys(line for name, line in pairs if name in words))
    return "\n".join(["if TYPE_CHECKING:", *(f"    {line}" for line in needed)]) if needed else ""


def _needed(module: _Module, node: ast.ClassDef) -> set[ast.stmt]:
    """The statements of the module that the class reads, through others too, and those that register or change it."""
    statements = set[ast.stmt]()
    ahead = [node, *(statement for statement in module.body if _is_about(statement, node.name))]
    along = (part for part in module.body if isinstance(part, ast.FunctionDef | ast.Assign | ast.AnnAssign))
    binding = {name: part for part in along for name in module.bound[part] if name not in module.registries}
    while ahead:
        statement = ahead.pop()
        if statement not in statements:
            statements.add(statement)
            names = free_names(module.segment(statement), expression=False)
            ahead += [binding[name] for name in names if name in binding]
    return statements - {node}


def _is_about(statement: ast.stmt, name: str) -> bool:
    """Whether a statement registers the class, or changes it."""
    match statement:
        case ast.ClassDef() | ast.Import() | ast.ImportFrom():
            return False
        case ast.FunctionDef(decorator_list=decorators):
            return any(_says(decorator, name) for decorator in decorators)
        case ast.Assign() | ast.AnnAssign():
            return _says(statement, name) and not bound_by(statement)
        case _:
            return _says(statement, name)


def _says(node: ast.AST, name: str) -> bool:
    return any(child.id == name for child in nodes_of(ast.Name, node))


def _registries(body: Iterable[ast.stmt]) -> set[str]:
    """The functions with which classes are registered: one made of the text of such a function would know of none but this."""
    roots = (node.value for node in nodes_of(ast.Attribute, *body) if node.attr == "register")
    asked = {name.id for name in nodes_of(ast.Name, *roots)}
    decorators = {
        statement.name: [ast.unparse(decorator).lower() for decorator in statement.decorator_list]
        for statement in body
        if isinstance(statement, ast.FunctionDef)
    }
    dispatch = {name for name, texts in decorators.items() if any(t.endswith("dispatch") for t in texts)}
    return dispatch | {name for name, texts in decorators.items() if texts and name in asked}


def _imports(
    module: _Module, kept: Iterable[ast.stmt], texts: list[str], placed: Mapping[str, Any]
) -> Iterator[str]:
    """The imports whose names the kept statements say, and those of what else they read of the module."""
    words = set(re.findall(r"\w+", "\n".join(texts)))
    names = read_names(statement for statement in module.body if not is_for_types(statement))
    needed = [pair for pair in names.lines if pair[1].startswith(FUTURE) or {pair[0]} & {*words, "*"}]
    yield from dict.fromkeys(_shown(name, line, placed["public"]) for name, line in needed)
    there = [*kept, *filter(is_for_types, module.body)]
    bound = {name for name, _ in names.lines}.union(*(module.bound[statement] for statement in there))
    free = {name for text in texts for name in free_names(text, expression=False)}
    own = {name for names in module.bound.values() for name in names}
    yield from (f"from {placed['module']} import {name}" for name in sorted(free & own - bound))


def _shown(name: str, line: str, public: Mapping[str, str]) -> str:
    """An import of a private module, by the public one that shows the same."""
    is_plain = line.startswith("from ") and line.endswith(f" import {name}")
    return f"from {public[name]} import {name}" if is_plain and name in public else line


def _absolute(body: Iterable[ast.stmt], module: str, file: str) -> Iterator[ast.stmt]:
    """The statements, in which relative imports name the whole module; those below `TYPE_CHECKING` too."""
    package = module.split(".") if Path(file).name == "__init__.py" else module.split(".")[:-1]
    for statement in body:
        if is_for_types(statement):
            statement.body = [*_absolute(statement.body, module, file)]
        if isinstance(statement, ast.ImportFrom) and statement.level:
            above = package[: len(package) - statement.level + 1]
            statement.module, statement.level = ".".join(filter(None, [*above, statement.module])), 0
        yield statement
