"""Methods that take `*dims` and nothing else, for which there is no example."""

from pathlib import Path

from tests.ordinary.generated import generated

SKELETON = """
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Grid(Module):
    weight: Float[Array, " n"] = param("zeros")

    def axes(self, *dims):
        return [jnp.arange(size) * self.weight.no_such_attribute for size in dims]

    def __call__(self, x: Float[Array, " n"], *more) -> Float[Array, " n"]:
        return self.weight + x + len(more)
"""


def test_a_method_of_stars_alone_is_told(tmp_path: Path) -> None:
    assert "Grid: not tried: axes (no example for *dims)\n" in generated(tmp_path, {"grid": SKELETON})
