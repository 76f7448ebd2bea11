from collections.abc import Callable
from os import PathLike
from types import MethodType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Float, PRNGKeyArray

from affine import Affine
from safetensors_serialisation import load_safetensors, save_safetensors


class Stack(eqx.Module):
    """Affine maps one after the other, with an activation between."""

    layers: tuple[Affine, ...]
    depth: int = eqx.field(static=True)
    activation: Callable[..., Any] = eqx.field(static=True)

    @classmethod
    def create(
        cls,
        size: int,
        depth: int = 2,
        activation: Callable[..., Any] = jnp.tanh,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> "Stack":
        """Build an instance.

        **Arguments:**

        - `size`: the size `size` of the arrays.
        - `depth`: Number of layers; static, part of the treedef.
        - `activation`: Applied after each layer but the last; static, a function of a
            module.
        - `dtype`: dtype of the floating-point arrays; jax's default float if None.
        - `key`: a PRNG key for the random initialisation; each random array gets a
            split of its own.

        **Raises:**

        - `TypeError` if `depth` or `activation` do not have their declared types.
        - `ValueError` unless `depth > 0`.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            layers=tuple(
                Affine.create(size, size, dtype=dtype, key=key)
                for key in jax.random.split(key, depth)
            ),
            depth=depth,
            activation=activation,
        )

    def __check_init__(self) -> None:
        if type(self.depth) is not int:
            raise TypeError(
                "`depth` is static, so it must be an int (a NumPy scalar has "
                f"`.item()`), got {self.depth!r}"
            )
        if "<" in getattr(
            self.activation, "__qualname__", getattr(self.activation, "__name__", "<")
        ) or isinstance(self.activation, MethodType):
            raise TypeError(
                "`activation` is static, so it must be a function of a module, "
                "not a lambda, closure, partial or bound method, got "
                f"{self.activation!r}"
            )
        if not (self.depth > 0):
            raise ValueError(f"`depth` must satisfy `depth > 0`, got {self.depth!r}")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """**Arguments:**

        - `x`: float array of shape `(size,)`.

        **Returns:**

        Float array of shape `(size,)`.
        """
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.layers[-1](x)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the leaves to a file, with their paths and the static configuration: a
        safetensors file, with each leaf under its path.

        A file that is there is replaced, whole or not at all.
        """
        save_safetensors(path, self)

    @classmethod
    def load(cls, path: str | PathLike[str], like: "Stack") -> "Stack":
        """Read what `save` wrote.

        **Arguments:**

        - `path`: the file.
        - `like`: an instance of the same configuration, which stays as it is; or what
            `eqx.filter_eval_shape` makes of the constructor.

        **Returns:**

        A new instance, with the values of the file.

        **Raises:**

        - `ValueError` if the file is damaged, or if paths, shapes, dtypes or the
            configuration differ; it names all that differs.
        """
        return load_safetensors(path, like)

    def trainable(self) -> "Stack":
        """Filter spec by field: True at each trained array, False at every other leaf."""

        def trained(path: Any, leaf: Any) -> Any:
            return (
                leaf.trainable()
                if hasattr(leaf, "trainable")
                else eqx.is_inexact_array(leaf)
            )

        def is_inner(node: Any) -> bool:
            return node is not self and hasattr(node, "trainable")

        return jax.tree_util.tree_map_with_path(trained, self, is_leaf=is_inner)
