"""What is right for some values alone is no finding: tables that lead elsewhere, slow copies, arguments that are left out."""

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.sparse import BCOO

from pytree_laws import LawBroken, Leaf, Method, PytreeLaws, sample
from pytree_laws.trace.programs import settings


class Looked(eqx.Module):
    """Weights in an order that a table says."""

    weight: jax.Array
    order: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight[self.order] * x


class Slow(eqx.Module):
    """Weights, and a slow copy of them that is moved elsewhere."""

    weight: jax.Array
    target: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class Noisy(eqx.Module):
    """Noise, by a scale that may be left out; or until a flag ends it."""

    weight: jax.Array

    def __call__(
        self, x: jax.Array, *, key: jax.Array, scale: jax.Array | None = None, inference: bool = False
    ) -> jax.Array:
        noise = jax.random.normal(key, x.shape, jnp.float32)
        noise = noise if inference is None or not inference else jnp.zeros_like(noise)
        return self.weight * (x + (noise if scale is None else scale * noise))


class Stubborn(Noisy):
    """Noise in spite of the flag."""

    def __call__(
        self, x: jax.Array, *, key: jax.Array, scale: jax.Array | None = None, inference: bool = False
    ) -> jax.Array:
        return self.weight * (x + jax.random.normal(key, x.shape, jnp.float32))


class Dropped(eqx.Module):
    """Weights of what is left after two layers of dropout."""

    weight: jax.Array
    first: eqx.nn.Dropout = eqx.nn.Dropout(0.5)
    second: eqx.nn.Dropout = eqx.nn.Dropout(0.5)

    def __call__(self, x: jax.Array, *, key: jax.Array) -> jax.Array:
        first, second = jax.random.split(key)
        return self.weight * self.second(self.first(x, key=first), key=second)


class Careless(Dropped):
    """Weights of what is left after dropout that no flag ends, by a layer of which nothing is left."""

    second: eqx.Module = eqx.nn.Identity()

    def __call__(self, x: jax.Array, *, key: jax.Array) -> jax.Array:
        return self.weight * self.first(x, key=key, inference=False)


class Strained(eqx.Module):
    """The strain of what is as long as it is at rest, and with no length at rest it is infinite."""

    stiffness: jax.Array
    rest: float = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.stiffness * x

    def strain(self, x: jax.Array) -> jax.Array:
        hidden = jnp.where(self.stiffness > 9, jnp.sqrt(self.stiffness - 9), 0.0) if self.rest else 0.0
        return self.stiffness * (x / self.rest if self.rest else x * jnp.inf) + hidden


class Placed(eqx.Module):
    """Weights, and something beside them that is static."""

    weight: jax.Array
    beside: Any = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class Rooted(eqx.Module):
    """The root of a rate, which is positive; below zero its gradient is no number."""

    rate: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.where(self.rate > 0, jnp.sqrt(self.rate), 0.0) * x


def weight(seed: int) -> jax.Array:
    return jnp.array(sample(seed, (5,)))


def suite(build: Callable[[int], Any], *leaves: Leaf) -> type[PytreeLaws]:
    body: dict[str, Any] = {"build": lambda self, seed: build(seed), "leaves": leaves or None}
    return type("Form", (PytreeLaws,), {**body, "arguments": lambda self, seed: (sample(seed, (5,)),)})


def noisy(cls: type) -> type[PytreeLaws]:
    def call(self: Any, instance: Any, x: Any, key: Any, scale: Any) -> Any:
        return instance(x, key=key, scale=scale)

    def arguments(self: Any, seed: int) -> tuple[Any, ...]:
        return sample(seed, (5,)), jax.random.key(seed), sample(seed + 1, (5,))

    form = suite(lambda seed: cls(weight(seed)), Leaf("weight", "param", (5,)))
    return type("Form", (form,), {"call": call, "arguments": arguments})


def strained(rest: float) -> type[PytreeLaws]:
    form = suite(lambda seed: Strained(jnp.exp(weight(seed)), rest), Leaf("stiffness", "param", (5,)))
    return type("Form", (form,), {"methods": (Method("strain", lambda seed: (sample(seed, (5,)),)),)})


def dropped(cls: type) -> type[PytreeLaws]:
    form = suite(lambda seed: cls(weight(seed)))
    drawn = {"arguments": lambda self, seed: (sample(seed, (5,)), jax.random.key(seed))}
    return type("Form", (form,), {**drawn, "call": lambda self, instance, x, key: instance(x, key=key)})


def table(seed: int) -> jax.Array:
    """Three of five rows, others for each seed."""
    return jnp.array([seed, seed, seed + 1, seed + 2, seed + 2], jnp.int32) % 5


