"""What a class is given and holds as it is, and says so: advice, where a fault is elsewhere."""

import dataclasses
import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from pytree_laws import Leaf, PytreeLaws
from pytree_laws.nnx import NnxLaws, Var
from right.test_right_forms import finding, found, left_out, suite, weight


@dataclasses.dataclass(frozen=True)
class Config:
    kinds: list[str]


class Configured(eqx.Module):
    """It holds the configuration that it is given, and what that holds."""

    weight: jax.Array
    config: Config = eqx.field(static=True)

    def __init__(self, weight: jax.Array, config: Config):
        self.weight, self.config = jnp.array(weight), config


class TakingApart(eqx.Module):
    """It holds a list of the configuration, which is the caller's."""

    weight: jax.Array
    kinds: list[str] = eqx.field(static=True)

    def __init__(self, weight: jax.Array, config: Config):
        self.weight, self.kinds = jnp.array(weight), config.kinds


@pytest.mark.parametrize(("cls", "severity"), [(Configured, "advice"), (TakingApart, "fault")])
def test_a_list_of_an_object_that_is_held_comes_with_it(cls: Any, severity: str) -> None:
    body = {
        "leaves": (Leaf("weight", "param", (3,)),),
        "inputs": lambda self, seed: {"weight": weight(seed), "config": Config(["local"])},
        "build": lambda self, **given: cls(**given),
    }
    text = finding(type("Form", (PytreeLaws,), body), "p01_keeps_none_of_its_inputs")
    assert text.startswith(f"{severity}: it is the caller's own list, given as `config.kinds`")


class Made:
    """A configuration of which a library keeps beside the fields which of them were given, as pydantic does."""

    def __init__(self, kind: str):
        self.kind = kind
        vars(self)["__fields_set__"] = {"kind"}


def test_what_a_library_keeps_between_underscores_is_not_the_callers() -> None:
    body = {
        "leaves": (Leaf("weight", "param", (3,)),),
        "inputs": lambda self, seed: {"weight": weight(seed), "config": Made("local")},
        "build": lambda self, **given: Configured(**given),
    }
    assert finding(type("Form", (PytreeLaws,), body), "p01_keeps_none_of_its_inputs") == ""


class Listed(eqx.Module):
    """It holds the list itself."""

    nets: list[eqx.nn.Linear]

    def __init__(self, nets: list[eqx.nn.Linear]):
        self.nets = nets


def test_a_list_that_is_held_is_one_fault() -> None:
    body = {
        "inputs": lambda self, seed: {"nets": [eqx.nn.Linear(3, 2, key=jax.random.key(seed))]},
        "build": lambda self, **given: Listed(**given),
    }
    form = type("Form", (PytreeLaws,), body)
    text = finding(form, "p01_keeps_none_of_its_inputs")
    assert text == "fault: it is the caller's own list, given as `nets`"


@jax.tree_util.register_pytree_with_keys_class
class Tiles:
    """Addresses of NumPy in its aux, by value; or among its leaves."""

    def __init__(self, size: jax.Array, places: np.ndarray):
        self.size, self.places = size, places

    def tree_flatten_with_keys(self) -> tuple[Any, Any]:
        return ((jax.tree_util.GetAttrKey("size"), self.size),), ByValue(self.places)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        tiles = object.__new__(cls)
        tiles.size, tiles.places = *children, aux.array
        return tiles

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.size * x[self.places]


class ByValue:
    def __init__(self, array: np.ndarray):
        self.array = array

    def __hash__(self) -> int:
        return hash(self.array.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByValue) and np.array_equal(self.array, other.array)


@pytest.mark.parametrize(("of_module", "severity"), [(np, "advice"), (jnp, "fault")])
def test_an_array_of_numpy_may_be_a_constant(of_module: Any, severity: str) -> None:
    places = of_module.asarray([2, 0, 1])
    form = suite(lambda seed: Tiles(weight(seed), places), leaves=(Leaf("size", "param", (3,)),))
    text = finding(form, "p02_no_array_hides_elsewhere")
    assert text.startswith(f"{severity}: an array of shape (3,) that is not a leaf")


class Layer(nnx.Module):
    """Computes with an offset that has no effect, and holds one that it does not use."""

    def __init__(self, seed: int):
        self.weight, self.offset = nnx.Param(weight(seed)), nnx.Param(jnp.zeros(3))

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight[...] * x + 0 * self.offset[...]


class Forgetful(Layer):
    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight[...] * x


@pytest.mark.parametrize(("cls", "severity"), [(Layer, "advice"), (Forgetful, "fault")])
def test_a_parameter_of_nnx_with_which_the_call_computes_is_no_unused_one(cls: Any, severity: str) -> None:
    body = {
        "variables": (Var("weight", nnx.Param, (3,)), Var("offset", nnx.Param, (3,))),
        "build": lambda self, seed: cls(seed),
        "arguments": lambda self, seed: (weight(seed),),
    }
    text = finding(type("Form", (NnxLaws,), body), "p08_every_parameter_changes_the_output")
    assert text == f"{severity}: an edit of this param changes no output"


