"""Calls of a class in its own methods, `cls(...)`, `Net.create(...)`, and the defaults that these count on, or that make an array."""

import ast
from itertools import takewhile

from scaffold.source.definitions import statements
from scaffold.source.expressions import expression_or_none, nodes_of, parsed
from scaffold.spec.grammar.types import CallableType, DictType, arrays, holds_arrays, is_tree
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.once import once


@once
def calls_of_class(spec: ModuleSpec) -> tuple[tuple[str, ast.Call, str], ...]:
    """Each call of a constructor in a method that is read: the key of the method, the call, and the constructor as `cls`, or by its name."""
    calls = (
        (key, node)
        for key, function in spec.functions
        for node in nodes_of(ast.Call, parsed(function.call.body))
    )
    named = ((key, call, _constructor_called(spec, call.func)) for key, call in calls)
    return tuple((key, call, name) for key, call, name in named if name is not None)


def _constructor_called(spec: ModuleSpec, function: ast.expr) -> str | None:
    """The constructor that is called: `cls`, `create`, or the name of a further one; None of another function."""
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
    """The fields at the end, static or optional ones, whose defaults the class statement has: it had them, or code of the file counts on them.

    As a rule the constructor alone has defaults, in the place of which the class takes every field.
    """
    if spec.source:
        had = (f for f in spec.stored if f.in_class or (f.default is not None and not f.nullable))
        return frozenset(field.name for field in had)
    names = [field.name for field in spec.stored]
    last = takewhile(
        lambda field: field.default is not None and may_have_default(field), reversed(spec.stored)
    )
    with_default = {field.name for field in last}
    needed = set(names) - with_default
    given = (_given(call, names) for call in _calls_with_fields(spec))
    is_left_out = any(each >= needed and not each >= with_default for each in given)
    had = takewhile(lambda field: field.in_class and may_have_default(field), reversed(spec.stored))
    return frozenset(with_default if is_left_out else (field.name for field in had))


def may_have_default(field: Field) -> bool:
    """Whether the class statement may have a default: instances would share an array, and a part, but for a function."""
    is_function = isinstance(field.example or field.type, CallableType)
    return not field.dynamic or field.python_leaf or field.default == "None" or is_function


def is_called_with_fields(spec: ModuleSpec) -> bool:
    """Whether code of the file calls the class itself, past the constructor, and counts on the converters of its fields."""
    return bool(_calls_with_fields(spec))


@once
def _calls_with_fields(spec: ModuleSpec) -> tuple[ast.Call, ...]:
    """The calls of a Module that `create` makes by its own name, or as `cls`: in its methods, and in what stands beside it."""
    if spec.kind != "module" or spec.constructor == "init" or spec.own_constructor is not None:
        return ()
    beside = nodes_of(ast.Call, *statements(spec.helpers), *statements(spec.below))
    return (
        *(call for _, call, name in calls_of_class(spec) if name == "cls"),
        *(call for call in beside if ast.unparse(call.func) == spec.name),
    )


def _given(call: ast.Call, names: list[str]) -> set[str]:
    """The fields that a call gives; all where a star hides them."""
    if any(isinstance(part, ast.Starred) for part in call.args) or any(k.arg is None for k in call.keywords):
        return set(names)
    return {*names[: len(call.args)], *(keyword.arg for keyword in call.keywords if keyword.arg)}


def makes_default(field: Field) -> bool:
    """Whether the default of a field is made at each call: an array of an expression, or a dict, which all calls would share."""
    default = expression_or_none(field.default or "")
    if default is None or not field.given or field.nullable:
        return False
    if not field.dynamic:
        return isinstance(default, ast.Dict) and isinstance(
            field.type, DictType
        )  # of a union None is a value
    return holds_arrays(field.type) and any(nodes_of(ast.Call, default))


def has_default_of_own_size(field: Field) -> bool:
    """Whether the default is an array with axes, whose sizes need not be those of the example."""
    return makes_default(field) and (is_tree(field.type) or any(array.dims for array in arrays(field.type)))


def default_statements(spec: ModuleSpec) -> tuple[str, ...]:
    """The statements that make the defaults of what is left out."""
    fields = [field for field in spec.stored if makes_default(field)]
    return tuple(f"if {field.name} is None:\n    {field.name} = {field.default}" for field in fields)
