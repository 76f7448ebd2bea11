"""Modules of NNX that make nothing, or Variables of a type of their own file."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

IDENTITY = """
import jax
from flax import nnx


class Identity(nnx.Module):{constructor}
    def __call__(self, x: jax.Array) -> jax.Array:
        return x
"""
CONSTRUCTORS = (
    "",
    "\n    def __init__(self):\n        pass\n",
    '\n    def __init__(self):\n        """Nothing is made."""\n',
    "\n    def __init__(self, *, rngs: nnx.Rngs):\n        pass\n",
)


@pytest.mark.spread(5)
@pytest.mark.parametrize("constructor", CONSTRUCTORS)
def test_a_module_that_makes_nothing_is_written(tmp_path: Path, constructor: str) -> None:
    generated(tmp_path, {"identity": IDENTITY.replace("{constructor}", constructor)})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 30
    text = (tmp_path / "nets/identity.py").read_text("utf-8")
    assert ("def __init__(self, *, rngs: nnx.Rngs):" in text) == ("rngs" in constructor)


GRID = """
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float


class Grid(nnx.Module):
    def __init__(self, bins: int = 5):
        self.bins = bins

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.clip(x, -self.bins, self.bins)
"""


@pytest.mark.slow
def test_a_module_that_stores_a_number_alone_is_tried(tmp_path: Path) -> None:
    tried(tmp_path, "grid", GRID)


OWN_TYPE = """
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float


class Average(nnx.Variable):
    pass


class Running(Average):
    pass


class Scale(nnx.Module):
    def __init__(self, size: int):
        self.scale = nnx.Param(jnp.ones(size))

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.scale * x


class Norm(nnx.Module):
    def __init__(self, size: int):
        self.mean = Running(jnp.zeros(size))

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        self.mean[...] = 0.9 * self.mean[...] + 0.1 * x
        return x - self.mean
"""


@pytest.mark.slow
def test_a_variable_type_of_the_file_is_held_to(tmp_path: Path) -> None:
    generated(tmp_path, {"norms": OWN_TYPE})
    assert 'Var("mean", Running, ' in suite_text(tmp_path, "norms")
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 100
    module = tmp_path / "nets/norms.py"
    module.write_text(module.read_text("utf-8").replace("= Running(", "= nnx.Param("), "utf-8")
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "it is a Param, declared is Running" in ran.stdout, ran.stdout
