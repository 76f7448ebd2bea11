"""What a suite does not declare is found from instances, and then held to."""

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .declare import Leaf
from .look.arrays import is_array, is_inexact, is_key, real_dtype
from .look.classes import is_of_library
from .look.trees import named_leaves


@functools.cache
def inferred_leaves(laws: Any) -> tuple[Leaf, ...]:
    """The leaves of the example, each with the role that its class shows."""
    suite = laws()
    first, second = suite.make(0), dict(named_leaves(suite.make(1)))
    spec = trained_by(first)
    return tuple(
        inferred_leaf(name, leaf, second.get(name), spec is None or spec[i])
        for i, (name, leaf) in enumerate(named_leaves(first))
    )


def trained_by(instance: Any) -> list[bool] | None:
    """The marks of its `trainable()`; None where it has none, and all arrays are trained."""
    method = getattr(instance, "trainable", None)
    return jax.tree.leaves(method()) if callable(method) else None


def inferred_leaf(name: str, leaf: Any, other: Any, is_trained: bool) -> Leaf:
    """A leaf as two instances have it: a shape that they do not share is not declared."""
    if not is_array(leaf):
        return Leaf(name, "python")
    shape = leaf.shape if leaf.shape == jnp.shape(other) else None
    if is_key(leaf):
        return Leaf(name, "key", shape)
    # Whether what is not trained is cut off as well is the author's to say.
    untrained = "data" if is_inexact(leaf) else "buffer"
    role = "param" if is_trained and is_inexact(leaf) else untrained
    return Leaf(name, role, shape, name_of(leaf.dtype))


def name_of(dtype: Any) -> str:
    """A dtype as it is declared: the default one by its kind."""
    names = ("float", "int", "complex", "bool")
    return next((one for one in names if real_dtype(one) == dtype), str(dtype))


def draft(leaves: Sequence[Leaf], declared: Sequence[Leaf] = ()) -> str:
    """The declaration as it is written in a suite; what is declared well stays as it is."""
    kept = {leaf.path: leaf for leaf in declared}
    lines = [f"        {written(kept.get(leaf.path, leaf))}," for leaf in leaves]
    return "\n".join(["    leaves = (", *lines, "    )"])


def written(leaf: Leaf) -> str:
    """The source of a declared leaf, without what it has by default."""
    plain = Leaf(leaf.path, leaf.role)
    names = ("shape", "dtype", "value", "std", "unused", "frozen")
    further = (
        f"{name}={getattr(leaf, name)!r}".replace("shape=", "")
        for name in names
        if getattr(leaf, name) != getattr(plain, name)
    )
    return f"Leaf({', '.join([repr(leaf.path), repr(leaf.role), *further])})".replace(
        "'", '"'
    )


def stores_what_it_is_given(cls: type) -> bool:
    """Whether the only constructor is the one that `dataclass` or NamedTuple makes.

    That stores its arguments as they are, and whoever calls it knows that.
    """
    if issubclass(cls, tuple):
        return True
    own = [owner for owner in cls.__mro__ if not is_of_library(owner)]
    held = [value for owner in own for value in vars(owner).values()]
    made = any(isinstance(value, classmethod) for value in held)
    code = getattr(inspect.unwrap(cls.__init__), "__code__", None)
    generated = getattr(code, "co_filename", "").startswith("<string>")
    fields = getattr(cls, "__dataclass_fields__", {}).values()
    converts = any("converter" in field.metadata for field in fields)
    further = any(hasattr(owner, "__post_init__") for owner in own)
    return generated and not (made or converts or further)
