"""The values that code tells apart, and the flags that it passes on."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from ..report import ANY_ERROR

_CONSTRUCTORS = ("__init__", "__post_init__", "__check_init__", "create")


def compared_strings(source: Callable[..., Any] | type, name: str) -> list[str]:
    """The strings that code tells a name apart by, or an attribute of that name: `==`, `in`, `match`, and a dict of them."""
    return _strings(_nodes_of(source), name)


def strings_of_attribute(cls: type, name: str) -> list[str]:
    """The strings that methods tell `self.name` apart by; a constructor may be given others, and store what they mean."""
    functions = (node for node in _nodes_of(cls) if isinstance(node, ast.FunctionDef))
    methods = (function for function in functions if function.name not in _CONSTRUCTORS)
    return _strings((node for method in methods for node in ast.walk(method) if _reads(node, name)), name)


def _strings(nodes: Iterable[ast.AST], name: str) -> list[str]:
    parts = (part for node in nodes for part in _told_apart(node, name))
    strings = (child for part in parts for child in ast.walk(part) if isinstance(child, ast.Constant))
    return list(dict.fromkeys(string.value for string in strings if type(string.value) is str))


def _reads(node: ast.AST, name: str) -> bool:
    """Whether an expression, or a statement by what it asks, reads `self.name`."""
    asked = node.subject if isinstance(node, ast.Match) else node
    is_asking = isinstance(node, ast.Compare | ast.Match | ast.Subscript | ast.Call)
    return is_asking and re.search(rf"\bself\.{name}\b", ast.unparse(asked)) is not None


def passes_argument(source: Callable[..., Any] | type, keywords: Collection[str]) -> bool:
    """Whether an argument by another name says what code passes by one of these: `inference=not enable_dropout`."""
    nodes = _nodes_of(source)
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)} - {"self", *keywords}
    values = (node.value for node in nodes if isinstance(node, ast.keyword) and node.arg in keywords)
    return any(_is(part, name) for value in values for part in ast.walk(value) for name in arguments)


def _nodes_of(source: Callable[..., Any] | type) -> list[ast.AST]:
    """The nodes of the code of a function or a class; none where it is in no file."""
    try:
        return [*ast.walk(ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(source)))))]
    except ANY_ERROR:
        return []


def _told_apart(node: ast.AST, name: str) -> Iterator[ast.AST]:
    """The parts of an expression or a statement that hold what a name may be."""
    match node:
        case ast.Compare(left=left, comparators=others) if any(_is(part, name) for part in (left, *others)):
            yield from (left, *others)
        case ast.Match(subject=subject, cases=cases) if _is(subject, name):
            yield from (case.pattern for case in cases)
        case ast.Subscript(value=ast.Dict(keys=keys), slice=key) if _is(key, name):
            yield from (part for part in keys if part is not None)
        case ast.Call(func=ast.Attribute(value=ast.Dict(keys=keys), attr="get"), args=[key, *_]) if _is(
            key, name
        ):
            yield from (part for part in keys if part is not None)
        case _:
            pass


def _is(node: ast.AST, name: str) -> bool:
    return getattr(node, "id", getattr(node, "attr", "")) == name
