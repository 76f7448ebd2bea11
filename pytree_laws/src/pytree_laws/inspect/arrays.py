"""Arrays: dtypes, bits and memory."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..report import or_else


def real_dtype(name: str) -> Any:
    """Return the dtype of a declaration. `float`, `int` and `complex` follow `jax_enable_x64`."""
    python = {"float": float, "int": int, "complex": complex, "bool": bool}
    return jnp.result_type(python[name]) if name in python else jnp.dtype(name)


def has_dtype(value: Any, name: str | None) -> bool:
    """Whether an array has a declared dtype. A declaration of None allows any."""
    if name == "key" or is_key(value):
        return name in ("key", None) and is_key(value)
    dtype = value.dtype if isinstance(value, jax.Array) else jnp.result_type(value)  # which widens a weak one
    return name is None or dtype == real_dtype(name)


def is_fixed_inexact(name: str | None) -> bool:
    """Whether a declared dtype is a float or complex dtype other than the default."""
    if name in ("float", "key", "None", None):
        return False
    return jnp.issubdtype(real_dtype(name), jnp.inexact)


def is_array(value: Any) -> bool:
    return isinstance(value, jax.Array | np.ndarray | np.generic)


def is_constant(value: Any) -> bool:
    """Whether an array has several elements that are all equal."""
    if is_key(value) or jnp.size(value) < 2:
        return False
    values = np.asarray(value)
    return bool(np.all(values == values.flat[0]))


def is_key(value: Any) -> bool:
    return is_array(value) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key)


def is_inexact(value: Any) -> bool:
    return is_array(value) and jnp.issubdtype(value.dtype, jnp.inexact)


def is_inexact_dtype(dtype: Any) -> bool:
    """Whether a dtype, which may be None, is floating or complex."""
    return dtype is not None and jnp.issubdtype(dtype, jnp.inexact)


def is_floating(value: Any) -> bool:
    return is_array(value) and jnp.issubdtype(value.dtype, jnp.floating)


def fillable(arguments: Sequence[Any], carry: int | None) -> list[bool]:
    """Flag the arguments that tests may fill with zeros: inexact arrays other than the carry.

    A scalar is flagged only if no other inexact array is given.
    """
    floats = [is_inexact(v) and i != carry for i, v in enumerate(arguments)]
    arrays = [floating and v.ndim > 0 for floating, v in zip(floats, arguments)]
    return arrays if any(arrays) else floats


def stays_wide(out: Any) -> bool:
    """Whether an output of 16-bit arguments is still a wide float. A weakly typed output does not count."""
    floating = jnp.issubdtype(out.dtype, jnp.floating)
    weak = bool(getattr(out, "weak_type", False))
    return floating and out.dtype != jnp.bfloat16 and not weak


def kind_of(dtype: Any) -> str:
    """Return `float`, `int`, `complex`, `bool` or `key` for a dtype, or an empty string for other dtypes."""
    kinds = {
        "float": jnp.floating,
        "int": jnp.integer,
        "complex": jnp.complexfloating,
        "bool": jnp.bool_,
        "key": jax.dtypes.prng_key,
    }
    return next((k for k, kind in kinds.items() if jnp.issubdtype(dtype, kind)), "")


def bits_by_kind(values: Sequence[Any]) -> dict[str, int]:
    """Return the itemsize in bytes of the narrowest dtype of each kind."""
    result: dict[str, int] = {}
    for dtype in (value.dtype for value in values):
        result[kind_of(dtype)] = min(result.get(kind_of(dtype), 16), dtype.itemsize)
    return result


def aval(leaf: Any) -> tuple[Any, ...]:
    """Return shape, dtype and weak type, on which a trace depends.

    A leaf without a dtype stands for itself.
    """
    weak = bool(getattr(leaf, "weak_type", False))
    return (jnp.shape(leaf), str(leaf.dtype), weak) if hasattr(leaf, "dtype") else (leaf,)


def raw(value: Any) -> np.ndarray:
    """Copy an array to NumPy, with the data of a key in its place."""
    return np.array(jax.random.key_data(value) if is_key(value) else value)


def numpy_leaf(value: Any) -> Any:
    """Copy an array to NumPy. A key stays as it is, because NumPy has no dtype for it."""
    return value if is_key(value) else np.array(value)


def wide_in_numpy(value: Any) -> Any:
    """Copy an array to NumPy, with inexact dtypes widened to 64 bits. A key stays as it is."""
    return widened(value) if is_inexact(value) else numpy_leaf(value)


def widened(array: Any) -> np.ndarray:
    """Copy an array to NumPy as float64 or complex128."""
    return np.array(array).astype(np.complex128 if jnp.iscomplexobj(array) else np.float64)


def host(value: Any) -> np.ndarray:
    """Copy an array to NumPy, with the data of keys and with small dtypes such as bfloat16 in float64."""
    array = raw(value)
    is_small = array.dtype.kind == "V" and jnp.issubdtype(array.dtype, jnp.number)  # else records, or objects
    return array.astype(np.float64) if is_small else array


def on_device(value: Any, dtype: Any = None) -> jax.Array:
    """Put values on the device. Unlike `jnp.asarray`, this compiles no program for each shape."""
    return jax.device_put(np.array(value, dtype))


def restore_like(saved: Any, like: Any) -> Any:
    """Convert a saved array to the type and dtype of `like`. Keys are saved as their data."""
    if is_key(like):
        return jax.random.wrap_key_data(on_device(saved), impl=jax.random.key_impl(like))
    return on_device(saved, like.dtype) if isinstance(like, jax.Array) else saved


def as_in_programs(value: Any) -> Any:
    """Convert a number or a NumPy array to the jax array that a program would return."""
    return jnp.asarray(value) if isinstance(value, int | float | np.ndarray | np.generic) else value


def as_result(value: Any) -> Any:
    """Return a number of Python to which jax gave a dtype, such as `stop_gradient(0.5)`, as an array.

    A program gives an array in its place.
    """
    is_typed = isinstance(value, int | float | complex) and hasattr(value, "dtype")
    return jnp.asarray(value) if is_typed and not is_array(value) else value


def as_held(array: Any, held: Any) -> Any:
    """Convert an array to NumPy if the array that it replaces is a NumPy array."""
    return np.asarray(array) if isinstance(held, np.ndarray) else array


def copied(leaf: Any) -> Any:
    """Return an equal array with a buffer of its own."""
    return restore_like(raw(leaf), leaf)


def stack_leaves(*leaves: Any) -> Any:
    """Stack arrays, through NumPy if all are jax arrays, so that nothing is compiled."""
    if not all(isinstance(leaf, jax.Array) for leaf in leaves):
        return jnp.stack(leaves)
    return restore_like(np.stack(list(map(raw, leaves))), leaves[0])


@or_else(None)  # a sharded array has many
def buffer_of(array: Any) -> int | None:
    """Return the address of an array's memory, or None for an empty or sharded array."""
    if not isinstance(array, jax.Array) or not array.size:
        return None
    return array.unsafe_buffer_pointer()


def same_bits(left: Any, right: Any) -> bool:
    if not (is_array(left) and is_array(right)):
        return left is right or bool(left == right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    return host(left).tobytes() == host(right).tobytes()
