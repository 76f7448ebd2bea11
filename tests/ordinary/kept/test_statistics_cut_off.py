"""Statistics behind `stop_gradient`, in a class that stays as it is written: its author means it, and a warning says what it costs."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated
from tests.support.forking import forked_pytest

RUNNING = """\
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float


class Running(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.own = nnx.Linear(size, size, rngs=rngs)
        self.spread = nnx.BatchStat(jnp.ones(size))

    def __call__(self, x: Float[Array, "b size"]) -> Float[Array, "b size"]:
        hidden = self.own(x)
        spread = jax.lax.stop_gradient(jnp.mean(jnp.abs(hidden), axis=0))
        self.spread[...] = 0.9 * self.spread[...] + 0.1 * spread
        return hidden / (self.spread[...] + 1e-3)
"""


@pytest.mark.slow  # a run of its own
def test_who_writes_stop_gradient_is_warned_and_fails_nothing(tmp_path: Path) -> None:
    generated(tmp_path, {"running": RUNNING})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert ran.returncode == 0, ran.stdout
    assert "`jax.lax.stop_gradient` on data, or on what the call updates" in ran.stdout, "a warning"
    suite = tmp_path / "nets/tests/test_running.py"
    suite.write_text(suite.read_text("utf-8").replace('    severity = "fault"\n', ""), "utf-8")
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "test_p09_gradients_flow_through_data_and_state" in ran.stdout and ran.returncode == 1, ran.stdout


TABLES = """\
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Encoded(eqx.Module):
    weight: Float[Array, "size size"]
    table: Float[Array, "most size"]

    def __init__(self, size: int, most: int, *, key: Array):
        self.weight = jax.random.normal(key, (size, size))
        self.table = jnp.sin(jnp.arange(most)[:, None] * jnp.arange(1, size + 1))

    def __call__(self, x: Float[Array, "time size"]) -> Float[Array, "time size"]:
        return (x + jax.lax.stop_gradient(self.table)[: x.shape[0]]) @ self.weight
"""


@pytest.mark.slow  # a run of its own
def test_a_table_behind_stop_gradient_is_warned_of_where_weight_decay_moves_it(tmp_path: Path) -> None:
    generated(tmp_path, {"encoded": TABLES})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert ran.returncode == 0, ran.stdout
    assert "`stop_gradient` cuts it off, and weight decay moves it" in ran.stdout, "a warning"
