"""Cycles of classes, which could not import each other or could never be built."""

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from scaffold.errors import Fault
from scaffold.spec.grammar.types import ClassType, walk
from scaffold.spec.model import ModuleSpec
from scaffold.spec.rules.bases import held_by
from scaffold.spec.unit import siblings


def cycle_faults(known: Mapping[str, ModuleSpec]) -> list[Fault]:
    """Find cycles of classes, or if there are none, cycles of modules."""
    return [*_of_classes(known)] or [*_of_modules(known)]


def _of_classes(known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """Find cycles of generated classes through fields, bases, arguments and results."""
    for cycle in _cycles({name: _needs(spec, known) for name, spec in known.items()}):
        spec = known[cycle[0]]
        message = f"classes need each other in a circle: {_shown(cycle)}"
        is_of_parts = any(_cycles({name: _parts(known[name], known) for name in cycle}))
        together = "" if is_of_parts else "put them into one skeleton, "
        fix = f"{together}take one of them out, or hold `tree` in its place: each file would import the other first"
        yield Fault(f"{spec.where}: {_key_naming(spec, cycle[1])}", message, fix)


def _of_modules(known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """Find the first cycle of modules, in which several classes share a file and need no other in a cycle."""
    modules = {name: spec.unit.path if spec.unit else spec.where for name, spec in known.items()}
    needs: dict[str, dict[str, None]] = {module: {} for module in modules.values()}
    for name, spec in known.items():
        others = (modules[other] for other in _generated(spec, known))
        needs[modules[name]] |= dict.fromkeys(module for module in others if module != modules[name])
    cycle = next(_cycles({module: tuple(others) for module, others in needs.items()}), None)
    if cycle is not None:
        fix = "put the classes that need each other into one file: each module would import the other first"
        yield Fault(cycle[0], f"files need each other in a circle: {_shown(cycle)}", fix)


def _needs(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> tuple[str, ...]:
    """Return the classes that must exist before `spec`. In its own file, only bases and held classes must."""
    beside = {*siblings(spec)} - {*_parts(spec, known)}
    return tuple(name for name in _generated(spec, known) if name not in beside)


def _parts(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> tuple[str, ...]:
    """Return the generated classes that `spec` holds or builds on.

    In one file, `spec` may name other classes in any order.
    """
    return tuple(sorted({*held_by(spec), *(base.name for base in spec.bases)} & {*known}))


def _generated(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> list[str]:
    """Return the other generated classes that `spec` names."""
    return [kind.name for kind in spec.classes if kind.module is None and kind.name in known]


def _cycles(needs: Mapping[str, tuple[str, ...]]) -> Iterator[list[str]]:
    """Yield cycles without common names, each from its first name in the alphabet back to that name."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        names: list[str] = error.args[1][:0:-1]
        first = names.index(min(names))
        yield [*names[first:], *names[:first], names[first]]
        rest = {name: others for name, others in needs.items() if name not in names}
        yield from _cycles({name: tuple(o for o in others if o in rest) for name, others in rest.items()})


def _shown(cycle: list[str]) -> str:
    return " -> ".join(f"`{name}`" for name in cycle)


def _key_naming(spec: ModuleSpec, name: str) -> str:
    """Return the key under which `spec` names another class."""
    if any(base.name == name for base in spec.bases):
        return "bases"
    placed = [(field.type, f"fields.{field.name}") for field in spec.fields]
    placed += [(argument.type, "call.args") for argument in spec.call_arguments if argument.type is not None]
    named = (key for kind, key in placed for part in walk(kind) if part == ClassType(name))
    return next(named, "fields")
