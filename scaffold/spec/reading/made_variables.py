"""Attributes that only the constructor of an NNX module makes, without annotations, as in Flax's own code."""

import ast
import copy
from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from scaffold.source.branches import CONSTANTS, taken
from scaffold.source.definitions import function_of, without_parameters
from scaffold.source.expressions import is_none
from scaffold.source.instance import given_as, kept_arguments, last_name
from scaffold.source.local_makers import unfolded_attributes
from scaffold.spec.grammar.types import ClassType, OpaqueType
from scaffold.spec.model import Call, Field

FLAX = ("BatchStat", "Cache", "Intermediate", "Perturbation", "Variable")
"""Variable types of Flax for arrays that are not trained."""
VARIABLES = {"Param": "param", **dict.fromkeys(FLAX, "state")}
"""The roles of Flax's Variable types."""
_STREAMS = ("rngs", "fork")
"""Names of calls that return random streams, which are a module."""


def variable_types(source: str) -> dict[str, str]:
    """Return the roles of Flax's Variable types, and of their subclasses in `source`."""
    roles = dict(VARIABLES)
    for node in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)):
        bases = map(without_parameters, node.bases)
        named = (ast.unparse(base).rpartition(".")[2] for base in bases)
        role = next((roles[name] for name in named if name in roles), None)
        roles |= {} if role is None else {node.name: role}
    return roles


def module_types(source: str) -> frozenset[str]:
    """Return the classes in `source` that inherit from `nnx.Module`, directly or through each other."""
    modules = {"nnx.Module", "flax.nnx.Module"}
    for node in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)):
        modules |= {node.name} if modules.intersection(map(ast.unparse, node.bases)) else set[str]()
    return frozenset(modules)


def with_variables_made(
    fields: Iterable[Field], constructor: Call, types: Mapping[str, str]
) -> Iterator[Field]:
    """Set the Variable type of each state field to the type that the constructor makes.

    `types` maps Variable types to roles.
    """
    made = dict(unfolded_attributes(constructor.source))
    for field in fields:
        called = _called(made[field.name], types) if field.role == "state" and field.name in made else ""
        yield replace(field, variable=field.variable or called) if called in types else field


def variables_made(
    fields: Iterable[Field],
    constructor: Call,
    called: Collection[str],
    types: Mapping[str, str],
    modules: Collection[str],
) -> Iterator[Field]:
    """Yield a field for each attribute that is no field yet. A setting has the type of its argument.

    An argument of a class is a module if Flax or `modules` has the class, or `called` has the attribute.
    Methods call the attributes in `called`.
    """
    declared = {field.name for field in fields}
    pairs = [pair for pair in unfolded_attributes(constructor.source) if pair[0] not in declared]
    by_default = [pair for pair in _made_by_default(constructor) if pair[0] not in declared]
    # Of two branches the one that the defaults take, or else the last that makes something.
    made = dict(sorted((*pairs, *by_default), key=lambda pair: not is_none(pair[1])))
    kinds = {argument.name: argument.type for argument in constructor.args}
    for name, value in made.items():
        role = _role(value, types)
        kind = kinds.get(ast.unparse(value)) if role == "static" else None
        if isinstance(kind, ClassType):
            is_part = name in called or kind.name in modules or (kind.module or "").startswith("flax")
            role, kind = ("module", None) if is_part else (role, kind)
        called_type = _called(value, types)
        is_named = role == "state" or called_type in types.keys() - VARIABLES.keys()
        variable = called_type if is_named else None
        yield Field(name, kind or OpaqueType("Any"), role, variable=variable, built=True, annotated=False)


def _made_by_default(constructor: Call) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes that a constructor assigns if all arguments have their defaults, with their
    values."""
    function = copy.deepcopy(function_of(constructor.source))
    if function is None:
        return
    left_out = {each.name: CONSTANTS[each.default] for each in constructor.args if each.default in CONSTANTS}
    kept = kept_arguments(function)
    left_out |= {f"self.{attribute}": left_out[name] for name, attribute in kept if name in left_out}
    function.body = taken(function.body, left_out) or [ast.Pass()]
    yield from unfolded_attributes(function)


def _called(value: ast.expr, types: Mapping[str, str]) -> str:
    """Return the name of the function that an expression calls.

    Of a conditional expression, the branch that makes a Variable counts.
    """
    if not isinstance(value, ast.IfExp):
        return last_name(value)
    names = [_called(way, types) for way in (value.body, value.orelse)]
    return next((name for name in names if name in types), names[0])


def makes_variables(node: ast.FunctionDef, declared: Iterable[str]) -> bool:
    """Whether a constructor makes Variables or undeclared attributes, and therefore stays as written."""
    names = {*declared}
    return any(
        name not in names or last_name(value) in VARIABLES for name, value in unfolded_attributes(node)
    )


def _takes_streams(call: ast.Call) -> bool:
    """Whether a call takes random streams, as the constructor of a sub-module does."""
    return "rngs" in map(ast.unparse, call.args) or bool(given_as(call, "rngs"))


def _role(value: ast.expr, types: Mapping[str, str]) -> str:
    """Return the role of an attribute with this value: of a Variable, `module`, or `static`.

    Random streams and calls of capitalised names are modules. Of a conditional expression, the first branch
    that is not static counts.
    """
    if isinstance(value, ast.IfExp):
        ways = (_role(way, types) for way in (value.body, value.orelse))
        return next((role for role in ways if role != "static"), "static")
    called = last_name(value)
    if called in types:
        return types[called]
    is_part = isinstance(value, ast.Call) and (called[:1].isupper() or _takes_streams(value))
    return "module" if is_part or called in _STREAMS else "static"
