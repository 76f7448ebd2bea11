"""Arguments without an annotation, of which another method of the class says what they are."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried, whole_suite

HEAD = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int


class Cloud(NamedTuple):
    x: Float[Array, "n d"]
    log_w: Float[Array, " n"]


class Filter(eqx.Module):
    move: Float[Array, "d d"]

    def predict(self, cloud: "Cloud", times: int = 1) -> Cloud:
        return cloud._replace(x=times * cloud.x @ self.move)

    def drawn(self, count: int, key):
        return jax.random.normal(key, (count,)) + self.move.sum()

"""
CLOUD = "Cloud(x=sample(seed + 5100, (3, 2)), log_w=sample(seed + 5101, (3,)))"
METHODS = {
    "rebound": ("step(self, cloud, y)", "cloud = self.predict(cloud)", "y * cloud.x", CLOUD),
    "read before": (
        "step(self, cloud, y)",
        "y = y * cloud.x",
        "y @ self.predict(cloud).x.T",
        CLOUD,
    ),
    "by name": ("step(self, cloud)", "cloud = self.predict(cloud=cloud)", "cloud.x", CLOUD),
    "a number": (
        "step(self, much, key)",
        "noise = self.drawn(much, key)",
        "noise[0]",
        "instance.step(3, key)",
    ),
}


@pytest.mark.parametrize("name", METHODS)
def test_what_a_method_takes_as_it_is_given_is_what_another_says(tmp_path: Path, name: str) -> None:
    signature, statement, result, given = METHODS[name]
    code = f"    def {signature}:\n        {statement}\n        return {result}\n"
    tests = " ".join(whole_suite(tmp_path, "filter", HEAD + code).split())
    step = tests.partition('"step"')[2].replace("( ", "(")
    assert given in step


def test_a_name_that_is_bound_before_says_nothing(tmp_path: Path) -> None:
    code = "    def step(self, x):\n        x = Cloud(x, x[:, 0])\n        return self.predict(x)\n"
    tests = " ".join(whole_suite(tmp_path, "filter", HEAD + code).split())
    assert 'Method("step", lambda seed: (sample(seed' in tests, tests


@pytest.mark.slow
def test_its_tests_pass(tmp_path: Path) -> None:
    steps = "    def step(self, cloud, y):\n        cloud = self.predict(cloud)\n        return y * cloud.x\n"
    tried(tmp_path, "filter", HEAD + steps)
    assert CLOUD in suite_text(tmp_path, "filter")
