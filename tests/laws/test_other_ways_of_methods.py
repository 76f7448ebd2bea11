"""What holds at other values of flags and dtypes: each law is seen broken in a class that is wrong there alone."""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, Method, PytreeLaws, sample
from tests.laws.seen_broken import broken, hold, suite_of


class Ice(eqx.Module):
    flow: jax.Array
    calibrated: bool = eqx.field(static=True)
    plastic: bool = eqx.field(static=True)

    @classmethod
    def create(
        cls, size: int, calibrated: bool = False, plastic: bool = False, dtype: Any = None, *, key: jax.Array
    ) -> "Ice":
        return cls(jax.random.normal(key, (size,), dtype or jnp.float32), calibrated, plastic)

    @classmethod
    def flat(cls, size: int, dtype: Any = None) -> "Ice":
        return cls(jnp.zeros(size, dtype or jnp.float32), False, False)

    def __call__(self, x: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        key, draw = jax.random.split(key)
        return self.slide(x) + jax.random.normal(draw, x.shape, x.dtype), key

    def slide(self, x: jax.Array) -> jax.Array:
        return self.flow * (jnp.tanh(x) if self.plastic else x)

    def drift(self, x: jax.Array, key: jax.Array, *, windy: bool = False) -> jax.Array:
        own, wind = jax.random.split(key)
        gusts = jax.random.normal(wind, x.shape, x.dtype) if windy else 0.0
        return self.flow * x + jax.random.normal(own, x.shape, x.dtype) + gusts

    def walk(self, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        key, draw = jax.random.split(key)
        return self.flow * jax.random.normal(draw, self.flow.shape, self.flow.dtype), key

    def trainable(self) -> "Ice":
        return jax.tree.map(lambda _: not self.calibrated, self)

    def decayed(self) -> "Ice":
        return self.trainable()


class FlatInOneDtype(Ice):
    @classmethod
    def flat(cls, size: int, dtype: Any = None) -> "FlatInOneDtype":
        return cls(jnp.zeros(size, jnp.float32), False, False)


class DrawsFromTheNextKey(Ice):
    def __call__(self, x: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        return self.flow * x + jax.random.normal(key, x.shape, x.dtype), key


class StopsWherePlastic(Ice):
    def slide(self, x: jax.Array) -> jax.Array:
        return self.flow * (jnp.tanh(jax.lax.stop_gradient(x)) if self.plastic else x)


class RaisesWhereWindy(Ice):
    def drift(self, x: jax.Array, key: jax.Array, *, windy: bool = False) -> jax.Array:
        own, wind = jax.random.split(key)
        gusts = jax.random.normal(wind, (*x.shape, 2), x.dtype) if windy else 0.0
        return self.flow * x + jax.random.normal(own, x.shape, x.dtype) + gusts


class DrawsTwiceWhereWindy(Ice):
    def drift(self, x: jax.Array, key: jax.Array, *, windy: bool = False) -> jax.Array:
        gusts = jax.random.uniform(key, x.shape, x.dtype) if windy else 0.0
        return self.flow * x + jax.random.normal(key, x.shape, x.dtype) + gusts


class MixesWithItsKeyWhereWindy(Ice):
    def drift(self, x: jax.Array, key: jax.Array, *, windy: bool = False) -> jax.Array:
        drifted = self.flow * x + jax.random.normal(key, x.shape, x.dtype)
        return jax.random.permutation(key, drifted) if windy else drifted


class GivesNoNumber(Ice):
    def __call__(self, x: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        key, draw = jax.random.split(key)
        return self.flow * jnp.log(-jnp.abs(x)) + jax.random.normal(draw, x.shape, x.dtype), key


class InOneDtypeWherePlastic(Ice):
    def __call__(self, x: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        key, draw = jax.random.split(key)
        x = jax.lax.mul(x, jnp.ones(3, jnp.float32)) if self.plastic else x
        return self.flow * x + jax.random.normal(draw, x.shape, x.dtype), key


class WalksWithTheNextKey(Ice):
    def walk(self, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        return self.flow * jax.random.normal(key, self.flow.shape, self.flow.dtype), key


class DecaysWhatIsFrozen(Ice):
    def decayed(self) -> "DecaysWhatIsFrozen":
        return jax.tree.map(lambda _: True, self)


class Laws(PytreeLaws):
    leaves = (Leaf("flow", "param", (3,)),)
    static: ClassVar[Any] = {"calibrated": False, "plastic": False}
    takes_dtype = True
    methods = (
        Method("slide", lambda seed: (sample(seed, (3,)),)),
        Method("drift", lambda seed: (sample(seed, (3,)), jax.random.key(seed))),
        Method("walk", lambda seed: (jax.random.key(seed),)),
        Method("flat", call=lambda instance: instance.flat(3)),
    )
    under_test: ClassVar[type[Ice]] = Ice

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"size": 3, "key": jax.random.key(seed)}

    def build(self, **inputs: Any) -> Any:
        return self.under_test.create(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)), jax.random.key(seed))


BROKEN = (
    ("p02_further_constructors_hand_their_dtype_on", FlatInOneDtype, "asked for bfloat16, it is float32"),
    ("p07_methods_work_at_each_flag", RaisesWhereWindy, "Incompatible shapes for broadcasting"),
    ("p07_equal_arguments_give_no_nan", GivesNoNumber, "the example gives NaN"),
    ("p07_bfloat16_stays_so_in_each_configuration", InOneDtypeWherePlastic, "the call in bfloat16 raised"),
    ("p15_no_key_is_drawn_from_and_handed_on", DrawsFromTheNextKey, "it draws from a key that it gives"),
    ("p15_no_key_is_drawn_from_and_handed_on", WalksWithTheNextKey, "it draws from a key that it gives"),
    ("p15_methods_use_each_key_once_at_each_flag", DrawsTwiceWhereWindy, "have the key of an earlier one"),
    ("p15_methods_use_each_key_once_at_each_flag", MixesWithItsKeyWhereWindy, "a key is used twice"),
    (
        "p09_gradients_of_methods_reach_their_arguments_at_other_values",
        StopsWherePlastic,
        "what it gives depends on argument 0, and no gradient reaches that",
    ),
    (
        "p16_decay_moves_nothing_that_is_frozen_in_each_configuration",
        DecaysWhatIsFrozen,
        "it selects ['flow'], which `trainable()` does not",
    ),
)
TESTS = sorted({test for test, _, _ in BROKEN})


@pytest.mark.parametrize("test", TESTS)
def test_it_holds_for_a_class_that_is_right(test: str) -> None:
    hold(suite_of(Laws, Ice), test)


@pytest.mark.parametrize(("test", "cls", "said"), BROKEN)
def test_it_is_seen_broken(test: str, cls: type[Ice], said: str) -> None:
    assert said in broken(suite_of(Laws, cls), test).what
