"""Constructors that store what they are given: of arrays of which nothing says the shape, of an optimiser, and of the trees it takes."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried

SCALE = """import equinox as eqx
import jax
from jaxtyping import Array, Float


class Scale(eqx.Module):
    weight: jax.Array
    bias: jax.Array

    def __init__(self, weight, bias):
        self.weight = weight
        self.bias = bias

    def __call__(self, x):
        return self.weight @ x + self.bias
"""
MADE = SCALE.replace("def __init__(self", "@classmethod\n    def create(cls").replace(
    "        self.weight = weight\n        self.bias = bias\n",
    "        return cls(weight=weight, bias=bias)\n",
)
TRAINING = """from typing import Any, Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class TrainState(eqx.Module):
    step: jax.Array
    params: Any
    opt_state: optax.OptState
    apply_fn: Callable = eqx.field(static=True)
    tx: optax.GradientTransformation = eqx.field(static=True)

    @classmethod
    def create(cls, apply_fn, params, tx):
        return cls(
            step=jnp.zeros((), jnp.int32),
            params=params,
            opt_state=tx.init(params),
            apply_fn=apply_fn,
            tx=tx,
        )

    def apply_gradients(self, grads):
        updates, opt_state = self.tx.update(grads, self.opt_state, self.params)
        params = optax.apply_updates(self.params, updates)
        return TrainState(self.step + 1, params, opt_state, self.apply_fn, self.tx)
"""
GAIN = """import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float


class Gain(eqx.Module):
    gain: Float[Array, " bands"]
    smooth: float = eqx.field(static=True, default=0.04)

    @classmethod
    def create(cls, bands: int, smooth: float = 0.04) -> "Gain":
        return cls(jnp.ones(bands), smooth)

    def __call__(self, x: Float[Array, "time bands"]) -> Float[Array, "time bands"]:
        return self.smooth * self.gain * x
"""


@pytest.mark.parametrize("text", [SCALE, pytest.param(MADE, marks=pytest.mark.slow)], ids=["init", "create"])
def test_arrays_have_the_shapes_that_the_code_asks_for_and_are_stored_as_they_are(
    tmp_path: Path, text: str
) -> None:
    tried(tmp_path, "scale", text)
    suite = suite_text(tmp_path, "scale")
    assert '"weight": sample(seed, (3, 2)),' in suite and "copies_arrays = False" in suite


@pytest.mark.slow  # the same of arrays that say their shapes
def test_arrays_of_a_shape_that_is_said_are_stored_as_they_are(tmp_path: Path) -> None:
    text = SCALE.replace("weight: jax.Array", 'weight: Float[Array, "out in_"]')
    tried(tmp_path, "scale", text.replace("bias: jax.Array", 'bias: Float[Array, " out"]'))


@pytest.mark.slow
def test_what_an_optimiser_is_given_is_a_tree(tmp_path: Path) -> None:
    tried(tmp_path, "train_state", TRAINING)
    suite = suite_text(tmp_path, "train_state")
    assert 'Leaf("step", "param", dtype=None),' in suite and '"params": {"a": sample(' in suite
    assert "instance.apply_gradients(grads=instance.params)" in suite


@pytest.mark.slow  # a run of its own
def test_what_takes_sizes_and_gives_fields_by_place_is_the_constructor(tmp_path: Path) -> None:
    tried(tmp_path, "gain", GAIN)
    assert "return Gain.create(**inputs)" in suite_text(tmp_path, "gain")


def test_sizes_that_a_lambda_takes_stand_as_the_annotation_has_them(tmp_path: Path) -> None:
    text = """import jax
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Mix(Module):
    weight: Float[Array, "zeta mid alpha"] = param(
        lambda zeta, mid, alpha, key: jax.random.normal(key, (zeta, mid, alpha))
    )

    def __call__(self, x: Float[Array, " alpha"]) -> Float[Array, "zeta mid"]:
        return self.weight @ x
"""
    generated(tmp_path, {"mix": text})
    made = (tmp_path / "nets/mix.py").read_text("utf-8")
    assert made.index("zeta: int") < made.index("mid: int") < made.index("alpha: int")


def test_a_field_that_is_called_after_a_shape_has_the_type_that_it_says(tmp_path: Path) -> None:
    text = """import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, data, param


class Cosine(Module):
    weight: Float[Array, " n"] = param("ones")
    shape: tuple[int, ...] = data()

    def __init__(self, shape):
        self.shape = shape

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weight * x
"""
    generated(tmp_path, {"cosine": text})
    assert (tmp_path / "nets/cosine.py").is_file()
