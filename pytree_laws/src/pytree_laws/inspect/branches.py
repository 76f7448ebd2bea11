"""Values that source code compares a name with, and flags that it passes on."""

import ast
import builtins
import inspect
import re
import textwrap
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from ..report import or_else
from .classes import is_of_library, own_classes

_CONSTRUCTORS = ("__init__", "__post_init__", "__check_init__", "create")
_HANDING_ON = (*_CONSTRUCTORS, "tree_flatten", "tree_flatten_with_keys", "tree_unflatten")
"""Functions that only check, store or hand on what a class stores."""
_OF_KEYS = ("key", "PRNGKey", "split", "fold_in", "clone", "key_data", "wrap_key_data")
"""Functions of `jax.random` that draw no numbers."""
_ALL = frozenset(("asdict", "astuple", "vars", "__dict__"))
"""Names by which code reads all attributes at once."""
_OF_TREES = frozenset(("ravel_pytree", "leaves", "map", "flatten", "tree_leaves", "tree_map", "tree_flatten"))
"""Functions of jax that read all leaves of an argument."""


def compared_strings(source: Callable[..., Any] | type, name: str) -> list[str]:
    """List the strings that code compares a name or attribute with: by `==`, `in`, `match` or a dict."""
    return _strings(nodes_of(source), name)


def strings_of_attribute(cls: type, name: str) -> list[str]:
    """List the strings that methods compare `self.name` with.

    Constructors are left out, since they may accept other strings and store what these mean.
    """
    functions = (node for node in nodes_of(cls) if isinstance(node, ast.FunctionDef))
    methods = (function for function in functions if function.name not in _CONSTRUCTORS)
    return _strings((node for method in methods for node in ast.walk(method) if _reads(node, name)), name)


def _strings(nodes: Iterable[ast.AST], name: str) -> list[str]:
    parts = (part for node in nodes for part in _told_apart(node, name))
    strings = (child for part in parts for child in ast.walk(part) if isinstance(child, ast.Constant))
    return list(dict.fromkeys(string.value for string in strings if type(string.value) is str))


def _reads(node: ast.AST, name: str) -> bool:
    """Whether a comparison, subscript, call or subject of a `match` contains `self.name`."""
    asked = node.subject if isinstance(node, ast.Match) else node
    is_asking = isinstance(node, ast.Compare | ast.Match | ast.Subscript | ast.Call)
    return is_asking and re.search(rf"\bself\.{name}\b", ast.unparse(asked)) is not None


def unread_attributes(cls: type, names: Iterable[str]) -> list[str]:
    """List the names that no code reads, except to check a value or hand it on.

    The search covers the modules of the class and of its own bases. If source is missing, or code may read
    all attributes at once, the list is empty. Annotated names of a library's base count as read.
    """
    others = [owner for owner in cls.__mro__ if is_of_library(owner)]
    modules = dict.fromkeys(filter(None, map(inspect.getmodule, own_classes(cls))))
    read = {name for module in modules for name in _read_in(module)}
    read |= {name for owner in others for name in vars(owner).get("__annotations__", {})}
    return [] if not modules or not _ALL.isdisjoint(read) else [name for name in names if name not in read]


@or_else(_ALL)
def _read_in(module: types.ModuleType) -> Collection[str]:
    """Return the attributes that the code of a module reads, or `_ALL` if it has no source."""
    tree = ast.parse(inspect.getsource(module))
    compared = (_compared(node) for node in ast.walk(tree) if isinstance(node, ast.Compare))
    # What is compared with another value says which may go together.
    return {_names(node) for node in _outside(tree, _HANDING_ON)}.union(*(c for c in compared if len(c) > 1))


def _compared(comparison: ast.Compare) -> set[str]:
    """Return the argument and attribute names in a comparison, without constants and builtins."""
    nodes = [*ast.walk(comparison)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)} | {*map(_names, nodes)} - {""}
    return {name for name in names if not (name.isupper() or name == "self" or hasattr(builtins, name))}


def _names(node: ast.AST) -> str:
    """Return the attribute that an expression reads, directly, by a string, or (`vars`) with all others."""
    match node:
        case ast.Attribute(attr=name, ctx=ast.Load()) | ast.Call(args=[_, ast.Constant(value=str(name)), *_]):
            return name
        case ast.Name(id=name) if name in _ALL:
            return name
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _OF_TREES and _takes_self(
            node
        ):
            return "vars"
        case _:
            return ""


def _takes_self(call: ast.Call) -> bool:
    """Whether the whole instance is an argument of a call."""
    return any(isinstance(argument, ast.Name) and argument.id == "self" for argument in call.args)


def _outside(node: ast.AST, functions: Collection[str]) -> Iterator[ast.AST]:
    """Yield the AST nodes below a node, except inside functions of the given names."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.FunctionDef) and child.name in functions):
            yield child
            yield from _outside(child, functions)


def passes_argument(source: Callable[..., Any] | type, keywords: Collection[str]) -> bool:
    """Whether code computes one of these keywords from an argument, such as `inference=not enable_dropout`.

    A comparison with None, as in `inference=key is None`, does not make the argument a flag.
    """
    arguments, values = _passed(source, keywords)
    read = [_names_in(value) - _names_in(*_asks_for_none(value)) for value in values]
    return any(not arguments.isdisjoint(names) for names in read)


def asks_for_argument(source: Callable[..., Any] | type, keywords: Collection[str]) -> bool:
    """Whether code sets one of these keywords by a comparison with None, such as `inference=key is None`."""
    arguments, values = _passed(source, keywords)
    return any(not arguments.isdisjoint(_names_in(*_asks_for_none(value))) for value in values)


def draws_in_methods(cls: type) -> bool:
    """Whether a method other than a constructor draws numbers from a key, and does not only split it."""
    functions = (node for node in nodes_of(cls) if isinstance(node, ast.FunctionDef))
    methods = (function for function in functions if function.name not in _CONSTRUCTORS)
    calls = (node for method in methods for node in ast.walk(method) if isinstance(node, ast.Call))
    names = (re.search(r"\brandom\.(\w+)$", ast.unparse(call.func)) for call in calls)
    return any(name[1] not in _OF_KEYS for name in names if name)


def _passed(source: Callable[..., Any] | type, keywords: Collection[str]) -> tuple[set[str], list[ast.expr]]:
    """Return the arguments of functions other than these keywords, and the values passed by keyword."""
    nodes = nodes_of(source)
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)} - {"self", *keywords}
    return arguments, [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg in keywords]


def _names_in(*sources: ast.AST) -> set[str]:
    parts = (node for source in sources for node in ast.walk(source))
    return {getattr(node, "id", getattr(node, "attr", "")) for node in parts}


def _asks_for_none(source: ast.AST) -> list[ast.AST]:
    compared = [node for node in ast.walk(source) if isinstance(node, ast.Compare)]
    return [node for node in compared if any(ast.unparse(other) == "None" for other in node.comparators)]


@or_else(())
def nodes_of(source: Callable[..., Any] | type) -> Sequence[ast.AST]:
    """List the AST nodes of a function or class, or nothing if its source is in no file."""
    return [*ast.walk(ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(source)))))]


def _told_apart(node: ast.AST, name: str) -> Iterator[ast.AST]:
    """Yield the parts of a comparison, `match` or dict look-up that list possible values of a name."""
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
