"""The numbers of examples: in a domain that the class allows, of no neutral instance, and as a distribution samples them."""

import re
from typing import Any

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = """
from typing import Protocol

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import PRNGKeyArray


class Halo(eqx.Module):
    e: Array
    cutoff: Array

    def __init__(self, ecc, cutoff):
        self.e, self.cutoff = jnp.asarray(ecc), jnp.asarray(cutoff)

    def __call__(self, x: Array) -> Array:
        return x * jnp.sqrt(1 - self.e**2) * self.cutoff


@jax.tree_util.register_static
class Profile:
    lower_limit_default = {"slope": 1.5, "e1": -0.5, "amp": 0}
    upper_limit_default = {"slope": 2.5, "e1": 0.5, "amp": 100}

    def function(self, x, y, slope, e1, amp):
        return amp * jnp.sqrt(1 - e1**2) * (x**2 + y**2) ** -jnp.sqrt(slope - 1.5)


class Outline:
    def area(self, r, gain):
        raise NotImplementedError


@jax.tree_util.register_static
class Branch(Outline):
    lower_limit = {"gain": 0.25}
    upper_limit = {"gain": 0.5}

    def ratio(self, r, gain):
        return r / gain

    def area(self, r, gain):
        return jax.lax.switch((r > 0).astype(int), (jnp.sin, jnp.cos), r * gain)


class Frame(eqx.Module):
    rotation: Array
    translation: Array

    def __init__(self, rotation: Array, translation: Array):
        if rotation.shape != (3, 3):
            raise ValueError(f"Expected 3x3 rotation matrix, got shape {rotation.shape}")
        if translation.shape != (3, 1):
            raise ValueError(f"Expected 3x1 translation vector, got shape {translation.shape}")
        self.rotation, self.translation = rotation, translation

    def __call__(self, x: Array) -> Array:
        return self.rotation @ x + self.translation


class Pose(eqx.Module):
    offset: Array
    angles: Array

    def __init__(self, offset: float = 0.0, angles: tuple[float, float] = (0.0, 0.0), scale: float = 1.0):
        self.offset, self.angles = jnp.asarray(offset * scale), jnp.asarray(angles)

    def to_inverse(self) -> "Pose":
        return Pose(-self.offset, (-self.angles[0], -self.angles[1]))

    def rotate(self, x: Array) -> Array:
        return x * jnp.cos(self.angles[0]) + jnp.sin(self.angles[1]) + self.offset


class Moved(eqx.Module):
    weight: Array

    def __init__(self, size: int, *, key: Array):
        self.weight = jax.random.normal(key, (size,))

    def __call__(self, x: Array, pose: Pose) -> Array:
        return pose.rotate(x * self.weight)


class Economy(Protocol):
    wages: Array

    def income(self, hours: Array) -> Array: ...


class Firm(Protocol):
    wages: Array

    def income(self, hours: Array) -> Array: ...


class Town(eqx.Module):
    wages: Array

    def income(self, hours: Array) -> Array:
        return self.wages * hours


class Agent(eqx.Module):
    gain: Array

    def __call__(self, hours: Array, economy: Economy) -> Array:
        return self.gain * economy.income(hours)


class Solver(eqx.Module):
    economy: Economy

    def __call__(self, hours: Array) -> Array:
        return self.economy.income(hours)


@jax.tree_util.register_pytree_node_class
class Triangle:
    def __init__(self, matrix: Array, lower: bool = True) -> None:
        self.matrix, self.lower = matrix, lower

    def tree_flatten(self):
        return (self.matrix,), {"lower": self.lower}

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, **aux)


@jax.tree_util.register_pytree_node_class
class Factor(Triangle):
    def __init__(self, matrix: Array) -> None:
        super().__init__(matrix)


class Coded(eqx.Module):
    codes: Array

    def __init__(self, alphabet, *, key: PRNGKeyArray):
        raise LookupError(f"no such alphabet: {alphabet}")


class Choice(eqx.Module):
    logits: Array

    def log_prob(self, value):
        return jax.nn.log_softmax(self.logits)[jnp.asarray(value, int)]

    def sample(self, key: Array) -> Array:
        return jax.random.categorical(key, self.logits)


class Wait(eqx.Module):
    rate: Array

    def log_prob(self, value):
        return jnp.log(self.rate) - self.rate * value

    def sample(self, *, seed: Array) -> Array:
        return 1.5 * jax.random.exponential(seed) / self.rate


class Several(eqx.Module):
    logits: Array
    sizes: tuple[int, ...] = eqx.field(static=True)

    def __init__(self, logits, number_of_dims_per_part):
        self.logits, self.sizes = logits, tuple(int(each) for each in number_of_dims_per_part)

    def __call__(self, x: Array) -> Array:
        return x * sum(jnp.max(self.logits[..., :size]) for size in self.sizes)
"""
asked = asked_of("domains_of_guesses", SOURCE)


