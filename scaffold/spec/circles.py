"""Classes that need each other: each would import the other before it is there, or none could be built."""

from collections.abc import Iterator, Mapping

from scaffold.errors import Fault
from scaffold.spec.grammar.types import ClassType, Type, walk
from scaffold.spec.model import ModuleSpec
from scaffold.spec.unit import siblings


def circle_faults(known: Mapping[str, ModuleSpec]) -> list[Fault]:
    """The faults of classes that need each other, or else of modules."""
    return [*_circles_of_classes(known)] or [*_circles_of_modules(known)]


def _circles_of_classes(known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """One fault for each circle of generated classes: fields, bases, arguments and results count."""
    needs = {name: _needs(spec, known) for name, spec in known.items()}
    while needs := _without_ends(needs):
        circle = _circle(needs)
        first, second = circle[0], circle[1 % len(circle)]
        told = " -> ".join(f"`{name}`" for name in (*circle, first))
        what = f"classes need each other in a circle: {told}"
        fix = "take one of them out, or hold `tree` in its place: each file would import the other first"
        yield Fault(f"{known[first].where}: {_where_named(known[first], second)}", what, fix)
        needs = {name: others for name, others in needs.items() if name not in circle}


def _circles_of_modules(known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """One fault where modules with several classes import each other, though their classes need no other in a circle."""
    modules = {name: spec.unit.path if spec.unit else spec.where for name, spec in known.items()}
    needs: dict[str, dict[str, None]] = {module: {} for module in modules.values()}
    for name, spec in known.items():
        others = (modules[one.name] for one in spec.classes if one.module is None and one.name in known)
        needs[modules[name]] |= dict.fromkeys(one for one in others if one != modules[name])
    left = _without_ends({module: tuple(others) for module, others in needs.items()})
    if left:
        circle = _circle(left)
        told = " -> ".join(f"`{module}`" for module in (*circle, circle[0]))
        fix = "put the classes that need each other into one file: each module would import the other first"
        yield Fault(circle[0], f"files need each other in a circle: {told}", fix)


def _needs(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> tuple[str, ...]:
    """The classes that must be there before: of those in the same file the ones that it holds, or builds on."""
    beside = {*siblings(spec)} - {one.name for one in spec.held}
    return tuple(
        one.name
        for one in spec.classes
        if one.module is None and one.name in known and one.name not in beside
    )


def _without_ends(needs: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The classes that are left when those that need none of the others are taken away, again and again."""
    left = dict(needs)
    while True:
        smaller = {
            name: ahead
            for name, others in left.items()
            if (ahead := tuple(one for one in others if one in left))
        }
        if len(smaller) == len(left):
            return smaller
        left = smaller


def _circle(needs: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """A circle among classes each of which needs another, from the first of its names on."""
    path = [min(needs)]
    while needs[path[-1]][0] not in path:
        path.append(needs[path[-1]][0])
    circle = path[path.index(needs[path[-1]][0]) :]
    begin = circle.index(min(circle))
    return (*circle[begin:], *circle[:begin])


def _where_named(spec: ModuleSpec, name: str) -> str:
    """The key under which `spec` names the other class."""
    if any(one.name == name for one in spec.bases):
        return "bases"
    named = (f"fields.{field.name}" for field in spec.fields if _names(field.type, name))
    in_call = any(
        one.type is not None and _names(one.type, name) for one in (spec.call.args if spec.call else ())
    )
    return next(named, "call.args" if in_call else "fields")


def _names(kind: Type, name: str) -> bool:
    return any(isinstance(part, ClassType) and part.name == name for part in walk(kind))
