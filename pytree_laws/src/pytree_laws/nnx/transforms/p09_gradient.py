"""P9 for NNX modules: gradients, and a training step."""

from typing import Any

import numpy as np
import pytest
from flax import nnx

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.arrays import is_floating, is_inexact, same_bits
from ...inspect.trees import arrays_of, flatten, is_under
from ...report import ANY_ERROR, Law, check, doing
from ...session import once_per_session
from ...values.closeness import check_flow, rounding_of
from ..subject.programs import compiled_grads
from ..subject.training import Training
from ..subject.variables import has_nan, is_float, shapes_of, value_of, values_of, variables_of

LAW = Law(
    number="P9",
    name="gradient and step",
    statement="nnx.grad gives a gradient to every element of every Param, at the start or elsewhere, to nothing else, and no NaN where the output is finite; a step of AdamW with weight decay moves the Params alone.",
    mistake="A weight is no Param, a buffer is one, or a parameter, or a part of it, is not used by the call.",
    fix="Hold what is trained in nnx.Param and nothing else, and apply stop_gradient to buffers where they are used.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


POINTS = 12  # the start, and random values


@guard
class NnxGradient(Training):
    """P9 for NNX modules."""

    def test_p09_gradients_reach_the_params_and_nothing_else(self) -> None:
        held, (start, every) = variables_of(self.training_example()), self._all_grads()
        for path in filter(self.is_param, held):
            message = "declared as a parameter, and nnx.grad gives it no gradient"
            is_param = isinstance(held[path], nnx.Param)
            check(is_param, path, message, "a weight that is no nnx.Param")
            message = f"the gradient is not finite: {start[path]}"
            check(bool(np.all(np.isfinite(start[path]))), path, message)
            used = self.is_unused(path) or bool(np.any(every[path]))
            hint = "stop_gradient on it, or no use"
            check(used, path, "the gradient is zero everywhere", hint)
        for path, variable in held.items():
            message = "declared as no parameter, and nnx.grad gives it a gradient"
            one = self.declared(path)
            inner = one is not None and one.type is nnx.Module
            free = inner or self.is_param(path) or not isinstance(variable, nnx.Param)
            check(free, path, message, "a buffer that is an nnx.Param")

    def test_p09_every_element_of_a_parameter_has_a_gradient(self) -> None:
        _, every = self._all_grads()
        for path, grad in every.items():
            if self.is_param(path) and not self.is_unused(path) and np.any(grad):
                wrong = np.argwhere(grad == 0)
                message = f"{len(wrong)} of its {grad.size} elements never have a gradient"
                if len(wrong):
                    message += f", the first at {tuple(map(int, wrong[0]))}"
                hint = (
                    "a part of the parameter that the call does not use; "
                    "`Var(..., unused=True)` says that this is so on purpose"
                )
                check(not len(wrong), path, message, hint)

    def test_p09_every_sub_module_has_a_gradient(self) -> None:
        roots = [variable for variable in self.manifest() if variable.type is nnx.Module]
        if not roots:
            not_applicable("no sub-modules are declared")
        held, (_, every) = variables_of(self.training_example()), self._all_grads()
        every_param = [p for p, one in held.items() if isinstance(one, nnx.Param)]
        params = [path for path in every_param if not self.is_empty(path)]
        for root in roots:
            below = [path for path in params if is_under(path, root.path)]
            used = not below or any(np.any(every[path]) for path in below)
            message = "no parameter of this sub-module has a gradient"
            hint = "a sub-module that the call does not use"
            check(used or root.unused, root.path, message, hint)

    def test_p09_every_param_of_a_sub_module_has_a_gradient(self) -> None:
        roots = [variable for variable in self.manifest() if variable.type is nnx.Module]
        if not roots:
            not_applicable("no sub-modules are declared")
        held, (_, every) = variables_of(self.training_example()), self._all_grads()
        for path, variable in held.items():
            below = self.declared(path) in roots and isinstance(variable, nnx.Param)
            if below and not self.is_unused(path):
                message = "a parameter of a sub-module never has a gradient"
                hint = (
                    "a layer that is built and never used; `Var(path, nnx.Param, unused=True)` "
                    "beside the sub-module says that this is so on purpose"
                )
                check(bool(np.any(every[path])), path, message, hint)

    def test_p09_no_gradient_comes_from_a_buffer(self) -> None:
        held, (_, every) = variables_of(self.training_example()), self._all_grads()
        for path, grad in every.items():
            one = self.declared(path)
            inner = one is not None and (one.type is nnx.Module or one.flows)
            is_param = isinstance(held[path], nnx.Param)
            message = f"declared as a buffer, but the call has the gradient {grad}"
            hint = "`jax.lax.stop_gradient` is missing where the buffer is used"
            free = inner or is_param or not self._shows(path)
            check(free, path, message, hint)

    def test_p09_gradients_flow_through_data_and_state(self) -> None:
        instance, arguments = self.cached_example()
        if not any(variable.flows for variable in self.variables or ()):
            not_applicable("nothing is declared that has a gradient and is no parameter")
        graphdef, state = nnx.split(instance)
        flat = nnx.to_flat_state(state)
        free = [self.flows(".".join(map(str, path)), one) for path, one in flat]
        places = [i for i, (_, v) in enumerate(flat) if free[i] and is_float(v)]
        given, treedef = flatten(arguments)
        floats = [i for i, leaf in enumerate(given) if is_floating(leaf)]

        def run(values: list[Any]) -> Any:
            moved = zip(places, values)
            changed = {i: (flat[i][0], flat[i][1].replace(value)) for i, value in moved}
            parts = [changed.get(i, pair) for i, pair in enumerate(flat)]
            rest = dict(zip(floats, values[len(places) :]))
            passed = [rest.get(i, leaf) for i, leaf in enumerate(given)]
            state = nnx.from_flat_state(parts)
            return self.step_of_state(graphdef, state, *treedef.unflatten(passed))

        values = [value_of(flat[i][1]) for i in places] + [given[i] for i in floats]
        hint = "`jax.lax.stop_gradient` on data, or on what the call updates"
        check_flow("call", run, values, hint)

    def seems_unused(self, path: str) -> bool:
        if self.variables is not None:
            return False
        try:
            self.training_example()
        except pytest.skip.Exception:
            return True
        return not self._shows(path)

    def seems_to_flow(self, path: str) -> bool:
        """Whether a gradient comes from a Variable of which nobody has said so."""
        self.training_example()
        return self._shows(path)

    def _shows(self, path: str) -> bool:
        """Whether somewhere a slope is more than the rounding of those beside it."""
        return any(
            bool(np.any(point[path] > rounding_of(point))) for point in every_point(self) if path in point
        )

    def flows(self, path: str, variable: Any) -> bool:
        """Whether gradients flow through a Variable."""
        one = self.declared(path)
        return isinstance(variable, nnx.Param) or (one is not None and one.flows)

    def _all_grads(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The slopes at the start, and their greatest sizes at the start and elsewhere."""
        self.training_example()
        return all_grads(self)

    def grads_at(self, seed: int) -> dict[str, np.ndarray]:
        """The sizes of the slopes, of both examples together."""
        instance, examples = self.at_point(seed)
        run = compiled_grads(self)
        result: dict[str, Any] = {}
        for arguments in examples:
            with doing("call", "nnx.grad of the call"):
                grads, *_ = run(*nnx.split(instance), *arguments)
            for path, grad in grads.items():
                result[path] = result.get(path, 0) + np.abs(np.asarray(grad))
        return result

    def test_p09_no_gradient_is_nan_where_the_output_is_finite(self) -> None:
        start = self.training_example()
        flat = [self.filled(arguments, 0) for arguments in self.examples()]
        points = [("arguments of zeros", start, flat)]
        points += [("random values", *self.at_point(seed)) for seed in (1, 2)]
        hint = (
            "`jnp.where` hides a NaN of the value, and not that of its gradient: make what "
            "goes in safe, `jnp.where(x > 0, x, 1)`; a root needs an epsilon inside"
        )
        for what, instance, examples in points:
            for given in examples:
                wrong = self._nan_grads(instance, given)
                message = f"with {what} the output is finite, and the gradient is NaN"
                check(not wrong, ", ".join(wrong), message, hint)

    def _nan_grads(self, instance: Any, arguments: Any) -> list[str]:
        """The parameters whose gradient has NaN, though the outputs are finite."""
        try:
            outputs, _ = self.by_nnx_jit()(instance, *arguments)
            grads, *_ = compiled_grads(self)(*nnx.split(instance), *arguments)
        except ANY_ERROR:
            return []  # a check in the call refuses the values
        floats = (y for y in arrays_of(outputs) if is_inexact(y))
        if not all(bool(np.all(np.isfinite(np.asarray(y)))) for y in floats):
            return []
        return [n for n, grad in grads.items() if self.is_param(n) and has_nan(grad)]


@guard
class NnxStep(Training):
    """P9 of a training step."""

    def test_p09_a_step_moves_the_parameters_alone(self) -> None:
        starts = [self.training_example(), self.at_point(2)[0]]
        ran = [(values_of(start), values_of(self.train(start, 1))) for start in starts]
        for path, variable in variables_of(starts[0]).items():
            pairs = [(old[path], new[path]) for old, new in ran]
            made = [new for old, new in pairs if not same_bits(old, new)]
            message = "a training step did not move it"
            moves = self.is_param(path) and not self.is_empty(path)
            check(not moves or bool(made), path, message)
            if not isinstance(variable, nnx.Param):
                message = f"declared as no parameter, a training step made it {made!r:.200}"
                check(self.may_update(path, variable) or not made, path, message)

    def test_p09_steps_keep_the_structure(self) -> None:
        instance = self.training_example()
        after, name = self.train(instance, 2), type(instance).__name__
        same = nnx.graphdef(after) == nnx.graphdef(instance)
        check(same, name, "two training steps changed the graph definition")
        message = f"two steps made {shapes_of(after)} of {shapes_of(instance)}"
        check(shapes_of(after) == shapes_of(instance), name, message)


@once_per_session
def every_point(suite: Any) -> list[dict[str, Any]]:
    """The sizes of the slopes at each point, the first at the start, with 0 for NaN."""
    points, params = list[dict[str, Any]](), list[str]()
    found: dict[str, Any] = {}
    for seed in range(POINTS):
        grads = suite.grads_at(seed)
        points.append({p: np.where(np.isfinite(v), v, 0) for p, v in grads.items()})
        params = params or list(filter(suite.is_param, grads))
        for path in params:
            found[path] = found.get(path, False) | (points[-1][path] != 0)
        if seed > 1 and all(np.all(found[path]) for path in params):
            break  # nothing is left to be found, and what buffers give was seen
    return points


@once_per_session
def all_grads(suite: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The slopes at the start, and the greatest size of each where it is finite."""
    found: dict[str, Any] = {}
    for point in every_point(suite):
        for path, size in point.items():
            found[path] = np.maximum(found.get(path, 0 * size), size)
    return suite.grads_at(0), found
