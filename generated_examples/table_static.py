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
class TableStatic:
    """A table whose entry `a` is preset at creation; the preset entry belongs to the
    treedef.
    """

    table_entries: dict[str, Float[Array, ""]]
    table_preset: tuple[tuple[str, Any], ...]
    attr: Float[Array, ""]
    static: int

    @classmethod
    def create(
        cls,
        table: Mapping[str, Float[ArrayLike, ""]],
        attr: Float[ArrayLike, ""],
        static: int,
        dtype: DTypeLike | None = None,
    ) -> "TableStatic":
        """Build an instance.

        **Arguments:**

        - `table`: Named numbers.
        - `attr`: A factor.
        - `static`: An exponent.
        """
        asked = dtype
        dtype = jnp.result_type(float) if dtype is None else dtype
        return cls(
            table_entries={
                name: _real(value, asked)
                for name, value in table.items()
                if name != "a"
            },
            table_preset=(("a", 42.0),),
            attr=_real(attr, asked),
            static=static,
        )

    def __post_init__(self) -> None:
        if type(self.static) is not int:
            raise TypeError(
                f"`static` is static and must be an int, got {self.static!r}"
            )

    @property
    def table(self) -> dict[str, Any]:
        """The entries, with the preset ones, which belong to the treedef."""
        return {**self.table_entries, **dict(self.table_preset)}

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """Scale a power of the input by all the numbers."""
        return self.attr * sum(self.table.values()) * x**self.static


def _flatten(node: TableStatic) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return (node.table_entries, node.attr), (node.table_preset, node.static)


def _flatten_with_keys(
    node: TableStatic,
) -> tuple[tuple[tuple[Any, Any], ...], tuple[Any, ...]]:
    return (
        (GetAttrKey("table_entries"), node.table_entries),
        (GetAttrKey("attr"), node.attr),
    ), (node.table_preset, node.static)


def _unflatten(aux: tuple[Any, ...], children: Iterable[Any]) -> TableStatic:
    # Only stores: jax rebuilds with tracers, None or any other object as leaves.
    node = object.__new__(TableStatic)
    fields = node.__dict__
    fields["table_entries"], fields["attr"] = children
    fields["table_preset"], fields["static"] = aux
    return node


jax.tree_util.register_pytree_with_keys(
    TableStatic, _flatten_with_keys, _unflatten, _flatten
)
