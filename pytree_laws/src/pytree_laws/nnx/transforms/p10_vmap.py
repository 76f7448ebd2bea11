"""P10 for NNX modules: vmap equals a loop."""

import functools
from typing import Any

import jax
import numpy as np
from flax import nnx

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.arrays import stack_leaves
from ...report import Law, check, doing
from ...trace.jaxprs import NEEDS_VALUES
from ...trace.programs import compiled
from ...values.closeness import close
from ...values.randomize import need_equal_draws
from ..subject.programs import built_with_key, drawn_values_of, spreads_of
from ..subject.suite import NnxSuite
from ..subject.variables import closes, values_of

LAW = Law(
    number="P10",
    name="vmap equals loop",
    statement="The call and the constructor give under vmap, through split and merge, what a loop gives, outputs and states.",
    mistake="An attribute that should be a Variable is static, or the call uses Python control flow on values.",
    fix="Keep arrays in Variables, and use jnp.where and lax.cond.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


@guard
class NnxVmap(NnxSuite):
    """P10 for NNX modules."""

    def test_p10_stacked_states(self) -> None:
        self.need_call()
        modules = [self.cached_instance(seed) for seed in range(3)]
        arguments = [self.arguments(seed) for seed in range(3)]
        states = [nnx.state(module) for module in modules]
        step = functools.partial(self.step_of_state, nnx.graphdef(modules[0]))
        stacked = jax.tree.map(stack_leaves, *states)
        output, state = compiled(jax.vmap(step))(stacked, *jax.tree.map(stack_leaves, *arguments))
        loop = [self.run(module, *arguments) for module, arguments in zip(modules, arguments)]
        wanted = jax.tree.map(stack_leaves, *loop)
        got = output, values_of(state)
        message = f"vmap gives {got}, a loop {wanted}"
        check(closes(got, wanted, 16), type(modules[0]).__name__, message)

    def test_p10_vmapped_constructor(self) -> None:
        build = functools.partial(built_with_key, self)
        if not self.takes_keys():
            not_applicable("the constructor takes no key")

        def built(seeds: Any) -> Any:
            keys = jax.vmap(jax.random.key)(seeds)
            return jax.vmap(lambda key: nnx.state(build(key)))(keys)

        with doing("build", "the constructor under vmap"):
            try:
                state = jax.eval_shape(built, np.arange(2, dtype=np.uint32))
            except NEEDS_VALUES:
                not_applicable("the constructor decides by the values of arrays")
        wanted = [values_of(build(jax.random.key(seed))) for seed in (0, 1)]
        for path, value in values_of(state).items():
            shape = (2, *wanted[0][path].shape)
            message = f"vmap gives the shape {value.shape}, a loop {shape}"
            check(value.shape == shape, path, message)
        need_equal_draws(jax.random.key(0))
        drawn = drawn_values_of(self) if spreads_of(self) else {}
        for path, values in drawn.items():
            for got, one in zip(values, wanted):
                message = f"vmap gives {got}, a loop {one[path]}"
                check(close(got, np.asarray(one[path]), 16), path, message)
