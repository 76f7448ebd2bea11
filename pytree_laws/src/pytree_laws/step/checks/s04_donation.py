"""S4: jax can reuse the memory of the old state."""

import warnings
from typing import Any

import jax

from ...engine.applicability import need
from ...engine.registry import Checks
from ...inspect.arrays import buffer_of
from ...report import Law, check
from ..run import StepRun
from ..states import opened
from ..suite import StepSuite

LAW = Law(
    number="S4",
    name="donation",
    statement="Each array of the state has a buffer of its own, which a step can donate and the next state can take over.",
    protects='"Attempt to donate the same buffer twice" as soon as `donate_argnums` is added to save memory.',
    mistake="An average that starts as the same arrays as the model; a start that lies in a variable of a module; a leaf that leaves the step in another dtype.",
    fix="Copy where a state is built: `jax.tree.map(jnp.copy, model)`; return each leaf in the shape and dtype that it came in.",
)
CHECKS = Checks(LAW)


@CHECKS.register()
def test_s4_donation(suite: StepSuite, step_run: StepRun) -> None:
    first, other = (opened(step_run.suite.state(0)).leaves for _ in range(2))
    _check_own_buffers(first)
    _check_not_shared(first, other)
    need(step_run.error is None, "the step does not run")
    need(not isinstance(step_run.jaxpr, Exception), "the step as a whole cannot be traced")
    _check_all_are_used(step_run)


def _check_own_buffers(leaves: dict[str, Any]) -> None:
    owners: dict[int, str] = {}
    for name, leaf in leaves.items():
        for identity in _identities(leaf):
            owner = owners.setdefault(identity, name)
            message = f"it is the same array as `{owner}`: to donate both raises"
            check(owner == name, name, message, "copy it where the state is built")


def _check_not_shared(leaves: dict[str, Any], other: dict[str, Any]) -> None:
    known = {identity for leaf in leaves.values() for identity in _identities(leaf)}
    for name, leaf in other.items():
        message = "two states that were built one after the other share it: once donated, it is deleted for the other"
        check(known.isdisjoint(_identities(leaf)), name, message, "copy it where the state is built")


def _identities(leaf: Any) -> list[int]:
    """Return the ids of an array and of its buffer."""
    if not isinstance(leaf, jax.Array):
        return []
    buffer = buffer_of(leaf)
    return [id(leaf)] if buffer is None or not leaf.size else [id(leaf), buffer]


def _check_all_are_used(run: StepRun) -> None:
    """Run the step with its state donated, and report a leaf whose buffer jax cannot reuse."""
    state = run.second.arrays()
    rest = {n: v for n, v in run.arrays.items() if n not in state}

    def step(state: dict[str, Any], rest: dict[str, Any]) -> Any:
        return run.pure({**state, **rest})

    copies = opened(run.second.copied()).arrays()
    with warnings.catch_warnings(record=True, action="always") as caught:
        after = jax.block_until_ready(jax.jit(step, donate_argnums=0)(copies, rest))
    unused = [str(w.message) for w in caught if "donated buffers" in str(w.message)]
    if unused:
        forms, kept = ({n: (v.shape, v.dtype) for n, v in each.items()} for each in (state, after))
        where = next((n for n in state if forms[n] != kept.get(n)), "step")
        message = f"jax cannot reuse what is donated: {unused[0].splitlines()[0]:.200}"
        check(False, where, message, "the leaf comes out in another shape or dtype, or not at all")
