"""Fields that weight decay leaves alone: trained, and pulled towards nothing."""

from collections.abc import Iterator

from scaffold.errors import Fault
from scaffold.spec.model import ModuleSpec


def undecayed(spec: ModuleSpec) -> tuple[str, ...]:
    """The fields that are trained, and that weight decay leaves alone."""
    return tuple(field.name for field in spec.dynamic if not field.decays)


def decay_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Where `decay` says nothing."""
    for field in (one for one in spec.fields if not one.decays):
        place = f"fields.{field.name}.decay"
        if spec.nests and any(field.name in group.fields for group in spec.groups):
            fix = 'write `layout = "flat"`'
            yield Fault(place, "the class of its group is asked what is trained, and not what decays", fix)
