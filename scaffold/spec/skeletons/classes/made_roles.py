"""Roles of fields without a role, inferred from the constructor's expressions."""

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
"""Functions that make initial values for training. A lookup table has more than one number."""
_INTEGERS = ("int8", "int16", "int32", "int64", "uint", "bool_")
"""Prefixes of dtype names that are no floats."""


def roles_of_made(
    node: ast.FunctionDef, fields: Mapping[str, Mapping[str, Any]], owner: ast.ClassDef, *, is_own: bool
) -> Iterator[tuple[str, str]]:
    """Yield the fields without a role that the constructor makes, each with its role.

    A field with layers is a module. So is a callable that is made, since a static callable is the same in
    each instance. Array fields of unknown dtype that get integers are data.

    Other arrays are trained only if the constructor is the author's own (`is_own`). If the class has a call,
    arrays filled with one number are trained. If the constructor draws random numbers, all its arrays are
    trained. Otherwise the arrays may be tables or running averages, so they get no role.
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
    """Whether a type is an array of floats, or of an unknown dtype, or a union of such arrays."""
    if isinstance(kind, UnionType):
        return all(map(is_array, kind.members))
    return kind.inexact if isinstance(kind, ArrayType) else isinstance(kind, OpaqueType) and kind.is_array


def _is_filled(value: ast.expr) -> bool:
    """Whether an expression, or a branch of it, makes an array filled with one number."""
    if isinstance(value, ast.IfExp):
        return _is_filled(value.body) or _is_filled(value.orelse)
    return isinstance(value, ast.Call) and last_name(value) in _FILLED


def _makes_integers(value: ast.expr) -> bool:
    """Whether an expression makes indices or counts: `jnp.arange(n)`, `jnp.zeros(n, jnp.int32)`."""
    is_index = isinstance(value, ast.Call) and last_name(value) in _INDICES
    has_floats = any(isinstance(node.value, float) for node in nodes_of(ast.Constant, value))
    dtypes = {last_name(node) for node in nodes_of(ast.Attribute, value)}
    return (is_index and not has_floats) or any(name.startswith(_INTEGERS) for name in dtypes)


def _makes_callable(value: ast.expr, node: ast.FunctionDef) -> bool:
    """Whether an expression makes a callable: a layer, a lambda, a partial or a local function."""
    if isinstance(value, ast.Name):
        return value.id in local_names(node.body)
    return not isinstance(value, ast.Attribute) and not calls(value, "getattr")


def stores_what_is_given(name: str, node: ast.ClassDef) -> bool:
    """Whether a field stores an argument of the constructor as given."""
    constructor = method_of(node, "__init__")
    if constructor is None:
        return True
    value = dict(made_attributes(constructor)).get(name)
    return isinstance(value, ast.Name) and value.id in [each.arg for each in arguments_of(constructor)]


def _makes_layers(value: ast.expr) -> bool:
    """Whether an expression calls a class: `[eqx.nn.Linear(2, 8, key=key)]`."""
    return any(last_name(call)[:1].isupper() for call in nodes_of(ast.Call, value))
