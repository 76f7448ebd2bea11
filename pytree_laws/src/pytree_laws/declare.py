"""What a suite declares of its class, and example values."""

import dataclasses
import functools
import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from .look.arrays import on_device, real_dtype

TRAINED = ("param", "module", "tree")


ROLES = ("param", "data", "buffer", "key", "module", "tree", "python", "state")


@dataclasses.dataclass(frozen=True)
class Leaf:
    """A declared leaf, or a declared sub-tree of leaves.

    `path` is written as `layers.0.weight`. The role is `param` (a trained array), `data`
    (an array that is never trained, through which gradients flow), `buffer` (one behind
    `stop_gradient`), `key` (typed PRNG keys), `module` (a sub-tree that decides itself
    what is trained), `tree` (a sub-tree of parameters), `python` (no array, held fixed)
    or `state` (kept by `equinox.nn.State`, no leaf). A shape of None is not checked, and
    data or a buffer without a shape may be a sub-tree of such; the dtype `float` is the
    default float dtype. `value` is what each element, or the number or flag that is no
    array, holds after construction, `std` the standard deviation with which the constructor
    draws them. `unused` says that the example call does not depend on all of its elements,
    `frozen` that nothing of a parameter or a sub-tree is trained, though gradients pass
    through: always, or where the static bool of this name says so.
    """

    path: str
    role: str
    shape: tuple[int, ...] | None = None
    dtype: str = "float"
    value: complex | None = None
    std: float | None = None
    unused: bool = False
    frozen: bool | str = False

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"Leaf {self.path}: role {self.role!r} is none of {ROLES}")

    @property
    def is_tree(self) -> bool:
        """Whether it stands for every leaf below its path."""
        unshaped = self.role in ("data", "buffer") and self.shape is None
        return self.role in ("module", "tree") or unshaped


@dataclasses.dataclass(frozen=True)
class Output:
    """A declared output of the call; a dtype of None is not checked."""

    shape: tuple[int, ...]
    dtype: str | None = "float"


def sample(
    seed: int,
    shape: Sequence[int] = (),
    dtype: str = "float",
    low: int = 0,
    high: int = 2,
    *,
    positive: bool = False,
) -> jax.Array:
    """Well-spread example values: floats of size 0.1 to 1 and both signs, integers in [low, high).

    No two floats of an array have one size, every other one is negative, and a single one
    is so for an odd seed; `positive` has all of them above 0.
    """
    if dtype == "key":
        key = jax.random.key(seed)
        return jax.random.split(key, tuple(shape)) if shape else key
    kind = real_dtype(dtype)
    return on_device(_spread(seed, tuple(shape), kind, low, high, positive), kind)


@functools.lru_cache(maxsize=1024)
def _spread(
    seed: int,
    shape: tuple[int, ...],
    kind: np.dtype,
    low: int,
    high: int,
    positive: bool,
) -> np.ndarray:
    """The values of `sample`, which laws ask for again and again."""
    rng = np.random.default_rng(seed)
    size = math.prod(shape)
    order = rng.permutation(size).reshape(shape)
    if jnp.issubdtype(kind, jnp.bool_):
        return order % 2 == 0
    if jnp.issubdtype(kind, jnp.integer):
        return (order + seed) % (high - low) + low
    spread = 0.1 + 0.9 * (order + rng.uniform(0.1, 0.9, shape)) / max(size, 1)
    if not positive:
        spread = np.where((order + seed) % 2 == 1, -spread, spread)
    is_complex = jnp.issubdtype(kind, jnp.complexfloating)
    return spread + 1j * np.flip(spread) if is_complex else spread


def weights(seed: int, shape: Sequence[int], dtype: str = "float32") -> jax.Array:
    """Positive numbers, each another, with which laws tell elements apart."""
    return sample(seed, shape, dtype, positive=True)
