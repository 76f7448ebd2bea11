"""Nodes that are no plain containers: sparse arrays, whose static part vmap changes, and dicts that refuse attributes."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.experimental.sparse import BCOO
from seen_broken import broken, hold, suite_of

from pytree_laws import PytreeLaws, check_pytree, sample


class Entries(eqx.Module):
    """A matrix by its entries, that are not zero."""

    data: jax.Array

    def __call__(self, scale: jax.Array) -> Any:
        places = jnp.array([[0, 1], [2, 0]], dtype=jnp.int32)
        return BCOO((self.data * scale, places), shape=(3, 2))


class Rounded(Entries):
    """The same with a branch, which gives other numbers where it is mapped."""

    def __call__(self, scale: jax.Array) -> Any:
        is_mapped = "Batch" in type(scale).__name__
        return super().__call__(2 * scale if is_mapped else scale)


class OfEntries(PytreeLaws):
    under_test: type = Entries

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"data": sample(seed, (2,))}

    def build(self, **inputs: Any) -> Any:
        return self.under_test(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 1, ()),)


@jax.tree_util.register_pytree_with_keys_class
class Record(dict[str, Any]):
    """A dict whose entries are attributes, and which says of a name that it lacks what a dict says."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def tree_flatten_with_keys(self) -> tuple[Any, Any]:
        return [(jax.tree_util.DictKey(key), self[key]) for key in sorted(self)], tuple(sorted(self))

    @classmethod
    def tree_unflatten(cls, keys: tuple[str, ...], values: Any) -> "Record":
        return cls(zip(keys, values, strict=True))


class Holder(eqx.Module):
    """A class that holds one."""

    record: Record


def test_sparse_arrays_are_alike_under_vmap_whose_numbers_are() -> None:
    hold(suite_of(OfEntries, Entries), "p10_stacked_instances")
    found = broken(suite_of(OfEntries, Rounded), "p10_stacked_instances")
    assert "vmap gives" in found.what


def test_a_dict_that_is_held_may_refuse_to_be_asked_for_an_attribute() -> None:
    report = check_pytree(lambda seed: Holder(Record(gain=sample(seed, (3,)), shift=sample(seed + 1, (2,)))))
    assert "KeyError" not in str(report)
    assert len(report.passed) > 30
