from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
from jax.tree_util import GetAttrKey
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Float


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
class TableFactory:
    """A table whose entry `a` is preset at creation; `__init__` only stores, `create`
    does the rest.
    """

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
    ) -> "TableFactory":
        """Build an instance.

        **Arguments:**

        - `table`: Named numbers.
        - `attr`: A factor.
        - `static`: An exponent.
        """
        asked = dtype
        dtype = jnp.result_type(float) if dtype is None else dtype
        node = cls(
            table={name: _real(value, asked) for name, value in table.items()}
            | {"a": jnp.array(42.0, dtype)},
            attr=_real(attr, asked),
            static=static,
        )
        node._check()
        return node

    def _check(self) -> None:
        if type(self.static) is not int:
            raise TypeError(
                f"`static` is static and must be an int, got {self.static!r}"
            )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """Scale a power of the input by all the numbers."""
        return self.attr * sum(self.table.values()) * x**self.static


def _flatten(node: TableFactory) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return (node.table, node.attr), (node.static,)


def _flatten_with_keys(
    node: TableFactory,
) -> tuple[tuple[tuple[Any, Any], ...], tuple[Any, ...]]:
    return ((GetAttrKey("table"), node.table), (GetAttrKey("attr"), node.attr)), (
        node.static,
    )


def _unflatten(aux: tuple[Any, ...], children: Iterable[Any]) -> TableFactory:
    table, attr = children
    (static,) = aux
    return TableFactory(table=table, attr=attr, static=static)


jax.tree_util.register_pytree_with_keys(
    TableFactory, _flatten_with_keys, _unflatten, _flatten
)
