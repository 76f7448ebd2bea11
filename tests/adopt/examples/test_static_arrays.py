"""Arrays of NumPy that a class keeps beside its leaves are of NumPy in an example; those that it flattens stay as usual."""

from tests.adopt.asking import Asked, asked_of

SOURCE = """
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True, eq=False)
class Topology:
    parents: np.ndarray

    def __hash__(self):
        return hash(self.parents.tobytes())

    def __eq__(self, other):
        return isinstance(other, Topology) and np.array_equal(self.parents, other.parents)


jax.tree_util.register_pytree_node(Topology, lambda topology: ((), topology), lambda aux, _: aux)


@jax.tree_util.register_pytree_node_class
@dataclass
class Tree:
    topology: Topology
    values: np.ndarray

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * jnp.sum(self.values) + self.topology.parents[0]

    def tree_flatten(self):
        return (self.values,), self.topology

    @classmethod
    def tree_unflatten(cls, topology, values):
        return cls(topology, *values)
"""
asked = asked_of("static_arrays", SOURCE)


def test_what_is_annotated_as_an_array_of_numpy_and_is_no_leaf_is_of_numpy(asked: Asked) -> None:
    assert dict(asked.adopt("Topology")["inputs"])["parents"].startswith("np.asarray(sample(")
    inputs = dict(asked.adopt("Tree")["inputs"])
    assert inputs["topology"].startswith("Topology(parents=np.asarray(")
    assert inputs["values"].startswith("sample(")
