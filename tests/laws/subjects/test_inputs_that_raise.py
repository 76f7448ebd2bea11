"""Inputs of an example that cannot be made are told once, as a constructor that raises is."""

from pathlib import Path

from tests.support.forking import forked_pytest
from tests.support.trees import write_tree

SUITE = """
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
from pytree_laws import Leaf, PytreeLaws, sample


@dataclass(frozen=True)
class Config:
    width: int
    heads: int = 64

    def __post_init__(self):
        if self.width % self.heads:
            raise ValueError("the width is no multiple of the heads")


class Mixer(eqx.Module):
    weight: jax.Array

    def __init__(self, config):
        self.weight = jnp.ones(config.width)

    def __call__(self, x):
        return self.weight * x


class TestMixer(PytreeLaws):
    leaves = (Leaf("weight", "param"),)
    static = {}

    def inputs(self, seed):
        return {"config": Config(width=3)}

    def build(self, **inputs):
        return Mixer(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, instance, *arguments):
        return instance(*arguments)
"""


def test_one_law_tells_it_and_the_others_are_skipped(tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_mixer.py": SUITE})
    done = forked_pytest(tmp_path, "--numbers=off")
    assert "1 failed, " in done.stdout and " skipped" in done.stdout, done.stdout
    told = "`build` on the example raised ValueError: the width is no multiple of the heads"
    assert f"P1 construct, at `build`: {told}" in done.stdout
