"""Curves through points in space: what docstrings say of coefficients, and show with what the package exports."""

import pytest

from scaffold.adopt.child.classes.documented import shape_in
from tests.adopt.asking import Asked, asked_of

POLYGON = '''
from dataclasses import dataclass

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Polygon:
    positions: jax.Array
    middle: jax.Array

    @classmethod
    def through(cls, positions: jax.Array) -> "Polygon":
        return cls(positions, jnp.mean(positions, axis=-2))

    def at(self, s: jax.Array) -> jax.Array:
        return self.positions[0] + s[:, None] * (self.positions[1] - self.positions[0])


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Cloud:
    """Points.

    Parameters
    ----------
    positions : jax.Array
        Where the points are [..., 3]
    """

    positions: jax.Array

    def seen_from(self, x: jax.Array) -> jax.Array:
        return jnp.linalg.norm(self.positions - x, axis=-1)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Wave:
    """Points.

    Parameters
    ----------
    cosines : jax.Array
        The coefficients [N_modes, 3]
    """

    cosines: jax.Array

    def at(self, s: jax.Array) -> jax.Array:
        if self.cosines.ndim != 2:
            raise ValueError("one row for each mode")
        return jnp.cos(s[:, None] * jnp.arange(len(self.cosines))) @ self.cosines
'''
SEVERAL = '''
from collections import OrderedDict
from dataclasses import dataclass

import jax
import jax.numpy as jnp


class Recent(OrderedDict):
    """What was used last."""

    def __init__(self, most: int):
        super().__init__()
        self.most = most


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Several:
    """
    >>> first = Polygon.through(jnp.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    >>> several = Several.of([first, first])
    >>> several.at(jnp.linspace(0, 1, 7))
    """

    curves: object

    @classmethod
    def of(cls, curves: list) -> "Several":
        return cls(jax.tree.map(lambda *parts: jnp.stack(parts), *curves))

    def at(self, s: jax.Array) -> jax.Array:
        return jax.vmap(lambda curve: curve.at(s))(self.curves)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Optics:
    elements: OrderedDict
    loss: jax.Array

    def through(self, x: jax.Array) -> jax.Array:
        return self.loss * x
'''
asked = asked_of(
    "curves",
    {
        "curves/__init__.py": "from curves.polygon import Polygon\nfrom curves.several import Several\n",
        "curves/polygon.py": POLYGON,
        "curves/several.py": SEVERAL,
    },
)


def test_brackets_at_the_end_of_a_line_say_a_shape() -> None:
    assert shape_in("cosines : jax.Array\n    Fourier cosine coefficients [N_modes, 3]") == "N_modes 3"
    assert shape_in("points : jax.Array\n    where they lie [..., 3]") == "... 3"
    assert shape_in("rate : float\n    in the range [0, 1]") == ""
    assert shape_in("names : list\n    one of [Name, Other]") == ""


@pytest.mark.slow
def test_positions_with_two_or_three_coordinates_lie_in_space(asked: Asked) -> None:
    made = dict(asked.adopt("polygon:Cloud")["inputs"])
    assert "(3,)" in made["positions"] and '"int"' not in made["positions"], made


@pytest.mark.slow
def test_coefficients_have_the_axes_that_a_docstring_says(asked: Asked) -> None:
    made = asked.adopt("polygon:Wave")
    assert made["method"] == "at", made


def test_an_example_uses_what_the_package_exports(asked: Asked) -> None:
    made = asked.adopt("several:Several")
    assert "Polygon.through(" in str(made["inputs"]) and made["method"] == "at", made


def test_a_class_of_the_standard_library_stands_for_itself(asked: Asked) -> None:
    made = dict(asked.adopt("several:Optics")["inputs"])
    assert made["elements"].startswith("OrderedDict({"), made
