"""What laws ask of a class: how its instances are opened, run, compared and rebuilt. The adapter of each kind answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..declare.methods import Method
from ..inspect.trees import is_under, new_carry
from ..report import ADVICE, FAULT
from .instances import InstanceAnswers

Rebuilt = tuple[dict[str, Any], Callable[[Mapping[str, Any]], Any]]
"""Values by path, and an instance with others in their places."""


class Subject(InstanceAnswers):
    """A class under test."""

    noun, nouns, instance_noun, structure_noun = "leaf", "leaves", "instance", "treedef"
    """How messages call its parts, itself and its static part."""
    is_mutable: ClassVar[bool] = False
    """Whether a call may update an instance, and draws anew from keys that it holds."""
    has_state_beside: ClassVar[bool] = False
    """Whether a state beside the instance holds arrays of it."""
    held_besides: ClassVar[Sequence[str]] = ()  # static values that other laws hold
    raises_from: ClassVar[str | None] = None
    """The least severity that raises where all findings are wanted, whatever the suite says; None: that of the suite."""
    severity_of_unhashable: ClassVar[str] = FAULT
    """How much it matters that a static value can change, or has no hash."""
    statics_of: ClassVar[Callable[..., Iterator[tuple[str, Any]]]]
    """The static values that an instance holds, by path."""
    example_loss: ClassVar[Callable[..., Any]]
    """A scalar on which every inexact element of every output has its own weight."""
    loss_and_grads: ClassVar[Callable[..., tuple[Any, dict[str, Any]]]]
    """The loss of one example, and by path the gradients of the inexact arrays."""
    gradients: ClassVar[Callable[..., dict[str, Any]]]
    """The gradients of a loss over the call, by the paths of leaves and arguments."""
    instance_at: ClassVar[Callable[..., Any]]
    """The instance that has random floats for a seed."""
    stepped: ClassVar[Callable[..., Any]]
    """The instance after some training."""
    scan_program: ClassVar[Callable[..., tuple[Callable[[Any], Any], Any]]]
    """What a loop repeats, as a function of what it carries, and that."""
    gradient_program: ClassVar[Callable[..., tuple[Callable[..., Any], tuple[Any, ...]]]]
    """The gradient of a loss over the call, and what to give it."""
    built_abstractly: ClassVar[Callable[..., Any]]
    """An instance of these inputs whose values do not matter."""

    def to_arrays(self, instance: Any) -> tuple[Any, Callable[[Any], Any]]:
        """What a transformation can take of an instance, and the way back."""
        return self.to_tree(instance)

    def settings_of_parts(self, instance: Any) -> Iterator[tuple[str, Any]]:
        """Settings of what it holds of other libraries, by path, where a file has to say them: one of each part."""
        return iter(())

    def manifest(self) -> Sequence[Any]:
        """The arrays as they are declared, or as they are found from instances."""
        raise NotImplementedError

    def declared(self, path: str) -> Any:
        """What is declared of a path: of itself, or of the sub-tree that it lies in; None where nothing is."""
        declarations = [each for each in self.manifest() if covers(each, path)]
        return max(declarations, key=lambda each: len(each.path), default=None)

    def declares_arrays(self) -> bool:
        """Whether the suite says itself which arrays the class holds."""
        raise NotImplementedError

    def written_manifest(self) -> str:
        """The arrays of an instance, as a suite declares them."""
        raise NotImplementedError

    def fixed_values(self) -> dict[str, Any]:
        """What is declared to hold the same value in every instance, by path."""
        arrays = (each for each in self.manifest() if each.role != "python")
        return {array.path: array.value for array in arrays if array.value is not None}

    def takes_keys(self) -> bool:
        """Whether the constructor takes a key."""
        raise NotImplementedError

    def drawn_by_path(self) -> dict[str, Any]:
        """The arrays of many keys, each with a leading axis: first those of the keys of the seeds 0 and 1."""
        raise NotImplementedError

    def built_with_key(self, key: Any) -> Any:
        """An instance of the example inputs, with this key for each of theirs."""
        raise NotImplementedError

    def compiled_ways(self) -> Sequence[Any]:
        """`run` in each way to compile it; each notes its traces, and all laws share it."""
        raise NotImplementedError

    def computes_in_one_dtype(self, instance: Any, arguments: Any) -> bool:
        """Whether the outputs have the dtype that all arrays and arguments have."""
        raise NotImplementedError

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`jax.jit` of a function of an instance and arguments."""
        raise NotImplementedError

    def traced_outputs(self) -> Sequence[Any]:
        """The outputs of the example call, in shapes and dtypes."""
        raise NotImplementedError

    def in_numpy(self, instance: Any) -> Any:
        """The instance with NumPy arrays, its floats in 64 bits."""
        raise NotImplementedError

    def next_instance(self, method: Method, instance: Any, arguments: Any) -> Any:
        """The instance that a method gives which carries it."""
        return new_carry(method.use(instance, *arguments), instance)

    def check_kind(self, path: str, part: Any, declared: Any) -> None:
        """Holds a part to be of the kind that is declared."""

    def severity_of_hidden(self, array: Any) -> str:
        """How much an array matters that is no part: one of NumPy is a constant, as a table or a mask is; P5 tells of static ones."""
        return ADVICE if isinstance(array, np.ndarray | np.generic) else FAULT

    def may_be_absent(self, declared: Any) -> bool:
        """Whether nothing need be there of what is declared: what some configurations leave out."""
        return declared.path in self.conditional

    def declared_name(self, path: str) -> str:
        """The path by which a leaf of what `to_tree` gives is declared."""
        return path

    def may_update(self, path: str, part: Any) -> bool:
        """Whether a call may update a part."""
        return False

    def follows_dtype(self, path: str) -> bool:
        """Whether an array of a sub-module has the dtype that the constructor is given."""
        return True

    def handed_on(self) -> frozenset[str]:
        """The paths of what a call updates for later ones to compute with, and gradients to flow through: no statistics."""
        return frozenset()

    def weak_fixed_points(self) -> set[str]:
        """The untrained arrays that the call hands on as weakly typed as they were."""
        return set()

    def role(self, path: str) -> str:
        """What an array is declared to be, as in `declare/leaf_spec.py`."""
        leaf = self.declared(path)
        return leaf.role if leaf else "undeclared"

    def holds_fixed(self, path: str) -> bool:
        """Whether what is no array may lie at a path and stay as it is: a number, or a function of a layer."""
        leaf = self.declared(path)
        is_below = leaf is not None and leaf.is_tree and leaf.path != path
        return is_below or self.role(path) in ("module", "tree", "python")

    def is_frozen(self, path: str) -> bool:
        """Whether nothing below a path is trained, though gradients pass through."""
        return False

    def trained_paths(self, instance: Any) -> set[str]:
        """The paths that training moves, as the class says it."""
        raise NotImplementedError

    def trains(self, instance: Any) -> bool:
        """Whether training moves anything, or is meant to."""
        return bool(self.trained_paths(instance))

    def held_fixed(self, instance: Any) -> list[int]:
        """The positions of the leaves that no training moves, which the call may loop by."""
        return []

    def asks_gradient(self, path: str) -> bool:
        """Whether some method has to have a gradient by what gradients flow through."""
        return True

    def flowing_values(self, instance: Any) -> Rebuilt:
        """The floats that gradients flow through."""
        raise NotImplementedError

    def buffer_values(self, instance: Any) -> Rebuilt:
        """The floats to which no gradient may flow."""
        return {}, lambda values: instance

    def changed_instance(self) -> Any:
        """An instance of which no array is that of a new one, as after training."""
        raise NotImplementedError

    def elsewhere(self, instance: Any) -> Any:
        """An instance with other numbers than those of the start."""
        raise NotImplementedError

    def as_trained(self, instance: Any) -> Any:
        """An instance as training may leave it: with other values in parameters that begin as a constant."""
        return instance

    def called_with(self, instance: Any, arguments: Any) -> dict[str, Any]:
        """What the call gives, by name."""
        raise NotImplementedError

    def specs_of_leaves(self, instance: Any) -> Sequence[Any] | None:
        """The sharding spec of each leaf, as the class says it; None where it says nothing."""
        raise NotImplementedError

    def leaf_names(self, instance: Any) -> Sequence[str]:
        """The paths of all leaves, in order."""
        return [*self.named(instance)]

    def trained_names(self) -> set[str]:
        """The paths of what a step moves on a mesh."""
        raise NotImplementedError


def covers(declared: Any, path: str) -> bool:
    """Whether a declaration is of a path, or of a sub-tree that it lies in."""
    return path == declared.path or (declared.is_tree and is_under(path, declared.path))
