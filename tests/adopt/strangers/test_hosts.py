"""What libraries with arrays on the host, units of others and mappings of their own have shown of the laws."""

from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Float

from pytree_laws import check_pytree, sample
from tests.adopt.asking import Asked, asked_of
from tests.support.projects import scaffold
from tests.support.trees import write_tree

SOURCE = """
import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp


class Scopes:
    def __init__(self, entries=None):
        self.entries = {} if entries is None else entries


jax.tree_util.register_pytree_node(
    Scopes,
    lambda scopes: ([scopes.entries[key] for key in sorted(scopes.entries.keys())], tuple(sorted(scopes.entries.keys()))),
    lambda keys, values: Scopes(dict(zip(keys, values))),
)


class Point(eqx.Module):
    place: Scopes
    height: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.height * x


class Flat(eqx.Module):
    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        if x.shape != (19,):
            raise TypeError(f"cannot reshape array of shape {x.shape} (size {x.size}) into shape (19,)")
        return self.weight.sum() * x
"""


asked = asked_of("lib", SOURCE)


@pytest.mark.slow
def test_what_jax_cannot_flatten_is_no_instance(asked: Asked) -> None:
    found = asked.adopt("Point")
    assert found["built"], found
    assert ["place", "Scopes()"] in found["inputs"]


@pytest.mark.slow
def test_a_shape_of_one_axis_is_read_in_an_error(asked: Asked) -> None:
    assert asked.adopt("Flat")["arguments"] == [["x", "sample(seed, (19,))", False]]


class Pose(eqx.Module):
    """An angle that is kept where it was given."""

    angle: Float[Array | np.ndarray, ""]

    def __init__(self, angle: Any = 30.0):
        self.angle = angle if isinstance(angle, jax.Array) else np.asarray(angle, np.float32)

    def __call__(self, x: Array) -> Array:
        return x * jnp.cos(jnp.asarray(self.angle))


class Kept(eqx.Module):
    """An angle of NumPy, where the annotation says another array."""

    angle: Array

    def __init__(self) -> None:
        self.angle = np.asarray(30.0, np.float32)  # pyright: ignore[reportAttributeAccessIssue]

    def __call__(self, x: Array) -> Array:
        return x * jnp.cos(jnp.asarray(self.angle))


def faults(build: Any, arguments: Any = None) -> list[str]:
    found = check_pytree(build, arguments).findings
    return [f"{one.law.number} at {one.where}: {one.what}" for one in found if one.severity == "fault"]


def vector(seed: int) -> tuple[Any, ...]:
    return (sample(seed, (3,)),)


@pytest.mark.slow
def test_an_array_of_numpy_among_the_leaves_is_advice_that_names_it() -> None:
    assert faults(lambda seed: Pose(), vector) == faults(lambda seed: Kept(), vector) == []
    findings = check_pytree(lambda seed: Kept(), vector).findings
    [advice] = (each for each in findings if each.law.number == "P2")
    assert (advice.where, advice.severity) == ("angle", "advice") and "jnp.asarray" in advice.hint


class Unit:
    """A unit, which is one object for all, as those of other packages are."""

    __module__ = "units_of_others"

    def __init__(self) -> None:
        self._powers = [1.0]

    def __reduce__(self) -> Any:
        return unit, ()

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unit)


UNIT = Unit()


def unit() -> Unit:
    return UNIT


class Length(eqx.Module):
    """A length in a unit."""

    value: Array
    unit: Any = eqx.field(static=True)

    def __init__(self, value: Array):
        self.value, self.unit = value, UNIT

    def __call__(self, x: Array) -> Array:
        return self.value * x


def test_what_a_unit_keeps_for_itself_is_no_shared_state() -> None:
    assert faults(lambda seed: Length(sample(seed, (3,))), vector) == []


class Peaks(eqx.Module):
    """Amplitudes and widths, which are given as numbers or arrays."""

    amplitudes: Array
    widths: Array

    def __init__(self, amplitudes: float, widths: float):
        self.amplitudes, self.widths = jnp.full((3, 1), amplitudes), jnp.full((3, 1), widths)

    def __call__(self, x: Array) -> Array:
        return (self.amplitudes * jnp.exp(-self.widths * x)).sum(0)


@pytest.mark.slow
def test_numbers_that_become_arrays_are_compared_as_such() -> None:
    assert faults(lambda seed: Peaks(amplitudes=0.25, widths=0.5), vector) == []


class Transitions(eqx.Module):
    """Data under names, of which some are attributes."""

    data: dict[str, Array]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.data.get(name)


def test_an_attribute_that_is_none_saves_no_file() -> None:
    assert faults(lambda seed: Transitions({"reward": sample(seed, (3,))})) == []


LINES = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Halfway(eqx.Module):
    inner: dict

    def __init__(self, size: int):
        self.inner = {"weight": jnp.ones(size)}

    def unwrap(self):
        return jax.lax.cond(True, lambda: 1.0, lambda: self.inner)
"""


@pytest.mark.slow
def test_an_error_of_several_lines_is_one_line_of_the_test_file(tmp_path: Path) -> None:
    write_tree(tmp_path, {"lib.py": LINES})
    ran = scaffold(tmp_path, "adopt", "lib.py:Halfway")
    assert "SyntaxError" not in ran.stdout + ran.stderr
    assert "how `unwrap` is used" in (tmp_path / "tests" / "test_halfway.py").read_text()
