"""Plain code of Equinox and Flax, without a word of the tool: it means what it means there."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int32, PRNGKeyArray
from scaffold.skeleton import Namedtuple, data, test


"""
NOISY = """class Noisy(eqx.Module):
    linear: eqx.nn.Linear
    inference: bool

    def __init__(self, size: int, *, key):
        self.linear = eqx.nn.Linear(size, size, key=key)
        self.inference = False

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.linear(x) if self.inference else 2 * self.linear(x)
"""
MASKED = """@test(values={"notes": lambda: jnp.ones(3), "mask": lambda: jnp.array([True, False, True])})
class Masked(eqx.Module):
    linear: eqx.nn.Linear

    def __init__(self, *, key):
        self.linear = eqx.nn.Linear(3, 3, key=key)

    def __call__(self, notes: jax.Array, mask: jax.Array | None = None) -> jax.Array:
        y = self.linear(notes)
        return y if mask is None else jnp.where(mask, y, 0)
"""
RING = """class Ring(Namedtuple):
    obs: Float[Array, " n"] = data()
    head: Int32[Array, ""] = data()

    def first(self) -> Float[Array, ""]:
        return self.obs[self.head % self.obs.shape[0]]
"""
STARTING = """class Starting(Namedtuple):
    board: Array = data(lambda: jnp.zeros(4))
"""
UNTRIED = """class Untried(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(size, size, rngs=rngs)
        self.size = size

    def __call__(self, carry: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.tanh(self.linear(carry) + x)

    def initial(self, batch: int) -> jax.Array:
        return jnp.zeros((batch, self.size))
"""
CENTRED = """class Centred(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(size, size, rngs=rngs)
        self.offset = nnx.Variable(jnp.zeros(size))

    def __call__(self, x: Float[Array, "batch size"]) -> Float[Array, "batch size"]:
        return self.linear(x - self.offset[...])
"""
BENDS = """class Bends(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.conv1 = nnx.Conv(1, 4, (3,), rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.conv2 = nnx.Conv(4, 4, (3,), rngs=rngs)

    def __call__(self, x: Float[Array, "batch length 1"]) -> Float[Array, "batch length 4"]:
        return nnx.relu(self.conv2(nnx.relu(self.norm(self.conv1(x)))))

    def loss(self, x: Float[Array, "batch length 1"]) -> Float[Array, ""]:
        return jnp.mean(self(x) ** 2)
"""
CLASSES = {
    "noisy": NOISY,
    "masked": MASKED,
    "ring": RING,
    "starting": STARTING,
    "untried": UNTRIED,
    "centred": CENTRED,
    "bends": BENDS,
}


@pytest.mark.spread(8)
@pytest.mark.parametrize("name", CLASSES)
def test_its_tests_pass(name: str, tmp_path: Path) -> None:
    generated(tmp_path, {name: HEAD + CLASSES[name]})
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 45


def test_a_flag_of_equinox_stays_a_leaf(tmp_path: Path) -> None:
    generated(tmp_path, {"noisy": HEAD + NOISY})
    assert "    inference: bool\n" in (tmp_path / "nets/noisy.py").read_text("utf-8"), (
        "which `inference_mode` sets"
    )


def test_a_value_is_given_though_its_argument_may_be_left_out(tmp_path: Path) -> None:
    generated(tmp_path, {"masked": HEAD + MASKED})
    assert "jnp.array([True, False, True])" in suite_text(tmp_path, "masked")
