"""Classes that a function beside them builds, parts in a bare tuple, and what a constructor gives to that of its base."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = '''
import equinox as eqx
import jax
import jax.numpy as jnp


class Spectral(eqx.Module):
    """A separable operator. Build with :func:`spectral`."""

    basis: tuple[jax.Array, ...]
    eigenvalues: tuple[jax.Array, ...]
    weights: jax.Array

    def matvec(self, x: jax.Array) -> jax.Array:
        total = sum(w * e for w, e in zip(self.weights, self.eigenvalues, strict=True))
        for axis, matrix in enumerate(self.basis):
            x = jnp.moveaxis(jnp.tensordot(matrix, x, (1, axis)), 0, axis)
        return total * x


def spectral(widths: tuple[jax.Array, ...]) -> Spectral:
    basis = tuple(jnp.eye(w.shape[0]) for w in widths)
    return Spectral(basis, tuple(1 / w for w in widths), jnp.ones(len(widths)))


def doubled(operator: Spectral) -> Spectral:
    return Spectral(operator.basis, operator.eigenvalues, 2 * operator.weights)


class Term(eqx.Module):
    scale: float

    def contribution(self, x: jax.Array) -> jax.Array:
        return self.scale * x


class Equation(eqx.Module):
    terms: tuple

    def __call__(self, x: jax.Array) -> jax.Array:
        return sum(term.contribution(x) for term in self.terms)


class Encoder(eqx.Module):
    embed: eqx.nn.Linear
    scale: float

    def __init__(self, embed: eqx.nn.Linear, *, key: jax.Array, scale: float = 2.0):
        self.embed, self.scale = embed, scale

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * self.embed(x)


class ImageEncoder(Encoder):
    def __init__(self, *, key: jax.Array, size: int = 4, **kwargs):
        super().__init__(eqx.nn.Linear(size, 3, key=key), key=key, **kwargs)
'''
asked = asked_of("factories", SOURCE)


@pytest.mark.slow
def test_a_function_that_the_docstring_names_builds_the_class(asked: Asked) -> None:
    answer = asked.adopt("Spectral")
    assert answer["called"] and answer["maker"] == "spectral"


@pytest.mark.slow
def test_a_bare_tuple_holds_what_its_elements_are_asked_for(asked: Asked) -> None:
    answer = asked.adopt("Equation")
    assert answer["called"] and "(Term(scale=0.25),)" in str(answer)


def test_what_a_constructor_gives_to_that_of_its_base_is_not_asked_for(asked: Asked) -> None:
    assert asked.adopt("ImageEncoder")["called"]
