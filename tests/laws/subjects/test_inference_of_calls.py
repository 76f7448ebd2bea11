"""A call under `jax.vmap` that is told itself whether it is at inference: what its parts hold decides nothing."""

from typing import Any

import equinox as eqx
import jax
import pytest

from pytree_laws import LawBroken, PytreeLaws, sample
from pytree_laws.state import StateLaws
from pytree_laws.trace.programs import settings
from tests.laws.seen_broken import broken, hold
from tests.laws.seen_broken import suite_of as laws_of


class Told(eqx.Module):
    """A norm over a batch and noise, both of which an argument ends."""

    norm: eqx.nn.BatchNorm
    dropout: eqx.nn.Dropout

    def __init__(self, size: int):
        self.norm = eqx.nn.BatchNorm(size, axis_name="batch", mode="batch")
        self.dropout = eqx.nn.Dropout(0.4)

    def __call__(self, x: jax.Array, state: eqx.nn.State, *, key: jax.Array, inference: bool = False) -> Any:
        x, state = self.norm(x, state, inference=inference)
        return self.dropout(x, key=key, inference=inference), state


class Untold(Told):
    """The same, by what its parts hold, of which the noise stays."""

    def __call__(self, x: jax.Array, state: eqx.nn.State, *, key: jax.Array) -> Any:
        x, state = self.norm(x, state)
        return self.dropout(x, key=key, inference=False), state


def suite_of(cls: type[Told]) -> Any:
    class Laws(StateLaws):
        def inputs(self, seed: int) -> dict[str, Any]:
            return {"size": 2}

        def build(self, **inputs: Any) -> Any:
            return eqx.nn.make_with_state(cls)(**inputs)[0]

        def state(self, seed: int) -> Any:
            return eqx.nn.make_with_state(cls)(**self.inputs(seed))[1]

        def arguments(self, seed: int) -> tuple[Any, ...]:
            return sample(seed, (3, 2)), self.state(seed), jax.random.split(jax.random.key(seed), 3)

        def call(self, instance: Any, *arguments: Any) -> Any:
            def one(x: jax.Array, state: eqx.nn.State, key: jax.Array) -> Any:
                return instance(x, state, key=key)

            return jax.vmap(one, in_axes=(0, None, 0), out_axes=(0, None), axis_name="batch")(*arguments)

    return Laws()


def test_a_call_that_is_told_is_held_to_its_own_argument_and_not_to_the_flags_of_its_parts() -> None:
    with settings():
        suite_of(Told).test_p16_a_flag_that_ends_the_noise_does()
        with pytest.raises(pytest.skip.Exception):
            suite_of(Told).test_p12_inference_leaves_the_state_as_it_is()


def test_one_that_is_not_told_is() -> None:
    with settings(), pytest.raises(LawBroken, match="nothing is random there"):
        suite_of(Untold).test_p16_a_flag_that_ends_the_noise_does()


class Overruled(eqx.Module):
    """Noise that a key asks for, whatever the part holds."""

    dropout: eqx.nn.Dropout

    def __call__(self, x: jax.Array, *, key: jax.Array | None = None) -> jax.Array:
        return self.dropout(x, key=key, inference=key is None)


class LeftToThePart(Overruled):
    def __call__(self, x: jax.Array, *, key: jax.Array | None = None) -> jax.Array:
        return self.dropout(x, key=key, inference=True if key is None else None)


class Asked(Overruled):
    """An argument of its own says it."""

    def __call__(self, x: jax.Array, *, key: jax.Array | None = None, noisy: bool = True) -> jax.Array:
        return self.dropout(x, key=key, inference=not noisy or key is None)


class Draws(Overruled):
    """Noise of its own beside that of the part."""

    def __call__(self, x: jax.Array, *, key: jax.Array | None = None) -> jax.Array:
        x = x if key is None else x + jax.random.normal(key, x.shape)
        return self.dropout(x, key=key, inference=key is None)


class NoiseLaws(PytreeLaws):
    under_test = Overruled

    def build(self, seed: int) -> Any:
        return self.under_test(eqx.nn.Dropout(0.5))

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, (8,)), jax.random.key(seed)

    def call(self, instance: Any, *arguments: Any) -> Any:
        return instance(arguments[0], key=arguments[1])


NOISE = "p16_a_flag_that_ends_the_noise_does"


def test_a_key_that_overrules_the_flag_of_a_part_is_advice() -> None:
    found = broken(laws_of(NoiseLaws, Overruled), NOISE)
    assert found.severity == "advice" and "`inference=True if key is None else None`" in found.hint


def test_a_key_that_leaves_noise_to_the_flag_is_right_and_a_flag_of_the_call_says_it_itself() -> None:
    hold(laws_of(NoiseLaws, LeftToThePart), NOISE)
    for cls in (Asked, Draws):
        with pytest.raises(pytest.skip.Exception, match="no flag is known that ends the noise"):
            hold(laws_of(NoiseLaws, cls), NOISE)
