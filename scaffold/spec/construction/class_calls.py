"""Calls of a class in its own file, such as `cls(...)` and `Net.create(...)`, and defaults of its fields."""

import ast
from itertools import takewhile

from scaffold.source.definitions import statements
from scaffold.source.expressions import expression_or_none, nodes_of, parsed
from scaffold.spec.grammar.types import CallableType, DictType, arrays, holds_arrays, is_tree
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.once import once


@once
def calls_of_class(spec: ModuleSpec) -> tuple[tuple[str, ast.Call, str], ...]:
    """Return each constructor call in a method that is read.

    Each item has the key of the method, the call, and the name of the constructor, or `cls`.
    """
    calls = (
        (key, node)
        for key, function in spec.functions
        for node in nodes_of(ast.Call, parsed(function.call.body))
    )
    named = ((key, call, _constructor_called(spec, call.func)) for key, call in calls)
    return tuple((key, call, name) for key, call, name in named if name is not None)


def _constructor_called(spec: ModuleSpec, function: ast.expr) -> str | None:
    """Return the constructor that an expression names: `cls`, `create` or a further one, or None."""
    # A subclass may take other arguments than a class that has one.
    stand_for_class = ("cls", spec.name, *(("type(self)", "self.__class__") if not spec.bases else ()))
    if ast.unparse(function) in stand_for_class:
        return "cls"
    if isinstance(function, ast.Attribute) and ast.unparse(function.value) in stand_for_class:
        names = {"create", *(method.name for method in spec.methods if method.builds(spec.name))}
        return function.attr if function.attr in names else None
    return None


@once
def kept_defaults(spec: ModuleSpec) -> frozenset[str]:
    """Return the last fields whose defaults the class statement has, so that the class itself can be called.

    A class that stays as written keeps all its defaults. A class with `__init__` has them there, and a class
    that is no Module has them in `create`.
    """
    had = [field for field in spec.stored if field.default is not None]
    if spec.source:
        return frozenset(field.name for field in had if field.in_class or not field.nullable)
    is_made = spec.constructor == "init" or spec.own_constructor is not None
    if is_made or spec.kind not in ("module", "train-state"):
        return frozenset()
    last = takewhile(lambda field: field in had and may_have_default(field), reversed(spec.stored))
    return frozenset(field.name for field in last)


def may_have_default(field: Field) -> bool:
    """Whether the class statement may have a default.

    Instances would share a default that is an array or a sub-module. They may share a function.
    """
    is_function = isinstance(field.example or field.type, CallableType)
    return not field.dynamic or field.python_leaf or field.default == "None" or is_function


@once
def is_called_with_fields(spec: ModuleSpec) -> bool:
    """Whether code of the file calls the class past `create`, and so relies on field converters.

    Such calls are `cls` in methods, or by name in helpers.
    """
    if spec.kind != "module" or spec.constructor == "init" or spec.own_constructor is not None:
        return False
    beside = nodes_of(ast.Call, *statements(spec.helpers), *statements(spec.below))
    in_methods = any(name == "cls" for _, _, name in calls_of_class(spec))
    return in_methods or any(ast.unparse(call.func) == spec.name for call in beside)


def makes_default(field: Field) -> bool:
    """Whether each call makes the default again: an array expression or a dict, which calls would share."""
    default = expression_or_none(field.default or "")
    if default is None or not field.given or field.nullable:
        return False
    if not field.dynamic:
        return isinstance(default, ast.Dict) and isinstance(
            field.type, DictType
        )  # of a union None is a value
    return holds_arrays(field.type) and any(nodes_of(ast.Call, default))


def has_default_of_own_size(field: Field) -> bool:
    """Whether the default is an array with axes, whose sizes may differ from the example."""
    return makes_default(field) and (is_tree(field.type) or any(array.dims for array in arrays(field.type)))


def default_statements(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the statements that make the defaults of omitted arguments."""
    fields = [field for field in spec.stored if makes_default(field)]
    return tuple(f"if {field.name} is None:\n    {field.name} = {field.default}" for field in fields)
