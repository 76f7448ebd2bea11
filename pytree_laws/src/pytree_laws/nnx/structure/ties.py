"""Ties of NNX modules: arrays that are read from a Variable under another name."""

import types
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import jax
import numpy as np

from ...engine.runner import guard
from ...inspect.arrays import is_array, same_bits
from ...inspect.trees import attributes, is_under
from ...report import check
from ...values.closeness import close
from ...values.randomize import perturb_leaf
from ..subject.training import Training
from ..subject.variables import copy_of, replace_values, value_of, variables_of

STORED_TWICE = "a second copy: read the Variable in a property, and store it once"


@guard
class NnxTies(Training):
    """What the arrays must hold that a module reads from a Variable under another name."""

    ties: ClassVar[Mapping[str, str]] = {}  # name -> path of the Variable that it reads

    def _ties(self, instance: Any) -> Iterator[tuple[str, str]]:
        """Each declared tie whose Variable is there."""
        held = variables_of(instance)
        for name, path in self.ties.items():
            message = f"declared as the Variable of `{name}`; there are {[*held]}"
            check(path in held, path, message)
            yield name, path

    def test_p02_tied_arrays_are_stored_once(self) -> None:
        instance = self.cached_instance()
        for name, path in self._ties(instance):
            inside = [variable for variable in variables_of(instance) if is_under(variable, name)]
            stored = bool(inside) or name in attributes(instance)
            message = f"declared as tied to `{path}`, it is stored itself"
            check(not stored, name, message, STORED_TWICE)

    def test_p09_the_gradient_of_a_tied_array_sums_its_uses(self) -> None:
        for name, path in self._ties(self.cached_instance()):
            if self.is_param(path):
                self._check_gradient(copy_of(self.training_example()), name, path)

    def _check_gradient(self, instance: Any, name: str, path: str) -> None:
        """The gradient is the sum of those where the array is a value of its own."""
        value = value_of(variables_of(instance)[path])
        given = self.arguments(0)

        def loss(value: Any, shared: Any) -> Any:
            return self.loss(untied(replace_values(instance, path, value), name, shared), given)

        def read(value: Any) -> Any:
            return read_from(replace_values(instance, path, value), name)

        shared, back = jax.vjp(read, value)
        direct, through = jax.grad(loss, (0, 1))(value, shared)
        [through] = back(through)
        hint = "the call does not use it, or stops its gradient"
        check(bool(np.any(through)), name, "no gradient comes through it", hint)
        got = self.grads(instance, given)[0][path]
        message = f"its Variable has the gradient {got}, its uses {direct} and {through}"
        check(close(got, direct + through, 16), name, message, hint)

    def test_p13_an_update_keeps_ties(self) -> None:
        instance = self.make(0)
        for name, path in self._ties(instance):
            read_from(instance, name)  # what it caches is cached now
            value = perturb_leaf(value_of(variables_of(instance)[path]))
            variables_of(instance)[path].set_value(value)
            got = read_from(instance, name)
            wanted = read_from(replace_values(self.make(1), path, value), name)
            message = f"after an update it is {got}, its Variable `{path}` makes {wanted}"
            check(same_bits(got, wanted), name, message, STORED_TWICE)


def read_from(module: Any, name: str) -> Any:
    """The array under a name, in a Variable or not."""
    result = value_of(getattr(module, name))
    message = f"it is {result!r:.100}, and no array"
    check(is_array(result), name, message, "a property that reads the Variable")
    return result


def untied(module: Any, name: str, value: Any) -> Any:
    """A copy of the module with `value` where it reads `name` from a Variable."""
    apart = copy_of(module)
    cls = type(apart)
    body = {"__module__": cls.__module__, name: property(lambda self: value)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = types.new_class("Apart", (cls,), {}, lambda new: new.update(body))
    object.__setattr__(apart, "__class__", made)
    return apart
