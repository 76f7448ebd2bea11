"""What a constructor is given and keeps: floats in their dtype where none is asked for, and keys as copies."""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, Leaf, PytreeLaws, sample
from pytree_laws.report import ADVICE


class Light(eqx.Module):
    """A light with a range, in wind."""

    power: jax.Array
    range: jax.Array
    wind: jax.Array

    def __init__(
        self,
        range: jax.Array,
        wind: jax.Array,
        dtype: Any = None,
        *,
        casts: bool = False,
        copies: bool = True,
    ) -> None:
        made = jnp.result_type(float) if dtype is None else dtype
        self.power = jnp.ones(3, made)
        self.range = jnp.array(range, made if casts else dtype or range.dtype)
        self.wind = jnp.array(wind) if copies else wind

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.power * self.range * x


class Laws(PytreeLaws):
    leaves = (Leaf("power", "param", (3,)), Leaf("range", "data", (3,)), Leaf("wind", "key", (), "key"))
    kept = ("range", "wind")
    takes_dtype = True
    options: ClassVar[dict[str, bool]] = {}

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"range": sample(seed, (3,)), "wind": jax.random.key(seed)}

    def build(self, **inputs: Any) -> Light:
        return Light(**inputs, **self.options)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


def suite(**options: bool) -> Laws:
    return type("TestLight", (Laws,), {"options": options})()


def test_a_float_that_is_cast_though_no_dtype_is_asked_for_is_told() -> None:
    suite().test_p01_keeps_the_dtype_that_it_is_given()
    with pytest.raises(
        LawBroken, match="it was given in bfloat16, and no dtype was asked for: it holds float32"
    ):
        suite(casts=True).test_p01_keeps_the_dtype_that_it_is_given()


def test_a_cast_where_no_dtype_can_be_asked_for_is_advice() -> None:
    casts = suite(casts=True)
    casts.takes_dtype = False
    with pytest.raises(LawBroken, match="it was given in bfloat16") as broken:
        casts.test_p01_keeps_the_dtype_that_it_is_given()
    assert broken.value.finding.severity == ADVICE


def test_a_key_that_is_no_copy_is_told() -> None:
    suite().test_p01_shares_no_buffer_with_its_inputs()
    with pytest.raises(LawBroken, match="it shares its buffer with the input `wind`"):
        suite(copies=False).test_p01_shares_no_buffer_with_its_inputs()
