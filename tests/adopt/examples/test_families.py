"""Of a family of classes, one that is made of no other is the example of a part."""

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import abc

import equinox as eqx
import jax
import jax.numpy as jnp


class Term(eqx.Module):
    @abc.abstractmethod
    def __call__(self): ...


class Diag(Term):
    part: Term

    def __call__(self):
        return jax.vmap(jnp.diag)(self.part())


class Minus(Term):
    part: Term

    def __call__(self):
        return -self.part()


class Stack(Term):
    parts: tuple[Term, ...]

    def __call__(self):
        return jnp.stack([part() for part in self.parts])


class Total(Term):
    parts: tuple[Term, ...] | list[Term]

    def __call__(self):
        return sum(part() for part in self.parts)


class Value(Term):
    value: jax.Array

    def __call__(self):
        return self.value
"""
asked = asked_of("terms", SOURCE)


def test_a_part_of_a_family_is_of_a_class_that_is_made_of_no_other(asked: Asked) -> None:
    parts = "(Value(value=sample(seed, (3,))), Value(value=sample(seed + 1, (3,))))"
    assert asked.adopt("Minus")["inputs"] == [["part", "Value(value=sample(seed, (3,)))"]]
    assert asked.adopt("Total")["inputs"] == [["parts", parts]]
    assert asked.adopt("Diag")["inputs"] == [["part", f"Stack(parts={parts})"]]
