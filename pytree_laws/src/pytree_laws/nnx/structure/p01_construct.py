"""P1 for NNX modules: the constructor."""

import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from flax import nnx

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.arrays import is_key
from ...report import Fault, Law, check
from ...trace.jaxprs import NEEDS_VALUES, constant_draws
from ..subject.programs import drawn_values_of, spreads_of
from ..subject.suite import NnxSuite
from ..subject.variables import shapes_of, tracers_beside_the_state, variables_of

LAW = Law(
    number="P1",
    name="construct",
    statement="The constructor builds the same module from the same inputs, draws from its `rngs` alone, refuses invalid inputs, works under jit, and neither changes nor keeps what it is given.",
    mistake="A dict, list or array of the caller is changed or stored as it is, a check is missing or needs the values of arrays, or a draw has a constant key.",
    fix="Copy on the way in (`jnp.array(x)`) and check there; draw from `rngs` alone, once per consumer.",
)


@guard
class NnxConstruct(NnxSuite):
    """P1 for NNX modules."""

    def test_p01_keeps_no_stream_of_its_rngs(self) -> None:
        inputs = self.inputs(0)
        given = [value for value in inputs.values() if isinstance(value, nnx.Rngs)]
        if not given:
            not_applicable("the constructor takes no rngs")
        streams = {id(v) for rngs in given for v in variables_of(nnx.state(rngs)).values()}
        for path, variable in variables_of(self.build(**inputs)).items():
            message = "it is a stream of the `rngs` that the constructor was given"
            hint = "two modules that share it draw each other's keys: `rngs.fork()`"
            check(id(variable) not in streams, path, message, hint)

    def test_p01_builds_under_jit_without_leaking(self) -> None:
        strays: list[str] = []
        build, given = self.traceable_build()

        def looked_at(values: Sequence[Any]) -> Any:
            # Inside the trace: kept until it is over, a module would be a leak itself.
            built = build(values)
            strays.extend(tracers_beside_the_state(built))
            return nnx.state(built)

        try:
            state = jax.eval_shape(looked_at, given)
        except NEEDS_VALUES as error:
            message = f"under jit the constructor needs values: {str(error)[:200]}"
            hint = "a check on the values of arrays: make it where they are no tracers"
            raise Fault("build", message, hint) from error
        for place in strays:
            message = "built under jit it holds a tracer outside of its Variables"
            hint = "a value computed from arrays that is kept as an attribute"
            raise Fault(place, message, hint)
        instance = self.make(0)
        got, wanted = shapes_of(state), shapes_of(instance)
        message = f"built under jit its state is {got}, and otherwise {wanted}"
        check(got == wanted, type(instance).__name__, message)

    def test_p01_draws_have_the_declared_spread(self) -> None:
        declared = spreads_of(self)
        if not declared or not self.takes_keys():
            not_applicable("no standard deviations are declared")
        for path, drawn in drawn_values_of(self).items():
            values, std = drawn.astype(np.complex128), declared[path]
            spread = float(np.sqrt(np.mean(np.abs(values) ** 2)))
            message = f"its standard deviation is {spread:.3g}, declared is {std:.3g}"
            slack = max(0.02, 4 / math.sqrt(2 * values.size))
            hint = "another initialiser, or one with fan-in and fan-out exchanged"
            check(abs(spread / std - 1) < slack, path, message, hint)
            centred = abs(values.mean()) / std < 5 / math.sqrt(values.size)
            check(centred, path, f"its mean is {values.mean():.3g}, and not 0", hint)

    def test_p01_every_draw_uses_its_rngs(self) -> None:
        build, given = self.traceable_build()
        if not any(map(is_key, given)):
            not_applicable("the constructor takes no rngs")
        jaxpr = jax.make_jaxpr(lambda values: nnx.state(build(values)))(given).jaxpr
        wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
        message = f"{len(wrong)} of its draws do not depend on the `rngs` that it is given"
        hint = "a constant key, as `jax.random.key(0)` or `nnx.Rngs(0)`, for a Variable"
        check(not wrong, "build", message, hint)
