"""Which fields are trained: frozen ones are not, though gradients pass through them, which buffers must not get; some do not decay."""

from collections.abc import Iterator, Mapping

from scaffold.errors import Fault
from scaffold.kind import kind_of
from scaffold.spec.grammar.types import ClassType, OpaqueType, ScalarType, arrays, is_mixed, is_tree
from scaffold.spec.model import Field, ModuleSpec

ALWAYS = "true"
FILTER = "wrt=nnx.All(nnx.Param, nnx.Not(nnx.PathContains(...)))"
"""What leaves Params of an NNX module out of training."""


def undecayed(spec: ModuleSpec) -> tuple[str, ...]:
    """The fields that are trained, and that weight decay leaves alone."""
    return tuple(field.name for field in spec.dynamic if not field.decays)


def frozen_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What cannot be frozen, and what says nothing of when it is."""
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
    """The buffers that must be kept out of the gradient where they are used, each with whether it may hold what is no array."""
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
    """The paths of such buffers in the classes that its fields hold: `table.values`. Variables of NNX see to themselves."""
    for field in spec.fields:
        kind = field.type
        part = known.get(kind.name) if isinstance(kind, ClassType) and kind.module is None else None
        if part is not None and part.name not in above and not kind_of(part.kind).variables:
            inner = (*guarded_buffers(part), *buffers_of_parts(part, known, (*above, spec.name)))
            yield from ((f"{field.name}.{path}", mixed) for path, mixed in inner)
