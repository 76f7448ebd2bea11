"""The roles of fields that say none, by what the constructor of the class makes of them."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.source.definitions import arguments_of, method_of
from scaffold.source.expressions import local_names, nodes_of
from scaffold.source.instance import calls, last_name, made_attributes
from scaffold.source.local_makers import unfolded_attributes
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import ArrayType, CallableType, OpaqueType, Type, UnionType
from scaffold.spec.skeletons.classes.inferred import random_keys

_INDICES = ("arange", "argsort", "argmax", "argmin", "randint", "permutation")
_FILLED = ("zeros", "ones", "full", "zeros_like", "ones_like", "full_like")
"""Functions that make what training begins with: a table has more than one number."""
_INTEGERS = ("int8", "int16", "int32", "int64", "uint", "bool_")
"""How the names of dtypes begin that are no floats."""


def roles_of_made(
    node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]], owner: ast.ClassDef, *, is_own: bool
) -> Iterator[tuple[str, str]]:
    """The fields without a role that the constructor makes, each with one.

    What holds layers is a module, and so is a callable that is made: only a function of a module is the same in each
    instance, as what is static must be. Of the arrays that a constructor of the author's own makes (`is_own`), those are trained that
    hold one number everywhere if the class has a call, for which they are, and all where it draws any: a class that draws is one that
    trains. Another may keep tables, or follow numbers, and nothing says of what it makes.
    """
    is_called = method_of(owner, "__call__") is not None
    draws = any(any(random_keys(call)) for call in nodes_of(ast.Call, *node.body))
    for name, value in unfolded_attributes(node):
        if name in fields and "role" not in fields[name]:
            kind = parse_type(str(fields[name].get("example", fields[name]["type"])))
            if (isinstance(kind, CallableType) and _makes_callable(value, node)) or (
                not is_array(kind) and isinstance(kind, OpaqueType) and _makes_layers(value)
            ):
                yield name, "module"
            elif isinstance(kind, OpaqueType) and is_array(kind) and _makes_integers(value):
                yield name, "data"
            elif (
                is_own
                and is_array(kind)
                and ((is_called and _is_filled(value)) or (draws and not isinstance(value, ast.Name)))
            ):
                yield name, "param"


def is_array(kind: Type) -> bool:
    """Whether it is one array of floats, or one of which no more is known; it may be None."""
    if isinstance(kind, UnionType):
        return all(map(is_array, kind.members))
    return kind.inexact if isinstance(kind, ArrayType) else isinstance(kind, OpaqueType) and kind.is_array


def _is_filled(value: ast.expr) -> bool:
    """Whether an expression, or a branch of it, gives an array that holds one number everywhere."""
    if isinstance(value, ast.IfExp):
        return _is_filled(value.body) or _is_filled(value.orelse)
    return isinstance(value, ast.Call) and last_name(value) in _FILLED


def _makes_integers(value: ast.expr) -> bool:
    """Whether an expression gives indices or counts: `jnp.arange(n)`, `jnp.zeros(n, jnp.int32)`."""
    is_index = isinstance(value, ast.Call) and last_name(value) in _INDICES
    has_floats = any(isinstance(node.value, float) for node in nodes_of(ast.Constant, value))
    dtypes = {last_name(node) for node in nodes_of(ast.Attribute, value)}
    return (is_index and not has_floats) or any(name.startswith(_INTEGERS) for name in dtypes)


def _makes_callable(value: ast.expr, node: ast.FunctionDef) -> bool:
    """Whether it is no function of a module, and no argument: a layer, a lambda, a partial, a function of the constructor."""
    if isinstance(value, ast.Name):
        return value.id in local_names(node.body)
    return not isinstance(value, ast.Attribute) and not calls(value, "getattr")


def stores_what_is_given(name: str, node: ast.ClassDef) -> bool:
    """Whether a field is what the class is given, as it is."""
    constructor = method_of(node, "__init__")
    if constructor is None:
        return True
    value = dict(made_attributes(constructor)).get(name)
    return isinstance(value, ast.Name) and value.id in [each.arg for each in arguments_of(constructor)]


def _makes_layers(value: ast.expr) -> bool:
    """Whether an expression calls a class: `[eqx.nn.Linear(2, 8, key=key)]`."""
    return any(last_name(call)[:1].isupper() for call in nodes_of(ast.Call, value))
