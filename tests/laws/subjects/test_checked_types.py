"""Classes whose annotations are checked at each call, as `pytest --jaxtyping-packages=...` has it, which come before their own checks."""

from typing import Any

import equinox as eqx
import jax
import pytest
from beartype import beartype
from beartype.roar import BeartypeDecorHintNonpepException
from jaxtyping import Array, Float, config, jaxtyped
from seen_broken import broken, hold

from pytree_laws import PytreeLaws, sample
from pytree_laws.errors import is_of_types

P1 = "p01_rejects_invalid_inputs"


class Pair(eqx.Module):
    """Two arrays of one size."""

    a: jax.Array
    b: jax.Array

    @classmethod
    @jaxtyped(typechecker=beartype)
    def checked(cls, a: Float[Array, " n"], b: Float[Array, " n"]) -> Any:
        if a.shape != b.shape:
            raise ValueError("two sizes")
        return cls(a, b)

    @classmethod
    @jaxtyped(typechecker=beartype)
    def unchecked(cls, a: Float[Array, " n"], b: Float[Array, " n"]) -> Any:
        return cls(a, b)

    @classmethod
    @beartype
    def of_beartype(cls, a: jax.Array, b: jax.Array) -> Any:
        return cls(a, b)

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * self.a * self.b


class PairLaws(PytreeLaws):
    rejected = (({"b": sample(0, (3,))}, ValueError),)

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"a": sample(seed, (2,)), "b": sample(seed + 1, (2,))}

    def build(self, **inputs: Any) -> Pair:
        return Pair.checked(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, ()),)


class Unchecked(PairLaws):
    def build(self, **inputs: Any) -> Pair:
        return Pair.unchecked(**inputs)


class OfBeartype(PairLaws):
    """Nothing switches the checks of beartype itself off."""

    rejected = (({"b": "two"}, ValueError),)

    def build(self, **inputs: Any) -> Pair:
        return Pair.of_beartype(**inputs)


@pytest.mark.parametrize("suite", [PairLaws, OfBeartype])
def test_a_checker_of_annotations_may_refuse_first(suite: type[PytreeLaws]) -> None:
    hold(suite(), P1)
    assert not config.jaxtyping_disable


def test_a_class_has_its_checks_without_a_checker_of_annotations() -> None:
    assert "inputs that must raise ValueError were accepted" in broken(Unchecked(), P1).what
    assert not config.jaxtyping_disable


def test_a_checker_that_cannot_read_an_annotation_refuses_no_value() -> None:
    assert not is_of_types(BeartypeDecorHintNonpepException("no annotation"))
    assert not is_of_types(TypeError("mine")) and not is_of_types(None)
