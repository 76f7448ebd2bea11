"""Training of fields: frozen fields, buffers, and fields without weight decay.

Frozen fields are not trained, but gradients pass through them. Buffers must get no gradient at all.
"""

from collections.abc import Iterator, Mapping

from scaffold.errors import Fault
from scaffold.kind import kind_of
from scaffold.spec.grammar.types import ClassType, OpaqueType, ScalarType, arrays, is_mixed, is_tree
from scaffold.spec.model import Field, ModuleSpec

ALWAYS = "true"
FILTER = "wrt=nnx.All(nnx.Param, nnx.Not(nnx.PathContains(...)))"
"""The filter that excludes Params of an NNX module from training."""


def undecayed(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the trained fields that weight decay leaves alone."""
    return tuple(field.name for field in spec.dynamic if not field.decays)


def frozen_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find fields that cannot be frozen, and values of `frozen` that are no static bool."""
    for field in (field for field in spec.fields if field.frozen):
        message, fix = _why_not_frozen(spec, field)
        if message:
            yield Fault(f"fields.{field.name}.frozen", message, fix)


def _why_not_frozen(spec: ModuleSpec, field: Field) -> tuple[str, str]:
    flag = spec.field(field.frozen)
    if spec.kind == "train-state" and field.name == "model":
        return "a train state trains its model", "freeze fields of the model"
    if kind_of(spec.kind).variables and field.role == "module":
        fix = f"remove it, and give the optimiser a filter: `{FILTER}`"
        return "the Params of a sub-module are its own", fix
    if field.frozen == ALWAYS:
        return "", ""
    if kind_of(spec.kind).variables:
        return "a Variable has one type in all instances", "write `frozen = true`"
    if flag is None or flag.role != "static" or flag.type != ScalarType("bool"):
        fix = f'write `true`, or declare `{field.frozen} = {{ type = "bool", default = true }}`'
        return f"`{field.frozen}` is no static bool of the class", fix
    return "", ""


# -- buffers -------------------------------------------------------------------------------------------------------------


def guarded_buffers(spec: ModuleSpec) -> tuple[tuple[str, bool], ...]:
    """Return the buffers to keep out of the gradient wherever they are used.

    The flag of each says whether it may hold objects that are no arrays.
    """
    buffers = ((field.name, field.example or field.type) for field in spec.fields if field.role == "buffer")
    return tuple(
        (name, is_mixed(kind))
        for name, kind in buffers
        if is_tree(kind)
        or any(array.inexact for array in arrays(kind))
        or (isinstance(kind, OpaqueType) and kind.is_array)
        or is_mixed(kind)
    )


def buffers_of_parts(
    spec: ModuleSpec, known: Mapping[str, ModuleSpec], above: tuple[str, ...] = ()
) -> Iterator[tuple[str, bool]]:
    """Yield the paths of guarded buffers in the classes that fields hold, such as `table.values`.

    NNX classes need no guard, because the type of a Variable marks a buffer.
    """
    for field in spec.fields:
        kind = field.type
        part = known.get(kind.name) if isinstance(kind, ClassType) and kind.module is None else None
        if part is not None and part.name not in above and not kind_of(part.kind).variables:
            inner = (*guarded_buffers(part), *buffers_of_parts(part, known, (*above, spec.name)))
            yield from ((f"{field.name}.{path}", mixed) for path, mixed in inner)
