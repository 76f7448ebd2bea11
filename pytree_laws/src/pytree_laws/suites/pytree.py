"""What suites of pytrees declare and share."""

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import jax
import numpy as np

from ..declare.leaf_spec import TRAINED, Leaf
from ..declare.render import render_leaves
from ..discover.inference import inferred_leaves, statics_of
from ..engine.runner import first_call
from ..inspect.arrays import fillable, host, is_array, is_floating, is_key, restore_like, wide_in_numpy
from ..inspect.classes import twins
from ..inspect.static_values import another_value
from ..inspect.trees import (
    arrays_of,
    clone_as,
    combine,
    flatten,
    is_under,
    look_up,
    map_arrays,
    named_arrays,
    named_leaves,
    partition,
    replace_leaves,
    with_attribute,
)
from ..trace.programs import Compiled
from ..values.optimisation import trained_names
from ..values.randomize import perturb_leaf
from .base import Suite
from .programs import built_with_zeros, compiled_use, drawn_instances, traced_build, traced_call


def as_it_is(instance: Any) -> tuple[Any, Callable[[Any], Any]]:
    """An instance, and the way back from it to one: it is a tree itself."""
    return instance, lambda tree: tree


class PytreeSuite(Suite):
    """What suites of pytrees declare besides, and what their laws share."""

    leaves: ClassVar[Sequence[Leaf] | None] = None  # None: those of an instance
    undecayed: ClassVar[Sequence[str]] = ()  # trained, and left alone by weight decay
    stacked: ClassVar[Sequence[str]] = ()  # paths with an axis of layers first
    filters: ClassVar[Mapping[str, Sequence[str]]] = {}  # spec method -> selected paths
    tuples: ClassVar[Sequence[str]] = ()  # paths where a tuple is held, and no list

    with_static, to_tree = staticmethod(with_attribute), staticmethod(as_it_is)

    def twins(self, instance: Any) -> Iterator[Any]:
        """Instances of other classes with the same fields."""
        return twins(instance)

    def named(self, instance: Any) -> dict[str, Any]:
        return dict(named_arrays(instance))

    def fixed_values(self) -> dict[str, Any]:
        arrays = (leaf for leaf in self.manifest() if leaf.role != "python")
        return {array.path: array.value for array in arrays if array.value is not None}

    def save(self, instance: Any, path: Any) -> None:
        """By the class's own `save`, or by leaf path."""
        if hasattr(instance, "save"):
            return instance.save(path)
        hosts: dict[str, Any] = {n: host(v) for n, v in named_arrays(instance)}
        np.savez(path, **hosts)

    def load(self, path: Any, skeleton: Any) -> Any:
        """By the class's own `load`, or into the skeleton by leaf path."""
        if hasattr(skeleton, "load"):
            return type(skeleton).load(path, skeleton)
        names = [name for name, _ in named_arrays(skeleton)]
        with np.load(path) as file:
            saved = iter([file[name] for name in names])
        return map_arrays(lambda like: restore_like(next(saved), like), skeleton)

    def use(self, instance: Any, *arguments: Any) -> Any:
        """The call, or for a class without one a look at every array."""
        if not self.called():
            return arrays_of(instance)
        first_call(self)  # before any other call, so that it sees what the first changes
        return self.apply(instance, *arguments)

    def manifest(self) -> Sequence[Leaf]:
        """The leaves as they are declared, or as they are found from instances."""
        return inferred_leaves(self) if self.leaves is None else self.leaves

    def declares_arrays(self) -> bool:
        return self.leaves is not None

    def written_manifest(self) -> str:
        return render_leaves(inferred_leaves(self), self.leaves or ())

    def statics_of(self, instance: Any) -> Iterator[tuple[str, Any]]:
        return statics_of(instance)

    def declared(self, path: str) -> Leaf | None:
        """What is declared of a path: of itself, or of the sub-tree that it lies in."""
        found = [
            leaf
            for leaf in self.manifest()
            if path == leaf.path or (leaf.is_tree and is_under(path, leaf.path))
        ]
        return max(found, key=lambda leaf: len(leaf.path), default=None)

    def is_unused(self, path: str) -> bool:
        """Whether nothing has to show what a leaf holds."""
        leaf = self.declared(path)
        told = leaf is not None and (leaf.unused or self.seems_unused(path))
        return told or self.is_empty(path)

    def seems_unused(self, path: str) -> bool:
        """Whether a leaf that nobody declared has no gradient at all, as one that is held."""
        return False

    def is_frozen(self, path: str) -> bool:
        leaf = self.declared(path)
        frozen = False if leaf is None else leaf.frozen
        if isinstance(frozen, str):
            return bool(look_up(self.cached_instance(), frozen))
        return frozen

    def flowing(self, instance: Any) -> set[str]:
        """The paths that gradients flow through: of a sub-module, what it would train."""
        floats = [name for name, value in named_leaves(instance) if is_floating(value)]
        own = {name for name in floats if self.role(name) in ("param", "data", "tree")}
        return own | (self.trained_below(instance, lambda leaf: True) & set(floats))

    def trained_below(self, instance: Any, chosen: Callable[[Leaf], bool]) -> set[str]:
        """The paths that the chosen sub-modules train, each by its own word."""
        result: set[str] = set()
        for leaf in self.manifest():
            if leaf.role == "module" and chosen(leaf):
                with contextlib.suppress(AttributeError, KeyError, IndexError):
                    inner = trained_names(look_up(instance, leaf.path))
                    result |= {f"{leaf.path}.{name}".rstrip(".") for name in inner}
        return result

    def role(self, path: str) -> str:
        leaf = self.declared(path)
        return leaf.role if leaf else "undeclared"

    def mixed(self, instance: Any) -> bool:
        """Whether declared leaves are no arrays, so that jax.jit cannot take it."""
        pairs = named_leaves(instance)
        roles = {self.role(name) for name, leaf in pairs if not is_array(leaf)}
        return bool(roles & {"python", "module", "tree"})

    def dynamic(self, instance: Any) -> tuple[Any, Callable[[Any], Any]]:
        """What a transformation can take, and the way back from it to an instance."""
        if not self.mixed(instance):
            return instance, lambda value: value
        static, arrays = partition(instance)
        return arrays, functools.partial(combine, static)

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return Compiled(function, self.mixed)

    def in_numpy(self, instance: Any) -> Any:
        return map_arrays(wide_in_numpy, instance)

    def compiled_use(self) -> Compiled:
        """The compiled `use`, which all laws share: no instance is special to it."""
        return compiled_use(self)

    def built_abstractly(self, inputs: Mapping[str, Any]) -> Any:
        """An instance of these inputs with zeros in its arrays, made without compiling."""
        return built_with_zeros(self, inputs)

    def keys_of_inputs(self) -> list[str]:
        """The names of the keys that the constructor takes."""
        found = self.inputs(0).items()
        return [name for name, value in found if is_key(value) and value.shape == ()]

    def drawn_instances(self) -> Any:
        """Many instances in one: the arrays, each with a leading axis of `DRAWS`."""
        return drawn_instances(self)

    def traced_call(self) -> Any:
        """The jaxpr of the call on the arrays of an instance and the arguments."""
        return traced_call(self)

    def traced_build(self) -> Any:
        """The jaxpr of the constructor on the arrays among its inputs."""
        return traced_build(self)

    def traceable_build(
        self, changes: Mapping[str, Any] | None = None
    ) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        """The constructor as a function of the arrays among its inputs, and those."""
        leaves, treedef = flatten({**self.inputs(0), **(changes or {})})
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

        def build(values: Sequence[Any]) -> Any:
            return self.build(**replace_leaves(treedef.unflatten(leaves), dict(zip(places, values))))

        return build, [leaves[i] for i in places]

    def changed_static_values(self) -> Iterator[tuple[str, Any]]:
        """Instances with one static value changed, made without the constructor."""
        instance = self.cached_instance()
        for path in self.statics():
            value = None if "." in path else another_value(getattr(instance, path))
            if value is not None:
                yield path, clone_as(type(instance), instance, **{path: value})

    def filled(self, arguments: Sequence[Any], fill: int) -> list[Any]:
        """The arguments with one value in those that are arrays, except for the carry."""
        pairs = zip(arguments, fillable(arguments, self.carry))
        return [np.full_like(v, fill) if is_plain else v for v, is_plain in pairs]

    def held_fixed(self, instance: Any) -> list[int]:
        """The positions of the leaves that no training moves, which the call may loop by."""
        names = [name for name, _ in named_leaves(instance)]
        return [i for i, name in enumerate(names) if self.role(name) not in TRAINED]

    def changed_instance(self) -> Any:
        """An instance of which no array is that of a new one, as after training."""
        return map_arrays(perturb_leaf, self.cached_instance())

    def call_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        instance, arguments = self.cached_example()
        value, back = self.dynamic(instance)
        return lambda value, *rest: self.apply(back(value), *rest), (value, *arguments)
