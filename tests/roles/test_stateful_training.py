"""A train state with the `equinox.nn.State` of its model: batch norm in a hand-written network, trained under jit and scan."""

import importlib
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

NETWORK = '''
import equinox as eqx
import jax


class Network(eqx.Module):
    """A layer, batch norm, and another layer."""

    hidden: eqx.nn.Linear
    norm: eqx.nn.BatchNorm
    out: eqx.nn.Linear

    def __init__(self, *, key):
        hidden_key, out_key = jax.random.split(key)
        self.hidden = eqx.nn.Linear(2, 4, key=hidden_key)
        self.norm = eqx.nn.BatchNorm(4, axis_name="batch", mode="ema")
        self.out = eqx.nn.Linear(4, 1, key=out_key)

    def __call__(self, x, state):
        y, state = self.norm(self.hidden(x), state)
        return self.out(jax.nn.relu(y)), state
'''
SPEC = """
name = "TrainState"
kind = "train-state"

[fields]
model = "networks:Network"

[options]
state = true

[test.values]
model = "=eqx.nn.make_with_state(Network)(key=jax.random.key(seed))[0]"
state = "=eqx.nn.make_with_state(Network)(key=jax.random.key(seed))[1]"
"""
OPTIMISER = optax.adam(0.05)


@pytest.fixture(scope="module", name="project")
def _project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_tree(
        tmp_path_factory.mktemp("stateful"), {"networks.py": NETWORK, "specs/train_state.toml": SPEC}
    )
    result = scaffold(folder, "new-module", "--spec", "specs/train_state.toml")
    assert result.returncode == 0, result.stderr
    return folder


@pytest.fixture(name="start")
def _start(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A train state at its first step."""
    monkeypatch.syspath_prepend(str(project))
    for name in ("networks", "train_state"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    network = importlib.import_module("networks").Network
    model, state = eqx.nn.make_with_state(network)(key=jax.random.key(0))
    yield importlib.import_module("train_state").TrainState.create(model, OPTIMISER, state)


def loss(model: Any, state: Any, x: Any, y: Any) -> Any:
    called = jax.vmap(model, axis_name="batch", in_axes=(0, None), out_axes=(0, None))
    predicted, state = called(x, state)
    return jnp.mean((predicted - y) ** 2), state


def step(train: Any, x: Any, y: Any) -> tuple[Any, Any]:
    value = eqx.filter_value_and_grad(loss, has_aux=True)
    (error, state), slopes = value(train.model, train.state, x, y)
    return train.apply_gradients(slopes, OPTIMISER, state), error


def batch(seed: int) -> tuple[Any, Any]:
    x = jax.random.normal(jax.random.key(seed), (8, 2), jnp.float32) + 3.0
    return x, jnp.sum(x, axis=1, keepdims=True)


@pytest.mark.slow
def test_the_generated_tests_pass(project: Path) -> None:
    assert passed(forked_pytest(project)) > 20


@pytest.mark.slow
def test_two_steps_under_jit_keep_structure_and_move_the_state(start: Any) -> None:
    compiled = eqx.filter_jit(step)
    first, _ = compiled(start, *batch(0))
    second, _ = compiled(first, *batch(1))
    assert jax.tree.structure(second) == jax.tree.structure(start)
    assert int(second.step) == 2
    states = [jax.tree.leaves(one.state) for one in (start, first, second)]
    moved = [
        any(not jnp.array_equal(a, b) for a, b in zip(*pair, strict=True))
        for pair in itertools.pairwise(states)
    ]
    assert moved == [True, True]


@pytest.mark.slow
def test_scan_takes_the_same_two_steps(start: Any) -> None:
    arrays, rest = eqx.partition(start, eqx.is_array)
    rows = jax.tree.map(lambda *leaves: jnp.stack(leaves), batch(0), batch(1))

    def advance(arrays: Any, row: Any) -> tuple[Any, Any]:
        after, error = step(eqx.combine(arrays, rest), *row)
        return eqx.filter(after, eqx.is_array), error

    scanned, errors = jax.lax.scan(advance, arrays, rows)
    compiled = eqx.filter_jit(step)
    looped = eqx.filter(compiled(compiled(start, *batch(0))[0], *batch(1))[0], eqx.is_array)
    assert errors.shape == (2,)
    assert jax.tree.structure(scanned) == jax.tree.structure(looped)
    assert jax.tree.all(jax.tree.map(lambda a, b: jnp.allclose(a, b, atol=1e-5), scanned, looped))


def test_the_statistics_follow_the_data(start: Any) -> None:
    compiled = eqx.filter_jit(step)
    train, errors = start, []
    for seed in range(60):
        train, error = compiled(train, *batch(seed))
        errors.append(float(error))
    assert errors[-1] < 0.2 * errors[0]
    model = eqx.nn.inference_mode(train.model)
    predicted, _ = jax.vmap(model, in_axes=(0, None), out_axes=(0, None))(batch(99)[0], train.state)
    assert float(jnp.mean((predicted - batch(99)[1]) ** 2)) < 0.5 * errors[0]
