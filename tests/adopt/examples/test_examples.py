"""What `scaffold adopt` takes for an example says something: it is allowed, it moves, and it hides no guess."""

import ast
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scaffold.adopt.emit.class_suite import skips_of, unsure_skip
from scaffold.adopt.processes.process import Child
from tests.support.trees import write_tree

SOURCE = """
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Boxed(eqx.Module):
    value: Any = eqx.field(static=True)


class Label:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "label of " + self.name


class Labelled(eqx.Module):
    weight: Float[Array, " size"]
    label: Label = eqx.field(static=True)


class Status(eqx.Enumeration):
    good = "all went well"
    bad = "it did not"


class Result(eqx.Module):
    value: Float[Array, " size"]
    status: Status


class Positive(eqx.Module):
    scale: Float[Array, " size"]

    def __init__(self, scale: Float[Array, " size"]):
        self.scale = eqx.error_if(scale, scale <= 0, "a scale is positive")

    def __call__(self, x: Float[Array, " size"]) -> Array:
        return self.scale * x


class Even(eqx.Module):
    scale: Float[Array, ""]

    def __init__(self, scale: Float[Array, ""]):
        self.scale = eqx.error_if(scale, scale != 2, "two it must be")

    def __call__(self, x: Float[Array, " size"]) -> Array:
        return self.scale * x


class Carried(eqx.Module):
    weight: Float[Array, "2 2"]

    def __call__(self, carry: jax.Array) -> Array:
        return jnp.tanh(jnp.asarray(carry) @ self.weight)


class CarriedPair(eqx.Module):
    weight: Float[Array, "2 2"]

    def __call__(self, carry) -> Array:
        return jnp.tanh(jnp.asarray(carry) @ self.weight)


class Floor(eqx.Module):
    floor: Float[Array, " size"]

    def __call__(self, x: Float[Array, " size"]) -> Array:
        return jnp.log(self.floor + 100 * jnp.abs(x))


class Root(eqx.Module):
    gamma: Float[Array, " size"]

    def __call__(self, x: Float[Array, " size"]) -> Array:
        return jnp.sqrt(self.gamma) * x


class Decay(eqx.Module):
    scale: Float[Array, ""]
    power: Float[Array, ""]

    def __call__(self, x: Float[Array, " n"]) -> Array:
        return self.power * jnp.mean(x)

    def at(self, x: Float[Array, " n"]) -> Array:
        return (1 + jnp.sum(x**2) / self.scale / self.power) ** -self.power


class Standardised(eqx.Module):
    scale: Float[Array, " size"]

    def __call__(self, x):
        return (x.reshape(-1, *self.scale.shape) - x.reshape(-1, *self.scale.shape).mean(0)) * self.scale


class Distance(eqx.Module):
    scale: Float[Array, ""]

    def __call__(self, x: Float[Array, " n"], y: Float[Array, " n"] | None = None) -> Array:
        return jnp.sum((x - (x if y is None else y)) ** 2) / self.scale


class Polynomial(eqx.Module):
    start: Float[Array, ""]
    rate: Float[Array, ""]

    def __call__(self, moment: Float[Array, ""], other: Float[Array, ""] | None = None) -> Array:
        found = (moment - self.start) * self.rate
        return found if other is None else found - self(other)


class Stacked(eqx.Module):
    blocks: tuple[Array, ...]

    def __init__(self, *blocks: Array):
        self.blocks = blocks

    @property
    def ndim(self) -> int:
        (ndim,) = {block.ndim for block in self.blocks}
        return ndim

    def __call__(self, x: Float[Array, " size"]) -> Array:
        return sum(block * x for block in self.blocks)


class Solved(eqx.Module):
    rate: Float[Array, ""]
    solver: Callable[[Any, Any, Any], Any]

    def __call__(self, x: Float[Array, ""]) -> Array:
        @jax.custom_jvp
        def solved(rate, x):
            return self.solver(None, x, None)

        solved.defjvp(lambda given, moved: (solved(*given), moved[1] / given[0]))
        return solved(self.rate, x)


class Bits(eqx.Module):
    weight: Float[Array, ""]

    def __call__(self, width: int):
        return self.weight * jnp.ones(width)


class Field(eqx.Module):
    function: Any = jnp.tanh


class Solver(eqx.Module):
    rate: Float[Array, ""]

    def step(self, field: Field, x: Float[Array, " n"]) -> Array:
        return x + self.rate * field.function(x)


class Part(eqx.Module):
    weight: Float[Array, "3"]


class Pair(eqx.Module):
    first: Part
    second: Part


class Banded(eqx.Module):
    diagonal: Float[Array, " size"]
    beside: Float[Array, " size"]

    def __call__(self, x: Float[Array, " size"]) -> Array:
        return self.diagonal * x

    def dense(self) -> Array:
        return jnp.diag(self.diagonal) + jnp.outer(self.beside, self.beside)


class Wide(eqx.Module):
    left: Any
    right: Any

    def __init__(self, left, right):
        self.left, self.right = left, jnp.ravel(right)

    def product(self) -> Array:
        return self.left[None, :] @ jnp.eye(17)


class Keyed(eqx.Module):
    table: dict[Any, Array]

    def __init__(self, size: int):
        self.table = {("a", "b"): jnp.ones(size)}


class Giving(eqx.Module):
    weight: Float[Array, " size"]
    function: Any = jnp.tanh

    def merged(self, x: Float[Array, " size"]) -> "Giving":
        return Giving(self.weight * x)

    def value(self, x: Float[Array, " size"]) -> Array:
        return self.function(self.weight * x)
"""
Found = dict[str, Any]
Ask = Callable[[str], Found]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    folder = write_tree(tmp_path_factory.mktemp("examples"), {"examples.py": SOURCE})
    child = Child([sys.executable], folder)
    target = {"text": "examples", "module": "examples", "name": "", "whole": True}
    child.ask({"do": "list", "folders": [str(folder)], "targets": [target]}, 60.0)
    request = {"do": "adopt", "module": "examples", "seconds": 60.0, "folders": []}
    yield lambda name: child.ask({**request, "name": name, "said": {}, "build": "", "call": ""}, 60.0)
    child.close()


