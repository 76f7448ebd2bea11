"""What the other modules of a package say of a class: who makes it, who reads it, and what its parts are."""

import pytest

from tests.adopt.asking import Asked, asked_of

SPEC = """
from typing import Protocol

import equinox as eqx
import jax


class OfShape(Protocol):
    def __call__(self, shape: tuple[int, ...]) -> jax.Array: ...


class Semiring(eqx.Module):
    zeros: OfShape = eqx.field(static=True)
    ones: OfShape = eqx.field(static=True)

    def pair(self, x: jax.Array) -> jax.Array:
        return x * self.ones(x.shape) + self.zeros(x.shape)


class Scale(eqx.Module):
    sizes: jax.Array
    limit: float = eqx.field(static=True)

    def __check_init__(self):
        if self.limit != 40.5:
            raise ValueError("a scale is made by `measured`")

    def __call__(self, x: jax.Array) -> jax.Array:
        return x * self.sizes / self.limit
"""
MAKING = """
import jax
import jax.numpy as jnp

from package_parts.spec import Scale


def measured(unit: jax.Array) -> Scale:
    return Scale(jnp.stack([unit, 2 * unit]), 40.5)


def halved(scale: Scale) -> Scale:
    return Scale(scale.sizes / 2, 40.5)
"""
STEPS = """
import dataclasses

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    position: jax.Array
    speed: jax.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Model:
    rate: jax.Array

    def create_initial_state(self, key: jax.Array) -> State:
        return State(self.rate * jax.random.normal(key, (2, 3)), jnp.zeros((2, 3)))

    def advance(self, state) -> State:
        if state.position.shape != (2, 3):
            raise ValueError("another grid")
        return State(state.position + self.rate * state.speed, state.speed)


@jax.tree_util.register_pytree_node_class
class Runner:
    def __init__(self, model, steps=2):
        self.model, self.steps = model, steps

    def run(self, state):
        for _ in range(self.steps):
            state = self.model.advance(state)
        return state

    def tree_flatten(self):
        return (self.model,), self.steps

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, aux)
"""
RECORDS = """
import dataclasses

import equinox as eqx
import jax


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass(frozen=True)
class Modes:
    heights: jax.Array
    numbers: jax.Array
    forgotten: jax.Array

    def coefficient(self, place: jax.Array) -> jax.Array:
        return self.heights[place]

    def tree_flatten(self):
        return (self.heights, self.numbers, self.forgotten), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


class Update(eqx.Module):
    lin: eqx.nn.Linear

    def __init__(self, size: int, *, key: jax.Array):
        self.lin = eqx.nn.Linear(size, size, key=key)

    def update(self, state: jax.Array) -> jax.Array:
        return self.lin(state)


class Start(eqx.Module):
    states: jax.Array
    react: Update
    idle: Update

    def __init__(self, count: int, size: int, react: Update, idle: Update, *, key: jax.Array):
        self.states = jax.random.uniform(key, (count, size))
        self.react, self.idle = react, idle

    def initialize(self, key: jax.Array) -> jax.Array:
        return self.states + jax.random.normal(key, self.states.shape)


class Settings(eqx.Module):
    name: str = eqx.field(default="net", static=True)
    depth: int = eqx.field(default=2, static=True)

    def validate(self) -> tuple[str, ...]:
        return ("no name",) if not self.name else ()
"""
CELLS = """
import dataclasses
from typing import Protocol

import equinox as eqx
import jax
import jax.numpy as jnp


class Cell(eqx.Module):
    weight_x: jax.Array
    weight_h: jax.Array
    bias: jax.Array

    def __call__(self, x: jax.Array, state: jax.Array) -> jax.Array:
        return jnp.tanh(x @ self.weight_x + state @ self.weight_h + self.bias)


class ConvLike(Protocol):
    weight: jax.Array
    in_channels: int

    def __call__(self, x: jax.Array) -> jax.Array: ...


class Adapter(eqx.Module):
    base: ConvLike
    change: jax.Array

    def __init__(self, base: ConvLike):
        self.base, self.change = base, jnp.ones(base.weight.shape)

    def __call__(self, x: jax.Array) -> jax.Array:
        return eqx.tree_at(lambda base: base.weight, self.base, self.base.weight + self.change)(x)


@dataclasses.dataclass(frozen=True)
class Sizes:
    width: int
    height: int
    head_dim: int


class Area(eqx.Module):
    scale: jax.Array
    sizes: tuple = eqx.field(static=True)

    def __init__(self, params, scale: jax.Array):
        self.scale, self.sizes = scale, (params.width, params.height)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x * self.sizes[0] * self.sizes[1]


class Rotary(eqx.Module):
    scale: jax.Array
    sizes: Sizes = eqx.field(static=True)

    def __init__(self, sizes: Sizes):
        self.scale, self.sizes = jnp.ones(sizes.head_dim), sizes

    def __call__(self, x: jax.Array) -> jax.Array:
        first, second = jnp.split(self.scale * x, 2)
        return jnp.concatenate([-second, first])
"""
READING = """
import equinox as eqx
import jax


def first_mode(modes):
    return modes.numbers[0]


@eqx.filter_jit
def simulate(model, key):
    return jax.vmap(lambda state: model.react.update(state))(model.initialize(key))
"""
asked = asked_of(
    "package_parts",
    {
        "package_parts/__init__.py": "from package_parts import cells, making, reading, records, spec, steps\n",
        "package_parts/spec.py": SPEC,
        "package_parts/making.py": MAKING,
        "package_parts/steps.py": STEPS,
        "package_parts/records.py": RECORDS,
        "package_parts/reading.py": READING,
        "package_parts/cells.py": CELLS,
    },
)


