"""Dtypes: examples built and called in each dtype, and the narrowest dtype of a call."""

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
    """Return a context that allows 64 bits if a dtype needs them."""
    wide = dtype is not None and jnp.finfo(dtype).dtype == "float64"
    return in_64_bits() if wide else contextlib.nullcontext()


@contextlib.contextmanager
def example_in(suite: Any, dtype: str | None, seed: int) -> Generator[Example]:
    """Yield a fresh example in a dtype, with the values of the example in the default dtype."""
    usual, instance, arguments = (real_dtype("float"), suite.make(seed), suite.arguments(seed))
    with precision(dtype):
        if dtype is None:
            yield instance, arguments
        else:
            yield filled(built_in(suite, dtype, seed), instance), cast(arguments, usual, dtype)


def example_name(dtype: str | None, seed: int) -> str:
    """Return the name of an example in messages."""
    return f"seed {seed}" + (f", in {dtype}" if dtype else "")


@once_per_session
def compiled_call(suite: Any) -> Callable[..., Any]:
    """Return the compiled call of a suite, which laws share that call it in many dtypes."""
    return suite.compile(suite.apply)


def built_in(suite: Any, dtype: str, seed: int) -> Any:
    """Return an instance built in a dtype, whose values do not matter."""
    inputs = cast(suite.inputs(seed), real_dtype("float"), dtype)
    if suite.takes_dtype:
        inputs["dtype"] = jnp.dtype(dtype)
    return suite.built_abstractly(inputs)


def filled(built: Any, instance: Any) -> Any:
    """Return `built` with the values of `instance`, cast to its dtypes, if all shapes agree."""
    leaves, treedef = flatten(built)
    values = jax.tree.leaves(instance)
    if [np.shape(v) for v in leaves] != [np.shape(v) for v in values]:
        return built
    pairs = zip(leaves, values)
    return treedef.unflatten(
        [on_device(v, leaf.dtype) if is_inexact(leaf) and is_array(v) else v for leaf, v in pairs]
    )


def cast(tree: Any, usual: Any, dtype: Any) -> Any:
    """Cast the arrays of the usual dtype to another dtype."""
    wanted = jnp.dtype(dtype)

    def changed(leaf: Any) -> Any:
        is_usual = is_inexact(leaf) and leaf.dtype == usual
        return on_device(leaf, wanted) if is_usual else leaf

    return map_arrays(changed, tree)


def rounded(tree: Any, dtype: str) -> Any:
    """Round the numbers of the default dtype to numbers that another dtype can hold."""
    usual = real_dtype("float")
    wanted = jnp.finfo(dtype).dtype  # a complex dtype holds what its parts hold
    return map_arrays(
        lambda v: on_device(on_device(v, wanted), usual) if is_inexact(v) and v.dtype == usual else v, tree
    )


def dtype_of(tree: Any) -> Any:
    """Return the dtype of the inexact arrays in a tree, or None if there are several or none."""
    leaves = (leaf for leaf in jax.tree.leaves(tree) if is_array(leaf))
    result = {leaf.dtype for leaf in leaves if is_inexact(leaf)}
    return result.pop() if len(result) == 1 else None


def tolerated(suite: Any) -> Tolerance:
    """Return the tolerance of a suite that declares none: more than the default if it computes in 16 bits."""
    dtype = suite.narrowest or narrowest_of(suite)
    return HALF_ROUNDINGS * float(jnp.finfo(dtype).eps) if is_half(dtype) else None


def is_half(dtype: str | None) -> bool:
    """Whether a dtype has 16 bits or fewer, so that small steps are lost in rounding."""
    return dtype is not None and jnp.finfo(dtype).bits < 32


@once_per_session
@or_else(None, Exception, pytest.skip.Exception)  # other laws tell
def narrowest_of(suite: Any) -> str | None:
    """Return the narrowest inexact dtype in which the call computes, or None."""
    arrays = [v.aval for each in equations(suite.traced_call().jaxpr) for v in each.outvars]
    dtypes = [getattr(array, "dtype", None) for array in arrays]
    float_dtypes = [dtype for dtype in dtypes if is_inexact_dtype(dtype)]
    return str(max(float_dtypes, key=lambda dtype: float(jnp.finfo(dtype).eps))) if float_dtypes else None
