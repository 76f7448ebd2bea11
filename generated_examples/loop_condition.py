from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.tree_util import PyTreeDef
from jax.typing import DTypeLike
from jaxtyping import Array, ArrayLike, Bool, Float, Int32


def _real(value: ArrayLike) -> Array:
    """A copy that keeps the dtype of floats; other numbers take jax's default one."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if jnp.issubdtype(held, jnp.complexfloating):
        raise TypeError(f"real numbers are declared, got {held}")
    is_float = jnp.issubdtype(held, jnp.floating)
    return jnp.array(value, held if is_float else jnp.result_type(float))


def _integer(value: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """A copy of integers in `dtype`; without it in their own."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if not jnp.issubdtype(held, jnp.integer):
        raise TypeError(f"integers are declared, got {held}")
    return jnp.array(value, dtype)


Structure = tuple[tuple[jax.ShapeDtypeStruct, ...], PyTreeDef]


class LoopCondition(eqx.Module):
    """Whether a loop goes on: while the residual is above a limit and steps are left."""

    limit: Float[Array, ""]
    steps: Int32[Array, ""]
    structure: Structure = eqx.field(static=True)

    @classmethod
    def create(
        cls,
        limit: Float[ArrayLike, ""],
        steps: Int32[ArrayLike, ""],
        example: tuple[Any, ...],
    ) -> "LoopCondition":
        """Build an instance.

        **Arguments:**

        - `limit`: Residual at which the loop may end.
        - `steps`: Greatest number of steps.
        - `example`: example arguments of the call, of which structure, shapes and
            dtypes are kept.
        """
        return cls(
            limit=_real(limit),
            steps=_integer(steps, jnp.int32),
            structure=_structure_of(example),
        )

    def __call__(
        self, value: tuple[Int32[Array, ""], Float[Array, " size"]]
    ) -> Bool[Array, ""]:
        """Whether to go on from the number of steps taken and the residual."""
        given = _structure_of((value,))
        if given != self.structure:
            raise TypeError(
                f"`LoopCondition` takes the arguments {_shown(self.structure)}, as in its "
                f"example, and was given {_shown(given)}"
            )
        step, residual = value
        return (step < self.steps) & (
            jnp.max(jnp.abs(residual)) > jax.lax.stop_gradient(self.limit)
        )

    def as_function(self) -> Callable[..., Bool[Array, ""]]:
        """The call as a plain function, for whatever hashes the functions it is given.

        `jax.lax` loops and branches, `jax.jit` and `jax.checkpoint` do; arrays have no
        hash, and neither has a Module that holds them.
        """

        def function(
            value: tuple[Int32[Array, ""], Float[Array, " size"]],
        ) -> Bool[Array, ""]:
            return self(value)

        return function

    def trainable(self) -> "LoopCondition":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return jax.tree.map(lambda _: False, self)


def _structure_of(arguments: tuple[Any, ...]) -> Structure:
    """Shapes and dtypes of the leaves, and how they lie: hashable, and free of arrays."""
    if type(arguments) is not tuple:
        raise TypeError(
            "`example` must be the tuple of all arguments of the call, got "
            f"{arguments!r}"
        )
    leaves, treedef = jax.tree.flatten(arguments)
    return tuple(
        jax.ShapeDtypeStruct(jnp.shape(leaf), jnp.result_type(leaf)) for leaf in leaves
    ), treedef


def _shown(structure: Structure) -> str:
    structs, treedef = structure
    return str(jax.tree.unflatten(treedef, structs))
