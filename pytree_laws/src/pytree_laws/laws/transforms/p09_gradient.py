"""P9: gradients, and a training step."""

import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ...declare.leaf_spec import TRAINED
from ...engine.applicability import applies_where, not_applicable, of_leaves
from ...engine.runner import guard
from ...inspect.arrays import is_floating, same_bits
from ...inspect.trees import (
    arrays_of,
    avals,
    flatten,
    is_under,
    named_leaves,
    replace_leaves,
    structure,
    without_lost_weakness,
)
from ...report import Law, check, doing
from ...session import once_per_session
from ...suites.method_programs import compiled_grads_of_methods, traceable
from ...suites.training import Training
from ...trace.jaxprs import own_rules
from ...trace.programs import compiled
from ...values.closeness import check_flow, check_rule, rounding_of
from ...values.randomize import randomize, randomize_indices

LAW = Law(
    number="P9",
    name="gradient and step",
    statement="Every element of every parameter, and every trained leaf of a sub-module, has a gradient, at the start or elsewhere, which is no NaN where the output is finite; gradients flow through data, and not through buffers; a derivative rule of its own agrees with small steps; a step of AdamW with weight decay moves the parameters alone and keeps structure, shapes and dtypes.",
    protects="Parameters that are never trained, and constants that are: neither a zero gradient nor weight decay on a buffer raises an error.",
    mistake="A parameter is not used by the call, or a buffer is among the trained arrays (weight decay moves what gradients skip).",
    fix="Use each parameter in the call; apply stop_gradient to buffers where they are used, and to nothing else; leave data and buffers out of `trainable()`.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux", "test_p05_no_leaf"),
)


POINTS = 12  # the start, and random values
MORE_POINTS = 60  # where an element has no gradient at any of these


FLOWS = of_leaves(
    "no data is declared that has a gradient, and nothing frozen",
    lambda leaf: leaf.role == "data" or leaf.frozen,
)


