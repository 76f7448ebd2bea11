"""Arguments of which nothing says what they are: an array that no leaf holds says nothing of the class."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
from typing import Any

import equinox as eqx
import jax
from jaxtyping import PyTree


class Structure(eqx.Module):
    parts: Any = eqx.field(static=True)

    def __init__(self, node: Any):
        if not hasattr(node, "__len__"):
            raise TypeError("no parts")
        self.parts = tuple(node)


class Loose(Structure):
    def __init__(self, node: Any):
        self.parts = node if isinstance(node, float) else (node,)


class Offset(eqx.Module):
    offset: jax.Array = eqx.field(static=True)

    def __init__(self, offset: jax.Array):
        self.offset = offset


class Scaled(eqx.Module):
    weight: jax.Array

    def __call__(self, x: jax.Array, data: PyTree) -> jax.Array:
        return self.weight * x


@jax.tree_util.register_pytree_node_class
class Named:
    def __init__(self, weight: jax.Array, label):
        self.weight, self.label = weight, label

    def tree_flatten(self):
        return (self.weight,), (self.label,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, *aux)
"""
RULE = """
import equinox as eqx
import jax


class Rounded(eqx.Module):
    clips: bool = False

    def backward(self, kept, grad):
        if self.clips:
            (x,) = kept
            grad = grad * (x < 1)
        return grad, None

    def forward(self, x: jax.Array) -> jax.Array:
        return x**2
"""
rules = asked_of("rules", RULE)
structures = asked_of("structures", SOURCE)


@pytest.mark.slow
def test_no_array_is_hidden_of_which_nothing_says_that_it_is_one(structures: Asked) -> None:
    answer = structures.adopt("Structure")
    assert not answer["built"]
    assert "nothing says what `node` is, and no leaf holds the arrays that were tried" in answer["why"]
    assert answer["unknown"] == ["node"]


@pytest.mark.slow
def test_another_value_is_taken_where_one_is_no_array(structures: Asked) -> None:
    assert dict(structures.adopt("Loose")["inputs"]) == {"node": "0.5"}


def test_an_annotated_array_may_be_hidden_and_is_a_finding(structures: Asked) -> None:
    assert "sample(" in dict(structures.adopt("Offset")["inputs"])["offset"]


def test_the_sign_of_no_annotation_is_no_value(structures: Asked) -> None:
    for name in ("Scaled", "Named"):
        answer = structures.adopt(name)
        assert "_EMPTY" not in str([*answer.get("inputs", ()), *answer.get("arguments", ())])
    assert structures.adopt("Scaled")["arguments"][1][1].startswith("sample(")


@pytest.mark.slow
def test_a_method_of_which_an_argument_is_unknown_is_a_guess(rules: Asked) -> None:
    answer = rules.adopt("Rounded")
    called = answer["method"] if answer["called"] else ""
    assert answer["extra_unknown"] == ["backward"], (called, answer["extra"])
