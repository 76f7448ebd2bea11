"""Layers of Equinox that keep the channels first, as `GroupNorm` and `BatchNorm`: behind them stand as many axes as others say."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried

BLOCK = """\
import equinox as eqx
import jax


class Block(eqx.Module):
    norm: eqx.nn.GroupNorm
    conv: eqx.nn.Conv2d

    def __init__(self, cin, cout, groups=1, *, key):
        self.norm = eqx.nn.GroupNorm(groups, cin)
        self.conv = eqx.nn.Conv2d(cin, cout, 3, padding=1, key=key)

    def __call__(self, x):
        return self.conv(jax.nn.silu(self.norm(x)))
"""
STATEFUL = (
    BLOCK.replace("GroupNorm(groups, cin)", 'BatchNorm(cin, axis_name="batch", mode="batch")')
    .replace("GroupNorm", "BatchNorm")
    .replace("self, x)", "self, x, state)")
    .replace(
        "return self.conv(jax.nn.silu(self.norm(x)))",
        "x, state = self.norm(x, state)\n        return self.conv(x), state",
    )
    .replace(", groups=1", "")
)
ALONE = STATEFUL.replace("self.conv(x)", "self.linear(x)").replace(
    "conv: eqx.nn.Conv2d", "linear: eqx.nn.Linear"
)
ALONE = ALONE.replace(
    "self.conv = eqx.nn.Conv2d(cin, cout, 3, padding=1, key=key)",
    "self.linear = eqx.nn.Linear(cin, cout, key=key)",
)


@pytest.mark.spread(3)
@pytest.mark.parametrize("skeleton", [BLOCK, STATEFUL, ALONE], ids=["group", "batch", "vector"])
def test_a_norm_over_channels_has_the_axes_that_others_say(tmp_path: Path, skeleton: str) -> None:
    tried(tmp_path, "block", skeleton)


PADDED = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Periodic(eqx.Module):
    conv: eqx.nn.Conv2d

    def __init__(self, inputs: int, outputs: int, *, key):
        self.conv = eqx.nn.Conv2d(inputs, outputs, 3, key=key)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.conv(jnp.pad(x, ((0, 0), (1, 1), (1, 1)), mode="wrap"))
"""
TURNED = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Rotation(eqx.Module):
    offset: jax.Array

    def __call__(self, angle: jax.Array, x: jax.Array) -> jax.Array:
        c, s = jnp.cos(angle / 2), jnp.sin(angle / 2)
        return jnp.array([[c, -s], [s, c]]) @ x + self.offset
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "skeleton"), [("periodic", PADDED), ("rotation", TURNED)])
def test_axes_are_those_that_a_padding_and_a_written_matrix_have(
    tmp_path: Path, name: str, skeleton: str
) -> None:
    tried(tmp_path, name, skeleton)