class Sampler(eqx.Module):
    """Draws of which a setting is the scale, which begins without noise; or noise that is made and not used."""

    weight: jax.Array
    scale: float = eqx.field(static=True, default=0.0)

    def __call__(self, x: jax.Array, key: jax.Array) -> jax.Array:
        return self.weight * x + self.scale * jax.random.normal(key, x.shape)


class Silent(Sampler):
    def __call__(self, x: jax.Array, key: jax.Array) -> jax.Array:
        return self.weight * x + 0.0 * jax.random.normal(key, x.shape)


@pytest.mark.parametrize(
    ("cls", "message"), [(Sampler, ""), (Silent, "advice: eight keys give the same output")]
)
def test_a_setting_may_be_the_scale_of_the_noise(cls: Any, message: str) -> None:
    body = {
        "leaves": (Leaf("weight", "param", (3,)),),
        "build": lambda self, seed: cls(weight(seed)),
        "arguments": lambda self, seed: (weight(seed), jax.random.key(seed)),
    }
    assert finding(type("Form", (PytreeLaws,), body), "p16_keys_give_different_draws") == message


class Converted(eqx.Module):
    """What converts an array to a number of Python, or computes with one on the way."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> Any:
        return float(jnp.sum(self.weight * x))


class OnTheWay(Converted):
    def __call__(self, x: jax.Array) -> Any:
        return x * float(jnp.sum(self.weight))


class Counted(Converted):
    """What counts in the width that NumPy has."""

    def __call__(self, x: jax.Array) -> Any:
        return self.weight * x, np.argsort(np.asarray([2, 0, 1]))


def of_call(cls: Any) -> type[PytreeLaws]:
    body = {
        "leaves": (Leaf("weight", "param", (3,)),),
        "build": lambda self, seed: cls(weight(seed)),
        "arguments": lambda self, seed: (weight(seed + 1),),
    }
    return type("Form", (PytreeLaws,), body)


@pytest.mark.parametrize(("cls", "severity"), [(Converted, "advice"), (OnTheWay, "fault")])
def test_a_conversion_for_the_host_is_for_no_program(cls: Any, severity: str) -> None:
    assert finding(of_call(cls), "p07_jit_equals_eager").startswith(f"{severity}: `compiled call`")


def test_integers_of_numpy_are_as_wide_as_those_of_jax() -> None:
    assert not finding(of_call(Counted), "p07_jit_equals_eager")


def test_a_state_may_be_one_array() -> None:
    form = suite(lambda seed: jax.random.key(seed), leaves=(Leaf("", "key", ()),))
    assert not finding(form, "p02_leaves_are_as_declared")
    assert "it is one array, a leaf itself" in left_out(form, "p03_round_trip_keeps_any_leaves")


class Cached(eqx.Module):
    weight: jax.Array

    @functools.cached_property
    def size(self) -> int:
        return self.weight.size


def test_what_a_cached_property_does_to_the_treedef_is_said() -> None:
    def build(seed: int) -> Cached:
        made = Cached(weight(seed))
        return made if not seed else (made.size, made)[1]

    fault = found(suite(build), "p05_treedef_depends_on_the_configuration_alone")
    assert fault is not None and fault.severity == "fault"
    assert "as a `cached_property` stores one" in fault.hint


class Floored(eqx.Module):
    """A field that an instance has of its class, since the constructor does not store it."""

    weight: jax.Array
    floor: float = eqx.field(static=True, default=-5.0)

    def __init__(self, weight: jax.Array) -> None:
        self.weight = weight


def test_a_field_that_a_constructor_does_not_store_is_named() -> None:
    fault = found(suite(lambda seed: Floored(weight(seed))), "p14_deepcopy")
    assert fault is not None and fault.severity == "fault"
    assert "the constructor has not stored `Floored.floor`" in fault.what


class Ball(eqx.Module):
    """It holds a radius as it is given."""

    radius: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.radius * x


class Doubled(Ball):
    """It computes its radius, and leaves the type to what it is given."""

    def __init__(self, radius: jax.Array):
        self.radius = 2.0 * radius


@pytest.mark.parametrize(("cls", "is_told"), [(Ball, False), (Doubled, True)])
def test_a_weak_type_of_what_is_held_as_given_is_of_the_caller(cls: Any, is_told: bool) -> None:
    form = type(
        "Form",
        (PytreeLaws,),
        {
            "leaves": (Leaf("radius", "param", ()),),
            "inputs": lambda self, seed: {"radius": jnp.array(1.0 + seed)},
            "build": lambda self, **given: cls(**given),
            "arguments": lambda self, seed: (weight(seed),),
        },
    )
    assert bool(finding(form, "p05_no_leaf_is_weakly_typed")) is is_told
    assert bool(finding(form, "p06_one_trace_serves_all_instances")) is is_told
