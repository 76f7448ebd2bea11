"""What the laws say of methods, for NNX modules, whose methods may update Variables in place."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from flax import nnx

from ...declare.methods import Method
from ...laws.variants.methods import Methods
from ..subject.suite import NnxSuite
from ..subject.variables import copy_of, frozen_settings, is_float, value_of, values_of, variables_of


class NnxMethods(Methods, NnxSuite):
    """The laws of methods for NNX modules."""

    def to_arrays(self, instance: Any) -> tuple[Any, Callable[[Any], Any]]:
        graphdef, state = nnx.split(instance)
        return state, functools.partial(nnx.merge, graphdef, copy=True)

    def copied(self, instance: Any) -> Any:
        return copy_of(instance)

    def changed_in_place(self, instance: Any) -> Any:
        return values_of(instance)

    def remembered(self, instance: Any) -> Any:
        return nnx.graphdef(instance), frozen_settings(instance, functions=True)

    def next_instance(self, method: Method, instance: Any, arguments: Any) -> Any:
        result = method.use(instance, *arguments)
        return result if isinstance(result, nnx.Module) else instance

    def flowing_values(self, instance: Any) -> tuple[dict[str, Any], Callable[[Mapping[str, Any]], Any]]:
        held = variables_of(instance).items()
        flowing = {n: one for n, one in held if self._flows(n, one) and is_float(one)}

        def rebuilt(values: Mapping[str, Any]) -> Any:
            module = copy_of(instance)
            for name, variable in variables_of(module).items():
                if name in values:
                    variable.set_value(values[name])
            return module

        return {name: value_of(one) for name, one in flowing.items()}, rebuilt

    def _flows(self, path: str, variable: Any) -> bool:
        one = self.declared(path)
        return isinstance(variable, nnx.Param) or (one is not None and one.flows)