def inputs(answer: dict[str, Any]) -> dict[str, str]:
    return {name: text for name, text in answer["inputs"]}


def arguments(answer: dict[str, Any]) -> dict[str, str]:
    return {name: text for name, text, _ in answer["arguments"]}


@pytest.mark.slow
def test_parameters_of_which_nothing_is_known_lie_between_0_and_1(asked: Asked) -> None:
    found = asked.adopt("Halo")
    assert all(text.endswith("positive=True)") for text in inputs(found).values())
    assert "positive" not in arguments(found)["x"]


@pytest.mark.slow
def test_what_fits_a_protocol_stands_for_it(asked: Asked) -> None:
    assert arguments(asked.adopt("Agent"))["economy"].startswith("Town(wages=")
    assert inputs(asked.adopt("Solver"))["economy"].startswith("Town(wages=")


def test_a_class_waits_for_no_class_of_keys(asked: Asked) -> None:
    found = asked.adopt("Coded")
    assert "no such alphabet" in str(found) and "which is abstract" not in str(found), found


def test_a_class_that_unflatten_cannot_make_is_built(asked: Asked) -> None:
    assert "matrix" in inputs(asked.adopt("Factor"))  # and the laws tell what is wrong with it


@pytest.mark.slow
def test_limits_that_a_class_keeps_bound_what_it_is_given(asked: Asked) -> None:
    found = arguments(asked.adopt("Profile"))
    assert found["slope"].startswith("1.5 + sample(seed")
    assert found["e1"].startswith("0.5 * sample(seed")
    assert found["amp"].startswith("sample(seed")
    assert found["amp"].endswith("positive=True)")


def test_numbers_of_one_sign_are_no_draws_that_another_argument_has(asked: Asked) -> None:
    found = arguments(asked.adopt("Profile")).values()
    draws = [re.findall(r"seed(?: \+ \d+)?", text)[0] for text in found]
    assert len({*draws}) == len(draws) == 5


@pytest.mark.slow
def test_a_rotation_is_one_and_shapes_that_errors_say_in_turn_are_found(asked: Asked) -> None:
    found = inputs(asked.adopt("Frame"))
    assert found["rotation"].startswith("jax.scipy.linalg.expm(")
    assert "(3, 1)" in found["translation"]


def test_what_is_neutral_by_its_defaults_is_given_other_numbers(asked: Asked) -> None:
    assert "offset=0.25" in arguments(asked.adopt("Moved"))["pose"]


def test_a_conversion_is_not_the_call_where_something_else_is(asked: Asked) -> None:
    found = asked.adopt("Pose")
    assert found["method"] == "rotate"
    assert inputs(found)["angles"] == "(0.5, 0.75)"


@pytest.mark.slow
def test_a_density_is_asked_for_what_is_sampled(asked: Asked) -> None:
    assert '"int", 0, ' in arguments(asked.adopt("Choice"))["value"]
    assert arguments(asked.adopt("Wait"))["value"].startswith("jnp.exp(")


def test_counts_for_each_part_are_numbers_of_python(asked: Asked) -> None:
    assert inputs(asked.adopt("Several"))["number_of_dims_per_part"] == "(2, 1)"


def test_the_method_that_a_base_leaves_open_is_the_call_and_what_chooses_a_branch_has_no_axes(
    asked: Asked,
) -> None:
    found = asked.adopt("Branch")
    assert found["method"] == "area"
    assert arguments(found)["gain"] == "0.25 + 0.25 * sample(seed + 1, positive=True)"
