"""The dtypes in which a class is used: built in each, and called with arguments in each."""

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from .look.arrays import is_array, is_inexact, on_device, real_dtype
from .look.numerics import in_64_bits
from .look.trees import map_arrays

SEEDS = 3  # examples, where numbers are compared


@contextlib.contextmanager
def precision(dtype: str | None) -> Iterator[None]:
    """What a dtype needs of jax: those of 64 bits have to be allowed."""
    wide = dtype is not None and jnp.finfo(dtype).dtype == "float64"
    with in_64_bits() if wide else contextlib.nullcontext():
        yield


def example_in(suite: Any, dtype: str | None, seed: int) -> tuple[Any, tuple[Any, ...]]:
    """An instance built in a dtype, and arguments in it; None is the default dtype."""
    if dtype is None:
        return suite.make(seed), suite.arguments(seed)
    inputs = cast(suite.inputs(seed), dtype)
    if suite.takes_dtype:
        inputs["dtype"] = jnp.dtype(dtype)
    return suite.build(**inputs), cast(suite.arguments(seed), dtype)


def cast(tree: Any, dtype: str) -> Any:
    """The tree with what is of the default dtype in another."""
    usual, wanted = real_dtype("float"), jnp.dtype(dtype)

    def changed(leaf: Any) -> Any:
        is_usual = is_inexact(leaf) and leaf.dtype == usual
        return on_device(leaf, wanted) if is_usual else leaf

    return map_arrays(changed, tree)


def dtype_of(tree: Any) -> Any:
    """The dtype of the numbers in a tree that are no integers; None where they have several, or there are none."""
    leaves = (leaf for leaf in jax.tree.leaves(tree) if is_array(leaf))
    found = {leaf.dtype for leaf in leaves if is_inexact(leaf)}
    return found.pop() if len(found) == 1 else None
