"""What a suite declares of methods, and texts of a class: each holds for a class that is right, and is seen broken in one that is not."""

from typing import Any, ClassVar, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, Method, Output, PytreeLaws, sample
from tests.laws.seen_broken import broken, hold, suite_of


class Belief(NamedTuple):
    mean: jax.Array
    steps: jax.Array


class Follower(eqx.Module):
    weight: jax.Array
    load: jax.Array
    style: Literal["long", "short"] = eqx.field(static=True)

    def initial(self) -> Belief:
        return Belief(jnp.zeros_like(self.weight), jnp.zeros((), jnp.int32))

    def followed(self, belief: Belief, record: jax.Array) -> jax.Array:
        return belief.mean + belief.steps.astype(record.dtype) + self.weight * record

    def balance(self) -> jax.Array:
        sent = jax.lax.stop_gradient(self.load)
        return jnp.sum(self.weight * sent) if self.style == "long" else jnp.sum(self.weight)


class StartsWithNumber(Follower):
    def initial(self) -> Belief:
        return Belief(jnp.zeros_like(self.weight), 0)  # type: ignore[arg-type]


class FollowsFromRest(eqx.Module):  # of its own: what a base takes, a method need not use
    weight: jax.Array
    load: jax.Array
    style: Literal["long", "short"] = eqx.field(static=True)

    def initial(self) -> Belief:
        return Belief(jnp.zeros_like(self.weight), jnp.zeros((), jnp.int32))

    def followed(self, belief: Belief, record: jax.Array) -> jax.Array:
        return self.initial().mean + self.weight * record

    def balance(self) -> jax.Array:
        return jnp.sum(self.weight) if self.style == "long" else jnp.max(self.weight)


class LetsGradientsThrough(Follower):
    def balance(self) -> jax.Array:
        return jnp.sum(self.weight * self.load)


class ComparesAnotherText(Follower):
    def balance(self) -> jax.Array:
        sent = jax.lax.stop_gradient(self.load)
        return jnp.sum(self.weight * sent) if self.style == "Long" else jnp.sum(self.weight)


def belief(seed: int) -> Belief:
    return Belief(sample(seed, (3,)), jnp.int32(seed))


class Laws(PytreeLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("load", "data", (3,)))
    static: ClassVar[Any] = {"style": "long"}
    methods = (
        Method("initial", returns=(Output((3,)), Output((), "int32"))),
        Method("followed", lambda seed: (belief(seed), sample(seed + 1, (3,)))),
        Method("balance", closed=("load",)),
    )
    under_test: ClassVar[type[Any]] = Follower

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,)), "load": sample(seed + 1, (3,)), "style": "long"}

    def build(self, **inputs: Any) -> Any:
        return self.under_test(**inputs)


BROKEN = (
    ("p07_methods_give_what_is_declared", StartsWithNumber, "it is 0, a number of Python"),
    (
        "p08_every_argument_of_a_method_matters",
        FollowsFromRest,
        "nothing that it gives or updates depends on it",
    ),
    ("p09_methods_send_no_gradient_to_what_they_close", LetsGradientsThrough, "a gradient reaches `load`"),
    ("p08_a_text_is_told_apart_by_what_it_may_be", ComparesAnotherText, "apart by 'Long', which it never is"),
)


@pytest.mark.parametrize("test", [test for test, _, _ in BROKEN])
def test_it_holds_for_a_class_that_is_right(test: str) -> None:
    hold(suite_of(Laws, Follower), test)


@pytest.mark.parametrize(("test", "cls", "said"), BROKEN)
def test_it_is_seen_broken(test: str, cls: type[Any], said: str) -> None:
    assert said in broken(suite_of(Laws, cls), test).what
