"""Fields that weight decay leaves alone: trained, and pulled towards nothing."""

from collections.abc import Iterator

from scaffold.errors import Fault
from scaffold.kind import NAMES, kind_of
from scaffold.spec.fields.frozen import MAY_BE
from scaffold.spec.model import ModuleSpec


def undecayed(spec: ModuleSpec) -> tuple[str, ...]:
    """The fields that are trained, and that weight decay leaves alone."""
    return tuple(field.name for field in spec.dynamic if not field.decays)


def decay_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Where `decay` says nothing."""
    for field in (one for one in spec.fields if not one.decays):
        place = f"{spec.where}: fields.{field.name}.decay"
        if field.role not in MAY_BE:
            yield Fault(
                place, f"a {field.role} field is not trained", "remove it: nothing of the field decays"
            )
        elif not kind_of(spec.kind).decays:
            legal = tuple(name for name in NAMES if kind_of(name).decays)
            fix = (
                "remove it, and give the optimiser a mask of your own, or choose a kind that has `decayed()`"
            )
            yield Fault(place, f"kind `{spec.kind}` has no `decayed()`", fix, legal)
        elif spec.nests and any(field.name in group.fields for group in spec.groups):
            fix = 'write `layout = "flat"`'
            yield Fault(place, "the class of its group is asked what is trained, and not what decays", fix)
