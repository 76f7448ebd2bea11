"""What errors ask for: attributes, one of several options, a shape."""

from typing import Any, TypeVar, get_origin

import pytest
from typing_extensions import TypeAliasType

from scaffold.adopt.child.values.annotations import resolved
from scaffold.adopt.child.values.candidates import of_annotation
from scaffold.adopt.child.values.context import Context
from tests.adopt.asking import Asked, asked_of

T = TypeVar("T")
Size = TypeAliasType("Size", int)
Pairs = TypeAliasType("Pairs", tuple[T, T], type_params=(T,))
SOURCE = '''from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp


class Beam(eqx.Module):
    """A class of which either option is needed, and not both."""

    field: jax.Array
    diameter: float = eqx.field(static=True)

    def __init__(self, wavelength: float, diameter: float = None, pixel_scale: float = None):
        if diameter is None and pixel_scale is None:
            raise ValueError("Provide one: diameter or pixel_scale.")
        if diameter is not None and pixel_scale is not None:
            raise ValueError("Cannot specify both 'diameter' and 'pixel_scale'.")
        self.field = jnp.full((5,), wavelength)
        self.diameter = diameter or 5 * pixel_scale

    def tilted(self, angle: jax.Array) -> "Beam":
        return eqx.tree_at(lambda beam: beam.field, self, self.field * angle)


class Tilt(eqx.Module):
    """A class that takes a shape, and says nothing of what it is called with."""

    angles: jax.Array

    def __init__(self, angles: jax.Array):
        if angles.shape != (3, 2):
            raise ValueError("angles must be an array of shape (n_angles, 2)")
        self.angles = jnp.array(angles)

    def __call__(self, beam):
        return beam.tilted(self.angles.sum()).field


class Pipe(eqx.Module):
    """A class that says nothing of what it holds."""

    part: object

    def __init__(self, part):
        self.part = part

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.part.tilted(x).field


class Wider(Tilt):
    """A class that passes on all that it is given."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)


class Lengths(eqx.Module):
    """A class that refuses numbers that are not positive."""

    lengths: jax.Array
    upper_bound: jax.Array

    def __init__(self, lengths: jax.Array, upper_bound: jax.Array):
        if (lengths <= 0).any():
            raise ValueError("lengths must be positive")
        self.lengths, self.upper_bound = jnp.array(lengths), jnp.array(upper_bound)

    def __call__(self, first: jax.Array, second: jax.Array) -> jax.Array:
        return (first - second).sum() / self.lengths * self.upper_bound


class Twice(eqx.Module):
    """A class that calls what it holds with two arguments."""

    inner: eqx.Module

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.inner(x, 2 * x)


class Spring(eqx.Module):
    """A class whose converter says nothing, and whose fields do."""

    stiffness: float = eqx.field(converter=lambda value: jnp.asarray(value, jnp.float32))

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.stiffness * x


@jax.tree_util.register_dataclass
@dataclass
class Codebook:
    """A class that says no shape of its arrays, and makes them by itself."""

    codes: jax.Array
    size: int = field(metadata={"static": True})
    width: int = field(metadata={"static": True})

    @staticmethod
    def create(size: int, width: int = 10_000) -> "Codebook":
        return Codebook(jnp.zeros((size, width)), size, width)

    def nearest(self, x: jax.Array) -> jax.Array:
        return jnp.argmax(self.codes @ x)


class Fit(eqx.Module):
    """What a fit gives.

    - `design`: what was known, shape `(n, p)`.
    - `weights`: coefficients of shape (p,), one for each column.
    - `scale`: a scalar.
    """

    design: jax.Array
    weights: jax.Array
    scale: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * (self.design @ self.weights) @ x


class Material(eqx.Module):
    """A class whose other method nobody can call: `material.init_state()` gives the `state` of `update`."""

    stiffness: jax.Array
    density: jax.Array
    yield_stress: jax.Array

    def init_state(self):
        return 0 * self.density

    def update(self, strain, state):
        raise NotImplementedError


class Leaky(eqx.Module):
    """A class whose state has twice its size, as another method makes it; no name and no type says which argument it is."""

    decay: jax.Array
    size: int = eqx.field(static=True, default=3)

    def initial_value(self, batch_size):
        return jnp.zeros((batch_size, 2 * self.size))

    def __call__(self, x, both):
        v, t = jnp.split(both, 2, -1)
        v = jax.nn.sigmoid(self.decay) * v + x
        return v - t, jnp.concatenate([v, t + v], -1)


@dataclass(frozen=True)
class Axis:
    name: str
    size: int


class Projection(eqx.Module):
    """A matrix between two axes, which are two by their names."""

    weight: jax.Array

    def __init__(self, into: Axis, out: Axis):
        sizes = {into.name: into.size, out.name: out.size}
        self.weight = jnp.ones([*sizes.values()], "float32")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight @ x


class Device(eqx.Module):
    """A class that reads its parameters by name."""

    params: dict[str, Any]

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.params["width"] * x + self.params["offset"]


class Placed(eqx.Module):
    """A class that asks for a mesh of jax."""

    weight: jax.Array
    mesh: jax.sharding.Mesh = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x * len(self.mesh.axis_names)


class Described:
    """A base whose public method gives a table of what an instance holds."""

    def table(self) -> dict:
        """What is held, by name."""
        return {"scale": 2 * self.scale, "name": str.lower}


class Held(eqx.Module, Described):
    scale: jax.Array


class Driven(eqx.Module):
    """A class that calls a function with an array and a number."""

    scale: jax.Array
    force: Callable[[jax.Array, float], jax.Array] = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * self.force(x, 0.5)


class Applied(eqx.Module):
    """A function, which is no leaf."""

    function: object = eqx.field(static=True)
    scale: jax.Array

    def __init__(self, func, scale: jax.Array):
        self.function, self.scale = func, jnp.array(scale)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * self.function(x)
'''


