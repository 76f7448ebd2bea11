from collections.abc import Iterable
from typing import Any, final

import jax
import jax.numpy as jnp
from jax.tree_util import GetAttrKey
from jax.typing import DTypeLike
from jaxtyping import Array, Float


@final
class TableFlag:
    """A table whose entry `a` is preset at creation; unflatten tells `__init__` that it
    rebuilds.
    """

    table: dict[str, Float[Array, ""]]
    attr: Float[Array, ""]
    static: int

    def __init__(
        self,
        table: dict[str, Float[Array, ""]],
        attr: Float[Array, ""],
        static: int,
        dtype: DTypeLike | None = None,
        *,
        _rebuild: bool = False,
    ) -> None:
        """Build an instance.

        **Arguments:**

        - `table`: Named numbers.
        - `attr`: A factor.
        - `static`: An exponent.
        """
        if not _rebuild:
            dtype = jnp.result_type(float) if dtype is None else dtype
            table = {name: jnp.array(value, dtype) for name, value in table.items()} | {
                "a": jnp.array(42.0, dtype)
            }
            attr = jnp.array(attr, dtype)
        self.table = table
        self.attr = attr
        self.static = static
        if not _rebuild:
            self._check()

    def _check(self) -> None:
        if type(self.static) is not int:
            raise TypeError(
                f"`static` is static and must be an int, got {self.static!r}"
            )

    def __repr__(self) -> str:
        held = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({held})"

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """Scale a power of the input by all the numbers."""
        return self.attr * sum(self.table.values()) * x**self.static


def _flatten(node: TableFlag) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return (node.table, node.attr), (node.static,)


def _flatten_with_keys(
    node: TableFlag,
) -> tuple[tuple[tuple[Any, Any], ...], tuple[Any, ...]]:
    return ((GetAttrKey("table"), node.table), (GetAttrKey("attr"), node.attr)), (
        node.static,
    )


def _unflatten(aux: tuple[Any, ...], children: Iterable[Any]) -> TableFlag:
    table, attr = children
    (static,) = aux
    return TableFlag(table=table, attr=attr, static=static, _rebuild=True)


jax.tree_util.register_pytree_with_keys(
    TableFlag, _flatten_with_keys, _unflatten, _flatten
)
