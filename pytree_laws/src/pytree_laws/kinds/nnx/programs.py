"""Programs that a suite of NNX modules compiles once for all laws."""

from collections.abc import Callable, Mapping
from typing import Any

import jax
from flax import nnx

from ...inspect.arrays import as_in_programs
from ...inspect.trees import avals
from ...report import ANY_ERROR
from ...session import once_per_session
from .variables import (
    copy_of,
    has_keys,
    is_of_nnx,
    is_variable,
    value_of,
    values_of,
    variables_of,
    zeros_like,
)


class CompiledCall:
    """The compiled call, which returns its output and the next state, and records its traces."""

    def __init__(self, name: str, call: Callable[..., Any], jit: Callable[..., Callable[..., Any]]) -> None:
        """Compile the call by `jit`, whose result must leave the given module unchanged.

        `jit` takes and returns a function of a module and a tuple of arguments.
        """

        def traced(module: Any, arguments: Any) -> Any:
            self.traces.append(avals(arguments))
            return call(module, *arguments)

        self.name, self.traces, self.use = name, list[Any](), jit(traced)

    def __call__(self, instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
        return self.use(instance, arguments)

    shapes = __call__

    def traces_of(self, arguments: Any) -> int:
        """Return the number of traces for arguments of these shapes and dtypes."""
        return self.traces.count(avals(jax.eval_shape(lambda: arguments)))


def with_arrays(module: Any) -> Any:
    """Turn Python numbers in the module's Variables into arrays in place, as any program does."""
    for variable in variables_of(module).values():
        value = value_of(variable)
        array = as_in_programs(value)
        if is_variable(variable) and array is not value:
            variable.set_value(array)
    return module


@once_per_session
def by_nnx_jit(suite: Any) -> CompiledCall:
    """Compile the call by `nnx.jit`."""

    def jit(traced: Callable[..., Any]) -> Callable[..., Any]:
        jitted = nnx.jit(traced)

        def run(instance: Any, arguments: Any) -> tuple[Any, dict[str, Any]]:
            module = copy_of(instance)
            return jitted(module, arguments), values_of(module)

        return run

    return CompiledCall("nnx.jit", suite.call_on_copies, jit)


@once_per_session
def by_jax_jit(suite: Any) -> CompiledCall:
    """Compile the call by `jax.jit`, as a function of the state."""
    return CompiledCall("jax.jit", suite.run_in_place, suite.compile)


def built_with_zeros(suite: Any, inputs: Mapping[str, Any]) -> Any:
    """Build a module of these inputs with zeros in its Variables, without compiling.

    A constructor that needs values, or a module that holds keys, gets a regular build.
    """

    def build() -> Any:
        fresh_inputs = suite.inputs(0)  # what belongs to this trace, as streams of keys
        nnx_inputs = {n: fresh_inputs[n] for n, v in inputs.items() if n in fresh_inputs and is_of_nnx(v)}
        return suite.build(**{**inputs, **nnx_inputs})

    try:
        graphdef, state = nnx.split(nnx.eval_shape(build))
    except ANY_ERROR:  # it needs values
        return suite.build(**inputs)
    if has_keys(state):
        return suite.build(**inputs)
    return nnx.merge(graphdef, jax.tree.map(zeros_like, state))
