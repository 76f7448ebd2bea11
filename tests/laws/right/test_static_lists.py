"""Lists that a class holds in its treedef: those that it changes are a fault, and those that it never does are advice."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf
from pytree_laws.report import LawWarning
from right.test_right_forms import finding, suite, weight


class Mixer(eqx.Module):
    """Places that a class lists, and never changes; or changes."""

    weight: jax.Array
    places: list[int] = eqx.field(static=True)

    def __init__(self, weight: jax.Array):
        self.weight, self.places = weight, [1, 2]

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.concatenate(jnp.split(x * self.weight, self.places))


class Changing(Mixer):
    def wider(self) -> None:
        self.places.append(3)


@pytest.mark.parametrize(("cls", "least"), [(Changing, "fault"), (Mixer, "cost")])
def test_a_list_that_its_class_changes_is_a_fault(cls: Any, least: str) -> None:
    form = suite(lambda seed: cls(weight(seed)), leaves=(Leaf("weight", "param", (3,)),), severity=least)
    assert finding(form, "p05_aux_is_hashable_and_free_of_arrays").startswith("fault: static is [1, 2]")


def test_a_list_that_an_adopted_class_never_changes_is_advice() -> None:
    form = suite(lambda seed: Mixer(weight(seed)), leaves=(Leaf("weight", "param", (3,)),), severity="fault")
    with pytest.warns(LawWarning, match="static is \\[1, 2\\], a list"):
        form().test_p05_aux_is_hashable_and_free_of_arrays()
    form.raises_from = "advice"  # as where all is wanted that is found
    assert finding(form, "p05_aux_is_hashable_and_free_of_arrays").startswith("advice: static is [1, 2]")


class Noting(Mixer):
    """It changes another list than the one that it has from its base."""

    notes: list[int] = eqx.field(static=True)

    def __init__(self, weight: jax.Array):
        super().__init__(weight)
        self.notes = [7]

    def note(self) -> None:
        self.notes.append(8)


def test_a_list_that_an_adopted_class_changes_is_a_fault_and_another_is_none() -> None:
    form = suite(lambda seed: Noting(weight(seed)), leaves=(Leaf("weight", "param", (3,)),), severity="fault")
    text = finding(form, "p05_aux_is_hashable_and_free_of_arrays")
    assert "static is [7]" in text and "static is [1, 2]" not in text
