"""What a module has for its users, and is left out: a wrapper of a class is named, and an enumeration of Python is none of them."""

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import enum

import equinox as eqx
import jax


class Mode(enum.Enum):
    LEFT = 1


@eqx.filter_jit
class Compiled(eqx.Module):
    weight: jax.Array


class Plain(eqx.Module):
    weight: jax.Array
"""
asked = asked_of("listed", SOURCE)


def test_a_wrapper_of_a_class_is_left_out_with_the_word_why(asked: Asked) -> None:
    every = {one["name"]: one["why"] for one in asked.listed["classes"]}
    assert every.keys() == {"Compiled", "Plain"}
    assert "it is a wrapper of a class" in every["Compiled"] and not every["Plain"]
