"""`scaffold adopt --step`: a suite of laws for a training step that exists."""

from pathlib import Path

import pytest

from tests.support.projects import scaffold
from tests.support.trees import read_tree, write_tree

TRAIN = """
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

OPTIMISER = optax.adam(1e-2)


def create(seed):
    params = {"weight": jax.random.normal(jax.random.key(seed), (3,)), "bias": jnp.zeros(())}
    return params, OPTIMISER.init(params)


def batch_of(seed, size=8):
    x = jax.random.normal(jax.random.key(seed), (size, 3))
    return x, x.sum(1)


def loss_of(params, batch):
    x, y = batch
    return jnp.mean((x @ params["weight"] + params["bias"] - y) ** 2)


@jax.jit
def train_step(state, batch):
    params, moments = state
    loss, grads = jax.value_and_grad(loss_of)(params, batch)
    updates, moments = OPTIMISER.update(grads, moments)
    return (optax.apply_updates(params, updates), moments), loss


@jax.jit
def in_parts(params, moments, batch):
    after, loss = train_step((params, OPTIMISER.init(params)), batch)
    return after, loss
"""
EXPECTED = '''\
"""Tests of the training step `train_step`."""

from typing import Any

from pytree_laws import StepLaws

from net.train import batch_of, create, train_step


class TestTrainStep(StepLaws):
    """The laws on `train_step`, from two batches."""

    def state(self, seed: int) -> Any:
        return create(seed)

    def batch(self, seed: int) -> Any:
        return batch_of(seed, size=16)

    def step(self, state: Any, batch: Any) -> Any:
        return train_step(state, batch)
'''
STATE, BATCH = ("--state", "create(seed)"), ("--batch", "batch_of(seed, size=16)")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_tree(
        tmp_path,
        {"net/__init__.py": "", "net/train.py": TRAIN, "pyproject.toml": '[project]\nname = "net"\n'},
    )
    return tmp_path


@pytest.mark.slow  # its neighbours are tried in every run
def test_the_suite_is_written_and_passes(project: Path) -> None:
    ran = scaffold(project, "adopt", "--step", "net.train:train_step", *STATE, *BATCH)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (project / "tests/test_train_step.py").read_text() == EXPECTED
    assert "9 passed" in ran.stdout


@pytest.mark.slow
def test_a_step_with_a_call_of_its_own_that_loses_its_moments_fails(project: Path) -> None:
    call = ("--call", "in_parts(*state, batch)")
    ran = scaffold(project, "adopt", "--step", "net.train:in_parts", *STATE, *BATCH, *call)
    assert ran.returncode == 1
    assert "S6 advances, at `1.0.count`: each step writes it, and none reads it" in ran.stdout


@pytest.mark.slow  # a run of its own
def test_functions_may_be_called_as_the_arguments_of_a_step(project: Path) -> None:
    text = TRAIN.replace("batch_of", "batch").replace("def create", "def state")
    write_tree(project, {"net/train.py": text})
    expressions = ("--state", "state(seed)", "--batch", "batch(seed)")
    ran = scaffold(project, "adopt", "--step", "net.train:train_step", *expressions)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (
        "from net.train import batch, state, train_step" in (project / "tests/test_train_step.py").read_text()
    )
    assert "--no-register" not in ran.stdout


def test_nothing_is_written_in_a_dry_run(project: Path) -> None:
    before = read_tree(project)
    ran = scaffold(project, "adopt", "--step", "net.train:train_step", *STATE, *BATCH, "--dry-run")
    assert ran.returncode == 0
    assert read_tree(project) == before


FAULTS = {
    ("--step", "net.train"): "names no function of an importable module",
    ("--step", "net.train:train_step", *STATE): "--batch: is not given, and a training step needs it",
    ("--step", "net.train:train_step", *BATCH): "--state: is not given, and a training step needs it",
    ("--step", "net.train:train_step", *STATE, "--batch", "x ="): "--batch: is no expression",
    ("--state", "create(seed)", "net.train"): "--state: is for a training step",
    ("net.train", "--step", "net.train:train_step"): "--step: is given beside targets",
    (): "TARGET: is missing",
}


@pytest.mark.parametrize("arguments", FAULTS, ids=lambda arguments: " ".join(arguments) or "nothing")
def test_a_fault_says_what_is_wrong_and_writes_nothing(arguments: tuple[str, ...], project: Path) -> None:
    before = read_tree(project)
    ran = scaffold(project, "adopt", *arguments)
    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert FAULTS[arguments] in ran.stderr
    assert read_tree(project) == before
