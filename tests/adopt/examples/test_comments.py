"""Shapes that comments in a method say, and what `dim`, resolutions and powers of two are to a constructor without annotations."""

import pytest

from scaffold.adopt.child.classes.documented import comments_in
from tests.adopt.asking import Asked, asked_of

SOURCE = """
import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx


class Embed(nnx.Module):
    def __init__(self, dim, *, rngs):
        self.proj = nnx.Linear(dim, 2 * dim, rngs=rngs)

    def __call__(self, x):  # (batch, tokens, dim)
        if x.ndim != 3:
            raise ValueError("no such picture")
        return self.proj(x)


class Pair(nnx.Module):
    def __init__(self, dim, *, rngs):
        self.proj = nnx.Linear(dim, dim, rngs=rngs)

    def __call__(self, x, mask):
        # mask: (batch, tokens)
        # x.shape = (batch, tokens, dim)
        if x.ndim != mask.ndim + 1:
            raise ValueError("no such mask")
        return self.proj(x) * mask[..., None]


class Grid(nnx.Module):
    def __init__(self, input_resolution, dim, *, rngs):
        self.height, self.width = tuple(input_resolution)
        self.proj = nnx.Linear(dim, dim, rngs=rngs)

    def __call__(self, x):
        return self.proj(x) / (self.height * self.width)


@dataclasses.dataclass
class Settings:
    nside: int
    channels: int
    classes: int
    depth: int = 2

    def __post_init__(self):
        if self.nside & (self.nside - 1):
            raise ValueError(f"nside must be a power of two, got {self.nside}")
        if self.nside < 12:
            raise ValueError(f"nside^2 ({self.nside**2}) must be divisible by 4^4")


class Sphere(nnx.Module):
    def __init__(self, params, *, rngs):
        self.proj = nnx.Linear(params.channels, params.classes, rngs=rngs)
        self.depth = params.depth

    def __call__(self, x):
        return self.proj(x)
"""
asked = asked_of("comments_in_calls", SOURCE)


def shapes_of(asked: Asked, name: str) -> list[int]:
    """How many axes each argument of the call has."""
    answer = asked.adopt(name)
    assert answer["built"] and answer["called"], answer
    return [
        source[source.index("(", 7) :].partition(")")[0].count(",") + 1
        for _, source, _ in answer["arguments"]
    ]


class Embedded:
    def __call__(self, x):  # (batch, tokens, dim)
        return x


@pytest.mark.slow
def test_a_comment_beside_the_first_line_of_a_call_says_a_shape(asked: Asked) -> None:
    assert comments_in(Embedded, "__call__", ["x"]) == {"x": "batch tokens dim"}
    assert shapes_of(asked, "Embed") == [3]


@pytest.mark.slow
def test_comments_in_a_call_say_the_shapes_of_what_they_name(asked: Asked) -> None:
    assert shapes_of(asked, "Pair") == [3, 2]


@pytest.mark.slow
def test_a_resolution_has_two_parts_and_a_dim_of_a_constructor_is_a_size(asked: Asked) -> None:
    inputs = dict(asked.adopt("Grid")["inputs"])
    assert inputs["input_resolution"] == "(3, 2)" and int(inputs["dim"]) > 1, inputs


def test_what_errors_ask_of_settings_is_tried_before_all_else(asked: Asked) -> None:
    inputs = dict(asked.adopt("Sphere")["inputs"])
    assert inputs["params"].startswith(("Settings(nside=16", "Settings(nside=32")), inputs
