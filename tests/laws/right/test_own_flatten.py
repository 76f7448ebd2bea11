"""What a flatten of its own makes of an edit, and of positions: nothing is told of it but by the law that speaks of flatten."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.tree_util import GetAttrKey, register_pytree_node_class, register_pytree_with_keys

from pytree_laws import Leaf, check_pytree, sample
from right.test_right_forms import left_out, suite


@register_pytree_node_class
class Wave(NamedTuple):
    """Its flatten gives the fields in their order, and says no names."""

    field: jax.Array
    step: jax.Array

    def tree_flatten(self) -> Any:
        return (self.field, self.step), None

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children)


def test_leaves_without_the_names_of_fields_have_no_declared_position() -> None:
    leaves = Leaf("0", "data", (3,)), Leaf("1", "data", (3,))
    form = suite(lambda seed: Wave(sample(seed, (3,)), sample(seed + 1, (3,))), called=False, leaves=leaves)
    assert left_out(form, "p02_fields_of_a_tuple_have_their_declared_positions")


class Norm:
    """Its flatten gives what is an array at that moment."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.gain, self.offset = jnp.full(size, 2.0, jnp.float32), jnp.ones(size, jnp.float32)

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * self.gain + self.offset


def flatten(norm: Norm) -> Any:
    arrays = {name: value for name, value in vars(norm).items() if isinstance(value, jax.Array)}
    rest = tuple(pair for pair in vars(norm).items() if pair[0] not in arrays)
    return [(GetAttrKey(name), value) for name, value in arrays.items()], (tuple(arrays), rest)


def unflatten(aux: Any, children: Any) -> Norm:
    norm = object.__new__(Norm)
    vars(norm).update(zip(aux[0], children, strict=True), **dict(aux[1]))
    return norm


register_pytree_with_keys(Norm, flatten, unflatten)


def test_a_flatten_that_asks_for_types_is_told_by_one_law() -> None:
    report = check_pytree(lambda seed: Norm(3), lambda seed: (sample(seed, (3,)),))
    told = {(finding.law.number, finding.severity) for finding in report.findings}
    assert ("P5", "fault") in told, report.findings
    assert not {number for number, _ in told} & {"P10", "P13"}, report.findings
