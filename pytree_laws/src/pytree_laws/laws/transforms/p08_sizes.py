"""P8: static values that were computed from sizes."""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np

from ...discover.inference import same_value
from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.arrays import is_array, is_key, on_device
from ...inspect.trees import arrays_of, avals, map_arrays, structure
from ...report import ANY_ERROR
from ...suites.pytree import PytreeSuite
from ...values.closeness import check_close
from ...values.randomize import randomize


@guard
class Sizes(PytreeSuite):
    """P8, of leaves that another size takes the place of."""

    def test_p08_static_values_follow_the_sizes(self) -> None:
        self.need_call()
        changes = another_size(self)
        start, fresh = self.cached_instance(), self._of_the_other_size(changes)
        leaves = jax.tree.leaves(fresh)
        grown = len(leaves) == len(jax.tree.leaves(start)) and avals(fresh) != avals(start)
        if not grown or structure(fresh) == structure(start):
            not_applicable("no static value changes with the size of a leaf")
        arguments = resized(self.arguments(0), sizes_of(self, changes))
        grown_start = structure(start).unflatten(leaves)
        if self._traces_alike(fresh, grown_start, arguments):
            return
        check_not_stale(
            self,
            (start, fresh),
            got=lambda: self.apply(grown_start, *arguments),
            wanted=lambda: self.apply(fresh, *arguments),
        )

    def _of_the_other_size(self, changes: Mapping[str, int]) -> Any:
        """An instance of another size, with values as good as any in its arrays."""
        try:
            built = self.built_abstractly({**self.inputs(0), **changes})
        except ANY_ERROR:
            not_applicable("the class cannot be built with another size alone")
        return randomize(built, 2)

    def _traces_alike(self, one: Any, other: Any, arguments: Any) -> bool:
        """Whether the calls of two instances with the same leaves are one program, without constants."""
        try:
            first, second = (self._trace(each, arguments) for each in (one, other))
        except ANY_ERROR:
            return False
        has_constants = bool(first.consts or second.consts)
        return not has_constants and str(first) == str(second)

    def _trace(self, instance: Any, arguments: Any) -> Any:
        value, back = self.dynamic(instance)
        return jax.make_jaxpr(lambda v, arguments: self.apply(back(v), *arguments))(value, arguments)


def another_size(suite: Any) -> Mapping[str, int]:
    """An input of the constructor with another size: the other configuration, or the first that is an axis of the arguments."""
    changed, inputs = suite.other or {}, suite.inputs(0)
    pairs = [(inputs.get(name), value) for name, value in changed.items()]
    if len(pairs) == 1 and all(type(one) is int for one in pairs[0]):
        return dict(changed)
    axes = {size for leaf in arrays_of(suite.arguments(0)) for size in leaf.shape}
    sizes = {n: v for n, v in inputs.items() if type(v) is int and v > 1 and v in axes}
    if not sizes:
        not_applicable("no input is known to be the size of an axis")
    name, size = next(iter(sizes.items()))
    return {name: 2 * size}  # what a number of heads divides


def sizes_of(suite: Any, changes: Mapping[str, int]) -> Mapping[int, int]:
    """The sizes that are changed, and what they become."""
    inputs = suite.inputs(0)
    return {inputs[name]: size for name, size in changes.items()}


def check_not_stale(
    suite: Any, instances: tuple[Any, Any], *, got: Callable[[], Any], wanted: Callable[[], Any]
) -> None:
    """With leaves of another size the call is as a fresh instance of that size, or is refused, or who gives the size said what it is.

    The instances are the example and the fresh one; `got` is the call of the first with the leaves of the second.
    """
    try:
        of_fresh = wanted()
    except ANY_ERROR:
        not_applicable("the example does not fit the other size")
    try:
        of_grown = got()
    except ANY_ERROR:
        return  # refused
    start, fresh = instances
    new = dict(suite.statics_of(fresh))
    old = dict(suite.statics_of(start)).items()
    stale = [path for path, value in old if not same_value(value, new.get(path))]
    if stale and set(stale) <= set(suite.inputs(0)):
        return
    message = "with leaves of another size the call gives {}, a fresh instance of that size {}"
    hint = "a static value that was computed from a size: take it from the array in the call, or refuse other shapes there"
    check_close(", ".join(stale), message, of_grown, of_fresh, hint)


def resized(arguments: Any, sizes: Mapping[int, int]) -> Any:
    """The arguments with other sizes of their axes."""

    def resize(leaf: Any) -> Any:
        shape = tuple(sizes.get(size, size) for size in leaf.shape)
        same = not is_array(leaf) or is_key(leaf) or shape == leaf.shape
        return leaf if same else on_device(np.resize(np.asarray(leaf), shape))

    return map_arrays(resize, arguments)
