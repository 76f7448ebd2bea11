"""Arrays of which code says that they are as long as each other, or are numbers: entries of a state, places, and arguments that are passed on."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried, whole_suite

HEAD = """
import dataclasses
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int


"""

CART = """
class State(NamedTuple):
    x: jax.Array
    v: jax.Array
    t: jax.Array


class Cart(eqx.Module):
    dt: float = eqx.field(static=True, default=0.1)

    def reset(self, key: jax.Array) -> State:
        values = jax.random.uniform(key, (2,))
        return State(values[0], values[1], jnp.zeros(()))

    def step(self, state: State, force: jax.Array) -> State:
        return State(state.x + self.dt * state.v, state.v + self.dt * jnp.sin(force), state.t + self.dt)

    def observe(self, state: State) -> jax.Array:
        return jnp.stack([state.x, state.v]) * state.t

    def rollout(self, state: State, forces: jax.Array) -> State:
        return jax.lax.scan(lambda state, force: (self.step(state, force), None), state, forces)[0]
"""


def test_a_state_that_is_begun_with_numbers_holds_numbers(tmp_path: Path) -> None:
    tried(tmp_path, "cart", HEAD + CART)
    assert "v=sample(seed + 101, ())" in (tmp_path / "nets/tests/test_cart.py").read_text("utf-8")


FIT = """
class Fit(eqx.Module):
    linear: eqx.nn.Linear

    def __init__(self, size: int, *, key: jax.Array):
        self.linear = eqx.nn.Linear(size, size, key=key)

    def loss(self, x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.mean((jax.vmap(self.linear)(x) - y) ** 2)

    def step(self, x: jax.Array, y: jax.Array) -> "Fit":
        def of(model):
            return model.loss(x, y)

        return eqx.apply_updates(self, eqx.filter_grad(of)(self))
"""


@pytest.mark.slow
def test_what_another_instance_is_called_with_has_the_shapes_of_its_method(tmp_path: Path) -> None:
    tried(tmp_path, "fit", HEAD + FIT)
    assert suite_text(tmp_path, "fit").count("sample(seed, (3, 2)), sample(seed + 1, (3, 2))") == 2


COO = """
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Coo:
    data: jax.Array
    rows: jax.Array
    columns: jax.Array
    size: int = dataclasses.field(metadata=dict(static=True))

    def row_sums(self) -> jax.Array:
        return jax.ops.segment_sum(self.data, self.rows, num_segments=self.size)

    def dense(self) -> jax.Array:
        return jnp.zeros((self.size, self.size)).at[self.rows, self.columns].add(self.data)
"""


@pytest.mark.slow
def test_parts_are_as_many_as_the_places_where_they_go(tmp_path: Path) -> None:
    tried(tmp_path, "coo", HEAD + COO)
    text = suite_text(tmp_path, "coo")
    assert text.count('(3,), "int32")') == 2 and "sample(seed, (3,))" in text


ARMS = """
class Arms(eqx.Module):
    weight: Float[Array, "arms dim"]

    def choose(self, x: Float[Array, " dim"]) -> Int[Array, ""]:
        return jnp.argmax(self.weight @ x)

    def regret(self, x: Float[Array, " dim"], rewards, key):
        {statement}
        return jnp.max(rewards) - {entry}
"""
ENTRIES = {
    "a method's": ("pass", "rewards[self.choose(x)]", "(2,)"),
    "drawn": ("i = jax.random.categorical(key, self.weight @ x)", "rewards[i]", "(2,)"),
    "along an axis": ("i = jnp.argmin(self.weight, axis=0)", "rewards[i] * x", "(2,)"),
    "along a later axis": ("i = self.choose(x)", "rewards[None, 0, i]", "(2, 3)"),
    "in order": ("order = jnp.argsort(self.weight @ x)[:2]", "2 * rewards[order]", "(2,)"),
    "computed with": ("i = self.choose(x) + 1", "rewards[i]", "(5,)"),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_places_along_an_array_say_how_long_another_is(tmp_path: Path, name: str) -> None:
    statement, entry, shape = ENTRIES[name]
    tests = whole_suite(tmp_path, "arms", HEAD + ARMS.format(statement=statement, entry=entry))
    assert f"sample(seed + 51, {shape})" in tests, tests.partition('"regret"')[2]
