"""What `scaffold adopt` gives to classes that wrap others: modules of their own family, any number of arguments, densities."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.adopt.asking import Asked

SOURCE = '''
from __future__ import annotations

import time
from typing import Any, Callable, Generic, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

Inner = TypeVar("Inner", bound="Kernel")


class Kernel(eqx.Module):
    """A base of kernels."""


class Constant(Kernel):
    value: jax.Array

    def __init__(self, value=None):
        self.value = jnp.asarray(value, "float32")

    def __call__(self, x: jax.Array, y: jax.Array) -> jax.Array:
        return self.value * x * y


class Exp(Kernel, Generic[Inner]):
    inner: Inner

    def __init__(self, inner=None):
        self.inner = inner if isinstance(inner, Kernel) else Constant(inner)

    def __call__(self, x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.exp(self.inner(x, y))


class Mapped(Kernel):
    inner: Kernel

    def __call__(self, *xs):
        return 2.0 * self.inner(*xs)


class Engine(eqx.Module):
    def __new__(cls, *args: Any, **kwargs: Any):
        raise TypeError("engines are static")


class Running(Kernel):
    inner: Kernel

    def __init__(self, inner: Kernel):
        if not isinstance(inner, Exp):
            raise ValueError("it must be wrapped around an `Exp`")
        self.inner = inner

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.inner(x, x)


class Paired(eqx.Module):
    """Built of its last argument alone."""

    weight: jax.Array

    def __init__(self, a: int = 1, b: int = 2, c: int = 3, d: int = 4, e: int = 5, f: int = 6, weight=None):
        self.weight = (a + b + c + d + e + f) * jnp.array(weight)

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.sum(self.weight) * x


class Lifted(eqx.Module):
    """Built of anything, and called with a function alone."""

    weight: jax.Array
    warp: Any

    def __init__(self, size: int, warp):
        self.weight, self.warp = jnp.ones(size, "float32"), warp

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * self.warp(x)


class Cell(eqx.Module):
    """Its state is a tuple of one array."""

    weight: jax.Array
    carry: jax.Array

    def __init__(self, in_size: int, out_size: int, *, key: jax.Array):
        self.weight = jax.random.normal(key, (out_size, in_size), "float32")
        self.carry = jnp.eye(out_size, dtype="float32")

    def __call__(self, x: jax.Array, state: tuple[jax.Array, ...]) -> jax.Array:
        (hidden,) = state
        return self.weight @ x + self.carry @ hidden


class Scanned(eqx.Module):
    """Its annotation is that of one step, and its call is given a sequence of them."""

    weight: jax.Array

    def __init__(self, size: int):
        self.weight = jnp.ones(size, "float32")

    def __call__(self, x: Float[Array, " size"]) -> jax.Array:
        return jax.vmap(lambda step: self.weight * step)(x) * x.shape[1]


class Image(eqx.Module):
    """It takes images alone, and says so."""

    weight: jax.Array

    def __init__(self, in_size: int, out_size: int):
        self.weight = jnp.ones((out_size, in_size), "float32")

    def __call__(self, image: jax.Array, other: jax.Array) -> jax.Array:
        if image.ndim != 4 or other.ndim != 4:
            raise ValueError(f"images must be rank-4, got {image.ndim} and {other.ndim}")
        return image @ self.weight.T * other


class Graph(eqx.Module):
    """A sum over the edges of a graph."""

    weight: jax.Array

    def __init__(self, size: int):
        self.weight = jnp.ones(size, "float32")

    def __call__(self, x: jax.Array, edge_index: jax.Array) -> jax.Array:
        begin, end = edge_index
        return jnp.zeros_like(x).at[end].add(x[begin] * self.weight)


T = TypeVar("T")


class Reaction(eqx.Module):
    """Built of a text of a form that an error names."""

    rate: jax.Array
    parts: tuple[str, ...] = eqx.field(static=True)

    def __init__(self, text: str):
        if "->" not in text:
            raise ValueError(f"{text!r} must contain '->' between its parts")
        self.parts, self.rate = tuple(text.split(" -> ")), jnp.ones((), "float32")

    def __call__(self, time: jnp.floating, x: jax.Array) -> jax.Array:
        return self.rate * time * x


class Held(eqx.Module):
    """Built of anything but None."""

    value: Any

    def __init__(self, value: T | None = None):
        self.value = 2.0 * value

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.value * x


class Patient(eqx.Module):
    """Quick where it is traced, and slow where it computes."""

    weight: jax.Array

    def __init__(self, size: int):
        self.weight = jnp.ones(size, "float32")

    def __call__(self, x: jax.Array) -> jax.Array:
        if not isinstance(x, jax.core.Tracer):
            time.sleep(60.0)
        return self.weight * x


class Sampler(eqx.Module):
    step: jax.Array

    def __init__(self, step: float):
        self.step = jnp.asarray(step, "float32")

    def __call__(self, position: jax.Array, log_density: Callable[..., Any], data: jax.Array) -> jax.Array:
        return position + self.step * jax.grad(log_density)(position, data) * jnp.sum(data)
'''


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    asked = Asked(Path(tmp_path_factory.mktemp("wrappers")), "wrappers_of_others", SOURCE)
    yield asked
    asked.child.close()


@pytest.mark.slow
def test_a_bound_that_is_written_as_text_is_known(asked: Asked) -> None:
    assert asked.adopt("Exp")["inputs"][0][1].startswith("Constant(")


@pytest.mark.slow
def test_any_number_of_arguments_is_as_many_as_the_call_needs(asked: Asked) -> None:
    answer = asked.adopt("Mapped")
    assert answer["called"]
    assert [name for name, *_ in answer["arguments"]] == ["x_0", "x_1"]


def test_a_class_whose_constructor_raises_whatever_it_is_given_has_no_instances(asked: Asked) -> None:
    listed = {each["name"]: each for each in asked.listed["classes"]}
    assert listed["Engine"]["why"] == "it is abstract: its constructor raises, whatever it is given"
    assert not listed["Running"]["why"]


def test_a_class_that_an_error_names_is_what_belongs_there(asked: Asked) -> None:
    answer = asked.adopt("Running")
    assert answer["inputs"][0][1].startswith("Exp(")
    assert answer["called"]


def test_an_argument_without_a_default_of_its_own_goes_before_others(asked: Asked) -> None:
    assert [name for name, _ in asked.adopt("Paired")["inputs"]] == ["weight"]


@pytest.mark.slow
def test_a_density_gives_one_number_and_takes_data(asked: Asked) -> None:
    answer = asked.adopt("Sampler")
    assert answer["called"]
    assert "density" in dict((name, text) for name, text, _ in answer["arguments"])["log_density"]


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_class_that_takes_long_to_describe_is_adopted_with_less(asked: Asked) -> None:
    answer = asked.adopt("Patient", seconds=3.0)
    assert (answer["built"], answer["called"], answer["leaves"]) == (True, True, [])


def test_what_is_not_callable_gives_way_to_a_function(asked: Asked) -> None:
    answer = asked.adopt("Lifted")
    assert (answer["called"], dict(answer["inputs"])["warp"]) == (True, "jnp.tanh")


def arguments(answer: dict[str, Any]) -> dict[str, str]:
    """The arguments of the call that was found."""
    assert answer["called"]
    return {name: text for name, text, _ in answer["arguments"]}


@pytest.mark.slow
def test_a_tuple_has_as_many_parts_as_an_error_asks_for(asked: Asked) -> None:
    assert re.fullmatch(r"\(sample\([^()]*\(\d+,\)\),\)", arguments(asked.adopt("Cell"))["state"])


def test_what_lacks_an_axis_is_a_sequence_of_what_its_annotation_describes(asked: Asked) -> None:
    assert arguments(asked.adopt("Scanned"))["x"] == "sample(seed, (2, 3))"


@pytest.mark.slow
def test_the_rank_that_an_error_names_is_tried_first(asked: Asked) -> None:
    assert arguments(asked.adopt("Image"))["image"].count(",") == 4


def test_edges_of_a_graph_join_nodes_that_have_features(asked: Asked) -> None:
    found = arguments(asked.adopt("Graph"))
    assert found == {"x": "sample(seed, (5, 3))", "edge_index": 'sample(seed, (2, 7), "int", 0, 2)'}


def test_a_text_has_the_sign_that_an_error_names(asked: Asked) -> None:
    answer = asked.adopt("Reaction")
    assert dict(answer["inputs"]) == {"text": '"A -> B"'}
    assert arguments(answer)["time"] == "jax.nn.sigmoid(sample(seed))"


@pytest.mark.slow
def test_a_free_variable_that_may_be_none_is_anything(asked: Asked) -> None:
    assert dict(asked.adopt("Held")["inputs"]) == {"value": "sample(seed, (3,))"}
