"""Layout `nested`, in which each group of fields becomes a small class that the outer class holds."""

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from scaffold.source.rewriting import read_as
from scaffold.source.text import listed
from scaffold.spec.grammar.types import ClassType
from scaffold.spec.model import Field, Group, ModuleSpec


def small_classes(spec: ModuleSpec) -> tuple[ModuleSpec, ...]:
    """Return the class of each group as a spec with the group's fields, and the group's name as its place."""
    return tuple(_small_class(spec, group) for group in (spec.groups if spec.nests else ()))


def _small_class(spec: ModuleSpec, group: Group) -> ModuleSpec:
    fields = tuple(member for name in group.fields if (member := spec.field(name)) is not None)
    names = listed(f"`{name}`" for name in group.fields)
    doc = f"The group `{group.name}` of `{spec.name}`: {names}."
    return ModuleSpec(group.class_name, spec.kind, fields, doc, rebuild="bypass", where=group.name)


def with_groups_as_fields(spec: ModuleSpec, has_spec: Callable[[ModuleSpec], bool]) -> ModuleSpec:
    """Replace the fields of each group by a single field, in the place of the first.

    `has_spec` tells whether the group's class has its own filter spec, which the outer filter spec then uses.
    """
    roles = {small.where: "module" if has_spec(small) else "param" for small in small_classes(spec)}
    members = dict.fromkeys(_holder(spec, field) or field for field in spec.fields)
    fields = (
        Field(member.name, ClassType(member.class_name), roles[member.name])
        if isinstance(member, Group)
        else member
        for member in members
    )
    return replace(spec, fields=tuple(fields))


def _holder(spec: ModuleSpec, field: Field) -> Group | None:
    """Return the group whose class stores a field, or None."""
    return next((group for group in spec.groups if field.name in group.fields), None) if spec.nests else None


def placed(spec: ModuleSpec) -> Iterator[tuple[str, Field]]:
    """Yield the fields in the order of the leaves, each with the path of its holder, such as `shape.`."""
    for member in dict.fromkeys(_holder(spec, field) or field for field in spec.stored):
        if isinstance(member, Field):
            yield "", member
        else:
            yield from (
                (f"{member.name}.", field)
                for name in member.fields
                if (field := spec.field(name)) is not None
            )


def selected(spec: ModuleSpec, group: Group) -> tuple[str, ...]:
    """Return the paths that the filter spec of a group selects."""
    return (group.name,) if spec.nests else group.fields


def located(spec: ModuleSpec, source: str) -> str:
    """Read each field where it is stored: `self.shape.radius` for `self.radius`."""
    groups = spec.groups if spec.nests else ()
    places = {name: f"self.{group.name}.{name}" for group in groups for name in group.fields}
    return read_as(source, places, unless=None)


def grouped(spec: ModuleSpec, values: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return name and value of each attribute of the outer class, from the values of all fields."""
    made = dict(values)
    members = dict.fromkeys(_holder(spec, field) or field for field in spec.stored)
    return tuple(
        (member.name, _build(member, made) if isinstance(member, Group) else made[member.name])
        for member in members
    )


def _build(group: Group, made: dict[str, str]) -> str:
    return f"{group.class_name}({' '.join(f'{name}={made[name]},' for name in group.fields)})"
