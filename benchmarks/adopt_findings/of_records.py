"""Findings in optax, and in what holds results elsewhere."""

import copy

import equinox as eqx
import jax.numpy as jnp

from benchmarks.adopt_findings.rows import (
    row,
)


@row(
    "optax: states with a dict",
    "P1",
    "the dict that is given is stored as it is: a copy of it is wanted",
    5,
    "style",
)
def optax_copies() -> bool:
    import optax

    given = {"a": jnp.ones(2)}
    return optax.PartitionState(given).inner_states is not given


@row(
    "lineax.Solution, optimistix.Solution, diffrax.Solution, DenseInterpolation",
    "P1",
    "the dict that is given is stored as it is: a copy of it is wanted",
    4,
    "style",
)
def solution_copies() -> bool:
    import lineax

    given = {"steps": 1}
    return lineax.Solution(jnp.ones(3), lineax.RESULTS.successful, given, None).stats is not given


@row(
    "lineax.Solution, optimistix.Solution, diffrax.Solution",
    "P6, P14",
    "a copy of the result is another one; of `RESULTS()`, which nobody makes",
    3,
    "mended",
)
def results_copied() -> bool:
    import lineax

    one = lineax.Solution(jnp.ones(3), lineax.RESULTS.successful, {}, None)
    return not eqx.tree_equal(copy.deepcopy(one), one)
