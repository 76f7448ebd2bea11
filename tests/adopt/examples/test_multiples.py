"""Sizes that errors ask to be multiples of others, also several of them, and beside an option whose default raises."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import dataclasses

import equinox as eqx
import jax
from flax import nnx

plain = nnx.initializers.xavier_uniform()


@dataclasses.dataclass(frozen=True)
class Config:
    hidden_size: int
    num_layers: int
    num_heads: int
    num_channels: int
    image_size: int
    patch_size: int
    norm_epsilon: float

    def __post_init__(self):
        if self.hidden_size % self.num_heads:
            raise ValueError("hidden_size must be divisible by num_heads")
        if self.image_size % self.patch_size:
            raise ValueError("patch_size must divide image_size")
        if self.norm_epsilon <= 0:
            raise ValueError("norm_epsilon must be positive")


class Mix(eqx.Module):
    weight: jax.Array
    config: Config = eqx.field(static=True)

    @classmethod
    def init(cls, config: Config, *, key: jax.Array) -> "Mix":
        return cls(jax.random.normal(key, (config.hidden_size,) * 2), config)

    def __call__(self, x: jax.Array) -> jax.Array:
        return (self.weight @ x).reshape(self.config.num_heads, -1)


class Encoder(nnx.Module):
    def __init__(
        self, hidden_size: int, mlp_dim: int, num_heads: int, fsdp: bool = True, *, rngs: nnx.Rngs
    ):
        if hidden_size % num_heads:
            raise ValueError(f"Dimension ({hidden_size}) must be divisible by the heads ({num_heads}).")
        if fsdp:
            raise ValueError("there is one device alone")
        self.up = nnx.Linear(hidden_size, mlp_dim, kernel_init=plain, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.up(x)


@dataclasses.dataclass(frozen=True)
class Settings:
    mode: str

    def __post_init__(self):
        if len(self.mode) < 40:
            raise ValueError("nobody knows this mode")


class Odd(eqx.Module):
    settings: Settings = eqx.field(static=True)
    scale: jax.Array


class Heads(eqx.Module):
    weight: jax.Array

    def __init__(self, hidden_size: int, *, key: jax.Array):
        heads = hidden_size // 64
        if hidden_size % heads:
            raise ValueError("as many features in each head")
        self.weight = jax.random.normal(key, (heads, hidden_size // heads))

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight @ x


class Joined(eqx.Module):
    layer: eqx.Module

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.layer(jax.numpy.concatenate([x, jax.numpy.tanh(x)], axis=-1))
"""
asked = asked_of("multiples", SOURCE)


def test_several_sizes_are_multiples_of_others(asked: Asked) -> None:
    [[name, text], _] = asked.adopt("Mix")["inputs"]
    assert (name, text.partition("(")[0]) == ("config", "Config")
    assert "hidden_size=6" in text and "num_heads=2" in text, text


@pytest.mark.slow
def test_an_option_whose_default_raises_is_given_beside_sizes(asked: Asked) -> None:
    inputs = dict(asked.adopt("Encoder")["inputs"])
    assert inputs["fsdp"] == "False" and int(inputs["hidden_size"]) % int(inputs["num_heads"]) == 0


@pytest.mark.slow
def test_what_the_class_of_an_argument_raised_is_told(asked: Asked) -> None:
    answer = asked.adopt("Odd")
    assert (answer["why"], answer["unknown"]) == (
        "`settings`: ValueError: nobody knows this mode",
        ["settings"],
    )


def test_a_size_that_is_divided_into_parts_has_two_of_them(asked: Asked) -> None:
    assert dict(asked.adopt("Heads")["inputs"])["hidden_size"] == "128"


def test_a_module_that_is_given_two_inputs_side_by_side_takes_twice_their_size(asked: Asked) -> None:
    answer = asked.adopt("Joined")
    assert dict(answer["inputs"])["layer"].startswith("eqx.nn.Linear(6, 3, ")
    assert [text for _, text, _ in answer["arguments"]] == ["sample(seed, (3,))"]
