"""Rules for base classes: what an abstract class requires of its subclasses."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from scaffold.errors import Fault
from scaffold.kind import kind_of
from scaffold.source.definitions import class_of, is_left_open
from scaffold.source.instance import attributes_stored
from scaffold.spec.grammar.type_texts import type_text
from scaffold.spec.grammar.types import ClassType, walk
from scaffold.spec.model import Argument, Call, Method, ModuleSpec
from scaffold.spec.rules.known_names import known_attributes
from scaffold.spec.states import is_stateful

MODULES = (ClassType("Module", "equinox"), ClassType("Module", "flax.nnx"))
"""The Module classes, one of which must be a base if another base is a mixin."""


def asks_for(spec: ModuleSpec, method: Method) -> bool:
    """Whether a method is abstract, because its body is `...` or because a decorator says so."""
    call = method.call
    if call.source:  # what is carried says it by a decorator of its own
        return is_left_open(call.source)
    return not kind_of(spec.kind).has_instances and ast.unparse(ast.parse(call.body)) in ("", "...")


def asks_for_call(spec: ModuleSpec) -> bool:
    """Whether the call of an abstract class is abstract."""
    return spec.call is not None and asks_for(spec, Method("__call__", spec.call))


def lineage(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> tuple[ModuleSpec, ...]:
    """Return the known specs of all bases, nearest first, each once."""
    specs_by_name: dict[str, ModuleSpec] = {}
    ahead = [base.name for base in spec.bases if base.module is None]
    while ahead:
        name = ahead.pop(0)
        if name in known and name not in (*specs_by_name, spec.name):
            specs_by_name[name] = known[name]
            ahead += [base.name for base in known[name].bases if base.module is None]
    return tuple(specs_by_name.values())


def subclasses(
    spec: ModuleSpec, others: Iterable[ModuleSpec], known: Mapping[str, ModuleSpec]
) -> list[ModuleSpec]:
    """Return the specs in `others` that inherit from a class."""
    return [other for other in others if spec.name in {base.name for base in lineage(other, known)}]


def held_by(spec: ModuleSpec) -> set[str]:
    """Return the names of the classes that fields hold."""
    return {part.name for field in spec.stored for part in walk(field.type) if isinstance(part, ClassType)}


def bases_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find bases that are wrong whatever their specs say."""
    place = "bases"
    for name in sorted({base.name for base in spec.bases if spec.bases.count(base) > 1}):
        yield Fault(place, f"`{name}` is there twice", "remove one")
    if ClassType(spec.name) in spec.bases:
        yield Fault(place, f"the name `{spec.name}` is not known here: it is the class itself", "remove it")


def base_faults(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """Find what bases require and the class lacks.

    Also find fields of bases that the constructor does not make, and attributes that no class of the lineage
    has.
    """
    every = lineage(spec, known)
    concrete = [base for base in every if kind_of(base.kind).has_instances]
    known_to_it = {field.name for field in spec.fields}
    for base in concrete if spec.own_constructor is None else ():
        if not known_to_it.issuperset(field.name for field in base.stored):
            fix = f'write `kind = "abstract"` for `{base.name}`, or an `__init__` in `{spec.name}`, or hold one as a field'
            message = f"the constructor of `{spec.name}` does not make the fields of `{base.name}`"
            yield Fault("bases", message, fix)
    for base in (base for base in every if base not in concrete):
        yield from _missing(spec, every, base) if kind_of(spec.kind).has_instances else ()
        if base.call is not None and spec.call is not None and is_stateful(spec) and not is_stateful(base):
            fix = f'write `args = "{_shown(spec.call)}"` and `returns = "..., eqx.nn:State"` in `{base.name}`'
            yield Fault("call", f"takes and returns a state, and that of `{base.name}` does not", fix)
    if (
        every
        and not spec.is_open
        and not any(base.module for owner in (spec, *every) for base in owner.bases)
    ):
        inherited = tuple(field for base in every for field in base.fields if not spec.field(field.name))
        written = {method.name for _, method in spec.functions}
        made = (method for base in every for method in base.methods if not asks_for(base, method))
        methods = tuple(method for method in made if method.name not in written)
        kept = (node for base in every if (node := class_of(base.source)) is not None)
        stored = frozenset(name for node in kept for name in attributes_stored(node))
        whole = replace(spec, bases=(), fields=(*spec.fields, *inherited), methods=(*spec.methods, *methods))
        whole = replace(whole, unread=spec.unread | stored)
        yield from known_attributes(whole)


def _missing(spec: ModuleSpec, every: tuple[ModuleSpec, ...], base: ModuleSpec) -> Iterator[Fault]:
    """Find the fields, the call and the methods that a base requires and the class lacks."""
    for field in (field for field in base.stored if spec.field(field.name) is None):
        fix = f'write `{field.name} = {{ type = "{type_text(field.type)}" }}`'
        yield Fault("fields", f"`{base.name}` asks for a field `{field.name}`", fix)
    made = {method.name for _, method in spec.functions}
    made |= {method.name for at in every for _, method in at.functions if not asks_for(at, method)}
    for key, method in base.functions:
        if asks_for(base, method) and method.name not in made:
            name = "" if key == "call" else f" `{method.name}`"
            message = f"`{base.name}` asks for a {'call' if key == 'call' else 'method'}{name}"
            yield Fault(key, message, f'write `[{key}]` with `args = "{_shown(method.call)}"` and a body')


def _shown(call: Call) -> str:
    return ", ".join(map(_argument_shown, call.args))


def _argument_shown(argument: Argument) -> str:
    if argument.type is None:
        return argument.name
    default = "" if argument.default is None else f" = {argument.default}"
    return f"{argument.name}: {type_text(argument.type)}{default}"
