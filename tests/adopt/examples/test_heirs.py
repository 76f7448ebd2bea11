"""Parts whose classes are abstract, and whose heirs lie in modules that nobody has imported."""

import pytest

from tests.adopt.asking import Asked, asked_of

LAYER = """
import abc

import equinox as eqx
import jax


class Layer(eqx.Module):
    @abc.abstractmethod
    def __call__(self, x: jax.Array) -> jax.Array: ...
"""
WRAPPERS = """
import jax

from towers.layer import Layer


class Sum(Layer):
    branches: list[Layer]

    def __call__(self, x):
        return sum(branch(x) for branch in self.branches)

    def parts(self) -> list[Layer]:
        return self.branches


class Residual(Layer):
    inner: Layer

    def __call__(self, x: jax.Array) -> jax.Array:
        return x + self.inner(x)
"""
LAYERS = """
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from towers import layer


class Same(layer.Layer):
    def __call__(self, x: jax.Array) -> jax.Array:
        return x


class Masked(
    layer.Layer,
):
    fill: Float[Array, ""]

    def __call__(self, x: jax.Array, **others: jax.Array) -> jax.Array:
        return jnp.where(others["positions"] > 0, x, self.fill)
"""
BROKEN = """
from towers.layer import Layer

raise RuntimeError("this module needs a device")


class Remote(Layer):
    pass
"""


asked = asked_of(
    "towers.wrappers",
    {
        "towers/__init__.py": "",
        "towers/layer.py": LAYER,
        "towers/wrappers.py": WRAPPERS,
        "towers/layers.py": LAYERS,
        "towers/away.py": BROKEN,
    },
)


@pytest.mark.slow
def test_heirs_are_imported_where_no_imported_class_is_a_part(asked: Asked) -> None:
    found = asked.adopt("Residual")
    assert found["inputs"] == [["inner", "Same()"]]
    assert ["Same", "from towers.layers import Same"] in found["imports"]


def test_a_part_with_which_the_call_works_comes_before_one_that_has_arrays(asked: Asked) -> None:
    found = asked.adopt("Sum")
    assert found["inputs"] == [["branches", "[Same(), Same()]"]]
    assert (found["method"], len(found["arguments"])) == ("", 1)
