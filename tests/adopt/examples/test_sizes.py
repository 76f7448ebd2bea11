"""The sizes of what a call is given: those that the class names, and as many places as it reads; and what positions are."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.adopt.test_adopt import adopt
from tests.support.trees import write_tree

SOURCE = '''
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Adapted(eqx.Module):
    """A norm whose annotations read their dims off the instance."""

    x_dim: int = eqx.field(static=True)
    y_dim: int = eqx.field(static=True)
    weight: jax.Array

    def __init__(self, x_dim: int, y_dim: int):
        self.x_dim, self.y_dim = x_dim, y_dim
        self.weight = jnp.full((2 * x_dim, y_dim), 0.5, "float32")

    def __call__(
        self, x: Float[Array, "{self.x_dim}"], y: Float[Array, "{self.y_dim}"]
    ) -> Float[Array, "{self.x_dim}"]:
        scale, shift = jnp.split(self.weight @ y, 2)
        return jnp.exp(scale) * x + shift


class Spheres(eqx.Module):
    """Spheres that rays meet; three coordinates are read one by one."""

    radii: Float[Array, " count"]

    def distance(self, origin, direction):
        along = origin[0] * direction[0] + origin[1] * direction[1] + origin[2] * direction[2]
        return jnp.min(jax.vmap(lambda radius: along - radius)(self.radii))


class Planes(eqx.Module):
    """Planes that rays meet; the direction is a matrix product, and the origin read one by one."""

    normals: Float[Array, "count 3"]

    def distance(self, origin, direction):
        along = jnp.stack([origin[0], origin[1], origin[2]])
        return jnp.min(jnp.tanh(self.normals @ direction) + self.normals @ along)


class Sensors(eqx.Module):
    """Sensors in space, which have a place and a rotation."""

    positions: Array
    rotations: Array

    def __call__(self, x: Float[Array, ""]) -> Array:
        return x * self.positions + self.rotations


class Tokens(eqx.Module):
    """Tokens in a sequence."""

    table: Float[Array, " size"]

    def __call__(self, positions: Array) -> Array:
        return self.table[positions]


class Wide(eqx.Module):
    """A projection of a width that nobody chooses."""

    weight: jax.Array

    def __init__(self):
        self.weight = jnp.full((3, 96), 0.5, "float32")

    def __call__(self, x):
        return self.weight @ x


class Sums(eqx.Module):
    """Reads a coordinate, and takes any number of them."""

    weight: Float[Array, ""]

    def __call__(self, x):
        return self.weight * jnp.tanh(x.sum()) + x[1]
'''


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = write_tree(tmp_path_factory.mktemp("sizes"), {"shapes.py": SOURCE})
    report = json.loads(adopt(folder, "shapes", "--json").stdout)
    return {one["class"].rpartition(":")[2]: one for one in report["classes"]}


@pytest.mark.slow
def test_dims_that_are_read_off_the_instance_are_those_of_the_instance(adopted: dict[str, Any]) -> None:
    assert adopted["Adapted"]["arguments"] == ["sample(seed, (3,))", "sample(seed, (2,))"]


@pytest.mark.slow
def test_a_vector_has_as_many_places_as_are_read(adopted: dict[str, Any]) -> None:
    assert adopted["Spheres"]["arguments"] == ["sample(seed, (3,))", "sample(seed + 1, (3,))"]
    assert adopted["Planes"]["arguments"] == ["sample(seed, (3,))", "sample(seed + 1, (3,))"]
    assert adopted["Sums"]["arguments"] == ["sample(seed, (5,))"]


@pytest.mark.slow
def test_a_large_size_that_the_instance_holds_is_tried_as_well(adopted: dict[str, Any]) -> None:
    assert adopted["Wide"]["arguments"] == ["sample(seed, (96,))"]


@pytest.mark.slow  # a run of its own
def test_positions_are_places_in_space_beside_rotations_and_indices_elsewhere(
    adopted: dict[str, Any],
) -> None:
    assert '"int"' not in adopted["Sensors"]["built"]
    assert '"int"' in adopted["Tokens"]["arguments"][0]


@pytest.mark.slow  # a search of its own in another interpreter
def test_a_mode_that_keeps_another_state_is_not_called_with_that_of_the_example(tmp_path: Path) -> None:
    ran = adopt(tmp_path, "equinox.nn:BatchNorm", "--dry-run")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "fault" not in ran.stdout
