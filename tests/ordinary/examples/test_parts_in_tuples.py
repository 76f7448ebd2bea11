"""Tuples of parts, and dims that are called as they are."""

from pathlib import Path

from tests.ordinary.generated import suite_text, tried

SKELETON = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Gain(eqx.Module):
    gain: Float[Array, ""]

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * x


class Chain(eqx.Module):
    parts: tuple[Gain, ...]

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, "parts n"]:
        steps = []
        for part in self.parts:
            x = part(x)
            steps.append(x)
        return jnp.stack(steps)
"""


def test_a_tuple_is_given_and_its_length_is_no_dim_of_its_name(tmp_path: Path) -> None:
    tried(tmp_path, "parts", SKELETON)
    suite = suite_text(tmp_path, "parts")
    assert '"parts": (' in suite and "Output((None, 2))" in suite
