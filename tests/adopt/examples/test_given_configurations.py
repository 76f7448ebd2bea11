"""What a class is built with that bases, errors and docstrings say of, and what chooses its configuration."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = '''
from __future__ import annotations

from typing import Any, TypeVar

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np


class Control(eqx.Module):
    action_dim: int = eqx.field(static=True)

    def __init__(self, action_dim: int, **kwargs):
        self.action_dim = action_dim


class SafeControl(Control):
    gain: jax.Array

    def __init__(self, gain=None, **kwargs):
        super().__init__(**kwargs)
        self.gain = jnp.ones(self.action_dim) if gain is None else gain


class Optimal(SafeControl):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x


class Box(eqx.Module):
    a: jax.Array
    b: jax.Array

    def __init__(self, a: jax.Array | list[float], b: jax.Array | list[float]):
        """
        a: Array [d]   lower bounds of the rectangle
        b: Array [d]   upper bounds of the rectangle
        """
        if not bool(jnp.all(jnp.asarray(b) > jnp.asarray(a))):
            raise ValueError("bounds must satisfy b > a coordinatewise")
        self.a, self.b = jnp.asarray(a), jnp.asarray(b)

    def __call__(self, x: jax.Array) -> jax.Array:
        return (x - self.a) / (self.b - self.a)


class Threshold(eqx.Module):
    thr: jax.Array
    how: str = eqx.field(static=True)

    def __init__(self, thr: jax.Array, how: str):
        valid = {"hard", "percentile", "top_n"}
        if how not in valid:
            raise ValueError(f"how must be one of {', '.join(sorted(valid))}; got {how!r}.")
        self.thr, self.how = thr, how

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.where(jnp.abs(x) > self.thr, x, 0.0)


class Coupling(eqx.Module):
    weight: jax.Array
    kept: tuple[int, ...] = eqx.field(static=True)

    def __init__(self, weight: jax.Array, mask: np.ndarray):
        """mask: boolean vector; it must be a concrete (numpy) array, it fixes the structure."""
        self.weight = weight
        self.kept = tuple(np.nonzero(np.asarray(mask, dtype=bool))[0].tolist())

    def __call__(self, x):
        return self.weight * x[..., jnp.asarray(self.kept, dtype=jnp.int32)].sum()


class Barrier(eqx.Module):
    dynamics: Any
    gains: tuple = eqx.field(static=True)

    def __init__(self, dynamics=None, barriers=None):
        """
        Args:
            dynamics: System dynamics object (None uses dummy dynamics)
            barriers: Optional explicit barrier functions
        """
        self.dynamics, self.gains = dynamics, tuple(barriers or [])

    def barrier(self, x: jax.Array) -> jax.Array:
        return jnp.tanh(x)


@dataclasses.dataclass(frozen=True)
class Settings:
    use_bias: bool = True


class Gated(eqx.Module):
    linear: eqx.nn.Linear

    def __init__(self, size: int, cfg: Config_, key: jax.Array):
        self.linear = eqx.nn.Linear(size, size, use_bias=cfg.use_bias, key=key)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.linear(x)


Gated.__type_params__ = (TypeVar("Config_", bound=Settings),)  # as Python 3.12 has it of `class Gated[Config_: Settings]`
'''
INPUTS = {
    "Optimal": {"action_dim": "1"},
    "Box": {"b": "4 + sample(seed + 1, (3,))"},
    "Threshold": {"how": '"hard"'},
    "Coupling": {"mask": 'np.asarray(sample(0, (3,), "bool"))'},
    "Gated": {"cfg": "Settings()"},
}
asked = asked_of("lib", SOURCE)


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", INPUTS)
def test_a_class_is_built_with_what_is_said_of_it(name: str, asked: Asked) -> None:
    found = asked.adopt(name)
    assert found["called"], found
    assert INPUTS[name].items() <= dict(found["inputs"]).items(), found["inputs"]


@pytest.mark.slow
def test_an_object_of_which_nothing_is_known_is_left_out(asked: Asked) -> None:
    assert asked.adopt("Barrier")["inputs"] == []
