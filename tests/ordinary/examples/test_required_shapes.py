"""Examples as long as a method asks for, which raises for others."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried, whole_suite

MODULE = """
import equinox as eqx
import jax
import jax.numpy as jnp


class {name}(eqx.Module):
    size: {kind}
    scale: jax.Array

    def __init__(self, size: int = 100):
        self.size = {stored}
        self.scale = jnp.ones(())

    def __call__(self, x: jax.Array) -> jax.Array:
{asked}
        return self.scale * x
"""
PAIR = "tuple[int, int]", "(size, 2 * size)"
CASES = {
    "patch": (
        *PAIR,
        """
        C, H, W = x.shape
        if H != self.size[0] or W != self.size[1]:
            raise ValueError(f"the size is not {self.size}")
""",
        "(3, 2, 4)",
    ),
    "column": (
        *PAIR,
        """
        if x.shape[1] != self.size[0]:
            raise ValueError("columns")
""",
        "(3, 2)",
    ),
    "square": (
        "tuple[int, int]",
        "size if isinstance(size, tuple) else (size, size)",
        '        assert x.shape == (self.size[0], self.size[1]), "size"',
        "(2, 2)",
    ),
    "last": ("int", "3 * size", "        assert self.size == x.shape[-1] and x.ndim == 2", "(3, 6)"),
    "vector": ("int", "size", '        assert x.shape[0] == self.size, "length"', "(2,)"),
    "single": ("int", "size", "        assert x.shape[-1] == 1", "(1,)"),
    "matrix": ("int", "size", "        assert x.shape[-2:] == (self.size, 3)", "(2, 3)"),
    "behind": (
        "int",
        "size",
        """
        if x.shape[1:] != (4, 3):
            raise ValueError("images")
""",
        "(2, 4, 3)",
    ),
}


def skeleton(name: str) -> str:
    kind, stored, asked, _ = CASES[name]
    return MODULE.format(name=name.title(), kind=kind, stored=stored, asked=asked.strip("\n"))


@pytest.mark.parametrize("name", CASES)
def test_an_axis_has_the_size_that_is_stored(name: str, tmp_path: Path) -> None:
    suite = whole_suite(tmp_path, name, skeleton(name))
    assert f"sample(seed, {CASES[name][-1]})" in suite
    assert ("self.size" in CASES[name][2]) == ('"size": 2' in suite), "a setting that is a size"


IMAGES = """
import equinox as eqx
import jax


class Images(eqx.Module):
    size: tuple[int, int] = eqx.field(static=True)
    grid: tuple[int, int] = eqx.field(static=True)
    conv: eqx.nn.Conv2d

    def __init__(self, size: int | tuple[int, int] = 224, part: int | tuple[int, int] = 4, *, key: jax.Array):
        self.size = size if isinstance(size, tuple) else (size, size)
        part = part if isinstance(part, tuple) else (part, part)
        self.grid = (self.size[0] // part[0], self.size[1] // part[1])
        self.conv = eqx.nn.Conv2d(3, 5, kernel_size=part, stride=part, key=key)

    def __call__(self, x: jax.Array) -> jax.Array:
        c, h, w = x.shape
        if h != self.size[0] or w != self.size[1]:
            raise ValueError("size")
        return self.conv(x)
"""


def test_a_number_in_the_place_of_two_is_a_size_that_its_parts_divide(tmp_path: Path) -> None:
    suite = whole_suite(tmp_path, "images", IMAGES)
    assert '"size": 8' in suite and "sample(seed, (3, 8, 8))" in suite


WAVES = """
import equinox as eqx
import jax.numpy as jnp
from jax import Array


class Waves(eqx.Module):
    waves: Array

    def __init__(self, waves: Array):
        self.waves = jnp.asarray(waves, dtype=float)
        if self.waves.ndim != 2:
            raise ValueError("waves must have two axes")


class Weighed(Waves):
    weights: Array

    def __init__(self, waves: Array, weights: Array):
        super().__init__(waves)
        self.weights = jnp.asarray(weights, dtype=float)
        assert self.weights.shape == (4,)

    def weighed(self) -> Array:
        return jnp.linalg.svd(self.waves)[1].sum() * self.weights
"""


def test_a_shape_is_asked_of_what_is_stored_as_an_array(tmp_path: Path) -> None:
    suite = whole_suite(tmp_path, "waves", WAVES)
    assert suite.count('"waves": sample(seed, (2, 3))') == 2, "by the constructor of the base, too"
    assert '"weights": sample(seed + 1, (4,))' in suite


SHIFT = """
import equinox as eqx
import jax.numpy as jnp
from jax import Array


class Shift(eqx.Module):
    by: Array | None
    turn: Array | None
    left: Array | None
    right: Array | None

    def __init__(self, by: Array | None = None, turn: Array = None, left=None, right: Array = None):
        self.by = None if by is None else jnp.asarray(by, dtype=float)
        if self.by is not None and self.by.shape != (2,):
            raise ValueError("by must have shape (2,).")
        if turn is not None:
            self.turn = jnp.asarray(turn)
            if self.turn.shape != (2, 2):
                raise ValueError("turn must have shape (2, 2).")
        else:
            self.turn = None
        if left is not None and right is not None:
            raise ValueError("one of both")
        assert left is None or left.shape == (3,)
        assert right is None or right.shape == (3,)
        self.left, self.right = left, right

    @property
    def norm(self) -> Array:
        if self.by is None or self.turn is None:
            raise ValueError("by must be given.")
        return jnp.linalg.norm(self.turn @ self.by)
"""


def test_an_array_that_may_be_left_out_is_given_where_a_statement_states_its_shape(tmp_path: Path) -> None:
    suite = whole_suite(tmp_path, "shift", SHIFT)
    assert '"by": sample(seed, (2,)),\n            "turn": sample(seed + 1, (2, 2)),' in suite
    assert "left" not in suite.partition("def inputs")[2], "the constructor takes one of two"
    assert 'guessed = ("__init__", "norm")' in suite


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_its_tests_pass(name: str, tmp_path: Path) -> None:
    tried(tmp_path, name, skeleton(name))


GIVEN = """
import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float


class Spline(eqx.Module):
    x: Float[Array, " points"]
    y: Float[Array, "points channels"]

    def __init__(self, x: Float[Array, " points"], y: Float[Array, "points channels"]):
        count, width = y.shape
        if x.shape[0] < 4 or width <= 5:
            raise ValueError("too few")
        self.x = x
        self.y = y

    def __call__(self, t: Float[Array, ""]) -> Float[Array, ""]:
        return jnp.interp(t, self.x, self.y.mean(-1))
"""


def test_given_arrays_are_of_sizes_that_the_constructor_takes(tmp_path: Path) -> None:
    tests = whole_suite(tmp_path, "spline", GIVEN)
    assert "sample(seed, (5,))" in tests
    assert "sample(seed + 1, (5, 7))" in tests
