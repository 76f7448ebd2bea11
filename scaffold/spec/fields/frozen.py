"""Frozen fields: arrays and sub-modules that are not trained, and that gradients pass through."""

from collections.abc import Iterator

from scaffold.errors import Fault
from scaffold.kind import kind_of
from scaffold.spec.grammar.types import ScalarType
from scaffold.spec.model import Field, ModuleSpec

ALWAYS = "true"


def always_frozen(spec: ModuleSpec) -> tuple[str, ...]:
    """The fields of which nothing is ever trained."""
    return tuple(one.name for one in spec.dynamic if one.frozen == ALWAYS)


def thawed_by(spec: ModuleSpec) -> dict[str, tuple[str, ...]]:
    """The fields that are frozen where a bool says so, by the name of that."""
    flags = dict.fromkeys(one.frozen for one in spec.dynamic if one.frozen not in ("", ALWAYS))
    return {flag: tuple(one.name for one in spec.dynamic if one.frozen == flag) for flag in flags}


def frozen_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What cannot be frozen, and what says nothing of when it is."""
    for field in (one for one in spec.fields if one.frozen):
        place = f"fields.{field.name}.frozen"
        if spec.kind == "train-state" and field.name == "model":
            yield Fault(place, "a train state trains its model", "freeze fields of the model")
        elif kind_of(spec.kind).variables:
            yield from _of_variables(field, place)
        elif field.frozen != ALWAYS:
            yield from _flag_faults(spec, field, place)


def _of_variables(field: Field, place: str) -> Iterator[Fault]:
    """Types of Variables say what is trained, and they do not change with a flag."""
    if field.role == "module":
        fix = "remove it, and give the optimiser a filter: `wrt=nnx.All(nnx.Param, nnx.Not(nnx.PathContains(...)))`"
        yield Fault(place, "the Params of a sub-module are its own", fix)
    elif field.frozen != ALWAYS:
        yield Fault(place, "a Variable has one type in all instances", "write `frozen = true`")


def _flag_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    flag = spec.field(field.frozen)
    if flag is None or flag.role != "static" or flag.type != ScalarType("bool"):
        fix = f'write `true`, or declare `{field.frozen} = {{ type = "bool", default = true }}`'
        yield Fault(place, f"`{field.frozen}` is no static bool of the class", fix)
    elif spec.nests and any(field.name in group.fields for group in spec.groups):
        fix = 'write `frozen = true`, or `layout = "flat"`'
        yield Fault(place, f"the class of its group does not hold `{field.frozen}`", fix)
