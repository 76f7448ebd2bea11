"""Calls of Equinox that take an `eqx.nn.State` without an annotation that says so: what they do with it tells."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

BLOCKS = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Block(eqx.Module):
    linear: eqx.nn.Linear
    norm: eqx.nn.BatchNorm

    def __init__(self, a, b, *, key):
        self.linear = eqx.nn.Linear(a, b, key=key)
        self.norm = eqx.nn.BatchNorm(b, axis_name="batch", mode="batch")

    def __call__(self, x, state):
        x, state = self.norm(self.linear(x), state)
        return jax.nn.relu(x), state


class Net(eqx.Module):
    first: Block
    count: eqx.nn.StateIndex

    def __init__(self, size: int, hidden: int, *, key):
        self.first = Block(size, hidden, key=key)
        self.count = eqx.nn.StateIndex(jnp.zeros((), jnp.int32))

    def __call__(self, x, state):
        state = state.set(self.count, state.get(self.count) + 1)
        return self.first(x, state)
"""


@pytest.mark.slow
def test_what_layers_and_indices_take_beside_an_array_is_a_state(tmp_path: Path) -> None:
    tried(tmp_path, "blocks", BLOCKS, least=150)
    suite = (tmp_path / "nets/tests/test_blocks.py").read_text("utf-8")
    assert suite.count("(StateLaws)") == 2 and suite.count("out_axes=(0, None)") == 2


CARRY = """\
import equinox as eqx
import jax


class Leaky(eqx.Module):
    weight: jax.Array

    def __call__(self, x, state):
        state = 0.9 * state + self.weight * x
        return state, state
"""


def test_a_carry_of_arrays_is_none(tmp_path: Path) -> None:
    generated(tmp_path, {"leaky": CARRY})
    suite = (tmp_path / "nets/tests/test_leaky.py").read_text("utf-8")
    assert "StateLaws" not in suite and "make_with_state" not in suite


UNKNOWN = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Counted(eqx.Module):
    count: eqx.nn.StateIndex
    gain: jax.Array
    how: str = eqx.field(static=True)

    def __init__(self, how: str = "same"):
        self.count = eqx.nn.StateIndex(jnp.zeros((), jnp.int32))
        self.gain = jnp.ones(())
        self.how = how

    def __call__(self, x: jax.Array, state: eqx.nn.State) -> tuple[jax.Array, eqx.nn.State]:
        state = state.set(self.count, state.get(self.count) + 1)
        return self.gain * getattr(jnp, self.how)(x), state
"""


def test_a_class_whose_call_is_not_tried_is_built_with_its_state(tmp_path: Path) -> None:
    said = generated(tmp_path, {"counted": UNKNOWN})
    assert "Counted: not tried: __call__ (no example for x)" in said
    suite = (tmp_path / "nets/tests/test_counted.py").read_text("utf-8")
    assert "eqx.nn.make_with_state(Counted)(**inputs)[0]" in suite and "(PytreeLaws)" in suite
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 20


@pytest.mark.slow
def test_a_class_that_is_emitted_word_for_word_has_its_state(tmp_path: Path) -> None:
    text = (
        UNKNOWN.replace("static=True)", "static=True, repr=False)")
        .replace("x: jax.Array", "x")
        .replace("getattr(jnp, self.how)(x)", "(x @ jnp.ones(3))")
    )
    tried(tmp_path, "counted", text, least=60)
    suite = (tmp_path / "nets/tests/test_counted.py").read_text("utf-8")
    assert "(StateLaws)" in suite and "eqx.nn.make_with_state(Counted)(**self.inputs(seed))[1]" in suite
