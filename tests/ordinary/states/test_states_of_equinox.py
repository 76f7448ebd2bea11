"""States that `eqx.nn.State` holds: a call takes them and gives them, beside those of its parts."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
"""


NORMED = """

class Block(eqx.Module):
    linear: eqx.nn.Linear
    norm: eqx.nn.BatchNorm

    def __init__(self, size: int, *, key: PRNGKeyArray):
        self.linear = eqx.nn.Linear(size, size, key=key)
        self.norm = eqx.nn.BatchNorm(size, axis_name="batch", mode="batch")
        assert size > 0

    def __call__(self, x: Float[Array, " size"], state: eqx.nn.State) -> tuple[Float[Array, " size"], eqx.nn.State]:
        return self.norm(self.linear(x), state)


class Net(eqx.Module):
    block: Block
    head: eqx.nn.Linear

    def __init__(self, size: int, *, key: PRNGKeyArray):
        first, second = jax.random.split(key)
        self.block = Block(size, key=first)
        self.head = eqx.nn.Linear(size, 2, key=second)
        assert size > 0

    def features(self, x: Float[Array, " size"], state: eqx.nn.State) -> tuple[Float[Array, " size"], eqx.nn.State]:
        return self.block(x, state)

    def __call__(self, x: Float[Array, " size"], state: eqx.nn.State) -> tuple[Float[Array, "2"], eqx.nn.State]:
        x, state = self.features(x, state)
        return self.head(x), state
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_a_class_averages_over_the_axes_of_the_classes_that_it_makes(tmp_path: Path) -> None:
    said = generated(tmp_path, {"normed": HEAD + NORMED})
    assert "Net: not tried: features (may average over the axis `batch`)" in said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off", "-k", "p05 or p07 or p12")) > 40
    suite = suite_text(tmp_path, "normed")
    assert suite.count('axis_name="batch"') == 2


OBSERVER = """
@jax.custom_vjp
def cubed(x):
    return x**3


cubed.defvjp(lambda x: (cubed(x), x), lambda x, g: (3 * x**2 * g,))


class Observer(eqx.Module):
    seen: eqx.nn.StateIndex

    def __init__(self):
        self.seen = eqx.nn.StateIndex(jnp.array(0.5, jnp.float32))

    def __call__(self, x: Float[Array, " n"], state: eqx.nn.State) -> tuple[Float[Array, " n"], eqx.nn.State]:
        top = jnp.maximum(state.get(self.seen), jnp.max(jnp.abs(x)))
        return cubed(x / top) * top, state.set(self.seen, top)
"""


def test_a_rule_for_the_way_back_alone_has_slopes_through_a_state(tmp_path: Path) -> None:
    tried(tmp_path, "observer", HEAD + OBSERVER, least=80)


SCALED = (
    OBSERVER.replace("cubed(x / top) * top", "x / top")
    + """

class Scaled(eqx.Module):
    linear: eqx.nn.Linear
    act: Observer

    def __init__(self, n: int, m: int, *, key: jax.Array):
        self.linear = eqx.nn.Linear(n, m, key=key)
        self.act = Observer()

    def __call__(self, x: Float[Array, " n"], state: eqx.nn.State) -> tuple[Float[Array, " m"], eqx.nn.State]:
        x, state = self.act(x, state)
        return self.linear(x), state
"""
)


@pytest.mark.slow
def test_what_holds_a_part_with_a_state_hands_that_on(tmp_path: Path) -> None:
    tried(tmp_path, "scaled", HEAD + SCALED, least=160)


CODEBOOK = """
class Codes(NamedTuple):
    values: jax.Array
    which: jax.Array


class Codebook(eqx.Module):
    table: eqx.nn.StateIndex

    def __init__(self, codes: int, dim: int, *, key: jax.Array):
        self.table = eqx.nn.StateIndex(jax.random.normal(key, (codes, dim)))

    def __call__(self, x: jax.Array, state: eqx.nn.State) -> tuple[Codes, eqx.nn.State]:
        table = state.get(self.table)
        which = jnp.argmax(table @ x)
        return Codes(table[which], which), state

    def lookup(self, which: jax.Array, state: eqx.nn.State) -> jax.Array:
        return state.get(self.table)[which]
"""


@pytest.mark.slow  # the classes of other subjects are tried in every run
def test_a_record_is_given_beside_a_state(tmp_path: Path) -> None:
    tried(tmp_path, "codebook", HEAD + CODEBOOK)
