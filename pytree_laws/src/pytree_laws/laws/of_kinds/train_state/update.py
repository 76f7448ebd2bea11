"""T1: what one update must do, and what it must leave alone."""

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
from ....report import Law, check, doing
from ....trace.programs import compiled
from ....values.closeness import close
from ....values.comparison import check_treedef
from ....values.optimisers import OPTIMISERS, RATE

LAW = Law(
    number="T1",
    name="update",
    statement="One update moves the trained arrays by what the optimiser makes of their gradients, and the optimiser with them; it counts itself, keeps structure, shapes, dtypes and weak types, and moves nothing else.",
    protects="A training loop that runs and learns something else: updates that are dropped or applied twice, weight decay on buffers, moments of other arrays, a step that `lax.scan` refuses.",
    mistake="Gradients, weights and the optimiser's state are masked by different specs, or what `optimiser.update` returns is not stored.",
    fix="Mask gradients, weights and the optimiser's state by one filter spec, apply the updates once, and store each part in the dtype of what it replaces.",
)
CHECKS = Checks(LAW)

SMALL = 0.01  # of the example gradients, which is below where any are clipped
CLIPPED = 0.01  # what rounding adds to a share


@CHECKS.register()
@pytest.mark.parametrize("name", OPTIMISERS)
def test_the_update_is_a_fixed_point(subject: TrainStateSuite, name: str) -> None:
    state, after, _ = abstract_step(subject, name)
    hint = "the optimiser's state is made from the weights of the finished model, and updated with a tree of the same structure"
    message = f"with {name} the update changed the treedef: it is"
    check_treedef(structure(state), structure(after), "apply_gradients", message, hint)
    check_same_avals(avals(state), avals(after), f"with {name} the update", "give every array a dtype")


@CHECKS.register()
@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_step_under_strict_promotion(subject: TrainStateSuite, name: str) -> None:
    _, _, error = abstract_step(subject, name)
    hint = 'wrap the update in `jax.numpy_dtype_promotion("standard")`'
    message = f"{name} mixes dtypes, which strict promotion refuses: {error}"
    check(error is None, "apply_gradients", message, hint)


@CHECKS.register()
def test_scan_takes_the_steps_of_a_loop(subject: TrainStateSuite) -> None:
    optimiser = OPTIMISERS["adamw"]()
    step, compiled_step = subject.step_of(optimiser), subject.compiled_step("adamw")
    arrays, rest = eqx.partition(subject.start_with(optimiser), eqx.is_array)

    def scan(arrays: Any) -> Any:
        return jax.lax.scan(lambda c, _: (arrays_only(step(eqx.combine(c, rest))), None), arrays, length=2)[0]

    start, scanned = eqx.combine(arrays, rest), compiled(scan)(arrays)
    loop = arrays_only(compiled_step(compiled_step(start)))
    hint = "randomness of NumPy, a Python counter, or a branch on values in the update"
    check(close(scanned, loop, 64), "apply_gradients", "lax.scan and a loop end in different states", hint)


@CHECKS.register()
def test_an_optimiser_may_be_passed_through_filter_jit(subject: TrainStateSuite) -> None:
    optimiser = OPTIMISERS["adamw"]()
    state = subject.start_with(optimiser)
    step = filter_compiled(lambda state, optimiser: subject.step_of(optimiser)(state))
    hint = "settings of an optimiser are static values, and an optimiser is known by its settings"
    with doing("apply_gradients", "an update whose optimiser is an argument of `eqx.filter_jit`", hint):
        step.lower(state, optimiser)


@CHECKS.register()
def test_a_step_moves_the_trained_arrays_alone(subject: TrainStateSuite) -> None:
    state = subject.start_with(OPTIMISERS["adamw"]())
    ones = jax.tree.map(lambda leaf: jnp.ones_like(leaf) if eqx.is_inexact_array(leaf) else None, state.model)
    moved = compiled_update(subject, "adamw")(state, ones).model
    marks = jax.tree.leaves(subject.spec(state.model))
    for (name, before), after, trained in zip(named_leaves(state.model), jax.tree.leaves(moved), marks):
        message = "it is trained, and a step left it" if trained else "it is not trained, and a step moved it"
        hint = "one filter spec for gradients, weights and the optimiser's state"
        check(same_bits(before, after) is not trained, f"model.{name}", message, hint)


