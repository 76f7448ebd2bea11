"""A part of the file that a field stores as it is, as `data()` has it, is an example as it is for an argument."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried

NORM = """
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, data, param


class Stats(NamedTuple):
    mean: Float[Array, " n"]
    var: Float[Array, " n"]


class Norm(Module):
    gain: Float[Array, " n"] = param("ones")
    stats: Stats = data()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        mean, var = self.stats
        return self.gain * (x - mean) / jnp.sqrt(1 + var**2)
"""


@pytest.mark.slow  # a run of its own
def test_a_named_tuple_of_the_file_is_an_example(tmp_path: Path) -> None:
    assert "class Norm(eqx.Module)" in tried(tmp_path, "norm", NORM)


TEACHER = """
import equinox as eqx
from jaxtyping import Array, Float
from scaffold.skeleton import Module, data, param


class Distilled(Module):
    gain: Float[Array, " n"] = param("ones")
    teacher: eqx.nn.Linear = data()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * self.teacher(x)
"""


@pytest.mark.slow  # a run of its own
def test_a_layer_of_a_library_is_an_example(tmp_path: Path) -> None:
    assert "teacher: eqx.nn.Linear" in tried(tmp_path, "distilled", TEACHER)
