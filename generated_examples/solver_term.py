from collections.abc import Callable
from os import PathLike
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import PyTreeDef
from jaxtyping import Array, ArrayLike, Float

from serialisation import load_tree, save_tree


def _real(value: ArrayLike) -> Array:
    """A copy that keeps the dtype of floats; other numbers take jax's default one."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if jnp.issubdtype(held, jnp.complexfloating):
        raise TypeError(f"real numbers are declared, got {held}")
    is_float = jnp.issubdtype(held, jnp.floating)
    return jnp.array(value, held if is_float else jnp.result_type(float))


Structure = tuple[tuple[jax.ShapeDtypeStruct, ...], PyTreeDef]


class SolverTerm(eqx.Module):
    """The vector field of a damped, driven oscillator of several coordinates: dy/dt = A
    y - c y + u sin(w t).
    """

    matrix: Float[Array, "size size"]
    damping: Float[Array, " size"]
    frequency: Float[Array, ""]
    structure: Structure = eqx.field(static=True)

    @classmethod
    def create(
        cls,
        matrix: Float[ArrayLike, "size size"],
        damping: Float[ArrayLike, " size"],
        frequency: Float[ArrayLike, ""],
        example: tuple[Any, ...],
    ) -> "SolverTerm":
        """Build an instance.

        **Arguments:**

        - `matrix`: Coupling A of the coordinates, in 1/s.
        - `damping`: Damping c, in 1/s.
        - `frequency`: Frequency w of the drive, in rad/s.
        - `example`: example arguments of the call, of which structure, shapes and
            dtypes are kept.
        """
        size, _ = np.shape(matrix)
        if np.shape(matrix) != (size, size):
            raise ValueError(
                f"`matrix` has shape {np.shape(matrix)}, which is not (size, size)"
            )
        if np.shape(damping) != (size,):
            raise ValueError(
                f"`damping` has shape {np.shape(damping)}, "
                f"and `matrix` {np.shape(matrix)}"
            )
        return cls(
            matrix=_real(matrix),
            damping=_real(damping),
            frequency=_real(frequency),
            structure=_structure_of(example),
        )

    def __call__(
        self, t: Float[Array, ""], y: Float[Array, " size"], args: Float[Array, " size"]
    ) -> Float[Array, " size"]:
        """The slope dy/dt at time `t` and state `y`, for the drive `args`."""
        given = _structure_of((t, y, args))
        if given != self.structure:
            raise TypeError(
                f"`SolverTerm` takes the arguments {_shown(self.structure)}, as in its "
                f"example, and was given {_shown(given)}"
            )
        return self.matrix @ y - self.damping * y + args * jnp.sin(self.frequency * t)

    def as_function(self) -> Callable[..., Float[Array, " size"]]:
        """The call as a plain function, for whatever hashes the functions it is given.

        `jax.lax` loops and branches, `jax.jit` and `jax.checkpoint` do; arrays have no
        hash, and neither has a Module that holds them.
        """

        def function(
            t: Float[Array, ""], y: Float[Array, " size"], args: Float[Array, " size"]
        ) -> Float[Array, " size"]:
            return self(t, y, args)

        return function

    def save(self, path: str | PathLike[str]) -> None:
        """Write the leaves to a safetensors file, with their paths and the static
        configuration.
        """
        save_tree(path, self)

    @classmethod
    def load(cls, path: str | PathLike[str], like: "SolverTerm") -> "SolverTerm":
        """Read what `save` wrote into a new instance.

        `like` is an instance of the same configuration, which stays as it is, or what
        `eqx.filter_eval_shape` makes of the constructor. Raises `ValueError` where the
        file is damaged, or does not fit `like`.
        """
        return load_tree(path, like)


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