@CHECKS.register()
def test_a_step_is_what_the_optimiser_makes_of_the_gradients(subject: TrainStateSuite) -> None:
    for name, after, before, grad in _plain_steps(subject, SMALL):
        wanted = (before - RATE * grad).astype(after.dtype)
        message = f"a step of plain descent gives {after}, expected is {wanted}"
        hint = "updates of the optimiser that are added more than once, or changed"
        check(close(after, wanted, 16), name, message, hint)
    for name, after, before, grad in _plain_steps(subject, 1.0):
        share = (before - np.asarray(after, np.float64)) / (RATE * grad)
        message = f"a step of plain descent is {share} times that of the optimiser, expected is above 0 and at most 1"
        hint = "gradients that are clipped: they keep their sign, and are no larger"
        check(bool(np.all((share > 0) & (share < 1 + CLIPPED))), name, message, hint)


def _plain_steps(subject: TrainStateSuite, size: float) -> list[Any]:
    """Take a step of plain descent, and list path, new value, old value and gradient of each weight."""
    state, (gradients,) = subject.start_with(OPTIMISERS["plain"]()), subject.arguments(0)
    gradients = jax.tree.map(lambda grad: on_device(np.asarray(grad) * size, grad.dtype), gradients)
    moved = compiled_update(subject, "plain")(state, gradients).model
    spec = subject.spec(state.model)
    trees = [eqx.filter(tree, spec) for tree in (moved, state.model, gradients)]
    names = [f"model.{name}" for name, _ in named_leaves(trees[1])]
    leaves = [list(map(np.asarray, jax.tree.leaves(tree))) for tree in trees]
    return list(zip(names, *leaves))


@CHECKS.register()
def test_the_optimiser_holds_nothing_of_what_is_not_trained(subject: TrainStateSuite) -> None:
    optimiser = OPTIMISERS["adamw"]()
    state = subject.start_with(optimiser)
    expected = structure(optimiser.init(eqx.filter(state.model, subject.spec(state.model))))
    message = (
        f"its structure is {structure(state.opt_state)}, expected is that of the trained weights, {expected}"
    )
    hint = "`optimiser.init(eqx.filter(model, spec))`, of the finished model"
    check(structure(state.opt_state) == expected, "opt_state", message, hint)


@CHECKS.register()
def test_a_step_moves_the_optimiser_too(subject: TrainStateSuite) -> None:
    state = subject.start_with(OPTIMISERS["adamw"]())
    pairs = zip(arrays_of(state.opt_state), arrays_of(subject.compiled_step("adamw")(state).opt_state))
    hint = "store the state that `optimiser.update` returns"
    moved = not all(same_bits(*pair) for pair in pairs)
    check(moved, "opt_state", "a step of AdamW left the optimiser's state as it was", hint)


@CHECKS.register()
def test_steps_are_counted(subject: TrainStateSuite) -> None:
    state = subject.start_with(OPTIMISERS["adamw"]())
    whole = jnp.issubdtype(state.step.dtype, jnp.integer)
    message = f"steps are counted in {state.step.aval}, expected is an integer that is not weakly typed"
    check(whole and not state.step.weak_type, "step", message, "begin with `jnp.zeros((), jnp.int32)`")
    step = subject.compiled_step("adamw")
    counts = [int(train_state.step) for train_state in (state, step(state), step(step(state)))]
    message = f"at the start and after one and two updates it is {counts}, expected is [0, 1, 2]"
    check(counts == [0, 1, 2], "step", message, "`step=self.step + 1` in each update")


def check_same_avals(before: dict[str, Any], after: dict[str, Any], what: str, hint: str) -> None:
    """Check that an update keeps the shape, dtype and weak type of each array."""
    for name, wanted in before.items():
        check(after[name] == wanted, name, f"{what} made it {after[name]}, it was {wanted}", hint)
