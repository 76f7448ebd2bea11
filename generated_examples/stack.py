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
from filter_specs import trained_fields
from serialisation import load_tree, save_tree


class Stack(eqx.Module):
    """Affine maps one after the other, with an activation between."""

    layers: tuple[Affine, ...]
    depth: int = eqx.field(static=True, default=2)
    activation: Callable[..., Any] = eqx.field(static=True, default=jnp.tanh)

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

        - `depth`: Number of layers.
        - `activation`: Applied after each layer but the last.

        **Raises:**

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
            raise TypeError(f"`depth` is static and must be an int, got {self.depth!r}")
        if "<" in getattr(
            self.activation, "__qualname__", getattr(self.activation, "__name__", "<")
        ) or isinstance(self.activation, MethodType):
            raise TypeError(
                "`activation` is static and must be a function of a module, not "
                "a lambda, closure, partial or bound method, got "
                f"{self.activation!r}"
            )
        if not (self.depth > 0):
            raise ValueError(f"`depth` must satisfy `depth > 0`, got {self.depth!r}")

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.layers[-1](x)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the leaves to a safetensors file, with their paths and the static
        configuration.
        """
        save_tree(path, self)

    @classmethod
    def load(cls, path: str | PathLike[str], like: "Stack") -> "Stack":
        """Read what `save` wrote into a new instance.

        `like` is an instance of the same configuration, which stays as it is, or what
        `eqx.filter_eval_shape` makes of the constructor. Raises `ValueError` where the
        file is damaged, or does not fit `like`.
        """
        return load_tree(path, like)

    def trainable(self) -> "Stack":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return trained_fields(self)
