"""Statistics behind `stop_gradient`, in a class that stays as it is written: its author means it, and a warning says what it costs."""

from pathlib import Path

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


def test_who_writes_stop_gradient_is_warned_and_fails_nothing(tmp_path: Path) -> None:
    generated(tmp_path, {"running": RUNNING})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert ran.returncode == 0, ran.stdout
    assert "`jax.lax.stop_gradient` on data, or on what the call updates" in ran.stdout, "a warning"
    suite = tmp_path / "nets/tests/test_running.py"
    suite.write_text(suite.read_text("utf-8").replace('    severity = "fault"\n', ""), "utf-8")
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "test_p09_gradients_flow_through_data_and_state" in ran.stdout and ran.returncode == 1, ran.stdout
