from os import PathLike

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from migrations import load_migrated
from serialisation import load_tree, save_tree


def _real(value: ArrayLike) -> Array:
    """A copy that keeps the dtype of floats; other numbers take jax's default one."""
    held = jnp.result_type(*jax.tree.leaves(value))  # of a list, too
    if jnp.issubdtype(held, jnp.complexfloating):
        raise TypeError(f"real numbers are declared, got {held}")
    is_float = jnp.issubdtype(held, jnp.floating)
    return jnp.array(value, held if is_float else jnp.result_type(float))


class RandomFeatures(eqx.Module):
    """Random Fourier features of a Gaussian kernel. The frequencies are drawn anew from
    a key at each call, so that a large number of them takes no memory and the saved
    file is small.
    """

    # What changed from version to version, the oldest first, for files of former ones.
    migrations = ()
    frequency_key: PRNGKeyArray
    width: Float[Array, " in_size"]
    features: int = eqx.field(static=True)

    @classmethod
    def create(
        cls,
        frequency_key: PRNGKeyArray,
        width: Float[ArrayLike, " in_size"],
        features: int,
    ) -> "RandomFeatures":
        """Build an instance.

        **Arguments:**

        - `frequency_key`: The key of the frequencies.
        - `width`: Width of the kernel along each input.
        - `features`: Number of features.

        **Raises:**

        - `ValueError` unless `features > 0`.
        """
        return cls(
            frequency_key=jnp.array(frequency_key),
            width=_real(width),
            features=features,
        )

    def __check_init__(self) -> None:
        if type(self.features) is not int:
            raise TypeError(
                f"`features` is static and must be an int, got {self.features!r}"
            )
        if not (self.features > 0):
            raise ValueError(
                f"`features` must satisfy `features > 0`, got {self.features!r}"
            )

    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " 2*features=_"]:
        """The cosines and sines of `x` along the random frequencies."""
        shape = (self.features, x.shape[0])
        frequencies = jax.random.normal(self.frequency_key, shape, x.dtype)
        phases = frequencies @ (x / self.width)
        waves = jnp.concatenate([jnp.cos(phases), jnp.sin(phases)])
        return waves / jnp.sqrt(jnp.asarray(self.features, x.dtype))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the leaves to a safetensors file, with their paths and the static
        configuration.
        """
        save_tree(path, self)

    @classmethod
    def load(
        cls, path: str | PathLike[str], like: "RandomFeatures", *, migrate: bool = False
    ) -> "RandomFeatures":
        """Read what `save` wrote into a new instance.

        `like` is an instance of the same configuration, which stays as it is, or what
        `eqx.filter_eval_shape` makes of the constructor. Raises `ValueError` where the
        file is damaged, or does not fit `like`.

        With `migrate` the file may be one of a former version of the class;
        `migrations` tells what changed since. New fields are as in `like`, which is an
        instance then.
        """
        return load_migrated(path, like) if migrate else load_tree(path, like)

    def trainable(self) -> "RandomFeatures":
        """Filter spec by field: True at each trained array, False at every other leaf."""
        return jax.tree_util.tree_map_with_path(
            lambda path, leaf: (
                path[0].name not in ("frequency_key",) and eqx.is_inexact_array(leaf)
            ),
            self,
        )
