"""P7, of results that depend on the arguments alone: the arguments decide their dtypes."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ...discover.method_programs import arrays_given, usable
from ...discover.method_uses import Traced
from ...discover.traced_uses import TracedUse, traced_uses
from ...engine.applicability import METHODS, need
from ...engine.registry import Checks
from ...inspect.trees import arrays_of, bfloat16
from ...kinds.suite import Suite
from ...report import ADVICE, check, doing
from ...trace.dependencies import CAST, inputs_reaching
from ...trace.jaxprs import is_variable

CHECKS = Checks()

HINT = "`jnp.zeros_like(self.weight)` where a sum of other values begins: it takes the dtype of the weight; say `x.dtype`"


@CHECKS.register(METHODS, of_dtypes=True, rests_on=("test_p07_methods_give",))
def test_p07_results_of_arguments_alone_have_their_dtype(subject: Suite) -> None:
    examples = [traced_uses(subject)[method.name][0] for method in usable(subject) if method.returns]
    uses = [each for each in examples if each.trace is not None and _reads_no_float(each.trace)]
    need(uses, "the result of each method depends on a float leaf, or on no argument")
    for traced in uses:
        _check_dtypes(subject, traced)


def _reads_no_float(trace: Traced) -> bool:
    """Whether a method's float results depend on float arguments, and on no float leaf."""
    closed, (value, _) = trace.jaxpr, trace.inputs
    count = len(arrays_of(value))
    reached = [
        reaches and jnp.issubdtype(v.aval.dtype, jnp.floating)
        for v, reaches in zip(closed.jaxpr.invars, inputs_reaching(closed.jaxpr))
    ]
    gives_floats = any(jnp.issubdtype(aval.dtype, jnp.floating) for aval in closed.out_avals)
    return gives_floats and any(reached[count:]) and not any(reached[:count])


def _check_dtypes(subject: Suite, traced: TracedUse) -> None:
    """Check that a use gives the same dtypes if only the leaves have 16 bits."""
    run, (value, arrays) = arrays_given(subject, traced.use)
    usual: Sequence[Any] = jax.eval_shape(run, value, arrays)
    action = "with leaves in bfloat16, of which its result needs none, it"
    with doing(traced.use.name, action, HINT, severity=ADVICE):
        narrow = jax.make_jaxpr(run)(bfloat16(value), arrays)
    casts = _cast_outputs(narrow.jaxpr)
    for i, (out, other) in enumerate(zip(usual, narrow.out_avals)):
        if i in casts:
            continue  # on purpose: into the dtype that the leaves have
        message = f"it depends on no leaf, and is {other.dtype} where the leaves are: the arguments give {out.dtype}"
        check(out.dtype == other.dtype, f"{traced.use.name}, output {i}", message, HINT, severity=ADVICE)


def _cast_outputs(jaxpr: Any) -> set[int]:
    """Return the positions of outputs that end in a cast, as `(image / 255).astype(self.weight.dtype)`.

    The cast that jax adds after the scatter of `x.at[i].add(y)` does not count.
    """
    made = {v: equation for equation in jaxpr.eqns for v in equation.outvars}
    casts = {v: made[v].invars[0] for v in made if made[v].primitive.name == CAST}
    scattered = {v for v in made if made[v].primitive.name.startswith("scatter")}
    written = {v for v, source in casts.items() if not (is_variable(source) and source in scattered)}
    return {i for i, v in enumerate(jaxpr.outvars) if is_variable(v) and v in written}
