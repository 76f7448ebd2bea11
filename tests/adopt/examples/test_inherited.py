"""What an override does not say of its arguments: the annotations of the method that it overrides, or of the fields."""

from typing import Any

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import dataclasses
from typing import Any, Generic, Protocol, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

Model = TypeVar("Model")


class Encoder(Protocol):
    def encode(self, x: Array, key: Array) -> Array: ...


class Energy(Protocol):
    def energy(self, x: Array) -> Array: ...


class Variational(eqx.Module):
    scale: Array

    def encode(self, x: Array, key: Array) -> Array:
        return self.scale * x + jax.random.normal(key, x.shape)


class Well(eqx.Module):
    depth: Array

    def energy(self, x: Array) -> Array:
        return self.depth * jnp.sum(x**2)


class Loss(eqx.Module, Generic[Model]):
    weight: Array

    def __call__(self, model: Model, batch: tuple[Any, ...], key: Array) -> Array:
        raise NotImplementedError


class Distance(Loss[Encoder]):
    def __call__(self, model, batch, key):
        return self.weight * jnp.mean((model.encode(batch[0], key) - batch[1]) ** 2)


class Gap(Loss[Energy]):
    def __call__(self, model, batch, key):
        return self.weight * (model.energy(batch[0]) - jnp.mean(batch[2]))


class Named(Loss[Energy]):
    def __call__(self, model: Encoder, batch, key):
        return self.weight * jnp.mean(model.encode(batch[0], key))


class Settings:
    def __init_subclass__(cls) -> None:
        dataclasses.dataclass(cls, eq=False, init=False)
        jax.tree_util.register_pytree_node_class(cls)

    def __init__(self, *args, key=None, **kwargs):
        names = [field.name for field in dataclasses.fields(self)]
        for name, value in {**dict(zip(names, args)), **kwargs}.items():
            setattr(self, name, value)
        if key is None:
            raise RuntimeError("no key")
        self.weight = jax.random.normal(key, (self.in_size, self.out_size))

    def tree_flatten(self):
        return (self.weight,), (self.in_size, self.out_size)

    @classmethod
    def tree_unflatten(cls, aux, children):
        made = object.__new__(cls)
        (made.weight,), (made.in_size, made.out_size) = children, aux
        return made


class Dense(Settings):
    in_size: int
    out_size: int

    def __call__(self, x: Array) -> Array:
        return x @ self.weight


class Composed(eqx.Module):
    scale: Array
    slices: dict[str, tuple[int, int]]

    def __init__(self, scale: Array, slices: dict):
        self.scale, self.slices = scale, dict(slices)

    def __call__(self, x: Array) -> Array:
        return self.scale * sum(jnp.sum(x[first:last]) for first, last in self.slices.values())


class Passing(eqx.Module):
    scale: Array

    def propagate(self, edge_index: Array, x: Array, size: int | None = None) -> Array:
        '''Sum over edges.

        Args:
            edge_index: edge indices [2, num_edges]
            x: node features [num_nodes, features]
        '''
        source, target = edge_index
        return self.scale * jax.ops.segment_sum(x[source], target, num_segments=x.shape[0])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.propagate(*args, **kwargs)
"""
asked = asked_of("inherited_annotations", SOURCE)


def arguments(answer: dict[str, Any]) -> dict[str, str]:
    return {name: text for name, text, _ in answer["arguments"]}


@pytest.mark.slow
def test_an_override_takes_what_the_type_variable_of_its_base_stands_for(asked: Asked) -> None:
    found = arguments(asked.adopt("Distance"))
    assert found["model"].startswith("Variational(scale=")
    assert found["batch"].startswith("(sample(seed")


@pytest.mark.slow
def test_as_many_parts_are_given_as_an_override_reads(asked: Asked) -> None:
    found = arguments(asked.adopt("Gap"))
    assert found["model"].startswith("Well(depth=")
    assert found["batch"].count("sample(") == 3


def test_what_an_override_says_itself_stands(asked: Asked) -> None:
    assert arguments(asked.adopt("Named"))["model"].startswith("Variational(scale=")


@pytest.mark.slow
def test_a_constructor_that_stores_by_name_takes_the_fields(asked: Asked) -> None:
    answer = asked.adopt("Dense")
    assert answer["called"]
    assert {name for name, _ in answer["inputs"]} == {"in_size", "out_size", "key"}


def test_a_call_that_passes_all_on_takes_the_arguments_of_the_other_method(asked: Asked) -> None:
    answer = asked.adopt("Passing")
    assert answer["method"] == ""
    assert arguments(answer) == {
        "edge_index": 'sample(seed, (2, 5), "int", 0, 3)',
        "x": "sample(seed, (11, 3))",
    }


def test_a_field_says_what_a_bare_dict_of_a_constructor_holds(asked: Asked) -> None:
    assert dict(asked.adopt("Composed")["inputs"])["slices"] == '{"a": (1, 2), "b": (1, 2)}'
