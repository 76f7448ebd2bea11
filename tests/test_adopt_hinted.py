"""What the errors of a call teach of its arguments, and what a class without a call is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.asking import Asked
from tests.projects import scaffold
from tests.support import write_tree

SOURCE = """
import equinox as eqx
import jax
import jax.numpy as jnp
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


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    asked = Asked(tmp_path_factory.mktemp("hinted"), "lib", SOURCE)
    yield asked
    asked.child.close()


def test_an_error_says_which_numbers_are_wanted(asked: Asked) -> None:
    assert asked.adopt("Phasor")["arguments"] == [["z", 'sample(seed, (3,), "complex")', False]]


def test_an_error_says_the_axes_with_the_size_of_one(asked: Asked) -> None:
    [[_, text, _]] = asked.adopt("Scan")["arguments"]
    assert text.endswith(", 3))") and text.count(",") == 3


def test_what_only_holds_parts_has_no_call_to_find(tmp_path: Path) -> None:
    write_tree(tmp_path, {"lib.py": SOURCE})
    ran = scaffold(tmp_path, "adopt", "lib.py:Held", "lib.py:Sharpened")
    assert ran.stdout.startswith("Held       adopted, ")
    assert "lib:Held: its call" not in ran.stdout
    assert "lib:Sharpened: its call is not found: no meaningful call: `sharper` takes no arrays" in ran.stdout
