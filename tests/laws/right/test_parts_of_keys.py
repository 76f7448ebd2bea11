"""Keys of which some are used and then others, and methods that reach no parameter by design."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, Method, PytreeLaws, sample
from right.test_right_forms import finding, suite, weight


def total(keys: jax.Array) -> jax.Array:
    """The sum of the draws of the first two of some keys."""
    return sum((jax.random.normal(key, (3,)) for _, key in zip(range(2), keys, strict=False)), jnp.zeros(3))


class Codec(eqx.Module):
    """Draws from the first keys, from those behind them, and from those behind these."""

    down: jax.Array
    up: jax.Array

    def __init__(self, key: jax.Array, behind: int):
        keys = jax.random.split(key, 6)
        self.down, self.up = total(keys[2:]), total(keys[:2]) - total(keys[behind:])


@pytest.mark.parametrize(("behind", "message"), [(4, ""), (3, "fault: a key is used twice")])
def test_some_of_several_keys_may_be_used_before_others(behind: int, message: str) -> None:
    body = {
        "inputs": lambda self, seed: {"key": jax.random.key(seed)},
        "build": lambda self, key: Codec(key, behind),
    }
    text = finding(type("Form", (PytreeLaws,), body), "p15_each_key_is_used_once")
    assert text.startswith(message) and bool(text) == bool(message)


class Index(eqx.Module):
    vectors: jax.Array

    @classmethod
    def even(cls, size: int) -> "Index":
        return cls(jnp.arange(2.0 * size).reshape(size, 2))

    def search(self, query: jax.Array) -> jax.Array:
        return jnp.max(jax.lax.stop_gradient(self.vectors) @ query)


EVEN = Method("even", call=lambda instance: instance.even(3))
SEARCH = Method("search", lambda seed: (sample(seed, (2,)),))


@pytest.mark.parametrize(
    ("role", "methods", "message"),
    [
        ("data", (EVEN, SEARCH), ""),
        ("param", (EVEN, SEARCH), "advice: no method has a gradient with respect to it"),
    ],
)
def test_data_that_a_method_keeps_from_gradients_are_meant_to_be(
    role: str, methods: Any, message: str
) -> None:
    leaves = (Leaf("vectors", role, (3, 2)),)
    form = suite(lambda seed: Index(sample(seed, (3, 2))), called=False, leaves=leaves, methods=methods)
    assert finding(form, "p09_methods_reach_every_parameter") == message


def test_a_class_method_reaches_no_parameter() -> None:
    leaves = (Leaf("vectors", "param", (3, 2)),)
    form = suite(lambda seed: Index(sample(seed, (3, 2))), called=False, leaves=leaves, methods=(EVEN,))
    with pytest.raises(pytest.skip.Exception, match="what the class is for, no method does"):
        form().test_p09_methods_reach_every_parameter()


class Quantity(eqx.Module):
    """Numbers in a unit, whose power has another unit."""

    value: jax.Array
    scale: float = eqx.field(static=True, default=1.0)

    def squared(self) -> "Quantity":
        return Quantity(self.value**2, self.scale**2)


class Forgetting(Quantity):
    def squared(self) -> "Forgetting":
        return Forgetting(self.value**2)


@pytest.mark.parametrize(("cls", "message"), [(Quantity, ""), (Forgetting, "of an instance with")])
def test_a_static_number_that_a_method_computes_is_no_constant(cls: Any, message: str) -> None:
    body = {
        "leaves": (Leaf("value", "data", (3,)),),
        "methods": (Method("squared", carry="self"),),
        "static": {"scale": 1.0},
        "accepted": ({"scale": 0.5},),
        "inputs": lambda self, seed: {"value": weight(seed), "scale": 1.0},
        "build": lambda self, **given: cls(**given),
    }
    text = finding(type("Form", (PytreeLaws,), body), "p11_methods_hand_on_what_the_instance_has")
    assert message in text and bool(text) == bool(message)
