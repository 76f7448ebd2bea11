"""What a class does with its arrays: flags that logical functions take, and a call that computes before one that gives parts."""

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import equinox as eqx
import jax.numpy as jnp
from jax import Array


class Touch(eqx.Module):
    force: Array
    contact: Array

    def follow(self, new_contact: Array) -> Array:
        return jnp.where(jnp.logical_and(self.contact, new_contact), self.force, 0.0)


class Points(eqx.Module):
    place: Array
    weight: Array

    def split(self, count: int) -> tuple[Array, Array]:
        return self.place[:count], self.weight[:count]

    def tolist(self) -> list[Array]:
        return [jnp.asarray(each) for each in (*self.place.tolist(), *self.weight.tolist())]

    def __add__(self, other: "Points") -> "Points":
        return Points(self.place + other.place, self.weight + other.weight)
"""
asked = asked_of("uses_of_arrays", SOURCE)


def test_what_logical_functions_take_are_flags(asked: Asked) -> None:
    found = asked.adopt("Touch")
    assert '"bool"' in dict(found["inputs"])["contact"]
    [[_, text, _]] = found["arguments"]
    assert '"bool"' in text


def test_a_call_that_computes_goes_before_one_that_gives_parts(asked: Asked) -> None:
    assert asked.adopt("Points")["method"] == "__add__"
