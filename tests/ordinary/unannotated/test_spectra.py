"""Shapes that the Fourier transform of an array says, and what coordinates are joined to."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried

SPECTRAL = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Spectral(eqx.Module):
    weight: jax.Array
    modes: int = eqx.field(static=True)

    def __init__(self, channels, modes, *, key):
        self.weight = jax.random.normal(key, (channels, modes))
        self.modes = modes

    def __call__(self, x):
        y = jnp.fft.rfft(x)[:, : self.modes]
        return jnp.fft.irfft(self.weight * y, n=x.shape[1])


class Block(eqx.Module):
    spectral: Spectral

    def __init__(self, width, modes, *, key):
        self.spectral = Spectral(width, modes, key=key)

    def __call__(self, x):
        return jax.nn.gelu(self.spectral(x))
"""
LIFT = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Lift(eqx.Module):
    lifting: eqx.nn.Conv2d

    def __init__(self, in_channels, width=8, *, key):
        # two more channels for the coordinates
        self.lifting = eqx.nn.Conv2d(in_channels + 2, width, kernel_size=1, key=key)

    def __call__(self, x):
        _, height, width = x.shape
        grid = jnp.ones((2, height, width))
        return self.lifting(jnp.concatenate([x, grid], axis=0))
"""


def test_the_channels_of_a_spectrum_are_those_of_what_is_transformed(tmp_path: Path) -> None:
    tried(tmp_path, "spectral", SPECTRAL)
    assert suite_text(tmp_path, "spectral").count("sample(seed, (2, 7))") == 2


@pytest.mark.slow
@pytest.mark.parametrize("joined", ["[x, grid]", "[grid, x]"])
def test_what_is_joined_to_coordinates_leaves_their_channels(tmp_path: Path, joined: str) -> None:
    tried(tmp_path, "lift", LIFT.replace("[x, grid]", joined))
    assert "sample(seed, (2, 8, 8))" in suite_text(tmp_path, "lift")
