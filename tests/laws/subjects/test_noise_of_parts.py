"""Noise of parts: a dropout that drops nothing, and flags of parts whose owners say themselves whether they draw."""

from typing import Any

import equinox as eqx
import jax
import pytest

from pytree_laws import LawBroken, PytreeLaws, sample


class Layer(eqx.Module):
    """A layer with a dropout, which says by its key whether it draws."""

    dropout: eqx.nn.Dropout

    def __call__(self, x: jax.Array, *, key: jax.Array | None = None) -> jax.Array:
        return self.dropout(x, key=key, inference=key is None)


class Untold(eqx.Module):
    """A layer that leaves that to the flag."""

    dropout: eqx.nn.Dropout

    def __call__(self, x: jax.Array, *, key: jax.Array) -> jax.Array:
        return self.dropout(x, key=key)


class Policy(eqx.Module):
    """Draws of its own beside those of a layer."""

    layer: Layer | Untold

    def __call__(self, x: jax.Array, *, key: jax.Array) -> jax.Array:
        first, second = jax.random.split(key)
        return self.layer(x, key=first) + jax.random.normal(second, x.shape, x.dtype)


class Idle(eqx.Module):
    """A layer that has no use for its key."""

    dropout: eqx.nn.Dropout

    def __call__(self, x: jax.Array, *, key: jax.Array) -> jax.Array:
        return 2 * x


class Enabled(eqx.Module):
    """A layer that draws where an argument asks for it."""

    dropout: eqx.nn.Dropout

    def __call__(self, x: jax.Array, *, noisy: bool = False, key: jax.Array) -> jax.Array:
        return self.dropout(x, key=key, inference=not noisy)


class Silent(Enabled):
    """The same, without a use for its key at either value."""

    def __call__(self, x: jax.Array, *, noisy: bool = False, key: jax.Array) -> jax.Array:
        return 2 * x if noisy else x


class Laws(PytreeLaws):
    share, cls, layer = 0.0, Layer, Layer

    def build(self, seed: int) -> Any:
        dropout = eqx.nn.Dropout(self.share)
        return Policy(self.layer(dropout)) if self.cls is Policy else self.cls(dropout)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, (3,)), jax.random.key(seed)

    def call(self, instance: Any, *arguments: Any) -> Any:
        return instance(arguments[0], key=arguments[1])


def suite(**names: Any) -> Laws:
    return type("TestNoise", (Laws,), names)()


def test_a_dropout_that_drops_nothing_would_draw_from_its_key() -> None:
    suite().test_p16_keys_give_different_draws()
    with pytest.raises(LawBroken, match="eight keys give the same output"):
        suite(cls=Idle).test_p16_keys_give_different_draws()


def test_a_flag_of_a_part_ends_no_noise_where_its_owner_says_whether_it_draws() -> None:
    with pytest.raises(pytest.skip.Exception, match="no flag is known that ends the noise"):
        suite(cls=Policy, share=0.5).test_p16_a_flag_that_ends_the_noise_does()
    with pytest.raises(LawBroken, match="nothing is random there"):
        suite(cls=Policy, share=0.5, layer=Untold).test_p16_a_flag_that_ends_the_noise_does()


def test_a_key_that_a_flag_of_the_call_asks_for_is_used() -> None:
    suite(cls=Enabled, share=0.5).test_p16_keys_give_different_draws()
    with pytest.raises(LawBroken, match="eight keys give the same output"):
        suite(cls=Silent, share=0.5).test_p16_keys_give_different_draws()
