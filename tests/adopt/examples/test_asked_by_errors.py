"""What errors ask for: a shape where an annotation names dims of which it does not know the number; and what a docstring calls a tuple."""

from scaffold.adopt.child.values.annotations import EMPTY
from scaffold.adopt.child.values.candidates import values_for
from scaffold.adopt.child.values.plain import Context, Documented
from tests.adopt.asking import Asked, asked_of

SOURCE = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


class Stepper(eqx.Module):
    speed: Float[Array, ""]
    dims: int = eqx.field(static=True)
    points: int = eqx.field(static=True)

    def step(self, u: Float[Array, "C ... N"]) -> Float[Array, "C ... N"]:
        return self.speed * u

    def __call__(self, u: Float[Array, "C ... N"]) -> Float[Array, "C ... N"]:
        expected = (1, *(self.points,) * self.dims)
        if u.shape != expected:
            raise ValueError(f"Expected shape {expected}, got {u.shape}.")
        return self.step(u)
"""
asked = asked_of("asked_by_errors", SOURCE)


def test_a_shape_that_an_error_names_is_given_where_an_annotation_leaves_it_open(asked: Asked) -> None:
    found = asked.adopt("Stepper")
    assert found["method"] == "", found
    [[_, text, _]] = found["arguments"]
    assert text.startswith("sample(seed, (1, "), text


def test_a_tuple_of_which_a_docstring_says_so_has_an_end() -> None:
    context = Context(is_call=True, documented=Documented(types={"points": tuple, "point": tuple}))
    assert "(sample(seed, (3,)), sample(seed + 1, (3,)))" in [
        s.text for s in values_for("points", EMPTY, context)
    ]
