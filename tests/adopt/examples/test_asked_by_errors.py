"""What errors ask for: a shape where an annotation names dims of which it does not know the number; and what a docstring calls a tuple."""

import pytest

from scaffold.adopt.child.values.annotations import EMPTY
from scaffold.adopt.child.values.candidates import values_for
from scaffold.adopt.child.values.context import Context, Documented
from tests.adopt.asking import Asked, asked_of

SOURCE = """
import dataclasses
import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree


class Stepper(eqx.Module):
    speed: Float[Array, ""]
    dims: int = eqx.field(static=True)
    points: int = eqx.field(static=True)

    def step(self, u: Float[Array, "C ... N"]) -> Float[Array, "C ... N"]:
        return self.speed * u

    def __call__(self, u: Float[Array, "C ... N"]) -> Float[Array, "C ... N"]:
        expected = (1, *(self.points,) * self.dims)
        if u.shape != expected:
            raise ValueError(f"Expected shape {expected}, got {u.shape}.")
        return self.step(u)


class Mesh(eqx.Module):
    vertices: jax.Array
    faces: jax.Array
    sides: int = eqx.field(static=True)

    def __check_init__(self):
        if self.vertices.ndim != 2 or self.vertices.shape[1] != 3:
            raise ValueError(f"vertices must be [n_vertices, 3] but got shape {self.vertices.shape}")
        if self.faces.ndim != 3:
            raise ValueError(f"faces must be a 3D array, it is of shape {self.faces.shape}")
        if self.sides < 12 or self.sides & (self.sides - 1):
            raise ValueError("sides must be a power of two, and there are more than ten")

    def moved(self, x: jax.Array) -> jax.Array:
        return self.vertices + x


@jax.tree_util.register_pytree_node_class
class Frame:
    def __init__(self, origin):
        self.origin, self._is_ready = origin, False

    def tree_flatten(self):
        return (self.origin,), (self._is_ready,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        frame = object.__new__(cls)
        [frame.origin], [frame._is_ready] = children, aux
        return frame


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Sample:
    data: PyTree = dataclasses.field(default_factory=dict)
    names: tuple = dataclasses.field(default=(), metadata={"static": True})

    def mapped(self, function):
        return dataclasses.replace(self, data=jax.tree.map(function, self.data))


class Doubles(eqx.Module):
    factor: jax.Array

    def __call__(self, sample: Sample) -> Sample:
        return sample.mapped(lambda leaf: self.factor * leaf)


@dataclasses.dataclass(frozen=True)
class WindowConfig:
    step: float = 0.5
    size: int | None = None


class Window(eqx.Module):
    config: WindowConfig = eqx.field(static=True)
    scale: jax.Array

    def __init__(self, config: WindowConfig, scale: jax.Array):
        if config.size is None:
            raise ValueError("WindowConfig requires size.")
        self.config, self.scale = config, scale

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x / self.config.size


class Layers(eqx.Module):
    weights: list

    def __init__(self, in_features, hidden_dims, *, key):
        dims = [in_features] + list(hidden_dims)
        self.weights = [jax.random.normal(key, shape, "float32") for shape in itertools.pairwise(dims)]

    def __call__(self, x):
        for weight in self.weights:
            x = jnp.tanh(x @ weight)
        return x


class Up(eqx.Module):
    layers: Layers
    skip: Array

    def __init__(self, in_ch, out_channels, order, *, key):
        self.layers = Layers(in_ch, out_channels[1:], key=key)
        self.skip = jax.random.normal(key, (in_ch, order), "float32")

    def __call__(self, x):
        return self.layers(x).sum() + x @ self.skip


class Outer(eqx.Module):
    up: Up

    def __init__(self, in_ch, out_channels, *, key):
        self.up = Up(in_ch, out_channels, 2, key=key)

    def __call__(self, x):
        return self.up(x)


class Form(eqx.Module):
    weight: Array

    def __init__(self, p, *, key):
        self.weight = jax.random.normal(key, (p, p), "float32")

    def __call__(self, x):
        return x @ self.weight @ x


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Pair:
    indices: Array
    order: np.integer = dataclasses.field(metadata={"static": True})
    degree: np.int32 = dataclasses.field(metadata={"static": True})
    is_open: np.bool_ = dataclasses.field(metadata={"static": True})


class Field(eqx.Module):
    origin: Array

    def __init__(self, frame):
        if not frame._is_ready:
            frame._is_ready = True
        self.origin = jnp.array(frame.origin)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.tanh(x) * self.origin.sum()

class Scaler(eqx.Module):
    mean: jax.Array
    centre: jax.Array

    def __init__(self, x: Float[Array, "n x"], q: Float[Array, "n q"]):
        self.mean, self.centre = x.mean(axis=0), q.mean(axis=0)

    def forward(self, x: Float[Array, "x"], q: Float[Array, "q"] | None = None):
        return x - self.mean, q - self.centre

"""
asked = asked_of("asked_by_errors", SOURCE)


