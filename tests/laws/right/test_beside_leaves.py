"""Arrays beside the leaves that hide nothing: unflatten computes them, or what holds them compares itself."""

from typing import Any

import jax
import jax.numpy as jnp

from pytree_laws import check_pytree, sample
from pytree_laws.report import ADVICE, FAULT


class Box:
    """A region that equals another one of the same corner."""

    def __init__(self, upper: tuple[float, ...]) -> None:
        self.upper = jnp.array(upper)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and bool(jnp.array_equal(self.upper, other.upper))

    def __hash__(self) -> int:
        return hash(tuple(map(float, self.upper)))


class Corner:
    """One that equals itself alone."""

    def __init__(self, upper: tuple[float, ...]) -> None:
        self.upper = jnp.array(upper)


@jax.tree_util.register_pytree_node_class
class Grid:
    """Values in a region, which is static."""

    def __init__(self, values: jax.Array, box: Any) -> None:
        self.values, self.box = values, box

    def tree_flatten(self) -> Any:
        return (self.values,), self.box

    @classmethod
    def tree_unflatten(cls, box: Any, children: Any) -> "Grid":
        grid = object.__new__(cls)
        grid.values, grid.box = children[0], box
        return grid


@jax.tree_util.register_pytree_node_class
class Ball:
    """A ball whose constructor, which unflatten calls, computes the radius."""

    def __init__(self, weight: Any, curvature: float) -> None:
        self.weight, self.curvature = weight, curvature
        self.radius = jnp.sqrt(-1 / curvature)

    def tree_flatten(self) -> Any:
        return (self.weight,), self.curvature

    @classmethod
    def tree_unflatten(cls, curvature: float, children: Any) -> "Ball":
        return cls(children[0], curvature)


def hidden(build: Any) -> list[tuple[str, str]]:
    """Where an array is told to be no leaf, and how much that matters."""
    findings = check_pytree(build).findings
    return [(finding.where, finding.severity) for finding in findings if finding.law.number == "P2"]


def test_what_holds_an_array_and_compares_itself_is_advice() -> None:
    assert hidden(lambda seed: Grid(sample(seed, (3,)), Box((0.5, 0.75)))) == [("Grid.box.upper", ADVICE)]
    assert hidden(lambda seed: Grid(sample(seed, (3,)), Corner((0.5, 0.75)))) == [("Grid.box.upper", FAULT)]


def test_what_unflatten_computes_hides_nowhere() -> None:
    assert hidden(lambda seed: Ball(sample(seed, (3,)), -1.0)) == []
