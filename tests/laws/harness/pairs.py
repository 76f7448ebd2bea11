"""Pairs of a wrong form and its right one: what the catalogues of mistakes are made of."""

import dataclasses
import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from mutants.structure import OneWeight
from right.specimens import Leaf, Output, sample

from harness.runner import run


@dataclasses.dataclass(frozen=True)
class Pair:
    """A mistake: the suites of its wrong and its right form, and the law that is there for it."""

    title: str
    broken: type
    fixed: type
    law: str
    words: tuple[str, ...] = ()
    survives: str = ""
    """Why `law` does not notice it yet; the day it does, its test fails until this is taken away."""


class Weighted(OneWeight):
    """A suite of classes that are built from a weight, in `cls`."""

    cls: Any = None

    def build(self, weight):
        return self.cls(jnp.array(weight))


def suite_of(cls: Any, base: type = Weighted, **declared: Any) -> type:
    """A suite of a class, with declarations of its own."""
    return type(f"{cls.__name__}Laws", (base,), {"cls": cls, "__module__": cls.__module__, **declared})


class One(eqx.Module):
    """What most of these classes begin with."""

    weight: jax.Array


class MatrixLaws(Weighted):
    leaves = (Leaf("weight", "param", (3, 2)),)
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"weight": sample(seed, (3, 2))}

    def arguments(self, seed):
        return (sample(seed, (2,)),)


FURTHER: dict[str, Pair] = {}


def further(law, title, broken, fixed, *words, base=Weighted, survives="", **declared):
    """Notes a mistake that is in no catalogue; both forms have suites that declare the same."""
    suites = suite_of(broken, base, **declared), suite_of(fixed, base, **declared)
    FURTHER[title] = Pair(title, *suites, law, () if survives else words, survives)


def of_law(law: str) -> str:
    """How the names of a law's tests begin; one without a number is found among all."""
    return f"test_p{law[1:]:0>2}_" if law.startswith("P") else "test_"


@functools.cache
def outcome_of(suite: type, law: str) -> Any:
    """What the tests of a law find in a wrong form, found once."""
    return run(suite, only=of_law(law), on_warning="ignore")  # a library may warn of the mistake


def check_broken(suite: type, law: str, words: tuple[str, ...] = ()) -> None:
    """The law notices the wrong form, and says so in these words."""
    outcome = outcome_of(suite, law)
    assert law in outcome, f"{suite.__name__} holds {law}"
    for word in words:
        assert word in outcome.text(law)


def params(pairs: dict[Any, Pair]) -> list[Any]:
    """The pairs as pytest takes them; what survives must fail until a law notices it."""
    return [
        pytest.param(
            pair,
            id=f"{key}-{pair.broken.__name__}" if isinstance(key, int) else pair.broken.__name__,
            marks=[pytest.mark.xfail(strict=True, reason=pair.survives)] if pair.survives else [],
        )
        for key, pair in pairs.items()
    ]
