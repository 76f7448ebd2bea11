"""Type parameters of a class: `generic = ["T", "S: AbstractKernel"]`."""

import re
from collections.abc import Iterator

from scaffold.errors import Fault
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import IMPORTS

_NAME = r"(?a)[A-Z]\w*"


def generic_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What is wrong with the type parameters."""
    place = "generic"
    names = [one.name for one in spec.generic]
    for name in dict.fromkeys(names):
        if not re.fullmatch(_NAME, name) or name in IMPORTS or name == spec.name:
            yield Fault(place, f"`{name}` is no name of a type parameter", "write `T`, for example")
        elif names.count(name) > 1:
            yield Fault(place, f"`{name}` is there twice", "remove one")
