"""Layout `nested`: each group of fields is a small class of its own, which the large one holds in the place of its fields."""

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from scaffold.source.rewriting import read_as
from scaffold.source.text import listed
from scaffold.spec.grammar.types import ClassType
from scaffold.spec.model import Field, Group, ModuleSpec


def small_classes(spec: ModuleSpec) -> tuple[ModuleSpec, ...]:
    """The class of each group as a spec: its fields alone, and the name of the group as its place."""
    return tuple(_small_class(spec, group) for group in (spec.groups if spec.nests else ()))


def _small_class(spec: ModuleSpec, group: Group) -> ModuleSpec:
    fields = tuple(member for name in group.fields if (member := spec.field(name)) is not None)
    names = listed(f"`{name}`" for name in group.fields)
    doc = f"The group `{group.name}` of `{spec.name}`: {names}."
    return ModuleSpec(group.class_name, spec.kind, fields, doc, rebuild="bypass", where=group.name)


def with_groups_as_fields(spec: ModuleSpec, has_spec: Callable[[ModuleSpec], bool]) -> ModuleSpec:
    """The spec as the large class holds it: each group is a field, in the place of its first one.

    `has_spec` says whether the class of a group has a filter spec of its own, which that of the large one then asks.
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
    """The group in whose class a field lies, or None."""
    return next((group for group in spec.groups if field.name in group.fields), None) if spec.nests else None


def placed(spec: ModuleSpec) -> Iterator[tuple[str, Field]]:
    """The fields in the order of the leaves, each with the path of what holds it: `shape.`, or nothing."""
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
    """The paths that the filter spec of a group selects."""
    return (group.name,) if spec.nests else group.fields


def located(spec: ModuleSpec, source: str) -> str:
    """`source` with each field read where it lies: `self.shape.radius` for `self.radius`."""
    groups = spec.groups if spec.nests else ()
    places = {name: f"self.{group.name}.{name}" for group in groups for name in group.fields}
    return read_as(source, places, unless=None)


def grouped(spec: ModuleSpec, values: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Name and value of each attribute of the large class, from those of all fields."""
    made = dict(values)
    members = dict.fromkeys(_holder(spec, field) or field for field in spec.stored)
    return tuple(
        (member.name, _build(member, made) if isinstance(member, Group) else made[member.name])
        for member in members
    )


def _build(group: Group, made: dict[str, str]) -> str:
    return f"{group.class_name}({' '.join(f'{name}={made[name]},' for name in group.fields)})"
