"""What Python or a library makes on purpose, and what a class writes out: no fault of the class."""

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import check_pytree, sample
from pytree_laws.report import ADVICE, FAULT


class Results(eqx.Enumeration):
    successful = ""
    failed = "it failed"


class Fit(eqx.Module):
    gain: jax.Array
    result: Results

    def __init__(self, gain: jax.Array, *, result: Results = Results.successful):
        self.gain = gain
        self.result = result

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x


def test_an_item_of_an_enumeration_is_made_by_its_library() -> None:
    report = check_pytree(lambda seed: Fit(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert not [
        one for one in report.findings if "_value" in one.where and one.law.number in ("P2", "P5", "P15")
    ]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(eq=False, frozen=True)
class Graph:
    edges: jax.Array

    __hash__ = object.__hash__

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Graph) and bool(jnp.array_equal(self.edges, other.edges))


@jax.tree_util.register_dataclass
@dataclasses.dataclass(eq=False, frozen=True)
class Mistaken(Graph):
    def __hash__(self) -> int:
        return hash((type(self), id(self)))


def test_a_hash_of_the_object_that_is_written_out_is_advice() -> None:
    for cls, severity in ((Graph, ADVICE), (Mistaken, FAULT)):
        report = check_pytree(lambda seed, cls=cls: cls(sample(seed, (3,))))
        [finding] = [one for one in report.findings if "different hashes" in one.what]
        assert finding.severity == severity
        assert "__hash__" in finding.hint
