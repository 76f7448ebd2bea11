"""What one update must do, and what it must leave alone."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ....engine.registry import Checks
from ....inspect.arrays import on_device, same_bits
from ....inspect.trees import arrays_of, avals, named_leaves, structure
from ....kinds.train_state import (
    TrainStateSuite,
    abstract_step,
    arrays_only,
    compiled_update,
    filter_compiled,
)
from ....trace.programs import compiled
from ....values.closeness import close
from ....values.optimisers import OPTIMISERS, RATE

CHECKS = Checks()

SMALL = 0.01  # of the example gradients, which is below where any are clipped
CLIPPED = 0.01  # what rounding adds to a share


@CHECKS.register()
@pytest.mark.parametrize("name", OPTIMISERS)
def test_the_update_is_a_fixed_point(subject: TrainStateSuite, name: str) -> None:
    state, after, _ = abstract_step(subject, name)
    assert structure(after) == structure(state), (
        "the update changed the treedef: make the optimiser's state from the weights "
        "of the finished model, and update with a tree of the same structure"
    )
    got, wanted = avals(after), avals(state)
    changed = [name for name in wanted if got[name] != wanted[name]]
    assert not changed, (
        f"the update changed a shape, dtype or weak type of {', '.join(changed)}: give every array a dtype"
    )


@CHECKS.register()
@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_step_under_strict_promotion(subject: TrainStateSuite, name: str) -> None:
    _, _, error = abstract_step(subject, name)
    look = 'wrap the update in `jax.numpy_dtype_promotion("standard")`'
    assert error is None, f"optax mixes dtypes: {look}: {error}"


@CHECKS.register()
def test_scan_takes_the_steps_of_a_loop(subject: TrainStateSuite) -> None:
    optimiser = OPTIMISERS["adamw"]()
    step, compiled_step = subject.step_of(optimiser), subject.compiled_step("adamw")
    arrays, rest = eqx.partition(subject.start_with(optimiser), eqx.is_array)

    def advance(arrays: Any) -> Any:
        return eqx.filter(step(eqx.combine(arrays, rest)), eqx.is_array)

    def scan(arrays: Any) -> Any:
        return jax.lax.scan(lambda c, _: (advance(c), None), arrays, length=2)[0]

    start, scanned = eqx.combine(arrays, rest), compiled(scan)(arrays)
    loop = arrays_only(compiled_step(compiled_step(start)))
    assert close(scanned, loop, 64), "lax.scan and a loop end in different states"


@CHECKS.register()
def test_an_optimiser_may_be_passed_through_filter_jit(subject: TrainStateSuite) -> None:
    optimiser = OPTIMISERS["adamw"]()
    state = subject.start_with(optimiser)
    step = filter_compiled(lambda state, optimiser: subject.step_of(optimiser)(state))
    step.lower(state, optimiser)  # it fails where settings are no static values


@CHECKS.register()
def test_a_step_moves_the_trained_arrays_alone(subject: TrainStateSuite) -> None:
    optimiser = OPTIMISERS["adamw"]()
    state = subject.start_with(optimiser)
    ones = jax.tree.map(lambda leaf: jnp.ones_like(leaf) if eqx.is_inexact_array(leaf) else None, state.model)
    moved = compiled_update(subject, "adamw")(state, ones).model
    marks = jax.tree.leaves(subject.spec(state.model))
    pairs = zip(named_leaves(state.model), jax.tree.leaves(moved), marks)
    for (name, before), after, trained in pairs:
        assert same_bits(before, after) is not trained, (
            f"`{name}` " + ("was not moved" if trained else "was moved")
        ) + ": mask gradients, weights and the optimiser's state by one filter spec"


@CHECKS.register()
def test_a_step_is_what_the_optimiser_makes_of_the_gradients(subject: TrainStateSuite) -> None:
    for after, before, grad in _plain_steps(subject, SMALL):
        wanted = (before - RATE * grad).astype(after.dtype)
        assert close(after, wanted, 16), (
            f"a step of plain descent gives {after}, and not {wanted}: add the updates "
            "of the optimiser once, as they are"
        )
    for after, before, grad in _plain_steps(subject, 1.0):
        share = (before - np.asarray(after, np.float64)) / (RATE * grad)
        assert np.all((share > 0) & (share < 1 + CLIPPED)), (
            f"a step of plain descent is {share} times that of the optimiser: gradients that are "
            "clipped keep their sign, and are no larger"
        )


def _plain_steps(subject: TrainStateSuite, size: float) -> list[Any]:
    """The trained weights after a step of plain descent, before it, and their gradients."""
    state, (gradients,) = subject.start_with(OPTIMISERS["plain"]()), subject.arguments(0)
    gradients = jax.tree.map(lambda grad: on_device(np.asarray(grad) * size, grad.dtype), gradients)
    moved = compiled_update(subject, "plain")(state, gradients).model
    spec = subject.spec(state.model)
    trees = (eqx.filter(tree, spec) for tree in (moved, state.model, gradients))
    leaves = [list(map(np.asarray, jax.tree.leaves(tree))) for tree in trees]
    return list(zip(*leaves))


@CHECKS.register()
def test_the_optimiser_holds_nothing_of_what_is_not_trained(subject: TrainStateSuite) -> None:
    optimiser = OPTIMISERS["adamw"]()
    state = subject.start_with(optimiser)
    weights = eqx.filter(state.model, subject.spec(state.model))
    expected = structure(optimiser.init(weights))
    assert structure(state.opt_state) == expected, (
        "the optimiser's state is not that of the trained weights: "
        "`optimiser.init(eqx.filter(model, spec))`, of the finished model"
    )


@CHECKS.register()
def test_a_step_moves_the_optimiser_too(subject: TrainStateSuite) -> None:
    optimiser = OPTIMISERS["adamw"]()
    state = subject.start_with(optimiser)
    after = subject.compiled_step("adamw")(state)
    pairs = zip(arrays_of(state.opt_state), arrays_of(after.opt_state))
    assert not all(same_bits(*pair) for pair in pairs), (
        "a step left the optimiser's state as it was: store the one that `optimiser.update` returns"
    )


@CHECKS.register()
def test_steps_are_counted(subject: TrainStateSuite) -> None:
    optimiser = OPTIMISERS["adamw"]()
    state = subject.start_with(optimiser)
    whole = jnp.issubdtype(state.step.dtype, jnp.integer)
    assert whole and not state.step.weak_type, (
        f"steps are counted in {state.step.dtype}: begin with `jnp.zeros((), jnp.int32)`"
    )
    step = subject.compiled_step("adamw")
    counts = [int(train_state.step) for train_state in (state, step(state), step(step(state)))]
    assert counts == [0, 1, 2], f"steps are counted as {counts}, and not from 0 by 1"
