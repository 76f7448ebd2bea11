"""States that a method gives: `adopt` makes another method's argument of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.projects import scaffold
from tests.support.trees import write_tree

STATES = """
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp


class _Velocity(NamedTuple):
    last: jax.Array
    steps: jax.Array


class Descent(eqx.Module):
    rate: jax.Array

    def __init__(self):
        self.rate = jnp.array(0.1, jnp.float32)

    def init(self, fn: Callable[[Any, Any], tuple[Any, Any]], y: jax.Array, options: dict[str, Any]) -> _Velocity:
        if y.shape != (5,) or not callable(fn):
            raise ValueError("another size")
        return _Velocity(jnp.zeros_like(y), jnp.zeros((), jnp.int32))

    def step(
        self, fn: Callable[[Any, Any], tuple[Any, Any]], y: jax.Array, options: dict[str, Any], velocity: _Velocity
    ) -> tuple[jax.Array, _Velocity]:
        if not isinstance(velocity, _Velocity) or velocity.last.shape != y.shape:
            raise ValueError("another state")
        last = FORM * velocity.last - self.rate.astype(y.dtype) * fn(y, None)[0]
        return y + last, _Velocity(last, velocity.steps + 1)
"""


ENERGY = """
import equinox as eqx
import jax.numpy as jnp


class Neurons(eqx.Module):
    size: int = eqx.field(static=True)

    def init(self):
        return jnp.zeros(self.size)

    def energy(self, xhat, x):
        return jnp.sum(xhat * x) - jnp.tanh(x)

    def activations(self, x):
        return jnp.tanh(x)
"""


def adopt(folder: Path, target: str) -> subprocess.CompletedProcess[str]:
    return scaffold(folder, "adopt", target, "--python", sys.executable)


@pytest.mark.slow  # a run of its own
@pytest.mark.spread(3)
@pytest.mark.parametrize(("form", "found"), [("0.5", False), ("float(velocity.steps + 0.5)", True)])
def test_a_state_that_a_method_gives_is_what_another_takes(tmp_path: Path, form: str, found: bool) -> None:
    write_tree(tmp_path, {"descents.py": STATES.replace("FORM", form)})
    result = adopt(tmp_path, "descents.py:Descent")
    text = (tmp_path / "tests/test_descent.py").read_text()
    assert "self.make(seed).init(residual, sample(seed, (5,)), {})" in text
    assert "y, velocity = arguments" in text and "instance.step(residual, y, {}, velocity)" in text
    assert "def residual(value: Any, given: Any) -> Any:" in text
    assert (result.returncode, "P7" in result.stdout) == ((1, True) if found else (0, False)), result.stdout


@pytest.mark.slow
def test_a_method_beside_the_call_takes_the_state_of_an_instance_too(tmp_path: Path) -> None:
    write_tree(tmp_path, {"neurons.py": ENERGY})
    result = adopt(tmp_path, "neurons.py:Neurons")
    text = (tmp_path / "tests/test_neurons.py").read_text()
    assert '"energy", lambda seed: (sample(seed, (3,)), TestNeurons().make(seed).init())' in text
    assert "instance.activations(x)" in text
    assert result.returncode == 0, result.stdout
