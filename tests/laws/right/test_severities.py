"""How much a finding matters, where a class may mean what it does."""

from typing import Any

import equinox as eqx
import jax
import pytest

from pytree_laws import Leaf, PytreeLaws
from right.test_right_forms import finding, suite, weight


class Seeded(eqx.Module):
    """Random features, the same in each instance unless another seed is given."""

    weight: jax.Array
    features: jax.Array

    def __init__(self, *, key: jax.Array, seed: int = 42):
        self.weight = jax.random.normal(key, (3,))
        self.features = jax.random.normal(jax.random.key(seed), (3,))


class Unseeded(Seeded):
    def __init__(self, *, key: jax.Array):
        super().__init__(key=key)


class Holding(eqx.Module):
    seeded: Seeded

    def __init__(self, *, key: jax.Array):
        self.seeded = Seeded(key=key)


@pytest.mark.parametrize(("cls", "severity"), [(Seeded, "advice"), (Holding, "advice"), (Unseeded, "fault")])
def test_a_draw_of_a_seed_that_a_constructor_takes_beside_its_key_is_advice(cls: type, severity: str) -> None:
    body = {
        "inputs": lambda self, seed: {"key": jax.random.key(seed)},
        "build": lambda self, **given: cls(**given),
    }
    form = type("Form", (PytreeLaws,), body)
    assert finding(form, "p01_every_draw_uses_the_key").startswith(f"{severity}: 1 of its draws")


class Headed(eqx.Module):
    body: jax.Array
    head: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.ended(x * self.body)

    def ended(self, x: jax.Array) -> jax.Array:
        return x * self.head


class Bodiless(Headed):
    def __call__(self, x: jax.Array) -> jax.Array:
        return self.ended(x)


@pytest.mark.parametrize(
    ("cls", "call", "severity"), [(Headed, "ended", "advice"), (Bodiless, "__call__", "fault")]
)
def test_what_a_part_of_the_call_leaves_alone_is_advice(cls: type, call: str, severity: str) -> None:
    leaves = (Leaf("body", "param", (3,)), Leaf("head", "param", (3,)))
    body: dict[str, Any] = {"leaves": leaves, "call": lambda self, one, x: getattr(one, call)(x)}
    form = suite(lambda seed: cls(weight(seed), weight(seed + 1)), **body)
    assert finding(form, "p08_every_parameter_changes_the_output").startswith(f"{severity}: an edit of this")
