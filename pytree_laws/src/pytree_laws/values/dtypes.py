"""The dtypes in which a class is used: built in each, called with arguments in each; and the narrowest on the way, from which tolerances follow."""

import contextlib
from collections.abc import Callable, Generator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ..inspect.arrays import is_array, is_inexact, is_inexact_dtype, on_device, real_dtype
from ..inspect.trees import flatten, map_arrays
from ..report import or_else
from ..session import once_per_session
from ..trace.jaxprs import equations
from .closeness import HALF_ROUNDINGS, Tolerance, in_64_bits

SEEDS = 3  # examples, where numbers are compared

Example = tuple[Any, tuple[Any, ...]]
"""An instance, and arguments of its call."""


def precision(dtype: str | None) -> contextlib.AbstractContextManager[None]:
    """What a dtype needs of jax: those of 64 bits have to be allowed."""
    wide = dtype is not None and jnp.finfo(dtype).dtype == "float64"
    return in_64_bits() if wide else contextlib.nullcontext()


@contextlib.contextmanager
def example_in(suite: Any, dtype: str | None, seed: int) -> Generator[Example]:
    """A fresh example: the instance as it is built in a dtype, with the values of the default one."""
    usual, instance, arguments = (real_dtype("float"), suite.make(seed), suite.arguments(seed))
    with precision(dtype):
        if dtype is None:
            yield instance, arguments
        else:
            yield filled(built_in(suite, dtype, seed), instance), cast(arguments, usual, dtype)


def example_name(dtype: str | None, seed: int) -> str:
    """What failures call an example."""
    return f"seed {seed}" + (f", in {dtype}" if dtype else "")


@once_per_session
def compiled_call(suite: Any) -> Callable[..., Any]:
    """The compiled call of one suite, which the laws share that call it in many dtypes."""
    return suite.compile(suite.apply)


def built_in(suite: Any, dtype: str, seed: int) -> Any:
    """An instance of a dtype, of any values."""
    inputs = cast(suite.inputs(seed), real_dtype("float"), dtype)
    if suite.takes_dtype:
        inputs["dtype"] = jnp.dtype(dtype)
    return suite.built_abstractly(inputs)


def filled(built: Any, instance: Any) -> Any:
    """What was built, with the values of an instance, which has the same leaves of other dtypes."""
    leaves, treedef = flatten(built)
    values = jax.tree.leaves(instance)
    if [np.shape(v) for v in leaves] != [np.shape(v) for v in values]:
        return built
    pairs = zip(leaves, values)
    return treedef.unflatten(
        [on_device(v, leaf.dtype) if is_inexact(leaf) and is_array(v) else v for leaf, v in pairs]
    )


def cast(tree: Any, usual: Any, dtype: Any) -> Any:
    """The tree with what is of the usual dtype in another."""
    wanted = jnp.dtype(dtype)

    def changed(leaf: Any) -> Any:
        is_usual = is_inexact(leaf) and leaf.dtype == usual
        return on_device(leaf, wanted) if is_usual else leaf

    return map_arrays(changed, tree)


def rounded(tree: Any, dtype: str) -> Any:
    """The tree with its numbers of the default dtype as another can hold them."""
    usual = real_dtype("float")
    wanted = jnp.finfo(dtype).dtype  # a complex dtype holds what its parts hold
    return map_arrays(
        lambda v: on_device(on_device(v, wanted), usual) if is_inexact(v) and v.dtype == usual else v, tree
    )


def dtype_of(tree: Any) -> Any:
    """The dtype of the numbers in a tree that are no integers; None where they have several, or there are none."""
    leaves = (leaf for leaf in jax.tree.leaves(tree) if is_array(leaf))
    result = {leaf.dtype for leaf in leaves if is_inexact(leaf)}
    return result.pop() if len(result) == 1 else None


def tolerated(suite: Any) -> Tolerance:
    """What a suite that declares no tolerance allows two computations of one number to differ by."""
    dtype = suite.narrowest or narrowest_of(suite)
    return HALF_ROUNDINGS * float(jnp.finfo(dtype).eps) if is_half(dtype) else None


def is_half(dtype: str | None) -> bool:
    """Whether a dtype has 16 bits or fewer, in which small steps are lost."""
    return dtype is not None and jnp.finfo(dtype).bits < 32


@once_per_session
@or_else(None, Exception, pytest.skip.Exception)  # other laws tell
def narrowest_of(suite: Any) -> str | None:
    """The narrowest dtype that the call computes in, of those that are no integers."""
    arrays = [v.aval for each in equations(suite.traced_call().jaxpr) for v in each.outvars]
    dtypes = [getattr(array, "dtype", None) for array in arrays]
    float_dtypes = [dtype for dtype in dtypes if is_inexact_dtype(dtype)]
    return str(max(float_dtypes, key=lambda dtype: float(jnp.finfo(dtype).eps))) if float_dtypes else None
