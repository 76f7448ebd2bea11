"""P2 for NNX modules: the state is the declared Variables."""

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from ...discover.suggest import check_declared
from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.arrays import has_dtype, is_array, real_dtype
from ...inspect.references import class_attributes, reachable
from ...inspect.trees import is_under
from ...report import Law, check
from ...trace.jaxprs import NEEDS_VALUES
from ..subject.suite import NnxSuite
from ..subject.variables import is_variable, value_of, values_of, variables_of

LAW = Law(
    number="P2",
    name="manifest",
    statement="The state is exactly the declared Variables, each of its type, and no array is held outside of a Variable.",
    mistake="A weight is a plain array, or Variables are kept in a plain list that was empty when it was assigned: no gradient and no optimiser ever reaches them.",
    fix="Write `nnx.Param(array)`, or another Variable type for what is not trained, and `nnx.List` where there are several.",
)


@guard
class NnxManifest(NnxSuite):
    """P2 for NNX modules."""

    def test_p02_the_state_is_the_declared_variables(self) -> None:
        found = variables_of(self.cached_instance())
        for one in self.manifest():
            if one.is_tree and not any(is_under(path, one.path) for path in found):
                continue  # a sub-module without Variables
            message = f"declared as {one.type.__name__}, but not in the state: {[*found]}"
            hint = "a plain attribute, or Variables in a plain list"
            there = any(self.declared(path) == one for path in found)
            check_declared(self, there, one.path, message, hint)
        for path, variable in found.items():
            message = f"in the state, but not declared: {type(variable).__name__}"
            check_declared(self, self.declared(path) is not None, path, message)

    def test_p02_variables_are_as_declared(self) -> None:
        for path, variable in variables_of(self.cached_instance()).items():
            one = self.declared(path)
            message = f"a plain {type(variable).__name__}, in no Variable"
            check(is_variable(variable), path, message)
            if one is None or one.type is nnx.Module:
                continue
            kind, value = type(variable).__name__, value_of(variable)
            message = f"it is a {kind}, declared is {one.type.__name__}"
            check_declared(self, type(variable) is one.type, path, message)
            message = f"it holds {value!r:.200}, and no jax.Array"
            check(isinstance(value, jax.Array), path, message)
            if not one.below:
                message = f"the shape is {value.shape}, declared is {one.shape}"
                same = one.shape is None or value.shape == one.shape
                check_declared(self, same, path, message)
                message = f"the dtype is {value.dtype}, declared is {one.dtype}"
                check_declared(self, has_dtype(value, one.dtype), path, message)

    def test_p02_the_dtype_reaches_every_float_variable(self) -> None:
        if not self.takes_dtype:
            not_applicable("the constructor takes no dtype")
        build, given = self.traceable_build()
        try:
            state = jax.eval_shape(lambda values: nnx.state(build(values, dtype=jnp.bfloat16)), given)
        except NEEDS_VALUES:
            not_applicable("the constructor decides by the values of arrays")
        hint = "an array that is made without `dtype`, or a sub-module that is not given it"
        usual, before = real_dtype("float"), values_of(self.cached_instance())
        made = {path for path, value in before.items() if value.dtype == usual}
        for path, value in values_of(state).items():
            one = self.declared(path)
            if one is None or (one.is_tree and path not in made):
                continue
            if one.dtype == "float" and jnp.issubdtype(value.dtype, jnp.inexact):
                message = f"built with dtype bfloat16, it is {value.dtype}"
                check(value.dtype == jnp.bfloat16, path, message, hint)

    def test_p02_no_array_hides_elsewhere(self) -> None:
        self._check_hidden(self.cached_instance())
        if self.called():
            instance, arguments = self.example()
            self.call(instance, *arguments)
            self._check_hidden(instance)

    def _check_hidden(self, instance: Any) -> None:
        name, held = type(instance).__name__, [*variables_of(instance).values()]
        hint = "a plain list that was empty when it was assigned: use nnx.List"
        for place, value in [*reachable(instance, name, held), *class_attributes(instance)]:
            message = f"a {type(value).__name__} that is not part of the state"
            check(not is_variable(value), place, message, hint)
            message = f"an array of shape {getattr(value, 'shape', ())} in no Variable"
            check(not is_array(value), place, message)
