"""A method of which a docstring says that it is not for `jax.jit` is no fault there; of another one it is."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import check_pytree
from pytree_laws.inspect.classes import documents_untraced
from pytree_laws.report import ADVICE, FAULT


class Ring(eqx.Module):
    after: jax.Array

    def __call__(self, start: jax.Array) -> jax.Array:
        """The ring that `start` is in."""
        path = [int(start[0])]
        while len(path) < self.after.shape[0]:
            path.append(int(self.after[path[-1]]))
        return jnp.array(path)


class Said(Ring):
    def __call__(self, start: jax.Array) -> jax.Array:
        """The ring that `start` is in. Not jittable (the output length is data-dependent)."""
        return super().__call__(start)


@pytest.mark.parametrize(("ring", "severity"), [(Ring, FAULT), (Said, ADVICE)])
def test_what_is_said_not_to_be_compiled_is_advice(ring: type[Ring], severity: str) -> None:
    report = check_pytree(
        lambda seed: ring(jnp.roll(jnp.arange(3), 1)), lambda seed: (jnp.array([seed % 3]),)
    )
    [finding] = [one for one in report.findings if one.where == "compiled call"]
    assert finding.severity == severity


class Edges(eqx.Module):
    edges: jax.Array

    def __check_init__(self) -> None:
        if jnp.any(jnp.diff(self.edges) <= 0):
            raise ValueError("edges must increase")

    def __call__(self) -> jax.Array:
        return jnp.diff(self.edges)


class Spacing(eqx.Module):
    width: jax.Array

    def __call__(self, cells: jax.Array) -> jax.Array:
        """Widths of cells, whose class is made on the way."""
        return Edges(self.width * cells)()

    def edges(self, cells: jax.Array) -> Edges:
        return Edges(self.width * cells)


class Policy(Spacing):
    def __call__(self, cells: jax.Array) -> Edges:  # type: ignore[override]
        return self.edges(cells)


class Stretched(Edges):
    def __call__(self, by: jax.Array) -> Edges:  # type: ignore[override]
        return Edges(self.edges * by)


@pytest.mark.parametrize(
    ("build", "severities"),
    [
        (lambda seed: Policy(jnp.asarray(seed + 1.0)), {ADVICE}),
        (lambda seed: Spacing(jnp.asarray(seed + 1.0)), {FAULT}),
        (lambda seed: Stretched(seed + jnp.arange(3.0)), {FAULT}),
    ],
)
def test_a_call_that_makes_another_class_is_judged_as_its_constructor(
    build: Callable[[int], Any], severities: set[str]
) -> None:
    report = check_pytree(build, lambda seed: (seed + jnp.arange(1.0, 4.0),))
    raised = [one for one in report.findings if one.where == "compiled call"]
    assert {one.severity for one in raised} == severities


@pytest.mark.parametrize(
    ("text", "says_so"),
    [
        ("This cannot be used under `jax.jit`.", True),
        ("Not traceable.", True),
        ("It does not retrace in jit.", False),
    ],
)
def test_how_a_docstring_says_so(text: str, says_so: bool) -> None:
    def method() -> None: ...

    method.__doc__ = text
    assert documents_untraced(method) is says_so
