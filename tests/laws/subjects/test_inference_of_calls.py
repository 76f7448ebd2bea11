"""A call under `jax.vmap` that is told itself whether it is at inference: what its parts hold decides nothing."""

from typing import Any

import equinox as eqx
import jax
import pytest

from pytree_laws import LawBroken, sample
from pytree_laws.state import StateLaws
from pytree_laws.trace.programs import settings


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
