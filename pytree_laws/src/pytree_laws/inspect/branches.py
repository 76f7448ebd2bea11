"""The values that code tells apart, and the flags that it passes on."""

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
"""Functions that check and store what they are given, or hand on what is stored."""
_OF_KEYS = ("key", "PRNGKey", "split", "fold_in", "clone", "key_data", "wrap_key_data")
"""Functions of `jax.random` that draw nothing."""
_ALL = frozenset(("asdict", "astuple", "vars", "__dict__"))
"""Names by which code reads all attributes at once."""
_OF_TREES = frozenset(("ravel_pytree", "leaves", "map", "flatten", "tree_leaves", "tree_map", "tree_flatten"))
"""Functions of jax that read all leaves of what they are given."""


def compared_strings(source: Callable[..., Any] | type, name: str) -> list[str]:
    """The strings that code tells a name apart by, or an attribute of that name: `==`, `in`, `match`, and a dict of them."""
    return _strings(nodes_of(source), name)


def strings_of_attribute(cls: type, name: str) -> list[str]:
    """The strings that methods tell `self.name` apart by; a constructor may be given others, and store what they mean."""
    functions = (node for node in nodes_of(cls) if isinstance(node, ast.FunctionDef))
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


def unread_attributes(cls: type, names: Iterable[str]) -> list[str]:
    """Those that no code in the module of a class, or of one of its bases, reads, but to check them and to hand them on.

    None where no file has the code, or where it may read all at once; nor those of a library's base, which reads its own.
    """
    others = [owner for owner in cls.__mro__ if is_of_library(owner)]
    modules = dict.fromkeys(filter(None, map(inspect.getmodule, own_classes(cls))))
    read = {name for module in modules for name in _read_in(module)}
    read |= {name for owner in others for name in vars(owner).get("__annotations__", {})}
    return [] if not modules or not _ALL.isdisjoint(read) else [name for name in names if name not in read]


@or_else(_ALL)
def _read_in(module: types.ModuleType) -> Collection[str]:
    """The attributes that the code of a module reads; all where it has no file."""
    tree = ast.parse(inspect.getsource(module))
    compared = (_compared(node) for node in ast.walk(tree) if isinstance(node, ast.Compare))
    # What is compared with another value says which may go together.
    return {_names(node) for node in _outside(tree, _HANDING_ON)}.union(*(c for c in compared if len(c) > 1))


def _compared(comparison: ast.Compare) -> set[str]:
    """The arguments and attributes in a comparison, but for constants."""
    nodes = [*ast.walk(comparison)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)} | {*map(_names, nodes)} - {""}
    return {name for name in names if not (name.isupper() or name == "self" or hasattr(builtins, name))}


def _names(node: ast.AST) -> str:
    """The attribute that an expression reads, may read by its name, or reads with all others."""
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
    """Whether the whole instance is an argument."""
    return any(isinstance(argument, ast.Name) and argument.id == "self" for argument in call.args)


def _outside(node: ast.AST, functions: Collection[str]) -> Iterator[ast.AST]:
    """The nodes below one, but for those within functions of these names."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.FunctionDef) and child.name in functions):
            yield child
            yield from _outside(child, functions)


def passes_argument(source: Callable[..., Any] | type, keywords: Collection[str]) -> bool:
    """Whether an argument by another name says what code passes by one of these: `inference=not enable_dropout`.

    Not one that is only asked for, as a key is by `inference=key is None`: to be there is not to be a flag.
    """
    arguments, values = _passed(source, keywords)
    read = [_names_in(value) - _names_in(*_asks_for_none(value)) for value in values]
    return any(not arguments.isdisjoint(names) for names in read)


def asks_for_argument(source: Callable[..., Any] | type, keywords: Collection[str]) -> bool:
    """Whether code passes by one of these whether an argument is there: `inference=key is None`."""
    arguments, values = _passed(source, keywords)
    return any(not arguments.isdisjoint(_names_in(*_asks_for_none(value))) for value in values)


def draws_in_methods(cls: type) -> bool:
    """Whether code of a class draws from a key where it makes no instance, and does not only split it."""
    functions = (node for node in nodes_of(cls) if isinstance(node, ast.FunctionDef))
    methods = (function for function in functions if function.name not in _CONSTRUCTORS)
    calls = (node for method in methods for node in ast.walk(method) if isinstance(node, ast.Call))
    names = (re.search(r"\brandom\.(\w+)$", ast.unparse(call.func)) for call in calls)
    return any(name[1] not in _OF_KEYS for name in names if name)


def _passed(source: Callable[..., Any] | type, keywords: Collection[str]) -> tuple[set[str], list[ast.expr]]:
    """The arguments by other names, and what is passed by these."""
    nodes = nodes_of(source)
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)} - {"self", *keywords}
    return arguments, [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg in keywords]


def _names_in(*sources: ast.AST) -> set[str]:
    """The names and the attributes that code reads."""
    parts = (node for source in sources for node in ast.walk(source))
    return {getattr(node, "id", getattr(node, "attr", "")) for node in parts}


def _asks_for_none(source: ast.AST) -> list[ast.AST]:
    """The comparisons with None."""
    compared = [node for node in ast.walk(source) if isinstance(node, ast.Compare)]
    return [node for node in compared if any(ast.unparse(other) == "None" for other in node.comparators)]


@or_else(())
def nodes_of(source: Callable[..., Any] | type) -> Sequence[ast.AST]:
    """The nodes of the code of a function or a class; none where it is in no file."""
    return [*ast.walk(ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(source)))))]


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
