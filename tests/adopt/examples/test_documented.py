"""What docstrings and comments say of arguments, and `scaffold adopt` takes for calls that mean something."""

from typing import Any

import pytest

from scaffold.adopt.child.classes.documented import dtype_in, shape_in
from scaffold.adopt.child.values.annotations import EMPTY
from scaffold.adopt.child.values.candidates import values_for
from scaffold.adopt.child.values.context import Context
from tests.adopt.asking import Asked, asked_of

SOURCE = '''
from dataclasses import dataclass, field
from typing import NewType

import equinox as eqx
import jax
import jax.numpy as jnp


class Regression(eqx.Module):
    """A linear model.

    Args:
        features: how many there are.
    """

    weight: jax.Array
    features: int = eqx.field(static=True)

    def __init__(self, features: int):
        self.weight, self.features = jnp.ones(features), features

    def loss(self, design, response, chances):
        """The loss.

        Args:
            design: rows of shape `(n, features)`.
            response: what was seen, positive, shape `(n,)`.
            chances (Array): class probabilities [n, 2].
        """
        return (design @ self.weight - response) * chances.sum(-1)


class Graph(eqx.Module):
    """Nodes that are joined."""

    table: jax.Array

    def __init__(self, nodes: int, size: int):
        self.table = jnp.ones((nodes, size))

    def encode(self, edges: jax.Array) -> jax.Array:
        """The sum over edges.

        Parameters
        ----------
        edges : jax.Array
            Array of shape (num_edges, 2) with node indices.
        """
        begins, ends = edges.astype(int).T
        return (self.table[begins] * self.table[ends]).sum(0)


class Coefficients(eqx.Module):
    """The coefficients of a fit.

    - `slope`: of shape `(p,)`.
    """

    slope: jax.Array


class Fit(eqx.Module):
    """A fit, in which sizes agree.

    - `design`: shape `(n, p)`.
    - `response`: shape `(n,)`.
    """

    coefficients: Coefficients
    design: jax.Array
    response: jax.Array

    def __init__(self, coefficients: Coefficients, design: jax.Array, response: jax.Array):
        if design.shape != (*response.shape, *coefficients.slope.shape):
            raise ValueError("sizes must agree")
        self.coefficients, self.design, self.response = coefficients, design, response

    def predict(self, x: jax.Array) -> jax.Array:
        return self.design @ self.coefficients.slope + self.response + x.sum()


@jax.tree_util.register_dataclass
@dataclass
class Memory:
    """What is stored is looked up."""

    keys: jax.Array
    values: jax.Array
    size: int = field(metadata={"static": True})

    @staticmethod
    def create(size: int) -> "Memory":
        return Memory(jnp.zeros((0, size)), jnp.zeros((0, size)), size)

    def add(self, key: jax.Array, value: jax.Array) -> "Memory":
        return Memory(jnp.vstack([self.keys, key]), jnp.vstack([self.values, value]), self.size)

    def retrieve(self, query: jax.Array) -> jax.Array:
        if not self.keys.shape[0]:
            return jnp.zeros(self.size)
        return jax.nn.softmax(self.keys @ query) @ self.values


@jax.tree_util.register_dataclass
@dataclass
class Classes:
    """Sums of what was seen of each class, and how widely it is spread."""

    sums: jax.Array
    spread: jax.Array
    count: int = field(metadata={"static": True})

    @staticmethod
    def create(count: int, size: int) -> "Classes":
        return Classes(jnp.zeros((count, size)), jnp.ones((count, size)), count)

    def logits(self, x: jax.Array) -> jax.Array:
        return (self.sums / jnp.sqrt(self.spread)) @ x


@jax.tree_util.register_dataclass
@dataclass
class Codebook:
    """Codes, of which comments say the shapes."""

    codes: jax.Array  # (entries, width)
    scale: jax.Array  # (width,)

    def nearest(self, x: jax.Array) -> jax.Array:
        return (self.codes * self.scale) @ x


@jax.tree_util.register_dataclass
@dataclass
class Pose:
    """A turn and a shift, each in its part of one array."""

    numbers: jax.Array
    """A quaternion and then a vector. Shape should be `(*, 7)`."""

    def moved(self, x: jax.Array) -> jax.Array:
        return x + self.numbers[..., 4:].sum() * self.numbers[..., :4].sum()


class Kernel(eqx.Module):
    """A convolution over images."""

    weight: jax.Array

    def __init__(self, in_channels: int, out_channels: int):
        self.weight = jnp.ones((3, 3, in_channels, out_channels))

    def __call__(self, state: None, x: jax.Array) -> jax.Array:
        dims = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(x, self.weight, (1, 1), "SAME", dimension_numbers=dims)


class Sum(eqx.Module):
    """What would take any size, and names one."""

    hidden_size: int = eqx.field(static=True)

    def __call__(self, carry: jax.Array, x: jax.Array) -> jax.Array:
        return carry + x


class Leak(eqx.Module):
    """A layer with a state."""

    rate: jax.Array

    def __init__(self):
        self.rate = jnp.asarray(0.5)

    def init_state(self, shape: tuple[int, ...]):
        return jnp.zeros(shape)

    def __call__(self, state, x):
        after = self.rate * state + x
        return after, jnp.tanh(after)


class Chain(eqx.Module):
    """Layers, one after another."""

    layers: tuple

    def __init__(self, *layers):
        self.layers = tuple(layers)

    def init_state(self, shape: tuple[int, ...]) -> tuple:
        return tuple(layer.init_state(shape) for layer in self.layers)

    def __call__(self, state: tuple, x: jax.Array):
        after = []
        for layer, inner in zip(self.layers, state, strict=True):
            inner, x = layer(inner, x)
            after.append(inner)
        return tuple(after), x


Channels = NewType("Channels", tuple[tuple[tuple[int, int], int], ...])


class Board(eqx.Module):
    cells: jax.Array

    def to_svg(self, scale: float) -> str:
        return f"<svg width={scale * self.cells.size}>"


class Converted(eqx.Module):
    weight: jax.Array
    input_keys: Channels = eqx.field(static=True)

    def __init__(self, input_keys: Channels, key: jax.Array):
        self.weight = jax.random.normal(key, (len(input_keys),))
        self.input_keys = input_keys

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x
'''


