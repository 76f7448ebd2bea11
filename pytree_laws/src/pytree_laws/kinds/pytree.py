"""Pytrees and Equinox Modules as subjects of laws."""

import copy
import functools
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ..declare.leaf_spec import TRAINED
from ..discover.inference import check_declared, statics_of
from ..engine.first_use import first_call
from ..inspect.arrays import (
    as_held,
    copied,
    is_array,
    is_fixed_inexact,
    is_inexact,
    is_key,
    numpy_leaf,
    raw,
    real_dtype,
    restore_like,
    wide_in_numpy,
)
from ..inspect.classes import REGISTER, compares_by_equinox, twins
from ..inspect.references import atoms_of, outside_of, static_parts, tracers_beside
from ..inspect.static_values import structures_in
from ..inspect.trees import (
    arrays_of,
    attributes,
    avals,
    combine,
    inexact_places,
    is_node,
    keys_as_data,
    map_arrays,
    named_arrays,
    named_leaves,
    named_numbers,
    nodes,
    partition,
    remade,
    replace_leaves,
    structure,
    with_attribute,
)
from ..report import check
from ..session import once_per_session
from ..sharding.specs import is_spec
from ..trace.programs import Compiled
from ..values.comparison import check_same_structure, check_same_tree
from ..values.randomize import perturb_leaf, randomize
from . import programs, training
from .leaves import LeafSuite
from .subject import Rebuilt


def with_array(instance: Any, path: str, value: Any) -> Any:
    names = [name for name, _ in named_leaves(instance)]
    return replace_leaves(instance, {names.index(path): value})


def assign_array(instance: Any, path: str, value: Any) -> None:
    if path not in attributes(instance):
        raise AttributeError(path)
    setattr(instance, path, value)


def parts_of(instance: Any) -> dict[str, Any]:
    is_tree, name = is_node(instance) or is_array(instance), type(instance).__name__
    check(is_tree, name, "it is no pytree: jax takes it for a leaf", REGISTER)
    return dict(named_leaves(instance))


def comparable(instance: Any) -> Any:
    # In NumPy's arrays, whose == needs no program for each shape.
    return map_arrays(raw if compares_by_equinox(instance) else numpy_leaf, instance)


def deepcopied(instance: Any) -> Any:
    copies = {id(leaf): copied(leaf) for leaf in arrays_of(instance)}
    return copy.deepcopy(instance, {**copies, **atoms_of(instance)})


def pickled(instance: Any) -> Any:
    plain = keys_as_data(instance)
    again = pickle.loads(pickle.dumps(plain))
    check_same_structure(plain, again, "pickle")
    return map_arrays(lambda v, like: restore_like(v, like), again, instance)


