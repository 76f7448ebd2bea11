"""The mesh axes of the named dims of a class, and faults of `sharding`."""

from collections.abc import Iterator

from scaffold.errors import Fault, unknown
from scaffold.kind import kind_of
from scaffold.mesh_axes import Rules, axes_of
from scaffold.spec.construction.constructor import dims_of, written_dims
from scaffold.spec.grammar.types import arrays
from scaffold.spec.model import ModuleSpec


def named_fields(spec: ModuleSpec) -> dict[str, tuple[str, ...]]:
    """Return the dims of dynamic fields by name, if all arrays of a field have the same named dims."""
    dims_by_field = {field.name: {array.dims for array in arrays(field.type)} for field in spec.dynamic}
    return {
        name: next(iter(dims))
        for name, dims in dims_by_field.items()
        if len(dims) == 1 and any(next(iter(dims)))
    }


def applied(spec: ModuleSpec) -> Rules:
    """Return the rules that concern a dim of the class or of its call."""
    names = {*written_dims(spec), *dims_of(spec)}
    return tuple(rule for rule in spec.sharding or () if rule[0] in names)


def sharding_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find rules for unknown dims, and arrays with two dims on one mesh axis."""
    if spec.sharding is None:
        return
    if spec.field("partition_specs") is not None and not kind_of(spec.kind).variables:
        message = "`partition_specs` is a method of a class with `sharding`"
        fix = "rename it, to `my_partition_specs` for example"
        yield Fault("fields.partition_specs", message, fix)
    legal = tuple(sorted({*written_dims(spec), *dims_of(spec)}))
    for name, _ in spec.sharding:
        if name not in legal:
            yield unknown(f"sharding.{name}", name, legal, f"`{name}` is no dim")
    yield from collisions(spec, spec.sharding)


def collisions(spec: ModuleSpec, rules: Rules) -> Iterator[Fault]:
    """Find arrays with two dims on one mesh axis."""
    for name, array in ((field.name, array) for field in spec.dynamic for array in arrays(field.type)):
        first: dict[str, str] = {}
        placed = [(dim, axis) for dim in array.dims for axis in axes_of(dim, rules)]
        for dim, axis in placed:
            if axis in first:
                message = f"`{first[axis]}` and `{dim}` of `{name}` both lie on `{axis}`, and an array has an axis once"
                fix = f"map one of them to another axis, or to none: `{dim} = []`"
                yield Fault("sharding", message, fix)
            first.setdefault(axis, dim)
