"""The laws of shared arrays: what a class holds whose fields read arrays that others store.

Subclass `SharedLaws` as one subclasses `PytreeLaws`, and declare the ties:

    class TestTiedEmbedding(SharedLaws):
        leaves = (Leaf("embedding", "param", (2, 3)),)
        ties = {"head": "embedding"}
"""

import types
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import jax
import numpy as np

from .engine.runner import guard
from .inspect.arrays import is_inexact, same_bits
from .inspect.trees import attributes, clone_as, is_under, named_leaves, replace_leaves
from .laws import PytreeLaws
from .report import check
from .values.closeness import close
from .values.optimisation import weighted
from .values.randomize import perturb_leaf

STORED_TWICE = "a second copy: read the array in a property, and store it once"


def untied(instance: Any, name: str, value: Any) -> Any:
    """The instance with `value` where it reads `name` from another attribute."""
    cls = type(instance)
    body = {"__module__": cls.__module__, name: property(lambda self: value)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        apart = types.new_class("Apart", (cls,), {}, lambda new: new.update(body))
    return clone_as(apart, instance)


@guard
class SharedLaws(PytreeLaws):
    """Subclass it with a name that starts with `Test`; see the head of this file."""

    ties: ClassVar[Mapping[str, str]] = {}  # shared array -> path of the leaf it reads

    def _ties(self, instance: Any) -> Iterator[tuple[str, int, Any]]:
        """Name, position of the leaf, and the leaf of each declared tie."""
        pairs = named_leaves(instance)
        names = [name for name, _ in pairs]
        for name, path in self.ties.items():
            message = f"declared as the leaf of `{name}`; the leaves are {names}"
            check(path in names, path, message)
            yield name, names.index(path), pairs[names.index(path)][1]

    def _check_ties(self, instance: Any, what: str) -> None:
        """A shared array is what the leaf makes of it, whatever else was there."""
        for name, place, leaf in self._ties(instance):
            got = getattr(instance, name)
            wanted = getattr(replace_leaves(self.make(1), {place: leaf}), name)
            message = f"{what} it is {got}, its leaf `{self.ties[name]}` makes {wanted}"
            check(same_bits(got, wanted), name, message, STORED_TWICE)

    def test_p02_shared_arrays_are_stored_once(self) -> None:
        instance = self.make(0)
        for name, _, _ in self._ties(instance):
            names = [path for path, _ in named_leaves(instance) if is_under(path, name)]
            stored = bool(names) or name in attributes(instance)
            message = f"declared as shared with `{self.ties[name]}`, it is stored itself"
            check(not stored, name, message, STORED_TWICE)

    def test_p09_the_gradient_of_a_shared_array_sums_its_uses(self) -> None:
        instance, examples = self.training_example()
        trained = self.trained(instance)
        for name, place, leaf in self._ties(instance):
            if place in trained:
                self._check_gradient(instance, examples, name, place, leaf)

    def _check_gradient(self, instance: Any, examples: Any, name: str, place: int, leaf: Any) -> None:
        def read(value: Any) -> Any:
            return getattr(replace_leaves(instance, {place: value}), name)

        def loss(value: Any, shared: Any) -> Any:
            apart = untied(replace_leaves(instance, {place: value}), name, shared)
            outputs = [self.apply(apart, *each) for each in examples]
            found = [weighted(y) for y in jax.tree.leaves(outputs) if is_inexact(y)]
            return sum(found, 0.0)

        shared, back = jax.vjp(read, leaf)
        direct, through = jax.grad(loss, (0, 1))(leaf, shared)
        [through] = back(through)
        hint = "the call does not use it, or stops its gradient"
        check(bool(np.any(through)), name, "no gradient comes through it", hint)
        [got] = self.grads(instance, [place], examples)
        message = f"its leaf has the gradient {got}, its uses {direct} and {through}"
        check(close(got, direct + through, 16), name, message, hint)

    def test_p09_a_training_step_keeps_ties(self) -> None:
        for _ in self._ties(self.make(0)):
            instance, _ = self.training_example()
            self._check_ties(self.stepped(instance), "after a training step")

    def test_p13_an_edit_keeps_ties(self) -> None:
        instance = self.make(0)
        for _, place, leaf in self._ties(instance):
            self._check_ties(replace_leaves(instance, {place: perturb_leaf(leaf)}), "after an edit")
