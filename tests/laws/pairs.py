"""Pairs of a wrong form and its right one: what the catalogues of mistakes are made of."""

import dataclasses
from typing import Any

import jax.numpy as jnp
import pytest
from laws_runner import run
from mutants_structure import OneWeight


@dataclasses.dataclass(frozen=True)
class Pair:
    """A mistake: the suites of its wrong and its right form, and the law that is there for it."""

    title: str
    broken: type
    fixed: type
    law: str
    words: tuple[str, ...] = ()
    survives: str = ""
    """What no law notices yet, and what one could check; empty where `law` notices it."""


class Weighted(OneWeight):
    """A suite of classes that are built from a weight, in `cls`."""

    cls: Any = None

    def build(self, weight):
        return self.cls(jnp.array(weight))


def suite_of(cls: Any, base: type = Weighted, **declared: Any) -> type:
    """A suite of a class, with declarations of its own."""
    return type(f"{cls.__name__}Laws", (base,), {"cls": cls, "__module__": cls.__module__, **declared})


def check_broken(suite: type, law: str, words: tuple[str, ...] = ()) -> None:
    """The law notices the wrong form, and says so in these words."""
    of_number = law.startswith("P")
    only = f"test_p{law[1:]:0>2}_" if of_number else "test_"
    outcome = run(suite, only=only, on_warning="ignore")  # a library may warn of the mistake
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
