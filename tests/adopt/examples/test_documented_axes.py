"""Shapes that docstrings say with the arguments of the constructor, and numbers from 1 on, where a class refuses a zero."""

import pytest

from scaffold.adopt.child.classes.documented import shape_in
from tests.adopt.asking import Asked, asked_of

SOURCE = '''
import dataclasses
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

GATES = {"wide" * 2: jax.nn.relu}


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


class Network(NamedTuple):
    """Reaches of a river.

    Attributes:
        n_reaches: Number of reaches
        lengths: Reach lengths [n_reaches]
    """

    n_reaches: int
    lengths: jax.Array


class Router(eqx.Module):
    network: Network

    def route(self, inflows: jax.Array) -> jax.Array:
        """Routes.

        Args:
            inflows: [n_steps, n_reaches] in volumes by time
        """
        return inflows * self.network.lengths + jnp.zeros(self.network.n_reaches)


class Gated(eqx.Module):
    weight: jax.Array

    def __init__(self, rows: int, columns: int, *, key: jax.Array):
        self.weight = jax.random.normal(key, (rows, columns))

    def __call__(self, x: jax.Array, *, gate: str) -> jax.Array:
        x = x @ self.weight
        if gate not in GATES:
            raise ValueError(f"there is no gate {gate!r}")
        return GATES[gate](x)


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


class Wishart(eqx.Module):
    """A distribution of matrices.

    * `df >= k` denotes the degrees of freedom,
    * `root` is a symmetric, positive definite, `k x k` matrix.
    """

    df: jax.Array
    root: jax.Array

    def __init__(self, df, root):
        if isinstance(root, jax.core.Tracer):
            pass
        elif df.ndim or df < root.shape[-1] or np.any(np.linalg.eigvals(root).real <= 0):
            raise ValueError("no such distribution")
        self.df, self.root = df, root

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.df * self.root * x
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


def test_a_dim_alone_in_brackets_is_a_number_beside_the_array(asked: Asked) -> None:
    assert shape_in("lengths: of each reach [n_reaches]") == "n_reaches"
    assert shape_in("lengths: of each reach [km]") == shape_in("flow: of water [litres]") == ""
    found = asked.adopt("Router")
    size = found["inputs"][0][1].partition("n_reaches=")[2].partition(",")[0]
    assert f"lengths=sample(seed, ({size},)" in found["inputs"][0][1], found["inputs"]
    assert arguments_of(asked, "Router")[0].endswith(f", {size}))")


@pytest.mark.slow
def test_what_code_refuses_by_itself_is_the_reason_before_what_does_not_fit(asked: Asked) -> None:
    assert asked.adopt("Gated")["why"].startswith("ValueError: there is no gate"), asked.adopt("Gated")


def test_the_items_of_a_list_say_what_arguments_are(asked: Asked) -> None:
    assert shape_in("a 3x3 rotation matrix") == "3 3" and shape_in("a complex covariance matrix") == ""
    assert asked.adopt("Wishart")["inputs"] == [
        ["df", "4 + sample(seed)"],
        ["root", "sample(seed, (3, 3)) / 8 + jnp.eye(3)"],
    ]
