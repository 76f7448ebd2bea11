"""NNX modules as subjects of laws."""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from flax import nnx

from ...declare.methods import Method
from ...engine.applicability import not_applicable
from ...inspect.arrays import is_fixed_inexact, is_floating, is_inexact, is_key, real_dtype, wide_in_numpy
from ...inspect.classes import twin_class
from ...inspect.static_values import static_fault
from ...inspect.trees import clone_as, map_arrays, named_numbers, one_level
from ...session import once_per_session
from ...trace.programs import compiled
from ...values.randomize import perturb_leaf, randomize
from ..programs import DRAWS
from ..subject import Rebuilt
from ..training import summed_loss
from . import programs, training
from .declared import VariableSuite
from .settings import (
    all_settings,
    check_copy,
    frozen_settings,
    functions_of,
    settings_of,
    settings_of_flax,
    with_setting,
)
from .variables import (
    OBJECTS,
    assign,
    bits_of,
    copy_of,
    form_of,
    outside,
    own_nodes,
    pickled,
    placed_variables,
    replace_values,
    retyped,
    round_trips,
    streams_given,
    to_tree,
    tracers_beside_the_state,
    value_of,
    values_of,
    variable_types,
    variables_of,
    with_values,
    wrong_states,
)


class NnxSuite(VariableSuite):
    """The adapter of NNX modules, whose calls may update them in place."""

    to_tree = staticmethod(to_tree)
    named = staticmethod(values_of)
    form_of = staticmethod(form_of)
    copied = staticmethod(copy_of)
    with_array = staticmethod(replace_values)
    with_static = staticmethod(with_setting)
    with_arrays_of = staticmethod(
        lambda module, other: nnx.merge(nnx.graphdef(module), nnx.state(other), copy=True)
    )
    assign_array = staticmethod(lambda module, path, value: assign(module, {path: value}))
    read_array = staticmethod(lambda module, name: value_of(getattr(module, name)))
    snapshot_of = staticmethod(bits_of)
    remembered = staticmethod(lambda module: (nnx.graphdef(module), frozen_settings(module, functions=True)))
    changed_in_place = staticmethod(values_of)
    tracers_beside = staticmethod(tracers_beside_the_state)
    parts_of = staticmethod(variables_of)
    value_of = staticmethod(value_of)
    outside_of = staticmethod(outside)
    static_parts = staticmethod(lambda module: all_settings(module).items())
    parts_of_libraries = staticmethod(settings_of_flax)
    own_nodes = staticmethod(own_nodes)
    check_copy = staticmethod(check_copy)
    state_of = staticmethod(nnx.state)
    wrong_states = staticmethod(wrong_states)
    with_values = staticmethod(with_values)
    retyped = staticmethod(retyped)
    round_trips = staticmethod(round_trips)
    placed_variables = staticmethod(placed_variables)
    functions_of = staticmethod(functions_of)
    streams_given = staticmethod(streams_given)
    pickled = staticmethod(pickled)
    variable_types = staticmethod(variable_types)
    built_abstractly = programs.built_with_zeros
    stepped = training.stepped
    gradient_program = training.gradient_program
    loss_and_grads = training.loss_and_grads
    gradients = training.gradients
    variable_type = nnx.Variable
    param_type = nnx.Param
    containers = (nnx.List, nnx.Dict, nnx.Sequential)

    def twins(self, instance: Any) -> Iterator[Any]:
        """Yield an instance of the class from a second run of its module."""
        if one_level(instance) is None:
            not_applicable("the class is no pytree")
        yield clone_as(twin_class(type(instance)), instance)

    def statics_of(self, instance: Any) -> Iterator[tuple[str, Any]]:
        return ((path, v) for path, v in all_settings(instance).items() if static_fault(v) is None)

    def settings_of_parts(self, instance: Any) -> Iterator[tuple[str, Any]]:
        own = {id(node) for _, node in own_nodes(instance)}
        for path, node in nnx.iter_modules(instance):
            pairs = settings_of(node).items() if id(node) not in own else ()
            plain = (pair for pair in pairs if isinstance(pair[1], bool | int | float | str))
            yield from ((".".join(map(str, (*path, name))), value) for name, value in [*plain][:1])

    def changed_instance(self) -> Any:
        return self.overwritten(copy_of(self.cached_instance()))

    def overwritten(self, instance: Any) -> Any:
        variables = variables_of(instance).items()
        assign(instance, {path: jax.tree.map(perturb_leaf, value_of(leaf)) for path, leaf in variables})
        return instance

    def elsewhere(self, instance: Any) -> Any:
        graphdef, state = nnx.split(instance)
        return nnx.merge(graphdef, randomize(state, 2), copy=True)

    def in_numpy(self, instance: Any) -> Any:
        graphdef, state = nnx.split(instance)
        return nnx.merge(graphdef, map_arrays(wide_in_numpy, state), copy=True)

    def left_by_first_call(self) -> list[str]:
        cold = self.make(0)
        nnx.jit(self.call)(cold, *self.arguments(0))
        return tracers_beside_the_state(cold)

    # How it is built, called and compiled.

    def make(self, seed: int) -> Any:
        return programs.with_arrays(super().make(seed))

    @once_per_session
    def as_built(self) -> Any:
        return self.build(**self.inputs(0))

    def takes_keys(self) -> bool:
        _, inputs = self.traceable_build()
        return any(is_key(value) and value.shape == () for value in inputs)

    @once_per_session
    def drawn_by_path(self) -> dict[str, Any]:
        seeds = np.arange(DRAWS, dtype=np.uint32)
        return compiled(jax.vmap(lambda seed: values_of(self.built_with_key(jax.random.key(seed)))))(seeds)

    def built_with_key(self, key: Any) -> Any:
        build, inputs = self.traceable_build()
        return build([key if is_key(value) and value.shape == () else value for value in inputs])

    def apply(self, instance: Any, *arguments: Any) -> Any:
        return self.call_on_copies(copy_of(instance), *arguments)

    def run(self, instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
        return self.run_in_place(copy_of(instance), *arguments)

    def run_in_place(self, instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
        return self.call_on_copies(instance, *arguments), values_of(instance)

    def output_of(self, outcome: Any) -> Any:
        return outcome[0]

    def effects_of(self, path: str, outcome: Any) -> Any:
        output, written = outcome
        chosen = self.handed_on() if self.role(path) == "param" else written.keys()
        return output, {name: value for name, value in written.items() if name in chosen and name != path}

    def traced_outputs(self) -> Sequence[Any]:
        instance, arguments = self.cached_example()
        call, state = self.pure_call(instance)
        return jax.tree.leaves(jax.eval_shape(call, state, *arguments)[0])

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @compiled
        def traced(graphdef: Any, state: Any, *arguments: Any) -> Any:
            return function(nnx.merge(graphdef, state, copy=True), *arguments)

        return lambda module, *arguments: traced(*nnx.split(module), *arguments)

    def compiled_ways(self) -> Sequence[Any]:
        return programs.by_nnx_jit(self), programs.by_jax_jit(self)

    def computes_in_one_dtype(self, instance: Any, arguments: Any) -> bool:
        declared = [variable.dtype for variable in self.manifest() if not variable.is_tree]
        fixed = [*declared, *(str(output.dtype) for output in self.returns)]
        values = [*values_of(instance).values(), *jax.tree.leaves(arguments)]
        others = [v for v in values if is_inexact(v) and v.dtype != real_dtype("float")]
        layers = (node for _, node in nnx.iter_modules(instance))
        fixed_layers = [layer for layer in layers if getattr(layer, "dtype", None) is not None]
        return not (any(map(is_fixed_inexact, fixed)) or others or fixed_layers)

    # What trains, and where gradients flow.

    def trained_paths(self, instance: Any) -> set[str]:
        return {path for path, variable in variables_of(instance).items() if isinstance(variable, nnx.Param)}

    def trains(self, instance: Any) -> bool:
        is_declared = any(self.role(path) == "param" for path in variables_of(instance))
        return is_declared or super().trains(instance)

    def instance_at(self, seed: int) -> Any:
        # Where modules hold keys, each seed must have its own.
        draws = any(map(is_key, values_of(self.cached_instance()).values()))
        return self.cached_instance(seed if draws else 0)

    def example_loss(self, instance: Any, examples: Any) -> Any:
        return summed_loss(self, copy_of(instance), examples)

    def scan_program(self) -> tuple[Callable[[Any], Any], Any]:
        instance, arguments = self.cached_example()
        state, back = self.to_tree(copy_of(instance))

        def advance(state: Any) -> Any:
            module = back(state)
            self.call_on_copies(module, *arguments)
            return nnx.state(module)

        return advance, state

    def flowing_values(self, instance: Any) -> Rebuilt:
        variables = variables_of(instance).items()
        flowing = {n: value_of(v) for n, v in variables if self.is_flowing(n, v) and is_floating(value_of(v))}
        return flowing, functools.partial(training.with_values, instance)

    def next_instance(self, method: Method, instance: Any, arguments: Any) -> Any:
        result = method.use(instance, *arguments)
        return result if isinstance(result, OBJECTS) else instance

    # What is recorded, lowered and sharded.

    def called_with(self, instance: Any, arguments: Any) -> dict[str, Any]:
        output, after = programs.by_jax_jit(self)(instance, *arguments)
        updated = {path: after[path] for path in self.updated() if path in after}
        numbers = {f"after the call {path}": value for path, value in updated.items()}
        return {**named_numbers("call", output), **numbers}

    def trained_names(self) -> set[str]:
        values = values_of(self.cached_instance())
        return {path for path in self.trained_paths(self.cached_instance()) if is_floating(values[path])}

    def specs_of_leaves(self, instance: Any) -> Sequence[Any] | None:
        said = [getattr(variable, "out_sharding", None) for variable in variables_of(instance).values()]
        return [each or () for each in said] if any(said) else None

    def call_with_state(self, instance: Any, *arguments: Any) -> Any:
        output, state = self.run(instance, *arguments)
        return output, {path: state[path] for path in self.updated()}
