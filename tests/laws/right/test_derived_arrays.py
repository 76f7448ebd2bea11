"""Arrays that are computed of others are no draws, and an order is not blamed for treedefs that are never equal."""

from typing import Any

import jax
import jax.numpy as jnp
from jax.tree_util import register_pytree_node_class

from pytree_laws import Leaf, PytreeLaws, sample
from right.test_right_forms import finding, left_out


@register_pytree_node_class
class Gust:
    """It goes where the wind does, unless another direction is given."""

    def __init__(self, wind: jax.Array, direction: jax.Array | None = None):
        self.wind = wind
        self.along = wind / jnp.linalg.norm(wind)
        self.direction = self.along if direction is None else direction

    def __call__(self, x: jax.Array) -> jax.Array:
        return x @ self.wind + x @ self.along + x @ self.direction

    def tree_flatten(self) -> tuple[Any, None]:
        return (self.wind, self.along, self.direction), None

    @classmethod
    def tree_unflatten(cls, aux: None, children: Any) -> "Gust":
        gust = object.__new__(cls)
        gust.wind, gust.along, gust.direction = children
        return gust


class Shapes:
    """Equal to itself alone."""


@register_pytree_node_class
class Named:
    def __init__(self, parts: dict[str, jax.Array], *, keeps_order: bool = False):
        self.parts = parts
        self.aux: Any = tuple(parts) if keeps_order else Shapes()

    def __call__(self, x: jax.Array) -> jax.Array:
        return sum((x * self.parts[name] for name in sorted(self.parts)), jnp.zeros_like(x))

    def tree_flatten(self) -> tuple[Any, Any]:
        return (self.parts,), self.aux

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> "Named":
        named = object.__new__(cls)
        [named.parts], named.aux = children, aux
        return named


def of(cls: Any, leaves: tuple[Leaf, ...], inputs: Any) -> type[PytreeLaws]:
    """The suite of a class with these inputs."""
    body = {"leaves": leaves, "inputs": inputs, "build": lambda self, **given: cls(**given)}
    return type("Form", (PytreeLaws,), {**body, "arguments": lambda self, seed: (sample(seed, (3,)),)})


def test_a_direction_that_is_computed_is_no_draw() -> None:
    leaves = (Leaf("0", "param", (3,)), Leaf("1", "param", (3,)), Leaf("2", "param", (3,)))
    form = of(Gust, leaves, lambda self, seed: {"wind": sample(seed, (3,), positive=True)})
    assert "may be a seed" in left_out(form, "p15_no_two_parameters_are_the_same_draw")


def test_an_order_is_blamed_where_it_alone_changes_the_treedef() -> None:
    def inputs(self: Any, seed: int) -> dict[str, Any]:
        return {"parts": {"b": sample(seed, (3,)), "a": sample(seed + 1, (3,))}}

    leaves = (Leaf("0.a", "param", (3,)), Leaf("0.b", "param", (3,)))
    test = "p01_the_order_of_dict_entries_does_not_matter"
    assert finding(of(Named, leaves, inputs), test) == ""
    ordered = of(lambda parts: Named(parts, keeps_order=True), leaves, inputs)
    assert "another order the treedef differs" in finding(ordered, test)
