"""A default that is an array of jax is told where a constructor stores it, and not where it makes a copy."""

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import sample
from pytree_laws.check import check_pytree


class Centred(eqx.Module):
    centre: jax.Array
    turn: jax.Array

    def __init__(self, centre=jnp.zeros(3), turn=jnp.zeros(3)):  # noqa: B008
        self.centre, self.turn = jnp.asarray(centre), jnp.array(turn)

    def __call__(self, x, by=jnp.ones(3)):  # noqa: B008
        return x * by - self.centre


def told(*names: str) -> list[tuple[str, str]]:
    """What is said of the defaults where an example gives these arguments."""
    report = check_pytree(lambda seed: Centred(**{name: sample(seed, (3,)) for name in names}))
    every = [one for one in report.findings if one.test == "test_p01_defaults_are_immutable"]
    return [(one.severity, one.what.partition(" is ")[0]) for one in every]


def test_it_is_told_of_the_one_that_is_stored() -> None:
    assert told("centre", "turn") == [("advice", "the default of `centre`")]


def test_nothing_is_told_of_one_that_the_example_holds() -> None:
    assert not told("turn")  # of which P15 tells