class PytreeSuite(LeafSuite):
    """The adapter of pytrees."""

    to_tree = staticmethod(lambda instance: (instance, lambda tree: tree))  # it is a tree itself
    named = staticmethod(lambda instance: dict(named_arrays(instance)))
    form_of = staticmethod(lambda instance: (structure(instance), avals(instance)))
    copied = staticmethod(remade)
    with_array = staticmethod(with_array)
    with_static = staticmethod(with_attribute)
    with_arrays_of = staticmethod(lambda tree, other: structure(tree).unflatten(jax.tree.leaves(other)))
    assign_array = staticmethod(assign_array)
    tracers_beside = staticmethod(tracers_beside)
    twins = staticmethod(twins)
    parts_of = staticmethod(parts_of)
    outside_of = staticmethod(outside_of)
    static_parts = staticmethod(static_parts)
    functions_of = staticmethod(lambda instance: atoms_of(instance).values())
    comparable = staticmethod(comparable)
    deepcopied = staticmethod(deepcopied)
    pickled = staticmethod(pickled)
    check_copy = staticmethod(check_same_tree)
    statics_of = staticmethod(statics_of)
    trained = staticmethod(training.trained_places)
    built_abstractly = programs.built_with_zeros
    example_loss = training.summed_loss
    loss_and_grads = training.loss_and_grads
    instance_at = training.with_other_tables
    stepped = training.stepped
    scan_program = training.scan_program

    def weak_fixed_points(self) -> set[str]:
        return programs.weak_fixed_points(self)

    def check_kind(self, path: str, part: Any, declared: Any) -> None:
        if declared is None or declared.role != "python":
            return
        message = f"declared as python, it must be no array and is {part!r:.200}"
        check_declared(self, not is_array(part), path, message)
        # To Python a flag is a number.
        is_number = type(part) in (bool, int, float, complex)
        same = declared.value is None or (
            is_number and (isinstance(part, bool), part) == (isinstance(declared.value, bool), declared.value)
        )
        check(same, path, f"it holds {part!r:.200}, declared is {declared.value!r}", "another default")

    # How it is opened, run and compiled.

    def mixed(self, instance: Any) -> bool:
        """Whether some declared leaves are no arrays, so that `jax.jit` cannot take the instance."""
        return any(self.holds_fixed(name) for name, leaf in named_leaves(instance) if not is_array(leaf))

    def to_arrays(self, instance: Any) -> tuple[Any, Callable[[Any], Any]]:
        if not self.mixed(instance):
            return instance, lambda value: value
        static, arrays = partition(instance)
        return arrays, functools.partial(combine, static)

    def use(self, instance: Any, *arguments: Any) -> Any:
        """Call the instance, or return its arrays if the class has no call."""
        if not self.called():
            return arrays_of(instance)
        first_call(self)  # before any other call, so that it sees what the first changes
        return self.apply(instance, *arguments)

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return Compiled(function, self.mixed)

    @once_per_session
    def compiled_use(self) -> Compiled:
        """Compile `use` once for all laws, since no instance is special to it."""
        if self.called():
            first_call(self)  # outside of its trace, in which an example may need values
        return Compiled(self.use, self.mixed)

    def compiled_ways(self) -> Sequence[Any]:
        return (self.compiled_use(),)

    def in_numpy(self, instance: Any) -> Any:
        return map_arrays(wide_in_numpy, instance)

    def traced_outputs(self) -> Sequence[Any]:
        return self.traced_call().out_avals

    def keys_of_inputs(self) -> list[str]:
        """Return the names of the keys that the constructor takes."""
        return [name for name, value in self.inputs(0).items() if is_key(value) and value.shape == ()]

    def takes_keys(self) -> bool:
        return bool(self.keys_of_inputs())

    def drawn_by_path(self) -> dict[str, Any]:
        return dict(named_arrays(programs.drawn_instances(self)))

    def built_with_key(self, key: Any) -> Any:
        return self.build(**{**self.inputs(0), **dict.fromkeys(self.keys_of_inputs(), key)})

    def computes_in_one_dtype(self, instance: Any, arguments: Any) -> bool:
        """Whether all leaves and arguments have one dtype, which the outputs then must have."""
        declared = [leaf.dtype for leaf in self.manifest() if leaf.shape is not None]
        declared += [str(out.dtype) for out in self.returns]
        fixed = [name for name in declared if is_fixed_inexact(name)]
        dtypes = [v.dtype for v in jax.tree.leaves((instance, arguments)) if is_inexact(v)]
        # What the arguments say of arrays as static stays, whatever the arrays become.
        said = [form.dtype for _, _, aux in nodes(arguments) for form in structures_in(aux)]
        says = any(jnp.issubdtype(dtype, jnp.inexact) for dtype in said)
        # Without any float there is nothing that the outputs could follow.
        return not (fixed or says or self.compute) and {*dtypes} == {real_dtype("float")}

    # What trains, and where gradients flow.

    def trained_paths(self, instance: Any) -> set[str]:
        names = [name for name, _ in named_leaves(instance)]
        return {names[i] for i in self.trained(instance)}

    def flowing_values(self, instance: Any) -> Rebuilt:
        paths = self.flowing(instance)
        if self.leaves is None:  # then nobody said what is data, and what is cut off
            paths = {path for path in paths if self.role(path) == "param"}
        return values_at(instance, paths)

    def buffer_values(self, instance: Any) -> Rebuilt:
        floats = {name for name, v in named_leaves(instance) if is_inexact(v)}
        buffers = {name for name in floats if self.role(name) == "buffer"}
        # Where nothing is declared, nobody said what is cut off.
        return values_at(instance, set() if self.leaves is None else buffers)

    def held_fixed(self, instance: Any) -> list[int]:
        names = [name for name, _ in named_leaves(instance)]
        return [i for i, name in enumerate(names) if self.role(name) not in TRAINED]

    def changed_instance(self) -> Any:
        """Return an instance whose arrays all differ from a new one's, as after training."""
        return map_arrays(lambda leaf: as_held(perturb_leaf(leaf), leaf), self.cached_instance())

    def elsewhere(self, instance: Any) -> Any:
        return randomize(instance, 2, self.held_fixed(instance))

    def as_trained(self, instance: Any) -> Any:
        values = self.fixed_values()
        fixed = {path for path in values if self.role(path) == "param" and not self.is_frozen(path)}
        places = [i for i, (name, _) in enumerate(named_leaves(instance)) if name in fixed]
        other = jax.tree.leaves(randomize(instance, 2, places))
        return replace_leaves(instance, {i: other[i] for i in places})

    # What is recorded, lowered and sharded.

    def called_with(self, instance: Any, arguments: Any) -> dict[str, Any]:
        return named_numbers("call", self.compiled_use()(instance, *arguments))

    def gradients(self, instance: Any, arguments: Any) -> dict[str, Any]:
        tree = instance, arguments
        names = programs.names_of(instance, arguments)
        _, *grads = training.compiled_grads(self)(instance, *arguments)
        return {names[i]: grad for i, grad in zip(inexact_places(tree), grads)}

    def gradient_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        instance, examples = self.training_example()
        (value, back), places = self.to_arrays(instance), self.trained(instance)

        def run(value: Any, *arguments: Any) -> list[Any]:
            return training.grads(self, back(value), places, arguments)

        return run, (value, *examples)

    def leaf_names(self, instance: Any) -> Sequence[str]:
        return [name for name, _ in named_leaves(instance)]

    def trained_names(self) -> set[str]:
        return self.flowing(self.cached_instance())

    def specs_of_leaves(self, instance: Any) -> Sequence[Any] | None:
        if not hasattr(instance, "partition_specs"):
            return None
        return jax.tree.leaves(instance.partition_specs(), is_leaf=is_spec)


def values_at(instance: Any, paths: set[str]) -> Rebuilt:
    """Return the leaves at these paths, and a function that rebuilds the instance with others there."""
    places = {name: i for i, (name, _) in enumerate(named_leaves(instance)) if name in paths}
    values = {name: leaf for name, leaf in named_leaves(instance) if name in paths}
    return values, lambda changed: replace_leaves(instance, {places[n]: v for n, v in changed.items()})
