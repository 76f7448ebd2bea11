"""Arrays: their dtypes, their bits, and where their memory lies."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..report import or_else


def real_dtype(name: str) -> Any:
    """The dtype of a declaration; `float`, `int` and `complex` follow jax_enable_x64."""
    python = {"float": float, "int": int, "complex": complex, "bool": bool}
    return jnp.result_type(python[name]) if name in python else jnp.dtype(name)


def has_dtype(value: Any, name: str | None) -> bool:
    """Whether an array has a declared dtype; None allows any."""
    if name == "key" or is_key(value):
        return name in ("key", None) and is_key(value)
    dtype = value.dtype if isinstance(value, jax.Array) else jnp.result_type(value)  # which widens a weak one
    return name is None or dtype == real_dtype(name)


def is_fixed_inexact(name: str | None) -> bool:
    """Whether a declared dtype is a float or complex one other than the default."""
    if name in ("float", "key", "None", None):
        return False
    return jnp.issubdtype(real_dtype(name), jnp.inexact)


def is_array(value: Any) -> bool:
    return isinstance(value, jax.Array | np.ndarray | np.generic)


def is_constant(value: Any) -> bool:
    """Whether all of several elements are equal."""
    if is_key(value) or jnp.size(value) < 2:
        return False
    values = np.asarray(value)
    return bool(np.all(values == values.flat[0]))


def is_key(value: Any) -> bool:
    return is_array(value) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key)


def is_inexact(value: Any) -> bool:
    return is_array(value) and jnp.issubdtype(value.dtype, jnp.inexact)


def is_inexact_dtype(dtype: Any) -> bool:
    """Whether a dtype, or None, is one of floats or complex numbers; one of keys is not."""
    return dtype is not None and jnp.issubdtype(dtype, jnp.inexact)


def is_floating(value: Any) -> bool:
    return is_array(value) and jnp.issubdtype(value.dtype, jnp.floating)


def fillable(arguments: Sequence[Any], carry: int | None) -> list[bool]:
    """Which arguments are data that may be zeros: arrays of floats, without the carry; what has no axes where nothing else is given."""
    floats = [is_inexact(v) and i != carry for i, v in enumerate(arguments)]
    arrays = [floating and v.ndim > 0 for floating, v in zip(floats, arguments)]
    return arrays if any(arrays) else floats


def stays_wide(out: Any) -> bool:
    """Whether floats are of 32 bits where all that is given has 16; a Python number, which is weakly typed, goes with all."""
    floating = jnp.issubdtype(out.dtype, jnp.floating)
    weak = bool(getattr(out, "weak_type", False))
    return floating and out.dtype != jnp.bfloat16 and not weak


def kind_of(dtype: Any) -> str:
    """Whether a dtype is one of floats, integers, complex numbers, flags or keys."""
    kinds = {
        "float": jnp.floating,
        "int": jnp.integer,
        "complex": jnp.complexfloating,
        "bool": jnp.bool_,
        "key": jax.dtypes.prng_key,
    }
    return next((k for k, kind in kinds.items() if jnp.issubdtype(dtype, kind)), "")


def bits_by_kind(values: Sequence[Any]) -> dict[str, int]:
    """The size of the narrowest dtype of each kind."""
    result: dict[str, int] = {}
    for dtype in (value.dtype for value in values):
        result[kind_of(dtype)] = min(result.get(kind_of(dtype), 16), dtype.itemsize)
    return result


def aval(leaf: Any) -> tuple[Any, ...]:
    """Shape, dtype and weak type, which is what a trace depends on."""
    weak = bool(getattr(leaf, "weak_type", False))
    return (jnp.shape(leaf), str(leaf.dtype), weak) if hasattr(leaf, "dtype") else (leaf,)


def raw(value: Any) -> np.ndarray:
    """A NumPy copy, with keys as their data."""
    return np.array(jax.random.key_data(value) if is_key(value) else value)


def numpy_leaf(value: Any) -> Any:
    """An array as NumPy's, and a key as it is, which NumPy has none of."""
    return value if is_key(value) else np.array(value)


def wide_in_numpy(value: Any) -> Any:
    """An array as NumPy's, with floats in 64 bits; a key as it is, which NumPy has none of."""
    return widened(value) if is_inexact(value) else numpy_leaf(value)


def widened(array: Any) -> np.ndarray:
    """A copy of an array in NumPy, with 64 bits for each number, or for each part of a complex one."""
    return np.array(array).astype(np.complex128 if jnp.iscomplexobj(array) else np.float64)


def host(value: Any) -> np.ndarray:
    """A NumPy copy, with keys as their data and small floats widened."""
    array = raw(value)
    is_small = array.dtype.kind == "V" and jnp.issubdtype(array.dtype, jnp.number)  # else records, or objects
    return array.astype(np.float64) if is_small else array


def on_device(value: Any, dtype: Any = None) -> jax.Array:
    """A jax array of the values, where jnp.asarray would compile a program for each shape."""
    return jax.device_put(np.array(value, dtype))


def restore_like(saved: Any, like: Any) -> Any:
    """A saved array as the kind of `like`: keys were saved as their data."""
    if is_key(like):
        return jax.random.wrap_key_data(on_device(saved), impl=jax.random.key_impl(like))
    return on_device(saved, like.dtype) if isinstance(like, jax.Array) else saved


def as_in_programs(value: Any) -> Any:
    """What comes out of a program in the place of a value."""
    return jnp.asarray(value) if isinstance(value, int | float | np.ndarray | np.generic) else value


def as_held(array: Any, held: Any) -> Any:
    """An array, of NumPy where the one in its place is."""
    return np.asarray(array) if isinstance(held, np.ndarray) else array


def copied(leaf: Any) -> Any:
    """An equal array with a buffer of its own."""
    return restore_like(raw(leaf), leaf)


def stack_leaves(*leaves: Any) -> Any:
    """jnp.stack, through NumPy where that can be, so that nothing is compiled."""
    if not all(isinstance(leaf, jax.Array) for leaf in leaves):
        return jnp.stack(leaves)
    return restore_like(np.stack(list(map(raw, leaves))), leaves[0])


@or_else(None)  # a sharded array has many
def buffer_of(array: Any) -> int | None:
    """The address of the array's memory, where it has one."""
    if not isinstance(array, jax.Array) or not array.size:
        return None
    return array.unsafe_buffer_pointer()


def same_bits(left: Any, right: Any) -> bool:
    if not (is_array(left) and is_array(right)):
        return left is right or bool(left == right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    return host(left).tobytes() == host(right).tobytes()