def inputs(found: Found) -> dict[str, str]:
    return {name: text for name, text in found["inputs"]}


def arguments(found: Found) -> dict[str, str]:
    return {name: text for name, text, _ in found["arguments"]}


@pytest.mark.slow
def test_a_guess_that_is_held_as_static_is_no_array(ask: Ask) -> None:
    assert inputs(ask("Boxed")) == {"value": "0.5"}


@pytest.mark.slow
def test_what_equals_itself_alone_is_made_once(ask: Ask) -> None:
    found = ask("Labelled")
    assert inputs(found)["label"] == "LABEL"
    assert found["helpers"] == ['LABEL = Label(name="name")']


def test_an_item_of_an_enumeration_is_taken_from_it(ask: Ask) -> None:
    assert inputs(ask("Result"))["status"] == "jax.tree.map(jnp.array, Status.good)"


def test_what_a_constructor_refuses_by_its_values_is_positive(ask: Ask) -> None:
    assert inputs(ask("Positive")) == {"scale": "jnp.exp(sample(seed, (3,)))"}


def test_a_check_at_run_time_is_told_in_its_own_words(ask: Ask) -> None:
    assert ask("Even")["error"] == "EquinoxRuntimeError: two it must be"


def test_what_gives_no_number_is_positive(ask: Ask) -> None:
    assert inputs(ask("Root")) == {"gamma": "sample(seed, (3,), positive=True)"}


def test_what_gives_no_number_for_arguments_of_zeros_is_positive(ask: Ask) -> None:
    assert inputs(ask("Floor")) == {"floor": "sample(seed, (3,), positive=True)"}


def test_what_gives_no_number_in_a_method_is_positive(ask: Ask) -> None:
    assert {*inputs(ask("Decay")).values()} == {"jnp.exp(sample(seed))", "sample(seed + 1, positive=True)"}


def test_what_is_said_to_be_an_array_is_no_pair(ask: Ask) -> None:
    assert arguments(ask("Carried")) == {"carry": "sample(seed, (2,))"}
    assert arguments(ask("CarriedPair")) == {"carry": "(sample(seed, (2,)), sample(seed + 1, (2,)))"}


@pytest.mark.slow
def test_where_parameters_are_not_felt_there_are_more_axes(ask: Ask) -> None:
    assert arguments(ask("Standardised")) == {"x": "sample(seed, (5, 3))"}


def test_where_parameters_are_not_felt_there_are_more_arguments(ask: Ask) -> None:
    assert [*arguments(ask("Distance"))] == ["x", "y"]


def test_where_parameters_are_not_felt_nothing_is_drawn_twice(ask: Ask) -> None:
    found = ask("Polynomial")
    assert [*inputs(found).values()] == ["sample(seed, positive=True)", "jnp.exp(sample(seed + 1))"]
    assert arguments(found) == {"moment": "sample(seed + 2)"}


@pytest.mark.parametrize(("name", "fixed"), [("Bits", "width"), ("Solver", "field")])
def test_what_no_tracer_can_be_is_written_in_the_call(ask: Ask, name: str, fixed: str | None) -> None:
    assert ask(name)["static_arguments"] == ([fixed] if fixed else [])


def test_no_two_draws_are_alike(ask: Ask) -> None:
    texts = inputs(ask("Pair"))
    assert texts["first"] != texts["second"]


def test_a_method_that_feels_what_the_call_does_not_is_declared(ask: Ask) -> None:
    assert ["dense", []] in ask("Banded")["extra"]


def test_what_is_refused_for_guessed_sizes_is_left_out_with_the_reason(ask: Ask) -> None:
    found = ask("Wide")
    assert found["unsure"] == ["product"]
    assert "no sizes of the arrays were found with which `product` works" in unsure_skip("product")[1]
    assert ask("Banded")["unsure"] == []


def test_of_any_number_of_arguments_there_are_two(ask: Ask) -> None:
    assert (
        ask("Stacked")["build"]
        == "Stacked(sample(seed, (3,), positive=True), sample(seed + 1, (3,), positive=True))"
    )


def test_a_derivative_rule_that_says_what_a_guessed_function_does_is_left_out(ask: Ask) -> None:
    assert ask("Solved")["presumed"] == ["solver"]
    assert ask("Root")["presumed"] == []
    (skip, why), _ = skips_of(ask("Solved"))
    assert skip == "p09_methods_have"
    assert why.startswith("nobody has said what `solver` is")


def test_a_path_with_quotes_is_written_as_python(ask: Ask) -> None:
    (leaf,) = ask("Keyed")["leaves"]
    call = ast.parse(leaf, mode="eval").body
    assert isinstance(call, ast.Call)
    assert ast.literal_eval(call.args[0]) == "table.('a', 'b')"


def test_a_call_that_gives_arrays_is_taken_before_one_that_gives_functions_too(ask: Ask) -> None:
    assert ask("Giving")["method"] == "value"
