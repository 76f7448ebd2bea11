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


@jax.tree_util.register_pytree_node_class
class Frame:
    def __init__(self, origin):
        self.origin, self._is_ready = origin, False

    def tree_flatten(self):
        return (self.origin,), (self._is_ready,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        frame = object.__new__(cls)
        [frame.origin], [frame._is_ready] = children, aux
        return frame


class Field(eqx.Module):
    origin: Array

    def __init__(self, frame):
        if not frame._is_ready:
            frame._is_ready = True
        self.origin = jnp.array(frame.origin)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return jnp.tanh(x) * self.origin.sum()
"""
asked = asked_of("asked_by_errors", SOURCE)


def test_a_shape_that_an_error_names_is_given_where_an_annotation_leaves_it_open(asked: Asked) -> None:
    found = asked.adopt("Stepper")
    assert found["method"] == "", found
    [[_, text, _]] = found["arguments"]
    assert text.startswith("sample(seed, (1, "), text


def test_what_has_the_attributes_that_an_array_lacks_is_given_though_its_constructor_alone_says_so(
    asked: Asked,
) -> None:
    """jax calls its arrays `jaxlib._jax.ArrayImpl` where they lack one."""
    found = asked.adopt("Field")
    [[_, text]] = found["inputs"]
    assert text.startswith("Frame(origin=sample("), found


def test_a_tuple_of_which_a_docstring_says_so_has_an_end() -> None:
    context = Context(is_call=True, documented=Documented(types={"points": tuple, "point": tuple}))
    assert "(sample(seed, (3,)), sample(seed + 1, (3,)))" in [
        s.text for s in values_for("points", EMPTY, context)
    ]
