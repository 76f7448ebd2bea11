"""Base classes: what an abstract class asks of those that fulfil it."""

import ast
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from scaffold.errors import Fault
from scaffold.kind import kind_of
from scaffold.spec.bodies.states import is_stateful
from scaffold.spec.grammar.type_texts import type_text
from scaffold.spec.grammar.types import ClassType, walk
from scaffold.spec.model import Argument, Call, Field, Method, ModuleSpec
from scaffold.spec.rules.source import known_attributes
from scaffold.spec.source.definitions import is_left_open

MODULE = ClassType("Module", "equinox")
"""Among the bases where another one, a mixin, is no Module itself."""
_KINDS = ("abstract", "module")


def is_abstract_body(body: str) -> bool:
    """Whether a body is `...` alone: the method is for subclasses to write."""
    return ast.unparse(ast.parse(body)) == "..."


def asks_for_call(spec: ModuleSpec) -> bool:
    """Whether the call of an abstract class is abstract."""
    return spec.call is not None and _is_abstract(spec, spec.call)


def asks_for(spec: ModuleSpec, method: Method) -> bool:
    """Whether a method of an abstract class is abstract."""
    return _is_abstract(spec, method.call)


def _is_abstract(spec: ModuleSpec, call: Call) -> bool:
    if kind_of(spec.kind).has_instances:
        return False
    # What is carried says it by a decorator of its own.
    return is_left_open(call.source) if call.source else is_abstract_body(call.body or "...")


