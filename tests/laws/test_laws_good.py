"""The laws hold for classes that are right, ours and Equinox's own."""

import pathlib
import shutil
import subprocess
import sys

import pytest
from harness.runner import PACKAGE, run
from mistakes.reported import structure as pitfalls
from mistakes.reported.catalogue import PITFALLS
from mutants import decay as mutants_decay
from mutants import stacked as mutants_stacked
from mutants import training as mutants_training
from right import layers as good_layers
from right import styles as good_styles
from right.specimens import GOOD

from pytree_laws import PytreeLaws
from pytree_laws.laws import LAWS
from scaffold.laws import law_table

RIGHT = (
    mutants_decay.DecayLaws,
    mutants_stacked.TowerLaws,
    mutants_training.RightDataLaws,
    mutants_training.RightFrozenLaws,
    mutants_training.RightAdapterLaws,
    mutants_training.RightThawingLaws,
)
EVERY = (*GOOD, *RIGHT, *good_styles.GOOD, *good_layers.GOOD, *pitfalls.GOOD)


@pytest.mark.spread(11)
@pytest.mark.parametrize(
    "suite",
    dict.fromkeys([*EVERY, *(pair.fixed for pair in PITFALLS.values())]),
    ids=lambda suite: suite.__name__,
)
def test_good_classes_hold_every_law(suite):
    outcome = run(suite)
    assert not outcome, "\n".join(message for found in outcome.values() for message in found)
    assert len(outcome.ran) > 15


def test_the_statements_can_be_read_without_importing_jax():
    read = {number: (law.name, law.statement, law.mistake, law.fix) for number, law in law_table().items()}
    assert read == {number: tuple(law[1:5]) for number, law in LAWS.items()}
    assert list(LAWS) == [f"P{number}" for number in range(1, 23)]
    assert all(all(law[:5]) for law in LAWS.values())


def test_every_law_has_a_test():
    tests = [name for name in dir(PytreeLaws) if name.startswith("test_")]
    assert {f"P{int(name[6:8])}" for name in tests} == set(LAWS)


PLAIN = """
import sys
sys.modules["equinox"] = None  # as if it were not installed
import jax, jax.numpy as jnp
from pytree_laws import Leaf, Output, PytreeLaws, sample

class Scale:
    def __init__(self, weight):
        self.weight = jnp.array(weight)
    def __init_subclass__(cls):
        raise TypeError
    def __call__(self, x):
        return self.weight * x

def unflatten(_, children):
    self = object.__new__(Scale)
    (self.weight,) = children
    return self

jax.tree_util.register_pytree_with_keys(
    Scale, lambda s: (((jax.tree_util.GetAttrKey("weight"), s.weight),), ()), unflatten
)

class TestScale(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)),)
    returns = (Output((3,)),)
    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}
    def build(self, weight):
        return Scale(weight)
    def arguments(self, seed):
        return (sample(seed, (3,)),)
    def call(self, scale, *arguments):
        return scale(*arguments)
"""


@pytest.mark.spread(3)
@pytest.mark.parametrize("x64", ["0", "1"])
def test_the_folder_stands_alone(tmp_path: pathlib.Path, x64: str):
    shutil.copytree(PACKAGE, tmp_path / "pytree_laws", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "test_scale.py").write_text(PLAIN)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env={"PATH": "", "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": x64, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed" not in done.stdout
