"""Variables of NNX that code reads and sets by `.value`, and by `get_value` and `set_value`."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried

CENTRED = """\
import jax.numpy as jnp
from flax import nnx


class Mean(nnx.Variable):
    pass


class Centred(nnx.Module):
    def __init__(self, dim: int, decay: float = 0.9):
        self.mean = Mean(jnp.zeros(dim))
        self.decay = decay

    def __call__(self, x, *, update: bool = True):
        if update:
            mean = self.decay * self.mean.value + (1 - self.decay) * x.mean(0)
            self.mean.value = mean
        return x - self.mean.value
"""


@pytest.mark.parametrize(
    ("read", "write"),
    [("self.mean.value", "self.mean.value = mean"), ("self.mean.get_value()", "self.mean.set_value(mean)")],
)
def test_a_value_that_is_read_and_set_is_that_of_the_variable(tmp_path: Path, read: str, write: str) -> None:
    text = CENTRED.replace("self.mean.value = mean", write).replace("self.mean.value", read)
    text = text if write != "self.mean.value = mean" else CENTRED
    tried(tmp_path, "centred", text)
    assert 'updates = ("mean",)' in (tmp_path / "nets/tests/test_centred.py").read_text("utf-8")


NORM = """\
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Nnx, buffer, param, state


class Norm(Nnx):
    scale: Float[Array, " n"] = param("ones")
    mean: Float[Array, " n"] = state("zeros")
    table: Float[Array, " n"] = buffer("ones")

    def __call__(self, x: Float[Array, "rows n"]) -> Float[Array, "rows n"]:
        self.mean.value = 0.9 * self.mean.value + 0.1 * x.mean(0)
        return (x - self.mean.get_value()) * self.scale.value + self.table.value

    def reset(self) -> None:
        self.mean.set_value(jnp.zeros_like(self.mean.value))
"""


@pytest.mark.slow
def test_what_the_tool_writes_reads_values_by_brackets_and_guards_buffers(tmp_path: Path) -> None:
    code = tried(tmp_path, "norm", NORM)
    assert "self.mean[...] = 0.9 * self.mean[...] + 0.1 * x.mean(0)" in code
    assert "(x - self.mean[...]) * self.scale[...]" in code and ".value" not in code
    assert "jax.lax.stop_gradient(" in code
    assert "self.mean.set_value(jnp.zeros_like(self.mean[...]))" in code


def test_the_value_of_what_is_no_array_is_an_attribute(tmp_path: Path) -> None:
    text = (
        "import enum\n\nimport equinox as eqx\nimport jax\n\n\nclass Way(enum.Enum):\n    UP = 1.0\n    DOWN = -1.0\n\n\n"
        "class Shift(eqx.Module):\n    by: jax.Array\n    way: Way = eqx.field(static=True)\n\n"
        "    def __call__(self, x):\n        return x + self.way.value * self.by\n"
    )
    generated(tmp_path, {"shift": text})
    assert "self.way.value * self.by" in (tmp_path / "nets/shift.py").read_text("utf-8")