def lineage(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> tuple[ModuleSpec, ...]:
    """The specs of the bases that are known, nearest first, each once."""
    found: dict[str, ModuleSpec] = {}
    ahead = [base.name for base in spec.bases if base.module is None]
    while ahead:
        name = ahead.pop(0)
        if name in known and name not in (*found, spec.name):
            found[name] = known[name]
            ahead += [base.name for base in known[name].bases if base.module is None]
    return tuple(found.values())


def concrete(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec | None:
    """The class itself, or the first one that fulfils it where it is abstract: one that holds no class of this family."""
    if kind_of(spec.kind).has_instances:
        return spec
    family = [one for one in known.values() if spec.name in {base.name for base in lineage(one, known)}]
    names = {spec.name, *(one.name for one in family)}
    able = (one for one in family if kind_of(one.kind).has_instances and one.own_constructor is None)
    return next((one for one in able if not names & _held_by(one)), None)


def _held_by(spec: ModuleSpec) -> set[str]:
    """The names of the classes that its fields hold."""
    return {part.name for one in spec.stored for part in walk(one.type) if isinstance(part, ClassType)}


def with_inherited(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """The spec as its tests know it: with the call, the fields and the examples of methods that bases have, and it has not."""
    every = lineage(spec, known)
    if not every:
        return spec
    made = (base.call for base in every if base.call is not None and not asks_for_call(base))
    stored = (one for base in every if kind_of(base.kind).has_instances for one in base.stored)
    fields = {one.name: replace(one, built=True) for one in stored} | {one.name: one for one in spec.fields}
    values = [pair for base in reversed(every) for pair in base.test.values if "." in pair[0]]
    return replace(
        spec,
        call=spec.call if spec.call is not None else next(made, None),
        fields=tuple(fields.values()),
        test=replace(spec.test, values=tuple(dict([*values, *spec.test.values]).items())),
    )


def with_types_of_bases(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """The spec whose methods have the types of those that they override, where their own signatures say none."""
    asked = {name: call for base in reversed(lineage(spec, known)) for name, call in _calls(base).items()}
    methods = tuple(replace(one, call=_typed(one.call, asked.get(one.name))) for one in spec.methods)
    call = spec.call if spec.call is None else _typed(spec.call, asked.get("__call__"))
    return replace(spec, call=call, methods=methods) if asked else spec


def _calls(spec: ModuleSpec) -> dict[str, Call]:
    own = {} if spec.call is None else {"__call__": spec.call}
    return own | {one.name: one.call for one in spec.methods if one.is_function}


def _typed(call: Call, asked: Call | None) -> Call:
    """The call with the types of another, by the names of arguments."""
    if asked is None or not call.source:
        return call
    kinds = {one.name: one.type for one in asked.args}
    args = tuple(replace(one, type=one.type or kinds.get(one.name)) for one in call.args)
    if call.returns:
        return replace(call, args=args)
    return replace(call, args=args, returns=asked.returns, returns_tuple=asked.returns_tuple)


def bases_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What bases cannot be, whatever their specs say."""
    place = f"{spec.where}: bases"
    if spec.bases and spec.kind not in _KINDS:
        fix = f"remove them, or write `kind = {_KINDS[1]!r}`".replace("'", '"')
        yield Fault(place, f"a class of kind `{spec.kind}` has no bases", fix)
    for name in sorted({base.name for base in spec.bases if spec.bases.count(base) > 1}):
        yield Fault(place, f"`{name}` is there twice", "remove one")
    if ClassType(spec.name) in spec.bases:
        yield Fault(place, f"the name `{spec.name}` is not known here: it is the class itself", "remove it")


def base_faults(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """What the bases of a class ask for and it does not have, or make and it overrides."""
    every = lineage(spec, known)
    for base in every:
        if kind_of(base.kind).has_instances and spec.own_constructor is not None:
            continue
        if kind_of(base.kind).has_instances:
            fix = f'write `kind = "abstract"` for `{base.name}`, or hold one as a field'
            yield Fault(f"{spec.where}: bases", f"`{base.name}` is concrete, and so final", fix)
            continue
        for field in base.fields:
            yield from _field_faults(spec, base, field)
        if base.call is not None:
            yield from _call_faults(spec, every, base, base.call)
        for method in base.methods:
            yield from _method_faults(spec, every, base, method)
    if every and not any(base.module for one in (spec, *every) for base in one.bases):
        inherited = tuple(field for base in every for field in base.fields if not spec.field(field.name))
        methods = tuple(method for base in every for method in base.methods)
        whole = replace(spec, bases=(), fields=(*spec.fields, *inherited), methods=(*spec.methods, *methods))
        yield from known_attributes(whole, frozenset())


def _field_faults(spec: ModuleSpec, base: ModuleSpec, field: Field) -> Iterator[Fault]:
    if spec.field(field.name) is None and field.stored and kind_of(spec.kind).has_instances:
        fix = f'write `{field.name} = {{ type = "{type_text(field.type)}" }}`'
        yield Fault(f"{spec.where}: fields", f"`{base.name}` asks for a field `{field.name}`", fix)


def _call_faults(
    spec: ModuleSpec, every: tuple[ModuleSpec, ...], base: ModuleSpec, asked: Call
) -> Iterator[Fault]:
    place = f"{spec.where}: call"
    if asks_for_call(base) and spec.call is None:
        made = any(one.call is not None and not asks_for_call(one) for one in every)
        if kind_of(spec.kind).has_instances and not made:
            shown = ", ".join(map(_shown, asked.args))
            fix = f'write `[call]` with `args = "{shown}"` and a body'
            yield Fault(place, f"`{base.name}` asks for a call", fix)
    elif spec.call is not None and is_stateful(spec) and not is_stateful(base):
        shown = ", ".join(map(_shown, spec.call.args))
        fix = f'write `args = "{shown}"` and `returns = "..., eqx.nn:State"` in `{base.name}`'
        yield Fault(place, f"takes and returns a state, and that of `{base.name}` does not", fix)


def _method_faults(
    spec: ModuleSpec, every: tuple[ModuleSpec, ...], base: ModuleSpec, asked: Method
) -> Iterator[Fault]:
    made = any(one.name == asked.name and not asks_for(at, one) for at in every for one in at.methods)
    if asks_for(base, asked) and kind_of(spec.kind).has_instances and not (made or spec.defines(asked.name)):
        shown = ", ".join(map(_shown, asked.call.args))
        fix = f'write `[methods.{asked.name}]` with `args = "{shown}"` and a body'
        yield Fault(f"{spec.where}: methods", f"`{base.name}` asks for a method `{asked.name}`", fix)


def _shown(argument: Argument) -> str:
    if argument.type is None:
        return argument.name
    default = "" if argument.default is None else f" = {argument.default}"
    return f"{argument.name}: {type_text(argument.type)}{default}"
