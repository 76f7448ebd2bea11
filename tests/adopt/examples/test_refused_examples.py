"""Where a class refuses the part that a docstring shows, others are looked for as where none is shown."""

from tests.adopt.asking import Asked, asked_of

SOURCE = '''
import equinox as eqx
import jax
import jax.numpy as jnp


class Space(eqx.Module):
    """A grid.

    ```
    space = Space(lengths=(1.0,))
    ```
    """

    lengths: tuple[float, ...] = eqx.field(static=True)


class Plane(eqx.Module):
    weight: jax.Array

    def __init__(self, space: Space):
        if len(space.lengths) != 2:
            raise ValueError("only for a plane")
        self.weight = jnp.asarray(space.lengths)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class Line(eqx.Module):
    weight: jax.Array

    def __init__(self, space: Space):
        self.weight = jnp.asarray(space.lengths)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x
'''
asked = asked_of("spaces", SOURCE)


def test_a_class_that_refuses_the_part_which_a_docstring_shows_is_given_another(asked: Asked) -> None:
    assert asked.adopt("Line")["inputs"] == [["space", "Space(lengths=(1.0,))"]]
    assert asked.adopt("Plane")["inputs"] == [["space", "Space(lengths=(0.25, 0.25))"]]