@guard
class Gradient(Training):
    """P9."""

    def test_p09_every_parameter_has_a_gradient(self) -> None:
        start, every = next(self._grads()), self._all_grads()
        for name, grad in start.items():
            role = self.role(name)
            if role in TRAINED:
                message = f"the gradient is not finite: {grad}"
                check(bool(np.all(np.isfinite(grad))), name, message)
            if role == "param" and not self.is_unused(name):
                hint = "a parameter that the call does not use, or stop_gradient on it"
                message = "the gradient is zero everywhere"
                check(bool(np.any(every[name])), name, message, hint)
            if role == "buffer":
                message = f"declared as buffer, but the call has the gradient {every[name]}"
                hint = "`jax.lax.stop_gradient` is missing where the buffer is used"
                check(not self._shows(name), name, message, hint)

    @applies_where(FLOWS)
    def test_p09_gradients_flow_through_what_is_not_trained(self) -> None:
        self.need_call()
        instance, arguments = randomize(self.cached_example(), 2)
        named = list(enumerate(named_leaves(instance)))
        flows = self.flowing(instance)
        data = [(i, n, leaf) for i, (n, leaf) in named if n in flows]
        data = [row for row in data if self.role(row[1]) == "data" or self.is_frozen(row[1])]
        if not data or self.leaves is None:
            not_applicable("no data is declared that has a gradient, and nothing frozen")
        hint = "`jax.lax.stop_gradient` on data, or on what is frozen; what is to be cut off is a buffer"
        for i, name, leaf in data:

            def run(values: list[Any], i: int = i) -> Any:
                return self.apply(replace_leaves(instance, {i: values[0]}), *arguments)

            check_flow(name, run, [leaf], hint)

    def test_p09_every_element_of_a_parameter_has_a_gradient(self) -> None:
        for name, grad in self._all_grads().items():
            if self.role(name) == "param" and not self.is_unused(name) and np.any(grad):
                still = grad == 0
                if still.any():
                    still = still & ~felt_by_methods(self, name, grad.shape)
                wrong = np.argwhere(still)
                message = f"{len(wrong)} of its {grad.size} elements never have a gradient"
                message += f", the first at {tuple(map(int, wrong[0]))}" if len(wrong) else ""
                hint = (
                    "a part of the parameter that the call does not use; "
                    "`Leaf(..., unused=True)` says that this is so on purpose"
                )
                check(not len(wrong), name, message, hint)

    @applies_where(of_leaves("no sub-trees are declared", lambda leaf: leaf.role in ("module", "tree")))
    def test_p09_every_trained_sub_tree_has_a_gradient(self) -> None:
        roots = [leaf for leaf in self.manifest() if leaf.role in ("module", "tree")]
        grads, instance = self._all_grads(), self.cached_instance()
        trained = (named_leaves(instance)[i][0] for i in self.trained(instance))
        names = [name for name in trained if not self.is_empty(name)]
        for root in roots:
            below = [name for name in names if is_under(name, root.path)]
            used = not below or any(np.any(grads[name]) for name in below)
            message = "no leaf of this sub-tree has a gradient"
            check(used or root.unused, root.path, message)

    @applies_where(of_leaves("no sub-modules are declared", lambda leaf: leaf.role == "module"))
    def test_p09_every_leaf_of_a_sub_module_has_a_gradient(self) -> None:
        roots = [leaf for leaf in self.manifest() if leaf.role == "module"]
        grads, instance = self._all_grads(), self.cached_instance()
        trained = {named_leaves(instance)[i][0] for i in self.trained(instance)}
        for name, grad in grads.items():
            root = self.declared(name)
            if root in roots and name in trained and not self.is_unused(name):
                hint = (
                    'a layer that is built and never used; `Leaf(path, "param", unused=True)` '
                    "beside the sub-module says that this is so on purpose"
                )
                message = "a leaf of a sub-module never has a gradient"
                check(bool(np.any(grad)), name, message, hint)

    def test_p09_derivative_rules_of_its_own_are_right(self) -> None:
        self.need_call()
        rules = own_rules(self.traced_call().jaxpr)
        if not rules:
            not_applicable("the call has no derivative rule of its own")
        leaves, treedef = flatten(self.cached_example())
        floats = {i: leaf for i, leaf in enumerate(leaves) if is_floating(leaf)}

        def loss(values: Mapping[int, Any]) -> Any:
            placed = [values.get(i, leaf) for i, leaf in enumerate(leaves)]
            instance, arguments = treedef.unflatten(placed)
            return self.summed_loss(instance, [arguments])

        with doing(rules[0], "the gradient of the call"):
            check_rule(rules[0], compiled(jax.value_and_grad(loss)), floats)

    def seems_unused(self, path: str) -> bool:
        if self.leaves is not None:
            return False
        try:
            self.training_example()
        except pytest.skip.Exception:
            return True
        return not self._shows(path)

    def _all_grads(self) -> dict[str, np.ndarray]:
        """By path, the greatest size of each slope at the start and at generic points."""
        self.training_example()
        return all_grads(self)

    def _shows(self, path: str) -> bool:
        """Whether somewhere a slope is more than the rounding of those beside it."""
        self.training_example()
        return any(
            bool(np.any(np.abs(point[path]) > rounding_of(point)))
            for point in every_point(self)
            if path in point
        )

    def _grads(self) -> Iterator[dict[str, np.ndarray]]:
        """Gradients with respect to all inexact leaves: at the start, and elsewhere."""
        start, examples = self.training_example()
        names = [name for name, _ in named_leaves(start)]
        with doing("call", "the gradient of the call"):
            first = self.grads_at(start, examples)
        yield {names[i]: grad for i, grad in first.items()}
        for _, instance, given in self._generic_points(MORE_POINTS):
            # A check in the call may refuse the values.
            with contextlib.suppress(Exception):
                found = self.grads_at(instance, given)
                yield {names[i]: grad for i, grad in found.items()}

    def _generic_points(self, count: int = POINTS) -> Iterator[tuple[str, Any, Any]]:
        """Instances and arguments with random floats, every other time positive ones."""
        instance, _ = self.training_example()
        others = self._with_other_tables()
        sizes = [size for leaf in arrays_of(instance) for size in leaf.shape]
        for seed in range(1, count):
            given = self.arguments(2 * seed), self.arguments(2 * seed + 1)
            held = others[seed % len(others)]
            drawn, given = randomize((held, given), seed, self.held_fixed(instance))
            given = randomize_indices(given, seed, max(sizes, default=2))
            yield f"random values of seed {seed}", drawn, given

    def _with_other_tables(self) -> list[Any]:
        """The example, and others where arrays of integers say what is looked up."""
        instance = self.cached_instance()
        dtypes = [leaf.dtype for leaf in arrays_of(instance) if leaf.size > 1]
        if not any(jnp.issubdtype(dtype, jnp.integer) for dtype in dtypes):
            return [instance]
        built = [instance, *(self.cached_instance(seed) for seed in (1, 2))]
        return [one for one in built if structure(one) == structure(instance)]

    def test_p09_no_gradient_is_nan_where_the_output_is_finite(self) -> None:
        start, given = self.training_example()
        names = [name for name, _ in named_leaves(start)]
        flat = tuple(self.filled(arguments, 0) for arguments in given)
        points = [("arguments of zeros", start, flat), *self._generic_points()]
        hint = (
            "`jnp.where` hides a NaN of the value, and not that of its gradient: make what "
            "goes in safe, `jnp.where(x > 0, x, 1)`; a root needs an epsilon inside"
        )
        for what, instance, examples in points:
            for loss, grads in self._losses_and_grads(instance, examples):
                wrong = [i for i, grad in grads.items() if np.isnan(grad).any()]
                wrong = [names[i] for i in wrong if self.role(names[i]) in TRAINED]
                message = f"with {what} the output is finite, and the gradient is NaN"
                check(not wrong or not np.isfinite(loss), ", ".join(wrong), message, hint)

    def _losses_and_grads(self, instance: Any, examples: Any) -> Iterator[Any]:
        for arguments in examples:
            # A check in the call may refuse the values.
            with contextlib.suppress(Exception):
                yield self.loss_and_grads(instance, arguments)


