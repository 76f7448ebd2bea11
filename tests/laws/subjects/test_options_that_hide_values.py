"""Values that count in one branch alone, keys that a flag uses again, and decisions: each shows where it is looked for."""

from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, Method, PytreeLaws, sample
from pytree_laws.discover.traced_uses import traced_uses
from pytree_laws.snapshot.methods import of_methods


class Dose(eqx.Module):
    """A dose whose order counts where it is saturable."""

    rate: jax.Array
    order: int = eqx.field(static=True)
    kind: Literal["linear", "saturable"] = eqx.field(static=True)

    def __init__(
        self, rate: jax.Array, order: int = 1, kind: Literal["linear", "saturable"] = "linear"
    ) -> None:
        self.rate, self.order, self.kind = rate, order, kind

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.rate * x

    def cleared(self, level: jax.Array) -> jax.Array:
        if self.kind == "saturable":
            return self.rate * level / (1 + jnp.abs(level)) ** self.order
        return self.rate * level

    def toxic(self, level: jax.Array) -> jax.Array:
        return level < -0.1

    def drawn(self, x: jax.Array, key: jax.Array, *, mixed: bool = False) -> jax.Array:
        x = x + jax.random.normal(key, x.shape)
        return jax.random.permutation(key, x) if mixed else x


class Laws(PytreeLaws):
    accepted = ({"order": 4},)
    static = {"order": 1, "kind": "linear"}  # noqa: RUF012
    methods = (
        Method("cleared", lambda seed: (sample(seed, (3,)),)),
        Method("toxic", lambda seed: (sample(seed, (3,)),)),
        Method("drawn", lambda seed: (sample(seed, (3,)), jax.random.key(seed))),
    )

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"rate": sample(seed, (3,))}

    def build(self, **inputs: Any) -> Dose:
        return Dose(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


def test_a_value_that_shows_nowhere_is_tried_beside_each_option() -> None:
    names = [use.name for use, _, _ in traced_uses(Laws())["cleared"]]
    assert "cleared with kind='saturable', order=4" in names


def test_a_decision_is_recorded_for_further_draws() -> None:
    entries = of_methods(Laws())
    assert "toxic for 8 other draws" in entries and "cleared for 8 other draws" not in entries


def test_a_key_that_another_kind_of_draw_uses_again_behind_a_flag_is_told() -> None:
    Laws().test_p15_methods_use_each_key_once()
    with pytest.raises(LawBroken, match=r"drawn\(mixed=True\).: a key is used twice"):
        Laws().test_p15_methods_use_each_key_once_at_each_flag()


class Noise(eqx.Module):
    """Noise on a grid of so many axes."""

    dims: int = eqx.field(static=True)
    scale: jax.Array
    loses: bool = eqx.field(static=True, default=False)

    def __call__(self, x: jax.Array) -> jax.Array:
        y = self.scale * jnp.ones((x.shape[0], *(3,) * (self.dims if not self.loses else 1)))
        return jnp.squeeze(y) if self.loses else y


class NoiseLaws(PytreeLaws):
    loses = False

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"dims": 2, "scale": sample(seed, ())}

    def build(self, **inputs: Any) -> Noise:
        return Noise(**inputs, loses=self.loses)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (5,)),)


def test_how_many_axes_there_are_is_no_size() -> None:
    NoiseLaws().test_p07_keeps_its_axes_where_a_size_is_one()
    with pytest.raises(LawBroken, match="an axis of 1 in the place of 5"):
        type("TestLost", (NoiseLaws,), {"loses": True})().test_p07_keeps_its_axes_where_a_size_is_one()
