"""What a row of the table is, and what many rows need."""

import io
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

THREE = jax.ShapeDtypeStruct((3,), jnp.float32)


class Row(NamedTuple):
    """A finding: of which classes, of which law, and how it is seen by hand."""

    where: str
    classes: int
    law: str
    what: str
    seen: Callable[[], bool]
    now: str = ""
    """What became of it since, where it was no mistake of the library."""


ROWS: list[Row] = []


def row(where: str, law: str, what: str, classes: int = 1, now: str = "") -> Any:
    """Notes a function as a row of the table."""

    def note(function: Callable[[], bool]) -> Callable[[], bool]:
        ROWS.append(Row(where, classes, law, what, function, now))
        return function

    return note


def raises(function: Callable[[], Any], kind: type[BaseException] = Exception) -> bool:
    try:
        function()
    except kind:
        return True
    return False


def in_bfloat16(tree: Any) -> Any:
    """A tree with its floats in bfloat16."""
    return jax.tree.map(lambda one: one.astype(jnp.bfloat16) if eqx.is_inexact_array(one) else one, tree)


def is_float32(tree: Any) -> bool:
    """Whether a float is in 32 bits all the same."""
    return any(one.dtype == jnp.float32 for one in jax.tree.leaves(tree) if eqx.is_inexact_array(one))


def same_after_loading(make: Callable[[int], Any]) -> bool:
    """Whether an instance that is saved, and loaded into another, equals itself."""
    first, file = make(0), io.BytesIO()
    eqx.tree_serialise_leaves(file, first)
    file.seek(0)
    return bool(eqx.tree_equal(eqx.tree_deserialise_leaves(file, make(0)), first))


def traces(make: Callable[[int], Any]) -> int:
    """How often a function is traced for two instances of one configuration."""
    found: list[int] = []
    run = eqx.filter_jit(lambda tree: found.append(1) or jax.tree.leaves(eqx.filter(tree, eqx.is_array)))
    run(make(0)), run(make(1))
    return len(found)


def compilations(function: Callable[[], Any]) -> int:
    """How many programs are compiled by a call."""
    found: list[str] = []

    def note(event: str, *_: Any, **__: Any) -> None:
        found.append(event)

    jax.monitoring.register_event_duration_secs_listener(note)
    function()
    return sum("backend_compile" in event for event in found)


def aux_of(tree: Any) -> Any:
    """The aux data of the outermost node."""
    data: Any = jax.tree.structure(tree).node_data()
    return data[1]


def gradient(function: Callable[[Any], Any], tree: Any) -> Any:
    """The gradient of the sum of what a function gives."""
    return eqx.filter_grad(
        lambda one: jnp.sum(jnp.stack([jnp.sum(x) for x in jax.tree.leaves(function(one))]))
    )(tree)


def is_zero(array: Any) -> bool:
    return bool(jnp.all(array == 0))


def dead(slope: Any) -> bool:
    """Whether some of its elements are zero, and not all."""
    return bool(jnp.any(slope == 0) and jnp.any(slope != 0))


def key(seed: int = 0) -> Any:
    return jax.random.key(seed)
