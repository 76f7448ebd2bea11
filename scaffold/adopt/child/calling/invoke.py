"""Call of a method with values, over a batch if the method names a batch axis."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from ..values.sources import STATE_OF_SUITE, Source

UNBOUND = re.compile(r"unbound axis name:? [`'\"]?(\w+)")
"""Matches the error of jax for a call that needs `jax.vmap` with a named axis."""
BATCH = 4
"""Number of examples in a batch."""
_DRAWN = re.compile(r"^sample\((seed(?: \+ \d+)?)(?:, \(([\d, ]*)\))?(?=[,)])")


@dataclass(frozen=True)
class Axis:
    """Axis of a batch: its name, the arguments that have the axis, and whether the call takes a state."""

    name: str
    mapped: tuple[str, ...]
    has_state: bool

    def to_json(self) -> dict[str, Any]:
        """Return the axis as plain JSON."""
        return {"name": self.name, "mapped": list(self.mapped), "has_state": self.has_state}


def invoke(method: Any, values: Mapping[str, Any], keywords: Sequence[str], axis: Axis | None = None) -> Any:
    """Call a method with values, under `jax.vmap` if `axis` is given."""
    named = {key: values[key] for key in keywords if key in values}
    positional = {key: value for key, value in values.items() if key not in named}
    if axis is None:
        return method(*positional.values(), **named)
    in_axes = tuple(0 if key in axis.mapped else None for key in positional)
    out_axes = (0, None) if axis.has_state else 0
    mapped = jax.vmap(lambda *each: method(*each, **named), in_axes, out_axes, axis_name=axis.name)
    return mapped(*positional.values())


def over_batch(
    chosen: Mapping[str, Source], keywords: Sequence[str], name: str
) -> tuple[dict[str, Source], Axis]:
    """Add a batch axis to each sampled array that is passed by position."""
    arguments = {key: source.but(_DRAWN.sub(_batched, source.text)) for key, source in chosen.items()}
    arguments = {key: chosen[key] if key in keywords else source for key, source in arguments.items()}
    mapped = tuple(key for key, source in arguments.items() if source != chosen[key])
    return arguments, Axis(name, mapped, any(STATE_OF_SUITE in source.text for source in chosen.values()))


def _batched(drawn: re.Match[str]) -> str:
    axes = [axis.strip() for axis in (drawn[2] or "").split(",") if axis.strip()]
    shape = ", ".join([str(BATCH), *axes]) + ("" if axes else ",")
    return f"sample({drawn[1]}, ({shape})"
