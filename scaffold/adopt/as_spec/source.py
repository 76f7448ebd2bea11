"""A class taken out of its module word for word, with the statements and imports that it reads."""

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
    """A class cannot become a spec. The message gives the reason."""


class ClassSource(Struct, frozen=True):
    """A class and the parts of its module that it needs, each as text."""

    name: str
    kind: str
    """Kind that the interpreter found: `module`, `nnx`, `registered`, `namedtuple`, `abstract module`."""
    imports: tuple[str, ...]
    """Import statements, with absolute module names."""
    above: str
    """Statements above the class."""
    text: str
    """Class statement, with its decorators."""
    below: str
    """Statements below the class, including registrations of the class."""


def class_source(placed: Mapping[str, Any]) -> ClassSource:
    """Return the class at the location that the interpreter gave.

    Raises `NotSaidError` if its source is not found.
    """
    if placed["made_of"] is not None and not placed["has_statement"]:
        return named_tuple(str(placed["name"]), placed["made_of"])
    try:
        text = read_regular(Path(placed["file"])).decode("utf-8-sig").replace("\r\n", "\n")
        return source_in(text, placed)
    except (OSError, ValueError, SyntaxError, ScaffoldError):
        raise NotSaidError("its source is not found") from None


def named_tuple(name: str, fields: Iterable[tuple[str, str]]) -> ClassSource:
    """Write a class statement for a class that `collections.namedtuple(...)` made."""
    rows = [f"    {field}: Any{f' = {default}' if default else ''}" for field, default in fields]
    text = "\n".join([f"class {name}(NamedTuple):", *(rows or ["    pass"])])
    return ClassSource(name, "namedtuple", ("from typing import Any, NamedTuple",), "", text, "")


def source_in(text: str, placed: Mapping[str, Any]) -> ClassSource:
    """Find the class in the text of its module. Raises `NotSaidError` if it is nested or missing."""
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
    """A parsed module, and the tables by which its classes are taken out."""

    lines: list[str]
    body: list[ast.stmt]
    bound: dict[ast.stmt, tuple[str, ...]]
    """Names that each statement binds."""
    registries: set[str]
    """Functions that register classes, such as functions decorated with `dispatch`."""

    def segment(self, node: ast.stmt) -> str:
        """Return the source lines of a statement, with its decorators."""
        return "\n".join(self.lines[first_line(node) - 1 : node.end_lineno])


@lru_cache(4)  # all classes of a module share the parse
def _module(text: str, name: str, file: str) -> _Module:
    """Parse a module, and make its imports absolute."""
    body = [*_absolute(ast.parse(text).body, name, file)]
    bound = {statement: bound_by(statement) for statement in body}
    return _Module(text.split("\n"), body, bound, _registries(body))


def _for_types(body: Iterable[ast.stmt], texts: Iterable[str]) -> str:
    """Write the `if TYPE_CHECKING:` block with the imports whose names occur in the texts."""
    words = set(re.findall(r"\w+", "\n".join(texts)))
    blocks = (statement for statement in body if is_for_types(statement))
    pairs = (pair for block in blocks for pair in read_names(block.body).lines)
    needed = list(dict.fromkeys(line for name, line in pairs if name in words))
    return "\n".join(["if TYPE_CHECKING:", *(f"    {line}" for line in needed)]) if needed else ""


def _needed(module: _Module, node: ast.ClassDef) -> set[ast.stmt]:
    """Find statements that the class reads, even indirectly, and statements that register or change it."""
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
    """Whether a statement registers or changes the class."""
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
    """Find the functions that register classes.

    A spec must import such a function, since a copy would know this class alone.
    """
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
    """Yield the imports that the kept statements need.

    Other names that the statements read are imported from the module itself.
    """
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
    """Rewrite an import from a private module to the public module that exports the same name."""
    is_plain = line.startswith("from ") and line.endswith(f" import {name}")
    return f"from {public[name]} import {name}" if is_plain and name in public else line


def _absolute(body: Iterable[ast.stmt], module: str, file: str) -> Iterator[ast.stmt]:
    """Yield the statements with absolute imports, also below `TYPE_CHECKING`."""
    package = module.split(".") if Path(file).name == "__init__.py" else module.split(".")[:-1]
    for statement in body:
        if is_for_types(statement):
            statement.body = [*_absolute(statement.body, module, file)]
        if isinstance(statement, ast.ImportFrom) and statement.level:
            above = package[: len(package) - statement.level + 1]
            statement.module, statement.level = ".".join(filter(None, [*above, statement.module])), 0
        yield statement
