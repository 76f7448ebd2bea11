"""The questions that laws ask of a class, which the adapter of each kind answers.

They are about how to open, run, compare and rebuild instances.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..declare.methods import Method
from ..inspect.trees import is_under, new_carry
from ..report import ADVICE, FAULT
from .instances import InstanceAnswers

Rebuilt = tuple[dict[str, Any], Callable[[Mapping[str, Any]], Any]]
"""Values by path, and a function that rebuilds the instance with other values there."""


class Subject(InstanceAnswers):
    """A class under test."""

    noun, nouns, instance_noun, structure_noun = "leaf", "leaves", "instance", "treedef"
    """Words of messages for a part, parts, an instance and its static part."""
    is_mutable: ClassVar[bool] = False
    """True if a call may update an instance, and draws anew from keys that the instance holds."""
    has_state_beside: ClassVar[bool] = False
    """True if a state beside the instance holds some of its arrays."""
    held_besides: ClassVar[Sequence[str]] = ()  # static values that other laws hold
    raises_from: ClassVar[str | None] = None
    """Least severity that fails a test, whatever the suite's `severity` is. None leaves it to the suite."""
    severity_of_unhashable: ClassVar[str] = FAULT
    """Severity of a static value that can change, or has no hash."""
    statics_of: ClassVar[Callable[..., Iterator[tuple[str, Any]]]]
    """Yield the static values of an instance by path."""
    example_loss: ClassVar[Callable[..., Any]]
    """Return a scalar in which every inexact element of every output has its own weight."""
    loss_and_grads: ClassVar[Callable[..., tuple[Any, dict[str, Any]]]]
    """Return the loss of one example, and its gradients by the inexact arrays, by path."""
    gradients: ClassVar[Callable[..., dict[str, Any]]]
    """Return the gradients of a loss over the call, by the paths of leaves and arguments."""
    instance_at: ClassVar[Callable[..., Any]]
    """Return the instance whose floats are randomized for a seed."""
    stepped: ClassVar[Callable[..., Any]]
    """Return the instance after some training."""
    scan_program: ClassVar[Callable[..., tuple[Callable[[Any], Any], Any]]]
    """Return the body of a loop as a function of its carry, and the first carry."""
    gradient_program: ClassVar[Callable[..., tuple[Callable[..., Any], tuple[Any, ...]]]]
    """Return the gradient of a loss over the call as a function, and its arguments."""
    built_abstractly: ClassVar[Callable[..., Any]]
    """Build an instance of these inputs whose values do not matter."""

    def to_arrays(self, instance: Any) -> tuple[Any, Callable[[Any], Any]]:
        """Return what a transformation can take of an instance, and a function back to an instance."""
        return self.to_tree(instance)

    def settings_of_parts(self, instance: Any) -> Iterator[tuple[str, Any]]:
        """Yield one setting of each part from another library, by path, which a saved file must record."""
        return iter(())

    def manifest(self) -> Sequence[Any]:
        """Return the arrays as declared, or as inferred from instances."""
        raise NotImplementedError

    def declared(self, path: str) -> Any:
        """Return the declaration of a path, or of the nearest sub-tree that contains it, or None."""
        declarations = [each for each in self.manifest() if covers(each, path)]
        return max(declarations, key=lambda each: len(each.path), default=None)

    def declares_arrays(self) -> bool:
        """Whether the suite declares which arrays the class holds."""
        raise NotImplementedError

    def written_manifest(self) -> str:
        """Return the arrays of an instance as source code of a declaration."""
        raise NotImplementedError

    def fixed_values(self) -> dict[str, Any]:
        """Return the values that every instance is declared to begin with, by path."""
        arrays = (each for each in self.manifest() if each.role != "python")
        return {array.path: array.value for array in arrays if array.value is not None}

    def takes_keys(self) -> bool:
        """Whether the constructor takes a key."""
        raise NotImplementedError

    def drawn_by_path(self) -> dict[str, Any]:
        """Build from many keys, seeds 0 and 1 first, and stack the arrays of each path."""
        raise NotImplementedError

    def built_with_key(self, key: Any) -> Any:
        """Build an instance of the example inputs, with each of their keys replaced by this one."""
        raise NotImplementedError

    def compiled_ways(self) -> Sequence[Any]:
        """Return `run` compiled in each way. Each records its traces, and all laws share it."""
        raise NotImplementedError

    def computes_in_one_dtype(self, instance: Any, arguments: Any) -> bool:
        """Whether all arrays and arguments have one dtype, which the outputs then must have."""
        raise NotImplementedError

    def compile(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Compile a function of an instance and arguments by `jax.jit`."""
        raise NotImplementedError

    def traced_outputs(self) -> Sequence[Any]:
        """Return the outputs of the example call as shapes and dtypes."""
        raise NotImplementedError

    def in_numpy(self, instance: Any) -> Any:
        """Return the instance with NumPy arrays, whose floats have 64 bits."""
        raise NotImplementedError

    def next_instance(self, method: Method, instance: Any, arguments: Any) -> Any:
        """Return the next instance from a method that carries the instance."""
        return new_carry(method.use(instance, *arguments), instance)

    def check_kind(self, path: str, part: Any, declared: Any) -> None:
        """Check that a part is of the declared kind."""

    def severity_of_hidden(self, array: Any) -> str:
        """Return the severity of an array that is no part.

        A NumPy array is a constant, such as a table or a mask. P5 covers arrays in the static part.
        """
        return ADVICE if isinstance(array, np.ndarray | np.generic) else FAULT

    def may_be_absent(self, declared: Any) -> bool:
        """Whether some configurations leave out what is declared, so that nothing need be there."""
        return declared.path in self.conditional

    def declared_name(self, path: str) -> str:
        """Return the path by which a leaf of `to_tree` is declared."""
        return path

    def may_update(self, path: str, part: Any) -> bool:
        """Whether a call may update a part."""
        return False

    def follows_dtype(self, path: str) -> bool:
        """Whether an array of a sub-module has the dtype that the constructor is given."""
        return True

    def handed_on(self) -> frozenset[str]:
        """Return the paths that calls update and that gradients flow through, without statistics."""
        return frozenset()

    def weak_fixed_points(self) -> set[str]:
        """Return the untrained arrays that the call returns with their weak type unchanged."""
        return set()

    def role(self, path: str) -> str:
        """Return the declared role of an array, as `declare/leaf_spec.py` lists them."""
        leaf = self.declared(path)
        return leaf.role if leaf else "undeclared"

    def holds_fixed(self, path: str) -> bool:
        """Whether a leaf that is no array may stay at a path: a number, or a function of a layer."""
        leaf = self.declared(path)
        is_below = leaf is not None and leaf.is_tree and leaf.path != path
        return is_below or self.role(path) in ("module", "tree", "python")

    def is_frozen(self, path: str) -> bool:
        """Whether nothing below a path is trained, though gradients pass through."""
        return False

    def trained_paths(self, instance: Any) -> set[str]:
        """Return the paths that training moves, as the class decides."""
        raise NotImplementedError

    def trains(self, instance: Any) -> bool:
        """Whether training moves anything, or is declared to."""
        return bool(self.trained_paths(instance))

    def held_fixed(self, instance: Any) -> list[int]:
        """Return the positions of the leaves that no training moves, such as bounds of loops."""
        return []

    def asks_gradient(self, path: str) -> bool:
        """Whether some method must have a gradient by an array that gradients flow through."""
        return True

    def flowing_values(self, instance: Any) -> Rebuilt:
        """Return the floats that gradients flow through."""
        raise NotImplementedError

    def buffer_values(self, instance: Any) -> Rebuilt:
        """Return the floats that no gradient may reach."""
        return {}, lambda values: instance

    def changed_instance(self) -> Any:
        """Return an instance whose arrays all differ from a new one's, as after training."""
        raise NotImplementedError

    def elsewhere(self, instance: Any) -> Any:
        """Return an instance with other numbers than at the start."""
        raise NotImplementedError

    def as_trained(self, instance: Any) -> Any:
        """Return an instance as after training, with other values in parameters that begin as a constant."""
        return instance

    def called_with(self, instance: Any, arguments: Any) -> dict[str, Any]:
        """Call the instance, and return the results by name."""
        raise NotImplementedError

    def specs_of_leaves(self, instance: Any) -> Sequence[Any] | None:
        """Return the sharding spec of each leaf as the class states it, or None if it states none."""
        raise NotImplementedError

    def leaf_names(self, instance: Any) -> Sequence[str]:
        """Return the paths of all leaves, in order."""
        return [*self.named(instance)]

    def trained_names(self) -> set[str]:
        """Return the paths that a training step on a mesh moves."""
        raise NotImplementedError


def covers(declared: Any, path: str) -> bool:
    """Whether a declaration is of a path, or of a sub-tree that contains it."""
    return path == declared.path or (declared.is_tree and is_under(path, declared.path))
