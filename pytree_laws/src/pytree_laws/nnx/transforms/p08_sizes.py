"""P8 for NNX modules: static values that were computed from sizes."""

import functools
from collections.abc import Mapping
from typing import Any

import jax
from flax import nnx

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.trees import avals, structure
from ...laws.transforms.p08_sizes import another_size, check_not_stale, resized, sizes_of
from ...report import ANY_ERROR
from ...values.randomize import randomize
from ..subject.suite import NnxSuite


@guard
class NnxSizes(NnxSuite):
    """P8 for NNX modules, of Variables that another size takes the place of."""

    def test_p08_static_values_follow_the_sizes(self) -> None:
        self.need_call()
        changes = another_size(self)
        start, fresh = self.cached_instance(), self._of_the_other_size(changes)
        (graphdef, old), (other, new) = nnx.split(start), nnx.split(fresh)
        grown = structure(new) == structure(old) and avals(new) != avals(old)
        if not grown or other == graphdef:
            not_applicable("no static value changes with the size of a Variable")
        arguments = resized(self.arguments(0), sizes_of(self, changes))
        if self._traces_alike(graphdef, other, new, arguments):
            return
        check_not_stale(
            self,
            (start, fresh),
            got=lambda: self.step_of_state(graphdef, new, *arguments)[0],
            wanted=lambda: self.step_of_state(other, new, *arguments)[0],
        )

    def _of_the_other_size(self, changes: Mapping[str, int]) -> Any:
        """A module of another size, with values as good as any."""
        try:
            built = self.built_abstractly({**self.inputs(0), **changes})
        except ANY_ERROR:
            not_applicable("the module cannot be built with another size alone")
        graphdef, state = nnx.split(built)
        return nnx.merge(graphdef, randomize(state, 2))

    def _traces_alike(self, one: Any, other: Any, state: Any, arguments: Any) -> bool:
        """Whether two calls on the same state are one program, without constants."""
        steps = (functools.partial(self.step_of_state, each) for each in (one, other))
        try:
            first, second = (jax.make_jaxpr(step)(state, *arguments) for step in steps)
        except ANY_ERROR:
            return False
        has_constants = bool(first.consts or second.consts)
        return not has_constants and str(first) == str(second)
