"""Skeletons with several classes: each becomes one module, with all its statements in the order of the
file."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from scaffold.errors import Fault

if TYPE_CHECKING:
    from scaffold.spec.model import ModuleSpec


class Unit(Struct, frozen=True):
    """The file of several classes.

    Each class has the statements between it and the class above as `helpers`. The last class has the
    statements after it as `below`.
    """

    stem: str
    """The name of the file, and so of the module, without the ending."""
    path: str
    """The name of the file in faults."""
    classes: tuple[str, ...]
    """The names of the classes, in order."""
    bound: tuple[str, ...] = ()
    """The names that the other statements of the file bind."""
    variables: tuple[tuple[str, str], ...] = ()
    """The types of Variables of Flax and of the file, each with its role."""
    modules: frozenset[str] = frozenset()
    """The classes of the file that are Modules of Flax."""
    doc: str = ""
    """The docstring of the file."""
    comment: str = ""
    """The comment above all of the file."""

    def below(self, name: str) -> tuple[str, ...]:
        """Return the classes below a class, which are not bound yet when its annotations are evaluated."""
        return self.classes[self.classes.index(name) + 1 :]


def siblings(spec: "ModuleSpec") -> tuple[str, ...]:
    """Return the other classes in the file of a class."""
    return tuple(name for name in (spec.unit.classes if spec.unit else ()) if name != spec.name)


def by_module(specs: Iterable["ModuleSpec"]) -> list[tuple["ModuleSpec", ...]]:
    """Group the classes by module: the classes of a unit together, each other class alone."""
    modules: dict[str, list[ModuleSpec]] = {}
    for spec in specs:
        modules.setdefault(spec.unit.path if spec.unit else f": {spec.name}", []).append(spec)
    return [tuple(specs) for specs in modules.values()]


def unit_faults(specs: Sequence["ModuleSpec"]) -> Iterator[Fault]:
    """Find units with a missing class, and bases that stand below their subclass."""
    names = {spec.name for spec in specs}
    for spec in specs:
        missing = [name for name in siblings(spec) if name not in names]
        if missing and spec.unit is not None:
            message = f"is one module with `{'`, `'.join(missing)}`, which are not planned with it"
            yield Fault(spec.where, message, f"plan all classes of {spec.unit.path}: `load_specs` reads them")
        for base in spec.bases:
            if spec.unit is not None and base.name in spec.unit.below(spec.name):
                message = f"`{base.name}` stands below `{spec.name}`, and is not there yet"
                yield Fault(f"{spec.where}: bases", message, f"move `{base.name}` above `{spec.name}`")