@pytest.mark.slow
def test_a_function_of_another_module_that_gives_a_class_builds_it(asked: Asked) -> None:
    answer = asked.adopt("spec:Scale")
    assert answer["built"] and [*dict(answer["inputs"])] == ["unit"], answer
    assert answer["called"]


@pytest.mark.slow
def test_functions_of_jax_numpy_stand_for_what_bears_their_names(asked: Asked) -> None:
    answer = asked.adopt("spec:Semiring")
    assert dict(answer["inputs"]) == {"zeros": "jnp.zeros", "ones": "jnp.ones"}, answer
    assert answer["method"] == "pair"


def test_a_state_that_is_created_is_what_the_other_methods_take(asked: Asked) -> None:
    answer = asked.adopt("steps:Model")
    assert answer["method"] == "advance", answer
    [(_, state, _)] = answer["arguments"]
    assert state == "self.make(seed).create_initial_state(jax.random.key(seed))"


def test_what_a_class_asks_of_an_argument_says_which_part_it_is(asked: Asked) -> None:
    answer = asked.adopt("steps:Runner")
    assert dict(answer["inputs"])["model"].startswith("Model("), answer


def test_a_record_is_read_by_other_modules_under_the_names_of_its_attributes(asked: Asked) -> None:
    answer = asked.adopt("records:Modes")
    assert answer["unread"] == ["1"], answer


def test_parts_that_other_modules_use_are_left_to_these(asked: Asked) -> None:
    answer = asked.adopt("records:Start")
    assert answer["method"] == "initialize", answer
    assert answer["unread"] == ["react.lin.bias", "react.lin.weight"], answer


def test_settings_without_arrays_lack_no_call(asked: Asked) -> None:
    answer = asked.adopt("records:Settings")
    assert answer["built"] and answer["methods"] == [] and "why" not in answer, answer


def test_weights_that_a_cell_multiplies_with_are_matrices(asked: Asked) -> None:
    answer = asked.adopt("cells:Cell")
    inputs = dict(answer["inputs"])
    assert "(3, 3)" in inputs["weight_x"] and "(3, 3)" in inputs["weight_h"] and "(3,)" in inputs["bias"], (
        inputs
    )


def test_a_head_has_two_halves(asked: Asked) -> None:
    answer = asked.adopt("cells:Rotary")
    assert answer["called"] and "head_dim=10" in dict(answer["inputs"])["sizes"], answer


def test_a_protocol_with_channels_is_fitted_by_a_convolution(asked: Asked) -> None:
    answer = asked.adopt("cells:Adapter")
    assert dict(answer["inputs"])["base"].startswith("eqx.nn.Conv2d(") and answer["called"], answer


@pytest.mark.slow
def test_settings_are_known_by_what_a_constructor_reads_of_them(asked: Asked) -> None:
    answer = asked.adopt("cells:Area")
    assert dict(answer["inputs"])["params"].startswith("Sizes("), answer
