"""What a law meets beyond the values that a constructor gives: leaves that were moved, weights that are drawn, a carry that is weakly typed."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, Method, sample
from right.test_right_forms import finding, left_out, suite


class Expansion(eqx.Module):
    """Modes with eigenvalues, which are above zero."""

    eigenvalues: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.where(self.eigenvalues > 0, jnp.sqrt(self.eigenvalues), 1.0) * x


class Guarded(Expansion):
    """A slope that is NaN at the values that it is built with, where an argument is below zero."""

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.where(x > 0, self.eigenvalues * jnp.sqrt(x), x)


@pytest.mark.parametrize(("cls", "severity"), [(Expansion, "advice"), (Guarded, "fault")])
def test_a_slope_that_is_nan_where_leaves_were_moved_is_advice(cls: Any, severity: str) -> None:
    form = suite(
        lambda seed: cls(1 + jnp.abs(sample(seed, (3,)))), leaves=(Leaf("eigenvalues", "param", (3,)),)
    )
    text = finding(form, "p09_no_gradient_is_nan_where_the_output_is_finite")
    assert text.startswith(f"{severity}: with random values"), text


class Bayesian(eqx.Module):
    weight: jax.Array
    scale: jax.Array

    def __call__(self, x: jax.Array, key: jax.Array) -> jax.Array:
        noise = jax.random.normal(key, self.weight.shape, self.weight.dtype)
        return x @ (self.weight + self.scale * noise)


class Shared(Bayesian):
    """A mask that is one for all rows."""

    def __call__(self, x: jax.Array, key: jax.Array) -> jax.Array:
        return x @ self.weight + self.scale[0] * jax.random.normal(key, (2,), x.dtype)


class Mirrored(Bayesian):
    """A decision that is one for the image."""

    def __call__(self, x: jax.Array, key: jax.Array) -> jax.Array:
        return jnp.where(jax.random.bernoulli(key), x[:, ::-1], x) @ self.weight


def drawing(cls: Any) -> Any:
    return suite(
        lambda seed: cls(sample(seed, (3, 2)), sample(seed + 1, (3, 2))),
        given=lambda seed: (sample(seed, (4, 3)), jax.random.key(seed)),
        leaves=(Leaf("weight", "param", (3, 2)), Leaf("scale", "param", (3, 2))),
    )


@pytest.mark.parametrize(("cls", "severity"), [(Bayesian, "advice"), (Shared, "fault")])
def test_one_draw_of_the_weights_for_all_rows_is_advice(cls: Any, severity: str) -> None:
    text = finding(drawing(cls), "p15_rows_of_a_batch_differ_in_their_noise")
    assert text.startswith(f"{severity}: each row of the batch has one and the same noise"), text


def test_one_number_that_decides_for_the_call_is_no_noise_of_rows() -> None:
    text = left_out(drawing(Mirrored), "p15_rows_of_a_batch_differ_in_their_noise")
    assert "the call draws single numbers" in text


class Counted(eqx.Module):
    """What an optimiser keeps: numbers without a dtype until the first update."""

    weight: jax.Array
    count: jax.Array


def counted(dtype: Any) -> Any:
    def following(state: Counted, x: jax.Array) -> Counted:
        return Counted(state.weight + x, jnp.asarray(state.count + 1, dtype))

    method = Method("next_state", lambda seed: (sample(seed, (3,)),), call=following, carry="self")
    return suite(lambda seed: Counted(sample(seed, (3,)), jnp.asarray(0)), called=False, methods=(method,))


def test_a_carry_that_loses_a_weak_type_costs_and_one_of_another_dtype_is_a_fault() -> None:
    text = finding(counted(jnp.int32), "p11_methods_carry_the_instance")
    assert text.startswith("cost: the next instance is {'count': ((), 'int32', False)}, it was {'count':"), (
        text
    )
    text = finding(counted(jnp.float32), "p11_methods_carry_the_instance")
    assert text.startswith("fault: the next instance is {'count': ((), 'float32', False)}, it was"), text
