"""Pieces of Python in a spec, each with the names that are known there besides names of the module."""

import builtins
from collections.abc import Iterator

from msgspec import Struct

from scaffold.kind import kind_of
from scaffold.source.definitions import bound_by
from scaffold.source.expressions import assigned_names
from scaffold.spec.construction.cases import claimed_arguments
from scaffold.spec.construction.constructor import constructor_names, converter_expression, readable_above
from scaffold.spec.helpers import helper_names
from scaffold.spec.model import Field, Method, ModuleSpec
from scaffold.spec.names import IMPORTS
from scaffold.spec.states import ARGUMENT as STATE_ARGUMENT
from scaffold.spec.states import state_fields
from scaffold.spec.unit import siblings

BUILTINS = frozenset(dir(builtins)) | {"__class__", "__file__"}
Names = frozenset[str]


class Piece(Struct, frozen=True):
    """A piece of Python, and its place in the spec."""

    key: str
    text: str
    names: Names = frozenset()
    """Names that are known in the piece, besides names of the module."""
    expression: bool = True
    of_instance: bool = False
    """Whether `self` in the piece is an instance of the class."""
    builder: bool = False
    """Whether the piece runs while an instance is made, and may assign its fields."""


_BUILDERS = ("__init__", "__post_init__", "__new__", "__setattr__", "__setstate__")
"""Methods that run before an instance is complete, or that define what an assignment does."""
_OF_TESTS = frozenset(("seed", "self"))


def pieces(spec: ModuleSpec) -> Iterator[Piece]:
    """Yield every piece of Python that the author wrote."""
    for key in ("source", "helpers", "below"):
        if text := getattr(spec, key):
            yield Piece(key, text, expression=False)
    if not kind_of(spec.kind).is_carried:
        yield from _of_constructor(spec)
        for key, function in spec.functions:
            yield from _of_function(spec, key, function)
        yield from claims(spec)
    yield from pieces_of_tests(spec)


def _of_constructor(spec: ModuleSpec) -> Iterator[Piece]:
    built = constructor_names(spec)
    fields = frozenset(field.name for field in spec.fields) | {"self"}
    for field in spec.fields:
        yield from _of_field(spec, field, built, fields)
    yield from (Piece("arguments", each.default) for each in spec.arguments if each.default is not None)
    yield from (Piece("decorators", decorator) for decorator in spec.decorators)
    yield from (Piece(f"keywords.{name}", source) for name, source in spec.keywords)
    if spec.setup:
        yield Piece("setup", spec.setup, built, expression=False)


def expression_key(field: Field) -> str:
    """Return the key under which the author wrote the expression of a field."""
    return "of" if field.role == "shared" else "init"


def _of_field(spec: ModuleSpec, field: Field, built: Names, fields: Names) -> Iterator[Piece]:
    read = built | readable_above(spec, field) if field.stored else fields
    texts = {
        expression_key(field): (field.source, read, not field.stored),
        "preprocess": (field.preprocess, built | {field.name}, False),
        "converter": (converter_expression(field), built | {field.name}, False),
        "check": (field.check, fields, True),
        "default": (field.default, Names(), False),
        **{f"preset.{name}": (text, Names(), False) for name, text in field.preset},
    }
    for key, (text, names, of_instance) in texts.items():
        if text is not None:
            yield Piece(f"fields.{field.name}.{key}", text, names, of_instance=of_instance)


def _of_function(spec: ModuleSpec, key: str, function: Method) -> Iterator[Piece]:
    call = function.call
    yield from (Piece(f"{key}.args", each.default) for each in call.args if each.default is not None)
    listed = () if call.source else function.decorators
    yield from (Piece(f"{key}.decorator", decorator, class_names(spec)) for decorator in listed)
    own = frozenset((function.owner, *(argument.name.lstrip("*") for argument in call.args)))
    names, builds = class_names(spec) if call.source else own, function.name in _BUILDERS
    if call.text:
        place, of_instance = f"{key}.body", function.is_function
        yield Piece(place, call.text, names, expression=False, of_instance=of_instance, builder=builds)


def pieces_of_tests(spec: ModuleSpec) -> Iterator[Piece]:
    """Yield the Python that the author wrote for the tests alone."""
    test = spec.test
    values = {"values": test.values, "other": test.other}
    values |= {f"cases.{index}.values": case.values for index, case in enumerate(test.cases)}
    for key, pairs in values.items():
        yield from (Piece(f"test.{key}.{name}", text, _OF_TESTS) for name, text in pairs)
    rows = (pair for row in test.rejected for pair in row)
    yield from (Piece(f"test.rejected.{name}", text, _OF_TESTS) for name, text in rows)
    if test.build:
        yield Piece("test.build", test.build, _OF_TESTS)


def claims(spec: ModuleSpec) -> Iterator[Piece]:
    """Yield the conditions and the reference, which read the fields and the arguments of the call."""
    names = {"self", *(argument.name for argument in spec.call_arguments)}
    names |= {STATE_ARGUMENT.name} if state_fields(spec) else set[str]()
    of_conditions = frozenset((*names, "close", *claimed_arguments(spec)))
    for index, condition in enumerate(spec.test.holds):
        yield Piece(f"test.holds.{index}.that", condition.that, of_conditions, of_instance=True)
    if spec.test.reference:
        text = spec.test.reference
        yield Piece("test.reference", text, frozenset(names), expression=False, of_instance=True)


def module_names(spec: ModuleSpec) -> Names:
    """Return the names that are known everywhere in the module of a class."""
    imports = {*IMPORTS, *kind_of(spec.kind).imports, *imported_names(spec)}
    return frozenset({*imports, *BUILTINS, spec.name, *siblings(spec)})


def imported_names(spec: ModuleSpec) -> Names:
    """Return the names that imports, types, type parameters and helpers of the spec bring in."""
    named = (line for line in spec.imports if not line.endswith(" import *"))
    lines = frozenset(assigned_names("\n".join(named)))
    types = {kind.name for kind in (*spec.classes, *spec.generic)}
    shared = spec.unit.bound if spec.unit is not None else ()
    return lines | types | {*helper_names(spec), *shared}


def class_names(spec: ModuleSpec) -> Names:
    """Return the names that the class body binds, which its statements and decorators may read."""
    carried = (bound_by(method.call.source) for method in spec.methods if method.call.source)
    return frozenset(member.name for member in (*spec.fields, *spec.methods)).union(*carried)