@guard
class Step(Training):
    """P9 of a training step."""

    def test_p09_a_step_moves_the_parameters_alone(self) -> None:
        start, _ = self.training_example()
        elsewhere = randomize(start, 2, self.held_fixed(start))
        ran = [(one, self.stepped(one)) for one in (start, elsewhere)]
        leaves = [map(jax.tree.leaves, pair) for pair in ran]
        pairs = list(zip(*(zip(*both) for both in leaves)))
        for (name, _), both in zip(named_leaves(start), pairs):
            role = self.role(name)
            moved = [new for old, new in both if not same_bits(old, new)]
            frozen = self.is_frozen(name)
            if role == "param" and not frozen and not self.is_empty(name):
                hint = "a parameter that `trainable()` leaves out"
                check(bool(moved), name, "a training step did not move it", hint)
            if frozen or role in ("data", "buffer", "key", "python"):
                role = "frozen" if frozen else role
                message = f"declared as {role}, a training step moved it to {moved!r:.200}"
                check(not moved, name, message)

    def test_p09_steps_keep_the_structure(self) -> None:
        instance, _ = self.training_example()
        name, after = type(instance).__name__, self.stepped(instance, steps=2)
        same = structure(after) == structure(instance)
        check(same, name, "two training steps changed the treedef")
        before, made = avals(instance), avals(after)
        message = f"two training steps made {made} of {before}"
        check(without_lost_weakness(before, made) == before, name, message)


@once_per_session
def every_point(suite: Any) -> list[dict[str, np.ndarray]]:
    """The slopes of a suite at each point, with 0 where one is not finite; at more points where an element may be rare."""
    points = (
        {name: np.where(np.isfinite(v), np.abs(v), 0) for name, v in point.items()}
        for point in suite._grads()
    )
    taken = [*itertools.islice(points, POINTS)]
    greatest = greatest_of(taken)
    for point in points:
        if not has_rare_element(greatest):
            break
        taken.append(point)
        greatest = greatest_of([greatest, point])
    return taken


def has_rare_element(greatest: Mapping[str, np.ndarray]) -> bool:
    """Whether elements of an array have no gradient yet, and others of it have one."""
    return any(np.any(size) and not np.all(size) for size in greatest.values())


@once_per_session
def all_grads(suite: Any) -> dict[str, np.ndarray]:
    """The greatest size of each slope of a suite, over points where it is finite."""
    return greatest_of(every_point(suite))


def greatest_of(points: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    result: dict[str, np.ndarray] = {}
    for point in points:
        for name, size in point.items():
            result[name] = np.maximum(result.get(name, 0 * size), size)
    return result


def felt_by_methods(suite: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """For each element of a parameter, whether a declared method has a gradient there."""
    start, _ = suite.flowing_values(suite.cached_instance())
    if name not in start or all(method.found for method in traceable(suite)):
        return np.zeros(shape, bool)
    grads, _ = compiled_grads_of_methods(suite)(start)
    return np.any(grads[name] != 0, axis=0)
