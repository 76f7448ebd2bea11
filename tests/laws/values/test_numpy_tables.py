"""A table of NumPy in 64 bits is no array that a donation changes: jax makes one of 32 bits of it at each call."""

from typing import Any

import equinox as eqx
import jax
import numpy as np

from pytree_laws import PytreeLaws, sample
from pytree_laws import check as checks
from pytree_laws.trace.programs import settings


class Table(eqx.Module):
    """A table of NumPy, and weights."""

    rows: np.ndarray
    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x + self.rows.astype(x.dtype)


class TableLaws(PytreeLaws):
    """The laws of a table."""

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,))}

    def build(self, weight: jax.Array) -> Table:
        return Table(np.random.default_rng(0).normal(size=3), weight)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


def test_no_donation_changes_a_table_of_numpy() -> None:
    with settings():
        checks.run(dict(checks.tests_of(TableLaws()))["test_p15_donation"])
