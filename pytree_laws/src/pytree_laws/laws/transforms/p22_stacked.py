"""P22: stacked layers, which a call goes through by `jax.lax.scan`."""

from typing import Any

import jax
import numpy as np

from ...discover.configurations import traced_configurations
from ...discover.method_programs import traceable, traces_of
from ...engine.applicability import Condition, declares
from ...engine.registry import Checks
from ...inspect.arrays import host, is_floating, is_key
from ...inspect.trees import flatten, look_up, named_arrays
from ...kinds.pytree import PytreeSuite
from ...kinds.suite import Suite
from ...kinds.training import results_and_grads
from ...report import Law, check, doing
from ...trace.jaxprs import equations
from ...trace.programs import compiled
from ...values.closeness import check_close

LAW = Law(
    number="P22",
    since="0.2",
    name="stacked layers",
    statement="A scan over stacked layers gives the values, the draws and the gradients of the loop over the single layers, and no two layers are drawn from one key.",
    protects="A `lax.scan` over stacked layers that differs from the Python loop: a missing layer, another order, or one PRNG key for all layers.",
    mistake="The scan drops its carry or slices the arrays, or the layers are built by `jax.vmap` with one key for all.",
    fix="Carry what the layers hand on, scan the arrays as they are, and split the key: one for each layer.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p07_outputs_are"),
)

LOOP = Condition("no loop is declared", lambda suite: type(suite).loop is not Suite.loop, "loop")
REMAT = frozenset(("checkpoint", "remat", "remat2"))
"""Names of the primitive that computes a layer again in the backward pass."""
STACKED = declares("stacked", "no stacked layers are declared")
CHECKS = Checks(LAW)


@CHECKS.register(LOOP)
def test_p22_the_scan_gives_what_the_loop_gives(subject: PytreeSuite) -> None:
    instance, arguments = subject.cached_example()
    floats = [i for i, v in enumerate(flatten(instance)[0]) if is_floating(v)]
    with doing("call", "the gradient of the call, or of the loop,"):
        results, grads = results_and_grads(subject.call, instance, arguments, floats, compiled)
        looped, looped_grads = results_and_grads(subject.loop, instance, arguments, floats, compiled)
    message = "the scan gives {} and the loop over its layers {}"
    hint = "a layer too few, another order, or a value that the layers do not hand on"
    check_close("call", message, results, looped, hint)
    for name, grad in grads.items():
        message = "the gradient is {} through the scan and {} through the loop"
        check_close(name, message, grad, looped_grads[name], "", slack=10.0)


@CHECKS.register(STACKED)
def test_p22_each_layer_is_drawn_with_its_own_key(subject: PytreeSuite) -> None:
    first, second = (subject.cached_instance(seed) for seed in (0, 1))
    for path in subject.stacked:
        others = dict(named_arrays(look_up(second, path)))
        for name, array in named_arrays(look_up(first, path)):
            values = np.asarray(host(jax.random.key_data(array) if is_key(array) else array))
            was_drawn = is_key(array) or not np.array_equal(values, np.asarray(host(others[name])))
            same = len(values) > 1 and all(np.array_equal(values[0], v) for v in values)
            message = f"all {len(values)} layers hold the same values, which the key draws"
            hint = "split the key before `vmap`, so that each layer has one"
            check(not (was_drawn and same), f"{path}.{name}".rstrip("."), message, hint)


@CHECKS.register(declares("remat", "nothing says that layers are computed again"))
def test_p22_layers_are_computed_again_on_the_way_back(subject: PytreeSuite) -> None:
    usual, uses = subject.cached_instance(), list[tuple[str, Any, Any]]()
    for traced in traced_configurations(subject) if subject.called() else ():
        if traced.trace is not None:
            uses.append((traced.configuration.place("call"), traced.trace[0].jaxpr, traced.instance))
    uses += [(method.name, traces_of(subject)[method.name].jaxpr, usual) for method in traceable(subject)]
    paths = dict.fromkeys((*subject.stacked, *subject.layers))
    for where, jaxpr, instance in uses:
        parts, stacks = [*equations(jaxpr)], (named_arrays(look_up(instance, path)) for path in paths)
        layers = {len(array) for stack in stacks for _, array in stack}
        is_again = any(part.primitive.name in REMAT for part in parts)
        # Another scan than one as long as a stack goes through the elements of an argument.
        lengths = [part.params["length"] for part in parts if part.primitive.name == "scan"]
        is_kept = not is_again and not layers.isdisjoint(lengths)
        message = "a scan over the layers keeps all that it computes, and nothing is computed again"
        check(not is_kept, where, message, "`jax.checkpoint` of what is scanned")