asked = asked_of("texts", SOURCE)


def call_of(answer: dict[str, Any]) -> tuple[str, list[str]]:
    return answer["method"], [text for _, text, _ in answer["arguments"]]


@pytest.mark.slow
def test_shapes_and_domains_are_those_that_the_docstring_of_a_method_says(asked: Asked) -> None:
    method, arguments = call_of(asked.adopt("Regression"))
    assert method == "loss"
    assert arguments == [
        "sample(seed, (5, 3))",
        "jnp.exp(sample(seed, (5,)))",
        "jax.nn.softmax(sample(seed, (5, 2)))",
    ]


@pytest.mark.slow
def test_indices_are_integers_though_floats_would_do(asked: Asked) -> None:
    assert call_of(asked.adopt("Graph")) == ("encode", ['sample(seed, (5, 2), "int", 0, 2)'])


def test_dims_that_a_class_and_its_part_name_have_one_size(asked: Asked) -> None:
    inputs = dict(asked.adopt("Fit")["inputs"])
    assert inputs["coefficients"] == "Coefficients(slope=sample(seed, (2,), positive=True))"
    assert inputs["design"].startswith("sample(seed, (3, 2)")
    assert inputs["response"].startswith("sample(seed, (3,)")


def test_a_docstring_below_a_field_says_its_shape(asked: Asked) -> None:
    assert dict(asked.adopt("Pose")["inputs"])["numbers"].startswith("sample(seed, (7,)")


def test_a_memory_that_is_empty_is_filled_and_its_keys_are_no_random_ones(asked: Asked) -> None:
    answer = asked.adopt("Memory")
    assert answer["maker"] == "Memory" and call_of(answer)[0] == "retrieve"
    assert [text for _, text in answer["inputs"]] == [
        "sample(seed, (5, 3), positive=True)",
        "sample(seed + 1, (5, 3))",
        "3",
    ]
    assert [
        "add",
        [["key", "sample(seed, (3,))", False], ["value", "sample(seed + 1, (3,))", False]],
    ] in answer["extra"]


def test_zeros_with_which_every_call_gives_one_result_are_drawn(asked: Asked) -> None:
    inputs = dict(asked.adopt("Classes")["inputs"])
    assert inputs["sums"].startswith("sample(") and inputs["spread"].startswith("jnp.exp(sample(")


def test_shapes_are_those_of_comments_beside_fields(asked: Asked) -> None:
    assert dict(asked.adopt("Codebook")["inputs"]) == {
        "codes": "sample(seed, (3, 2), positive=True)",
        "scale": "jnp.exp(sample(seed, (2,)))",
    }


def test_a_convolution_takes_as_many_axes_as_its_kernel_has(asked: Asked) -> None:
    assert call_of(asked.adopt("Kernel"))[1] == ["None", "sample(seed, (5, 7, 11, 3))"]


def test_a_size_that_an_instance_names_is_that_of_what_it_is_given(asked: Asked) -> None:
    assert call_of(asked.adopt("Sum"))[1] == ["sample(seed, (3,))", "sample(seed + 1, (3,))"]


@pytest.mark.slow
def test_any_number_of_layers_are_those_of_the_package(asked: Asked) -> None:
    answer = asked.adopt("Chain")
    assert answer["build"] == "Chain(Leak(), Leak())"
    assert call_of(answer)[1][0].startswith("self.make(seed).init_state(")


@pytest.mark.parametrize(
    ("text", "dims"),
    [
        ("x : Array of shape (batch, in_dim)", "batch in_dim"),
        ("x: features of shape ``[num_nodes, num_features]``.", "num_nodes num_features"),
        ("y: an (n, d) matrix", "n d"),
        ("y (n,) array", "n"),
        ("x: Input (B, T, D)", "B T D"),
        ("x : Array of shape (..., dim+1)", "... dim+1"),
        ("x: the state, (shape=(chunks, res_dim,)).", "chunks res_dim"),
        ("x: Tuple[Array, Array]", ""),
        ("x: a number in (0, 1), or of the range [1, K]", ""),
        ("x: [num_nodes, *spatial]", "num_nodes spatial_0 spatial_1"),
        ("x: the mean (over rows, or columns)", ""),
    ],
)
def test_a_shape_is_read_in_the_forms_that_people_write(text: str, dims: str) -> None:
    assert shape_in(text) == dims


def test_what_may_be_floats_is_no_index() -> None:
    assert dtype_in(["ids: integer labels"]) == "int"
    assert dtype_in(["x: int or float"]) == ""
    assert dtype_in(["mask: a boolean mask"]) == "bool"


def test_what_an_annotation_says_to_be_no_array_is_no_random_key(asked: Asked) -> None:
    inputs = dict(asked.adopt("Converted")["inputs"])
    assert "key" not in inputs["input_keys"] and inputs["key"] == "jax.random.key(seed)"


def test_a_method_that_gives_a_text_is_no_call(asked: Asked) -> None:
    assert asked.adopt("Board")["methods"] == []


@pytest.mark.slow
def test_dims_of_which_nothing_is_said_are_integers() -> None:
    assert [value.text for value in values_for("dims", EMPTY, Context())][:2] == ["(3, 2)", "(3,)"]
