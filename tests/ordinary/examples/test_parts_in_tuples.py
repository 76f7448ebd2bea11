"""Tuples of parts, dims that are called as they are, and methods of a base that run what a subclass writes."""

from pathlib import Path

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest

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
BASE = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Grammar(eqx.Module):
    weights: jax.Array

    def __init__(self, n: int, *, key: jax.Array):
        self.weights = jax.random.normal(key, (n,))

    def harmony(self, violations):
        return -(violations @ self.weights)

    def log_probs(self, violations):
        raise NotImplementedError

    def loss(self, violations, winner):
        return -self.log_probs(violations)[winner]


class Softmax(Grammar):
    def log_probs(self, violations):
        return jax.nn.log_softmax(self.harmony(violations))
"""


def test_a_tuple_is_given_and_its_length_is_no_dim_of_its_name(tmp_path: Path) -> None:
    tried(tmp_path, "parts", SKELETON)
    suite = suite_text(tmp_path, "parts")
    assert '"parts": (' in suite and "Output((None, 2))" in suite


def test_a_method_of_a_base_is_a_guess_as_in_one_class(tmp_path: Path) -> None:
    generated(tmp_path, {"softmax": BASE})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert ran.returncode == 0 and "not tried: the example of `loss` is a guess" in ran.stdout, ran.stdout