asked = asked_of("beams", SOURCE)


def inputs_of(asked: Asked, name: str) -> dict[str, Any]:
    return dict(asked.adopt(name)["inputs"])


@pytest.mark.slow
def test_options_that_exclude_each_other_are_given_each_alone(asked: Asked) -> None:
    assert {*inputs_of(asked, "Beam")} == {"wavelength", "diameter"}


def test_a_shape_that_an_error_names_is_tried_first(asked: Asked) -> None:
    assert inputs_of(asked, "Tilt")["angles"] == "sample(seed, (3, 2), positive=True)"


def test_an_argument_of_a_call_is_what_has_the_attribute_that_it_asks_for(asked: Asked) -> None:
    answer = asked.adopt("Tilt")
    assert answer["called"] and answer["arguments"][0][1].startswith("Beam(wavelength=")


def test_a_part_is_what_has_the_attribute_that_the_call_asks_for(asked: Asked) -> None:
    answer = asked.adopt("Pipe")
    assert answer["called"] and dict(answer["inputs"])["part"].startswith("Beam(wavelength=")


def test_a_constructor_that_passes_on_what_it_is_given_takes_what_its_base_takes(asked: Asked) -> None:
    assert inputs_of(asked, "Wider")["angles"] == "sample(seed, (3, 2), positive=True)"


def test_numbers_that_a_constructor_refuses_are_drawn_from_another_domain(asked: Asked) -> None:
    assert inputs_of(asked, "Lengths")["lengths"].endswith("positive=True)")


def test_an_upper_bound_lies_above(asked: Asked) -> None:
    assert inputs_of(asked, "Lengths")["upper_bound"].startswith("4 + ")


def test_a_part_is_what_takes_as_many_arguments_as_the_call_gives(asked: Asked) -> None:
    answer = asked.adopt("Twice")
    assert answer["called"] and dict(answer["inputs"])["inner"].startswith("Lengths(")


def test_a_module_is_given_for_a_function_at_last_where_its_arrays_would_be_static(asked: Asked) -> None:
    assert inputs_of(asked, "Applied")["func"] == "jnp.tanh"


def test_a_field_speaks_for_a_converter_that_says_nothing(asked: Asked) -> None:
    assert inputs_of(asked, "Spring")["stiffness"] == "0.25"


def test_a_function_of_two_arguments_takes_numbers_beside_arrays(asked: Asked) -> None:
    assert inputs_of(asked, "Driven")["force"] == "jnp.add"


def test_what_makes_its_own_arrays_is_given_small_sizes_and_goes_before_the_constructor(asked: Asked) -> None:
    answer = asked.adopt("Codebook")
    assert (answer["maker"], [name for name, _ in answer["inputs"]]) == ("Codebook.create", ["size", "width"])
    assert answer["called"]


def test_shapes_are_those_of_which_a_docstring_speaks(asked: Asked) -> None:
    inputs = inputs_of(asked, "Fit")
    assert [*inputs.values()] == [
        "sample(seed, (3, 2), positive=True)",
        "sample(seed, (2,))",
        "jnp.exp(sample(seed))",
    ]


def test_a_method_that_begins_without_arguments_is_not_what_a_class_is_for(asked: Asked) -> None:
    answer = asked.adopt("Material")
    assert not answer["called"] and "no meaningful call: `init_state`" in answer["why"]


def test_an_alias_of_a_type_is_what_it_stands_for() -> None:
    assert resolved("Size", {"Size": Size}) is int
    assert get_origin(resolved(Pairs[int], {})) is tuple
    sizes: Any = Size | float
    assert of_annotation("size", sizes, Context()) == of_annotation("size", int | float, Context())


def test_a_state_of_which_nothing_is_said_is_the_one_that_a_method_makes_and_the_call_gives_back(
    asked: Asked,
) -> None:
    arguments = {name: text for name, text, _ in asked.adopt("Leaky")["arguments"]}
    assert arguments["both"] == "self.make(seed).initial_value(2)"
    assert arguments["x"].startswith("sample(seed, (2, ")


def test_parts_have_names_of_their_own(asked: Asked) -> None:
    texts = [text for _, text in asked.adopt("Projection")["inputs"]]
    assert texts == ['Axis(name="name", size=3)', 'Axis(name="weight", size=3)']


def test_a_mesh_is_made_of_devices(asked: Asked) -> None:
    assert inputs_of(asked, "Placed")["mesh"] == 'jax.sharding.Mesh(jax.devices()[:1], ("batch",))'


def test_what_gives_functions_and_takes_nothing_is_no_call(asked: Asked) -> None:
    assert not asked.adopt("Held")["called"]


@pytest.mark.slow
def test_a_dict_has_the_entries_that_are_read_by_name(asked: Asked) -> None:
    assert inputs_of(asked, "Device")["params"] == '{"offset": 0.25, "width": 0.5}'
