"""Shapes that docstrings say with the arguments of the constructor, and numbers from 1 on, where a class refuses a zero."""

import pytest

from scaffold.adopt.child.classes.documented import shape_in
from tests.adopt.asking import Asked, asked_of

SOURCE = '''
import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np


class Spectral(eqx.Module):
    """Coefficients by degree and order."""

    weight: jax.Array
    in_channels: int = eqx.field(static=True)

    def __init__(self, in_channels: int, out_channels: int, lmax: int, *, key: jax.Array):
        self.weight = jax.random.normal(key, (in_channels, out_channels, lmax))
        self.in_channels = in_channels

    def __call__(self, x: jax.Array) -> jax.Array:
        """Mix the channels.

        Args:
            x: coefficients ``(batch, channels, lmax)``.
        """
        return jnp.einsum("bil,iol->bol", x, self.weight)


class Fourier(eqx.Module):
    """Waves on a grid of any number of axes."""

    weight: jax.Array
    spatial_dims: int = eqx.field(static=True)

    def __init__(self, in_channels: int, out_channels: int, spatial_dims: int = 2, *, key: jax.Array):
        self.weight, self.spatial_dims = jax.random.normal(key, (in_channels, out_channels)), spatial_dims

    def __call__(self, x: jax.Array) -> jax.Array:
        """Mix the channels of all waves.

        Args:
            x: input tensor (batch, in_channels, *spatial_dims)
        """
        batch, channels, *spatial = x.shape
        if len(spatial) != self.spatial_dims or channels != self.weight.shape[0]:
            raise ValueError("another grid")
        return jnp.moveaxis(jnp.moveaxis(jnp.fft.fft2(x).real, 1, -1) @ self.weight, -1, 1)


@dataclasses.dataclass
class System:
    """Atoms and where they are.

    Args:
        numbers: integers, of shape `(n,)`.
        positions: of shape `(n, 3)`.
    """

    numbers: jax.Array
    positions: jax.Array

    def __post_init__(self):
        if not isinstance(self.numbers, jax.core.Tracer) and np.any(np.asarray(self.numbers) < 1):
            raise ValueError("atomic numbers start with 1")


jax.tree_util.register_dataclass(System, ["numbers", "positions"], [])


class Energy(eqx.Module):
    """The energy of atoms."""

    scale: jax.Array

    def __call__(self, system: System) -> jax.Array:
        return self.scale * jnp.sum(system.positions) * jnp.sum(system.numbers)
'''
asked = asked_of("documented_axes", SOURCE)


def arguments_of(asked: Asked, name: str) -> list[str]:
    return [text for _, text, _ in asked.adopt(name)["arguments"]]


@pytest.mark.slow
def test_arguments_of_the_constructor_are_dims_of_what_a_docstring_says(asked: Asked) -> None:
    defaults = {"lmax": 4, "normalized_shape": None}
    assert shape_in("x: coefficients ``(batch, channels, lmax)``.", defaults) == "batch channels lmax"
    assert shape_in("x: coefficients ``(batch, channels, lmax)``.") == "", (
        "of three words one may be anything"
    )
    assert shape_in("x: [num_nodes, *normalized_shape]", defaults) == "", "a shape is of any number of axes"
    inputs = dict(asked.adopt("Spectral")["inputs"])
    [shape] = arguments_of(asked, "Spectral")
    assert f", {inputs['in_channels']}, {inputs['lmax']}))" in shape


@pytest.mark.slow
def test_a_starred_dim_has_as_many_axes_as_the_constructor_says(asked: Asked) -> None:
    [shape] = arguments_of(asked, "Fourier")
    assert shape.count(",") == 4, shape
    assert shape_in("x: (batch, *spatial_dims)", {"spatial_dims": 1}) == "batch spatial_dims_0"


def test_whole_numbers_are_from_1_on_where_a_class_refuses_a_zero(asked: Asked) -> None:
    assert dict(asked.adopt("System")["inputs"])["numbers"] == 'sample(seed, (3,), "int", 1, 3)'
    assert '"int", 1, 3' in arguments_of(asked, "Energy")[0]
