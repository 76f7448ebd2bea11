"""Arrays that a class annotates as `np.ndarray` and stores beside its leaves, such as masks."""

from dataclasses import replace
from typing import Any

import jax
import numpy as np

from pytree_laws.inspect.arrays import is_array
from pytree_laws.inspect.trees import attributes

from ...values.annotations import parameters_of
from ...values.sources import refer
from ..built import Built, Failure, builds, instance_of


def with_static_of_numpy(cls: type, built: Built) -> Built:
    """Pass NumPy arrays to `np.ndarray` parameters that the instance does not store as leaves."""
    if built.positional or built.maker.text != refer(cls).text:
        return built
    parts = parameters_of(cls, cls)
    names = [part.name for part in parts if part.annotation is np.ndarray and part.name in built.arguments]
    beside = stored_beside_leaves(instance_of(built.source)) if names else {}
    chosen = {name: built.arguments[name] for name in names if isinstance(beside.get(name), jax.Array)}
    arguments = {name: source.but(f"np.asarray({source.text})") for name, source in chosen.items()}
    other = replace(built, arguments={**built.arguments, **arguments})
    return other if arguments and builds(cls, other, Failure()) else built


def stored_beside_leaves(instance: Any) -> dict[str, Any]:
    """Return the stored arrays that are no leaves, by attribute.

    An array with the shape and dtype of a leaf is left out, because it may be that leaf.
    """
    leaves = [leaf for leaf in jax.tree.leaves(instance) if is_array(leaf)]
    forms = {(leaf.shape, leaf.dtype) for leaf in leaves}
    stored = attributes(instance).items()
    return {
        name: value for name, value in stored if is_array(value) and (value.shape, value.dtype) not in forms
    }
