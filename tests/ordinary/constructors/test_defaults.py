"""Defaults that make an array, numbers of Python among the data, and annotations that say more than a type of the grammar."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried

HEAD = """
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree
from scaffold.skeleton import Module, Namedtuple, Pytree, data, param, static
"""
KERNEL = """

class Kernel({base}):
    values: Float[Array, " n"] = data(default=jnp.ones(3))
    scale: Float[Array, ""] = data(default=lambda: jnp.ones(()))
    rate: float = data()
    least: float = data(default=1e-3)

    def at(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.rate * x * self.values / self.scale + self.least
"""


@pytest.mark.parametrize(
    "base",
    [
        "Module",
        'Pytree, rebuild="bypass"',
        'Pytree, rebuild="flag"',
        'Pytree, rebuild="dataclass"',
        "Namedtuple",
    ],
)
def test_an_array_by_default_is_made_in_the_body(tmp_path: Path, base: str) -> None:
    text = tried(tmp_path, "kernel", HEAD + KERNEL.format(base=base))
    assert "        if values is None:\n" in text and "values = jnp.ones(3)\n" in text
    assert "= jnp.ones(3)," not in text and "rate=rate," in text


ANNOTATED = """

class Fitted(Module):
    weight: Float[Array, " n"] = param()
    link: Callable[[Array], Array] = static(jnp.tanh)
    shape: Callable[[Float[Array, "..."]], Float[Array, "..."]] = static(jnp.sin)
    parts: PyTree[Array] = data()

    def at(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.link(x) * self.shape(self.weight)
"""


def test_annotations_of_functions_and_trees_stay_as_they_are_written(tmp_path: Path) -> None:
    text = tried(tmp_path, "fitted", HEAD + ANNOTATED)
    assert "link: Callable[[Array], Array] = eqx.field(static=True)" in text
    assert 'shape: Callable[[Float[Array, "..."]], Float[Array, "..."]] = eqx.field' in text.replace("\n", "")
    assert "    parts: PyTree[Array]\n" in text
