from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, final

import jax
import jax.numpy as jnp
from jax.tree_util import GetAttrKey
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Float

from serialisation import load_tree, save_tree


def _real(value: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """A copy in `dtype`; without it floats keep theirs, and others take jax's default."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if jnp.issubdtype(held, jnp.complexfloating):
        raise TypeError(f"real numbers are declared, got {held}")
    if dtype is None:
        dtype = held if jnp.issubdtype(held, jnp.floating) else jnp.result_type(float)
    return jnp.array(value, dtype)


@final
@dataclass(frozen=True, eq=False)
class TableBypass:
    """A table whose entry `a` is preset at creation; unflatten goes around `__init__`."""

    table: dict[str, Float[Array, ""]]
    attr: Float[Array, ""]
    static: int

    @classmethod
    def create(
        cls,
        table: Mapping[str, Float[ArrayLike, ""]],
        attr: Float[ArrayLike, ""],
        static: int,
        dtype: DTypeLike | None = None,
    ) -> "TableBypass":
        """Build an instance.

        **Arguments:**

        - `table`: Named numbers.
        - `attr`: A factor.
        - `static`: An exponent.
        """
        asked = dtype
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            table={name: _real(value, asked) for name, value in table.items()}
            | {"a": jnp.array(42.0, dtype)},
            attr=_real(attr, asked),
            static=static,
        )

    def __post_init__(self) -> None:
        if type(self.static) is not int:
            raise TypeError(
                f"`static` is static and must be an int, got {self.static!r}"
            )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """Scale a power of the input by all the numbers."""
        return self.attr * sum(self.table.values()) * x**self.static

    def save(self, path: str | PathLike[str]) -> None:
        """Write the leaves to a safetensors file, with their paths and the static
        configuration.
        """
        save_tree(path, self)

    @classmethod
    def load(cls, path: str | PathLike[str], like: "TableBypass") -> "TableBypass":
        """Read what `save` wrote into a new instance.

        `like` is an instance of the same configuration, which stays as it is, or what
        `jax.eval_shape` makes of the constructor. Raises `ValueError` where the file is
        damaged, or does not fit `like`.
        """
        return load_tree(path, like)


def _flatten(node: TableBypass) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return (node.table, node.attr), (node.static,)


def _flatten_with_keys(
    node: TableBypass,
) -> tuple[tuple[tuple[Any, Any], ...], tuple[Any, ...]]:
    return ((GetAttrKey("table"), node.table), (GetAttrKey("attr"), node.attr)), (
        node.static,
    )


def _unflatten(aux: tuple[Any, ...], children: Iterable[Any]) -> TableBypass:
    # Only stores: jax rebuilds with tracers, None or any other object as leaves.
    node = object.__new__(TableBypass)
    fields = node.__dict__
    fields["table"], fields["attr"] = children
    (fields["static"],) = aux
    return node


jax.tree_util.register_pytree_with_keys(
    TableBypass, _flatten_with_keys, _unflatten, _flatten
)
