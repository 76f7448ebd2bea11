"""How a signal goes on beyond its ends: settings of a filter, written by hand."""

import enum
from dataclasses import dataclass


class Boundary(enum.Enum):
    """What lies beyond the ends, as `jax.numpy.pad` calls it."""

    EDGE = "edge"
    REFLECT = "reflect"
    WRAP = "wrap"


@dataclass(frozen=True)
class Padding:
    """So many samples at each end."""

    width: int
    boundary: Boundary = Boundary.EDGE
