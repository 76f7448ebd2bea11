"""Shapes that equations and checks say: `jnp.einsum`, a `raise` that compares lengths, and a type of any rank."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float
"""

LAYER = """
class Layer(eqx.Module):
    weight: jax.Array

    def __init__(self, inner: int, outer: int, *, key):
        self.weight = jax.random.normal(key, (outer, inner))

    def __call__(self, x: jax.Array):
        return jnp.einsum(EQUATION)
"""


@pytest.mark.parametrize(
    ("equation", "shape"),
    [
        ('"on,tbn->tbo", self.weight, x', "(5, 7, 2)"),
        ('"... n, o n -> ... o", x, self.weight', "(2,)"),
        ('"on,n->o", self.weight, x.astype(jnp.float32)', "(2,)"),
    ],
)
def test_an_equation_says_the_axes_of_its_operands(equation: str, shape: str, tmp_path: Path) -> None:
    said = generated(tmp_path, {"layer": HEAD + LAYER.replace("EQUATION", equation)})
    assert "not tried" not in said and f"sample(seed, {shape})" in suite_text(tmp_path, "layer")


SPECTRUM = """
class Spectrum(eqx.Module):
    weight: Array
    modes: tuple[int, ...]

    def __init__(self, ndim: int, channels: int, modes: tuple[int, ...] | int, *, key):
        if isinstance(modes, int):
            modes = (modes,) * ndim
        if len(modes) != ndim:
            raise ValueError("one number of modes for each dim")
        self.modes = modes
        self.weight = jax.random.normal(key, (channels, *modes))

    def __call__(self, x: Float[Array, " n"]) -> Array:
        return self.weight * jnp.sum(x)
"""


def test_the_length_of_a_tuple_decides_what_is_compared_with_it(tmp_path: Path) -> None:
    generated(tmp_path, {"spectrum": HEAD + SPECTRUM})
    suite = suite_text(tmp_path, "spectrum")
    assert '"ndim": 2' in suite and '"modes": (2, 3)' in suite


EXPANDED = """\
import jax
import jax.numpy as jnp
from flax import nnx


class Gated(nnx.Module):
    def __init__(self, dim: int, expand: int = 2, *, rngs: nnx.Rngs):
        inner = expand * dim
        width = inner
        self.up = nnx.Linear(dim, 2 * width, rngs=rngs)
        self.down = nnx.Linear(inner, dim, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        h, z = jnp.split(self.up(x), 2, axis=-1)
        return self.down(h * jax.nn.silu(z))
"""


def test_a_size_that_a_constructor_names_is_what_it_computes(tmp_path: Path) -> None:
    tried(tmp_path, "gated", EXPANDED)
