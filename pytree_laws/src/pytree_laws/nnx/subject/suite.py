"""What suites of NNX modules declare and share."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import jax
import numpy as np
from flax import nnx

from ...engine.applicability import not_applicable
from ...inspect.arrays import fillable, is_key, on_device, wide_in_numpy
from ...inspect.static_values import static_fault
from ...inspect.trees import clone_as, flatten, is_under, map_arrays, one_level
from ...report import ANY_ERROR
from ...suites.base import Suite, takes_a_seed
from ...trace.programs import compiled
from ...values.randomize import perturb_leaf
from .inference import inferred_updates, inferred_variables, render_variables
from .programs import built_with_zeros, compiled_call, compiled_step_of_state
from .variables import (
    Var,
    all_settings,
    bits_of,
    copy_of,
    is_of_nnx,
    to_tree,
    twin_class,
    value_of,
    values_of,
    variables_of,
    with_setting,
)


class NnxSuite(Suite):
    """What suites of NNX modules declare besides, and what their laws share."""

    variables: ClassVar[Sequence[Var] | None] = None  # None: those of a module
    updates: ClassVar[Sequence[str]] = ()  # paths of the Variables that a call updates
    map_variables: ClassVar[Callable[..., Any] | None] = None  # the module's own helper
    tied: ClassVar[Sequence[str]] = ()  # paths of the Variables that are held twice
    with_static, to_tree = staticmethod(with_setting), staticmethod(to_tree)

    def inputs(self, seed: int) -> dict[str, Any]:
        """Fresh keyword arguments of the constructor."""
        if takes_a_seed(type(self).build):
            return {"seed": seed}
        return {"rngs": nnx.Rngs(seed)}

    def built_abstractly(self, inputs: Mapping[str, Any]) -> Any:
        return built_with_zeros(self, inputs)

    def plain_inputs(self, seed: int) -> dict[str, Any]:
        return {name: v for name, v in self.inputs(seed).items() if not is_of_nnx(v)}

    def twins(self, instance: Any) -> Iterator[Any]:
        """An instance of the class from a second run of its module."""
        if one_level(instance) is None:
            not_applicable("the class is no pytree")
        yield clone_as(twin_class(type(instance)), instance)

    def named(self, instance: Any) -> dict[str, Any]:
        return values_of(instance)

    def manifest(self) -> Sequence[Var]:
        """The Variables as they are declared, or as they are found from modules."""
        return inferred_variables(self) if self.variables is None else self.variables

    def updated(self) -> Sequence[str]:
        """The paths of what a call updates, as they are declared or found."""
        found = self.variables is None and not self.updates
        return inferred_updates(self) if found else self.updates

    def declares_arrays(self) -> bool:
        return self.variables is not None

    def written_manifest(self) -> str:
        own = self.variables or ()
        return render_variables(inferred_variables(self), own, inferred_updates(self))

    def statics_of(self, instance: Any) -> Iterator[tuple[str, Any]]:
        found = all_settings(instance).items()
        return ((path, v) for path, v in found if static_fault(v) is None)

    def traced_outputs(self) -> Sequence[Any]:
        instance, arguments = self.cached_example()
        step = functools.partial(self.step_of_state, nnx.graphdef(instance))
        output, _ = jax.eval_shape(step, nnx.state(instance), *arguments)
        return jax.tree.leaves(output)

    def fixed_values(self) -> dict[str, Any]:
        return {variable.path: variable.value for variable in self.manifest() if variable.value is not None}

    def snapshot_of(self, instance: Any) -> Any:
        return bits_of(instance)

    def apply(self, instance: Any, *arguments: Any) -> Any:
        return self.call(copy_of(instance), *arguments)

    def traced_call(self) -> Any:
        return self.trace_of(*self.cached_example())

    def trace_of(self, instance: Any, arguments: Any) -> Any:
        """The jaxpr of the call on the state of a module and the arguments."""
        step = functools.partial(self.step_of_state, nnx.graphdef(instance))
        return jax.make_jaxpr(step)(nnx.state(instance), *arguments)

    def trace_text(self, instance: Any, arguments: Any) -> str:
        """What the call computes, as text, or the error that it raises."""
        try:
            return str(self.trace_of(instance, arguments))
        except ANY_ERROR as error:
            return f"{type(error)}"

    def traceable_build(self) -> tuple[Callable[..., Any], list[Any]]:
        """The constructor as a function of the arrays that it is given, and those.

        The arrays of `rngs` and of modules among the inputs are taken too.
        """
        leaves, treedef = flatten(self.inputs(0))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

        def build(values: Sequence[Any], **changes: Any) -> Any:
            given = dict(zip(places, values))
            filled = [given.get(i, leaf) for i, leaf in enumerate(leaves)]
            return self.build(**{**treedef.unflatten(filled), **changes})

        return build, [leaves[i] for i in places]

    def snapshot(self, instance: Any) -> Any:
        """A copy of the state, by the module's own `snapshot`."""
        if not hasattr(instance, "snapshot"):
            not_applicable("the module has no snapshot")
        return instance.snapshot()

    def restore(self, instance: Any, state: Any) -> None:
        """Takes over a state, by the module's own `restore`."""
        if not hasattr(instance, "restore"):
            not_applicable("the module has no restore")
        instance.restore(state)

    def is_unused(self, path: str) -> bool:
        """Whether nothing has to show what a Variable holds."""
        one = self.declared(path)
        told = one is not None and (one.unused or self.seems_unused(path))
        return told or self.is_empty(path)

    def seems_unused(self, path: str) -> bool:
        """Whether a Variable that nobody declared has no gradient at all."""
        return False

    def declared(self, path: str) -> Var | None:
        found = [
            variable
            for variable in self.manifest()
            if path == variable.path or (variable.is_tree and is_under(path, variable.path))
        ]
        return max(found, key=lambda one: len(one.path), default=None)

    def is_param(self, path: str) -> bool:
        """Whether the path is declared as a parameter, and not left to a sub-module."""
        one = self.declared(path)
        return one is not None and issubclass(one.type, nnx.Param)

    def may_update(self, path: str, variable: Any) -> bool:
        """Whether a call may update the Variable; sub-modules decide for themselves."""
        one = self.declared(path)
        inner = one is not None and one.type is nnx.Module
        return path in self.updated() or (inner and not isinstance(variable, nnx.Param))

    def run(self, instance: Any, *arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Output and state of an eager call on a copy."""
        module = copy_of(instance)
        return self.call(module, *arguments), values_of(module)

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.partial(compiled, static_argnums=0)
        def traced(graphdef: Any, state: Any, *arguments: Any) -> Any:
            return function(nnx.merge(graphdef, state, copy=True), *arguments)

        return lambda module, *arguments: traced(*nnx.split(module), *arguments)

    def in_numpy(self, instance: Any) -> Any:
        graphdef, state = nnx.split(instance)
        return nnx.merge(graphdef, map_arrays(wide_in_numpy, state), copy=True)

    def by_nnx_jit(self) -> Callable[..., Any]:
        self.need_call()
        return compiled_call(self).run

    def step_of_state(self, graphdef: Any, state: Any, *arguments: Any) -> Any:
        """The call as a function of the state: its output, and the state after it."""
        module = nnx.merge(graphdef, state, copy=True)
        return self.call(module, *arguments), nnx.state(module)

    def by_jax_jit(self) -> Callable[..., Any]:
        self.need_call()
        return compiled_step_of_state(self).run

    def overwrite(self, instance: Any) -> None:
        for variable in variables_of(instance).values():
            variable.set_value(perturb_leaf(value_of(variable)))

    def takes_keys(self) -> bool:
        _, given = self.traceable_build()
        return any(is_key(value) and value.shape == () for value in given)

    def filled(self, arguments: Sequence[Any], fill: int) -> list[Any]:
        """The arguments with one value in those that are arrays, except for the carry."""
        pairs = zip(arguments, fillable(arguments, self.carry))
        return [on_device(np.full_like(v, fill)) if plain else v for v, plain in pairs]

    def changed_module(self) -> Any:
        """A module of which no value is that of a new one, as after training."""
        instance = copy_of(self.cached_instance())
        self.overwrite(instance)
        return instance

    def call_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        instance, arguments = self.cached_example()
        graphdef, state = nnx.split(instance)
        program = functools.partial(self.step_of_state, graphdef)
        return program, (state, *arguments)
