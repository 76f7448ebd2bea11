"""What the errors of a call teach of its arguments, and what a class without a call is."""

from pathlib import Path

import pytest

from tests.adopt.asking import Asked, asked_of
from tests.support.projects import scaffold
from tests.support.trees import write_tree

SOURCE = """
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array


class Phasor(eqx.Module):
    weight: Array

    def __init__(self, size: int, *, key: Array):
        self.weight = jax.random.normal(key, (size, size))

    def __call__(self, z):
        if not jnp.iscomplexobj(z):
            raise TypeError(f"Phasor expects a complex input; got dtype {z.dtype}.")
        return self.weight @ z


class Scan(eqx.Module):
    weight: Array

    def __init__(self, width: int, *, key: Array):
        self.weight = jax.random.normal(key, (width, width))

    def __call__(self, u):
        if u.ndim != 3 or u.shape[-1] != self.weight.shape[0]:
            raise ValueError(f"Scan expects [T, B, width={self.weight.shape[0]}]; got {u.shape}")
        return u @ self.weight


class Lattice(eqx.Module):
    u: Array
    v: Array

    def __init__(self, u, v):
        if u.shape[-1] != 2 or v.shape[-1] != 2:
            raise ValueError(f"`u` and `v` must have a trailing length of 2, but got {u.shape} and {v.shape}.")
        self.u, self.v = u, v

    def __call__(self, x: Array) -> Array:
        return x[..., None] * (self.u + self.v)


class Terms(eqx.Module):
    rows: Array

    def __init__(self, rows: np.ndarray[Any, Any]):
        if rows.ndim != 2 or rows.shape[-1] != 2:
            raise ValueError(f"`rows` must have shape `(num, 2)` but got {rows.shape}.")
        self.rows = rows

    def __call__(self, x: Array) -> Array:
        return self.rows.sum() * x


class Genes(eqx.Module):
    weight: Array

    def __init__(self, n_genes: int, *, input_fields: int):
        self.weight = jnp.ones((n_genes, *input_fields.shape)) + input_fields

    def __call__(self, x: Array) -> Array:
        return self.weight.sum() * x


@struct.dataclass
class Held:
    inner: Array
    count: Array

    def get_inner(self):
        return self.inner

    def with_count(self, count):
        return self.replace(count=count)


@struct.dataclass
class Sharpened:
    inner: Array

    def sharper(self):
        return self.replace(inner=self.inner / self.inner.sum())
"""


asked = asked_of("lib", SOURCE)


@pytest.mark.slow
def test_an_error_says_which_numbers_are_wanted(asked: Asked) -> None:
    assert asked.adopt("Phasor")["arguments"] == [["z", 'sample(seed, (3,), "complex")', False]]


@pytest.mark.slow
def test_an_error_says_the_axes_with_the_size_of_one(asked: Asked) -> None:
    [[_, text, _]] = asked.adopt("Scan")["arguments"]
    assert text.endswith(", 3))") and text.count(",") == 3


@pytest.mark.slow  # its neighbours are tried in every run
def test_what_only_holds_parts_has_no_call_to_find(tmp_path: Path) -> None:
    write_tree(tmp_path, {"lib.py": SOURCE})
    ran = scaffold(tmp_path, "adopt", "lib.py:Held", "lib.py:Sharpened")
    assert ran.stdout.startswith("Held       adopted, ")
    assert "lib:Held: its call" not in ran.stdout
    assert "lib:Sharpened: its call is not found: no meaningful call: `sharper` takes no arrays" in ran.stdout


def test_an_error_says_how_long_the_last_axis_is(asked: Asked) -> None:
    assert dict(asked.adopt("Lattice")["inputs"]) == {
        "u": "sample(seed, (2,))",
        "v": "sample(seed + 1, (2,))",
    }


def test_an_error_says_a_shape_in_quotes(asked: Asked) -> None:
    assert dict(asked.adopt("Terms")["inputs"]) == {"rows": "sample(seed, (3, 2), positive=True)"}


@pytest.mark.slow
def test_an_error_asks_for_an_array_in_the_place_of_a_number(asked: Asked) -> None:
    inputs = dict(asked.adopt("Genes")["inputs"])
    assert inputs["n_genes"].isdigit() and inputs["input_fields"].startswith("sample(seed")
