"""What one suite of NNX modules compiles, once for the laws that need it."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from flax import nnx

from ...engine.applicability import not_applicable
from ...inspect.arrays import is_key
from ...report import ANY_ERROR, doing
from ...session import once_per_session
from ...trace.jaxprs import NEEDS_VALUES
from ...trace.programs import compiled
from .variables import copy_of, has_keys, is_of_nnx, tracers_beside_the_state, values_of, zeros_like

DRAWS = 512  # modules, where draws are looked at


@dataclasses.dataclass(frozen=True)
class Compiled:
    """The compiled call: `run` gives its output and the state after it."""

    name: str
    run: Callable[..., tuple[Any, dict[str, Any]]]
    traces: list[None]
    left: Sequence[str] = ()  # places of the tracers that the first call left behind


@once_per_session
def compiled_call(suite: Any) -> Compiled:
    """The call under nnx.jit, after a first one on a module that was never called."""
    traces: list[None] = []

    def counted(module: Any, *arguments: Any) -> Any:
        traces.append(None)
        return suite.call(module, *arguments)

    jitted = nnx.jit(counted)

    def run(instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
        module = copy_of(instance)
        return jitted(module, *arguments), values_of(module)

    cold, arguments = suite.make(0), suite.arguments(0)
    with doing("call", "the call under nnx.jit"):
        jitted(cold, *arguments)
    return Compiled("nnx.jit", run, traces, tracers_beside_the_state(cold))


@once_per_session
def compiled_step_of_state(suite: Any) -> Compiled:
    """The call under jax.jit, as a function of the state."""
    traces: list[None] = []

    def counted(graphdef: Any, state: Any, *arguments: Any) -> Any:
        traces.append(None)
        return suite.step_of_state(graphdef, state, *arguments)

    jitted = compiled(counted, static_argnums=0)

    def run(instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
        output, state = jitted(*nnx.split(instance), *arguments)
        return output, values_of(state)

    return Compiled("jax.jit", run, traces)


@once_per_session
def compiled_grads(suite: Any) -> Callable[..., Any]:
    """The slopes of all inexact Variables by path, those of the arguments, and the state that the call leaves."""

    def grads(graphdef: Any, state: Any, *arguments: Any) -> Any:
        module = nnx.merge(graphdef, state, copy=True)
        try:
            own, others = suite.grads(module, arguments)
        except ANY_ERROR:  # it may have none with respect to its arguments
            module = nnx.merge(graphdef, state, copy=True)
            own, others = suite.grads(module, arguments, of_arguments=False)
        return own, others, nnx.state(module)

    return compiled(grads, static_argnums=0)


def built_with_zeros(suite: Any, inputs: Mapping[str, Any]) -> Any:
    """A module of these inputs with zeros in its Variables, made without compiling."""

    def build() -> Any:
        own = suite.inputs(0)  # what belongs to this trace, as streams of keys
        held = {n: own[n] for n, v in inputs.items() if n in own and is_of_nnx(v)}
        return suite.build(**{**inputs, **held})

    try:
        graphdef, state = nnx.split(nnx.eval_shape(build))
    except ANY_ERROR:  # it needs values
        return suite.build(**inputs)
    if has_keys(state):
        return suite.build(**inputs)
    return nnx.merge(graphdef, jax.tree.map(zeros_like, state))


def built_with_key(suite: Any, key: Any) -> Any:
    """A module of the example inputs, with this key for each of theirs."""
    build, given = suite.traceable_build()
    return build([key if is_key(v) and v.shape == () else v for v in given])


def spreads_of(suite: Any) -> dict[str, float]:
    """The standard deviations that a suite declares, by path."""
    declared = {variable.path: variable.std for variable in suite.manifest() if variable.std}
    return {path: s for path, s in declared.items() if not suite.is_empty(path)}


def drawn_values_of(suite: Any) -> dict[str, np.ndarray]:
    """What is declared with a spread, drawn from many keys: each with a leading axis."""
    try:
        return drawn_values(suite)
    except NEEDS_VALUES:
        not_applicable("the constructor decides by the values of arrays")


@once_per_session
def drawn_values(suite: Any) -> dict[str, np.ndarray]:
    """What `DRAWS` modules drew, the first of them with the keys of the seeds 0 and 1."""

    def drawn(key: Any) -> dict[str, Any]:
        found = values_of(built_with_key(suite, key))
        return {path: found[path] for path in spreads_of(suite) if path in found}

    seeds = np.arange(DRAWS, dtype=np.uint32)
    values = compiled(jax.vmap(lambda seed: drawn(jax.random.key(seed))))(seeds)
    return {path: np.asarray(value) for path, value in values.items()}
