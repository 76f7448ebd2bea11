"""Rules for arguments of the constructor, the call and the methods, and for results and carries."""

import ast
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from scaffold.errors import Fault, unknown
from scaffold.kind import kind_of
from scaffold.source.definitions import returns_value
from scaffold.source.expressions import assigned_names
from scaffold.spec.construction.constructor import KEY, dims_of, parameters, uses_dtype
from scaffold.spec.grammar.types import ClassType, Type, UnionType, members_of
from scaffold.spec.model import Argument, Call, ModuleSpec
from scaffold.spec.names import argument_name_faults
from scaffold.spec.rules.fields import value_faults
from scaffold.spec.tables.keys import SELF


def _signature_faults(
    arguments: Sequence[Argument], defaulted: Collection[str], place: str
) -> Iterator[Fault]:
    """Find why Python refuses a function with these arguments, some of which have a default."""
    names = [argument.name for argument in arguments]
    shown = ", ".join(f"{name}=..." if name in defaulted else name for name in names)
    try:
        compile(f"def _({shown}): ...", "spec", "exec")
    except SyntaxError as error:
        if all(name == "*" or name.isidentifier() for name in names):
            message = f"not Python: `def f({shown})`: {error.msg}"
            yield Fault(place, message, "write what a function of Python takes")


# -- the constructor ---------------------------------------------------------------------------------------------------


def argument_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find faults in the arguments of the constructor."""
    known = {parameter.name for parameter in parameters(replace(spec, arguments=()))} | set(dims_of(spec))
    for argument in (argument for argument in spec.arguments if not argument.is_marker):
        is_usual = argument.name in ("key", "dtype")
        yield from (
            _usual(spec, argument) if is_usual else _of_constructor(spec, argument, known | spec.unread)
        )
    defaulted = [parameter.name for parameter in parameters(spec) if parameter.default is not None]
    yield from _signature_faults(spec.arguments, defaulted, "arguments")


def _of_constructor(spec: ModuleSpec, argument: Argument, known: set[str]) -> Iterator[Fault]:
    name, kind, place = argument.name, argument.type, "arguments"
    faults, field = argument_name_faults(name, place, spec.name), spec.field(name)
    if faults:
        yield from faults
    elif kind is None and field is not None and not field.given:
        origin = "made by its `init`" if field.stored else "computed at each use"
        yield Fault(place, f"`{name}` is {origin}, so it is not given", "remove it, or its `init`")
    elif kind is None and name not in known:
        message, fix = f"`{name}` is no argument of the constructor", f"write `{name}: TYPE` to declare it"
        yield unknown(place, name, sorted(known), message, fix)
    elif kind is not None:
        yield from _type_faults(spec, name, kind)
        yield from value_faults(kind, argument.default, place) if argument.default is not None else ()


def _type_faults(spec: ModuleSpec, name: str, kind: Type) -> Iterator[Fault]:
    """Check that an argument has the type of its field, unless the constructor converts the value."""
    field = spec.field(name)
    if field is None or field.converter or field.preprocess or field.init or field.nullable:
        return
    if field.type not in (kind, *members_of(kind)) and name not in assigned_names(spec.setup):
        fix = f"write `{name}` alone, or a `converter` for the field"
        yield Fault("arguments", f"`{name}` has another type in `fields`", fix)


def _usual(spec: ModuleSpec, argument: Argument) -> Iterator[Fault]:
    """Check `key` and `dtype`, whose types are fixed."""
    kind = argument.type
    if argument.name == "key" and kind not in (None, KEY, UnionType((KEY,), True)):
        yield Fault("arguments", "`key` is a PRNG key", "write `key`, or `key: key[] | None = None`")
    elif argument.name == "dtype" and kind is not None:
        yield Fault("arguments", "`dtype` has its type already", "write `dtype` alone")
    elif argument.name == "dtype" and not (spec.dtype or uses_dtype(spec)):
        message = "`dtype` applies to what is made, and here every array is given"
        yield Fault("arguments", message, "remove it: each keeps its own")


# -- the call and the methods ------------------------------------------------------------------------------------------


def call_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find faults in the call and the methods. Another rule looks up the names in their bodies."""
    kind = kind_of(spec.kind)  # where it has Variables, methods may change the instance in place
    for key, function in (pair for pair in spec.functions if not pair[1].call.source):
        call = function.call
        for argument in (argument for argument in call.args if not argument.is_marker):
            yield from _of_call(argument, f"{key}.args", spec.name)
        defaulted = [argument.name for argument in call.args if argument.default is not None]
        yield from _signature_faults(call.args, defaulted, f"{key}.args")
        is_asked = not kind.has_instances and call.body == "..."
        if call.body and not is_asked and not returns_value(ast.parse(call.body).body):
            yield Fault(f"{key}.body", "returns nothing", "end it with `return ...`")
        if key == "call" or call.carry != SELF:
            yield from _carry(spec, call, key)
        elif not kind.variables and call.returns[:1] != (ClassType(spec.name),):
            message = "the next instance is returned first, and `returns` does not say so"
            yield Fault(f"{key}.carry", message, f'write `returns = "{spec.name}"`, or with more behind it')


def _of_call(argument: Argument, place: str, class_name: str) -> Iterator[Fault]:
    name = argument.name
    faults = argument_name_faults(name, place, class_name, reserved=False)
    if name.startswith("*"):
        fix = f"write `{name.lstrip('*') or 'xs'}: list[f[size]]`"
        yield Fault(place, f"`{name}` takes any number of arguments, so no example can be made", fix)
    elif faults:
        yield from faults
    elif argument.type is None:
        yield Fault(place, f"`{name}` has no type", f"write `{name}: f[size]`")
    elif argument.default is not None:
        yield from value_faults(argument.type, argument.default, place)


def _carry(spec: ModuleSpec, call: Call, key: str) -> Iterator[Fault]:
    place, names = f"{key}.carry", [argument.name for argument in call.args]
    gives_the_next = call.carry == SELF and call.returns[:1] == (ClassType(spec.name),)
    if call.carry is None or call.carry in spec.unread or gives_the_next:
        return
    carried = next((argument for argument in call.args if argument.name == call.carry), None)
    if carried is None:
        fix = "write the name of an argument"
        yield unknown(place, call.carry, [*names, SELF], f"`{call.carry}` is no argument", fix)
    elif not call.returns:
        fix = "write `returns`, with the next value first"
        yield Fault(place, f"the next `{call.carry}` is returned first, and `returns` does not say so", fix)
    elif carried.type is not None and carried.type != call.returns[0]:
        fix = "give the argument and the first result one type: a scan carries it from step to step"
        yield Fault(place, f"`{call.carry}` and the first result differ in type", fix)