@pytest.mark.slow
def test_a_shape_that_an_error_names_is_given_where_an_annotation_leaves_it_open(asked: Asked) -> None:
    found = asked.adopt("Stepper")
    assert found["method"] == "", found
    [[_, text, _]] = found["arguments"]
    assert text.startswith("sample(seed, (1, "), text


@pytest.mark.slow
def test_what_has_the_attributes_that_an_array_lacks_is_given_though_its_constructor_alone_says_so(
    asked: Asked,
) -> None:
    """jax calls its arrays `jaxlib._jax.ArrayImpl` where they lack one."""
    found = asked.adopt("Field")
    [[_, text]] = found["inputs"]
    assert text.startswith("Frame(origin=sample("), found


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    ("name", "argument", "text"),
    [
        ("Layers", "hidden_dims", "(3, 2)"),
        ("Outer", "out_channels", "(3, 2)"),
        ("Form", "p", "2"),
        ("Pair", "order", "2"),
        ("Pair", "degree", "np.int32(2)"),
        ("Pair", "is_open", "np.bool(True)"),
        ("Window", "config", "WindowConfig(size=3)"),
    ],
    ids=[
        "read by the class",
        "read by another",
        "asked for",
        "a static number",
        "a static number of NumPy",
        "a static flag",
        "an option of a part",
    ],
)
def test_sizes_are_numbers_or_several_where_code_or_an_error_says_so(
    asked: Asked, name: str, argument: str, text: str
) -> None:
    found = asked.adopt(name)
    assert found["built"], found
    assert dict(found["inputs"])[argument] == text


def test_a_part_that_is_empty_by_default_is_filled(asked: Asked) -> None:
    assert asked.adopt("Sample")["inputs"] == [["data", "sample(seed, (3,))"]]
    [[_, text, _]] = asked.adopt("Doubles")["arguments"]
    assert text.startswith("Sample(data=sample("), text


def test_a_tuple_of_which_a_docstring_says_so_has_an_end() -> None:
    context = Context(is_call=True, documented=Documented(types={"points": tuple, "point": tuple}))
    assert "(sample(seed, (3,)), sample(seed + 1, (3,)))" in [
        s.text for s in values_for("points", EMPTY, context)
    ]


def test_dims_and_ranks_are_read_off_an_error(asked: Asked) -> None:
    answer = asked.adopt("Mesh")
    assert answer["built"], answer
    inputs = dict(answer["inputs"])
    assert inputs["sides"] == "16" and "(2, 3)" in inputs["vertices"], inputs


def test_what_is_none_by_default_and_is_used_all_the_same_is_given(asked: Asked) -> None:
    found = asked.adopt("Scaler")
    assert found["called"] and [name for name, *_ in found["arguments"]] == ["x", "q"], found
