"""Findings in optax, and in what holds results elsewhere."""

import copy

import equinox as eqx
import jax
import jax.numpy as jnp

from benchmarks.adopt_findings.rows import raises, row


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
    "optax: flatten, lbfgs, sophia, galore, differentially_private_aggregate and others",
    "P1, P7",
    "`init` or `update` raises for parameters without arrays, as a mask leaves them",
    7,
)
def optax_without_arrays() -> bool:
    import optax

    return raises(lambda: optax.flatten(optax.adam(0.1)).init({}))


@row("optax.monitor", "P7, P11", "`init` leaves out what `update` adds to the state: no scan can carry it")
def optax_adds_measurements() -> bool:
    import optax

    made, params = optax.monitor({"norm": optax.tree.norm}), jnp.ones(2)
    state = made.init(params)
    _, after = made.update(params, state)
    return jax.tree.structure(after) != jax.tree.structure(state)


@row("optax: cocob, lbfgs", "P15", "two parts of the first state are one array: it cannot be donated", 3)
def optax_shares() -> bool:
    import optax

    state = optax.contrib.scale_by_cocob().init(jnp.ones(2))
    return state.subgradients is state.cumulative_gradients


@row(
    "optax: differentially_private_aggregate, dpsgd",
    "P15",
    "each `init` gives the key that was given, and no copy: one state that is donated takes it from the others",
    2,
)
def optax_shares_a_key() -> bool:
    import jax
    import optax

    made = optax.contrib.differentially_private_aggregate(1.0, 0.1, jax.random.key(0))
    return made.init(jnp.ones(2)).rng_key is made.init(jnp.ones(2)).rng_key


@row(
    "optax: differentially_private_aggregate, dpsgd",
    "P7",
    "updates have other shapes than the parameters; given one gradient, where it takes those of a batch",
    2,
    "mended",
)
def optax_aggregates() -> bool:
    import jax
    import optax

    made = optax.contrib.differentially_private_aggregate(1.0, 0.1, jax.random.key(0))
    params = jnp.ones(3)
    updates, _ = made.update(jnp.ones((5, 3)), made.init(params), params)
    return updates.shape != params.shape


@row(
    "optax: states of adafactor, novograd, sm3 and others",
    "P8, P9",
    "the state is not felt, or has no gradient; of the first step, and nobody trains it",
    8,
    "mended",
)
def optax_first_step() -> bool:
    import optax

    made, params = optax.scale_by_novograd(), jnp.ones(3)
    _, state = made.update(params, made.init(params), params)
    moved = state._replace(mu=state.mu + 1)
    one, other = (made.update(params, each, params)[0] for each in (state, moved))
    return bool(jnp.array_equal(one, other))  # of the second step


@row("optax.zero_nans", "P11", "its state does not move; for values that are numbers", 1, "mended")
def optax_flags() -> bool:
    import optax

    made, params = optax.zero_nans(), jnp.ones(3)
    state = made.init(params)
    return bool(made.update(params * jnp.nan, state)[1].found_nan == state.found_nan)


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