LOOKED = Leaf("weight", "param", (5,)), Leaf("order", "buffer", (5,), "int32")
FORMS = {
    "a mesh of devices, whose arrays are its own": (
        "p02_no_array_hides_elsewhere",
        suite(lambda seed: Placed(weight(seed), jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",)))),
        suite(lambda seed: Placed(weight(seed), functools.partial(jnp.add, jnp.ones(3)))),
    ),
    "an array without elements that a function keeps": (
        "p02_no_array_hides_elsewhere",
        suite(lambda seed: Placed(weight(seed), functools.partial(jnp.add, jnp.ones(0)))),
        suite(lambda seed: Placed(weight(seed), functools.partial(jnp.add, jnp.ones(1)))),
    ),
    "a table that leads to other rows in other instances": (
        "p09_every_element_of_a_parameter_has_a_gradient",
        suite(lambda seed: Looked(weight(seed), table(seed)), *LOOKED),
        suite(lambda seed: Looked(weight(seed), table(0)), *LOOKED),
    ),
    "a slow copy that begins as what it is of": (
        "p15_no_two_parameters_are_the_same_draw",
        suite(
            lambda seed: Slow(weight(seed), weight(seed)),
            LOOKED[0],
            Leaf("target", "buffer", (5,), unused=True),
        ),
        suite(lambda seed: Slow(weight(seed), weight(seed)), LOOKED[0], Leaf("target", "param", (5,))),
    ),
    "a rate that is positive in each instance": (
        "p09_no_gradient_is_nan_where_the_output_is_finite",
        suite(lambda seed: Rooted(jnp.exp(weight(seed)))),
        suite(lambda seed: Rooted(weight(seed))),
    ),
    "what a method gives is infinite at each place, of both signs": (
        "p09_methods_have_true_gradients",
        strained(0.0),
        strained(2.0),
    ),
    "a flag of one part of two": (
        "p16_a_flag_that_ends_the_noise_does",
        dropped(Dropped),
        dropped(Careless),
    ),
    "an argument that may be left out, beside a flag that ends the noise": (
        "p16_a_flag_that_ends_the_noise_does",
        noisy(Noisy),
        noisy(Stubborn),
    ),
}


def finding(form: type[PytreeLaws], name: str) -> str:
    try:
        with settings():
            getattr(form(), f"test_{name}")()
    except LawBroken as broken:
        return broken.finding.what
    except pytest.skip.Exception:  # a law that does not apply finds nothing
        return ""
    return ""


@pytest.mark.spread(5)
@pytest.mark.parametrize("told", FORMS)
def test_the_right_form_is_no_finding_and_the_wrong_one_is(told: str) -> None:
    name, right, wrong = FORMS[told]
    assert not finding(right, name)
    assert finding(wrong, name)


class Turn:
    """A matrix that turns what it is called with, and is no pytree."""

    def __init__(self, matrix: jax.Array) -> None:
        self.matrix = matrix

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.matrix @ x


@jax.tree_util.register_pytree_node_class
class Turned:
    """A matrix, and what the constructor makes of it, which unflatten calls."""

    def __init__(self, matrix: jax.Array) -> None:
        self.matrix = matrix
        self.turn = Turn(jnp.flip(matrix))

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.turn(x)

    def tree_flatten(self) -> Any:
        return (self.matrix,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children)


@jax.tree_util.register_pytree_node_class
class Fixed(Turned):
    """A matrix, and what the constructor makes of it, which is static."""

    def tree_flatten(self) -> Any:
        return (self.matrix,), self.turn

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        made = object.__new__(cls)
        made.matrix, made.turn = *children, aux
        return made


def turned(cls: type) -> type[PytreeLaws]:
    form = suite(lambda seed: cls(jnp.diag(weight(seed))))
    inputs = {"inputs": lambda self, seed: {"matrix": jnp.diag(weight(seed))}}
    return type("Form", (form,), {**inputs, "build": lambda self, matrix: cls(matrix)})


@pytest.mark.parametrize(
    ("name", "is_told"),
    [
        ("p01_builds_under_jit_without_leaking", True),
        ("p02_no_array_hides_elsewhere", True),
        ("p03_round_trip_keeps_every_attribute", False),
    ],
)
def test_what_unflatten_computes_anew_of_its_leaves_is_no_leaf_by_right(name: str, is_told: bool) -> None:
    assert not finding(turned(Turned), name)
    assert bool(finding(turned(Fixed), name)) is is_told


class Measured(eqx.Module):
    """Weights times ones of 32 bits, by an operation of one dtype."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.lax.mul(self.weight * x, jnp.ones(5, jnp.float32))


def test_an_older_jax_shows_no_class_of_the_error_of_promotion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(jax.dtypes, "TypePromotionError")
    told = finding(suite(lambda seed: Measured(weight(seed))), "p07_bfloat16_in_bfloat16_out")
    assert "the call in bfloat16 raised TypeError" in told


class Sparse(eqx.Module):
    """It holds a sparse array, for which jax has no `==`."""

    matrix: BCOO


@pytest.mark.slow
def test_a_sparse_array_is_compared_by_its_leaves() -> None:
    form = suite(lambda seed: Sparse(BCOO.fromdense(jnp.diag(weight(seed)))))
    assert not finding(form, "p03_round_trip_keeps_every_attribute")


@jax.tree_util.register_pytree_node_class
class Operator:
    """A matrix whose rows and columns are taken by what stands in brackets, and which is registered without keys."""

    def __init__(self, matrix: jax.Array) -> None:
        self.matrix = matrix

    def __getitem__(self, places: tuple[Any, Any]) -> jax.Array:
        assert len(jnp.shape(places)) == 1, "rows and columns"
        rows, columns = places
        return self.matrix[rows][:, columns]

    def tree_flatten(self) -> Any:
        return (self.matrix,), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children)


def test_the_children_of_what_is_indexed_otherwise_are_taken_from_its_leaves() -> None:
    form = suite(lambda seed: Operator(Operator(jnp.diag(weight(seed)))), Leaf("0.0", "param", (5, 5)))
    assert not finding(form, "p02_leaves_are_as_declared")
