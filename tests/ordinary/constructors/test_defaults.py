"""Defaults: those that make an array, those that a call counts on, and annotations that say more than a type of the grammar."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from collections.abc import Callable

import equinox as eqx
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


@pytest.mark.spread(5)
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


@pytest.mark.slow
def test_annotations_of_functions_and_trees_stay_as_they_are_written(tmp_path: Path) -> None:
    text = tried(tmp_path, "fitted", HEAD + ANNOTATED)
    assert "link: Callable[[Array], Array] = eqx.field(static=True)" in text
    assert 'shape: Callable[[Float[Array, "..."]], Float[Array, "..."]] = eqx.field' in text.replace("\n", "")
    assert "    parts: PyTree[Array]\n" in text


CLASSES = {
    "line": """
class Line(eqx.Module):
    slope: Float[Array, ""]
    order: int = eqx.field(static=True, default=3)
    name: str = "line"

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.slope * x**self.order
""",
    "quiet": """
class Quiet(eqx.Module):
    table: Float[Array, " n"] = eqx.field(repr=False)
    scale: Float[Array, ""] = eqx.field(default_factory=lambda: jnp.ones(()))

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.table * x * self.scale
""",
}
EMITTED = {
    "line": '    name: str = "line"\n',
    "quiet": '    scale: Float[Array, ""] = eqx.field(default_factory=lambda: jnp.ones(()))\n',
}


@pytest.mark.slow  # the classes of other subjects are tried in every run
@pytest.mark.parametrize("name", CLASSES)
def test_defaults_of_the_class_statement_stay(tmp_path: Path, name: str) -> None:
    module = tried(tmp_path, name, HEAD + CLASSES[name])
    assert EMITTED.get(name, "") in module


def test_a_factory_is_a_default_in_the_words_of_the_tool(tmp_path: Path) -> None:
    text = CLASSES["quiet"].replace("eqx.Module", "Module").replace("repr=False", "static=False")
    generated(tmp_path, {"quiet": HEAD + text})
    assert "            scale = jnp.ones(())\n" in (tmp_path / "nets/quiet.py").read_text("utf-8")


COUNTS_ON_A_DEFAULT = """class Learner(Module):
    step: Float[Array, ""] = data()
    gamma: float = static(0.99)

    @classmethod
    def init(cls, step: Float[Array, ""]) -> "Learner":
        return cls(step)
"""


@pytest.mark.slow
def test_the_class_statement_has_the_default_that_a_call_of_the_class_counts_on(tmp_path: Path) -> None:
    whole = COUNTS_ON_A_DEFAULT.replace("cls(step)", "cls(step, 0.5)")
    generated(tmp_path, {"learner": HEAD + COUNTS_ON_A_DEFAULT})
    generated(tmp_path / "whole", {"learner": HEAD + whole})
    emitted = (tmp_path / "nets/learner.py").read_text("utf-8")
    assert "    gamma: float = eqx.field(static=True, default=0.99)\n" in emitted
    assert "    gamma: float = eqx.field(static=True)\n" in (tmp_path / "whole/nets/learner.py").read_text(
        "utf-8"
    )
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 60


CALLED_BESIDE = """class Shear(eqx.Module):
    g1: Float[Array, ""] = eqx.field(converter=jnp.asarray)
    scale: float = eqx.field(static=True, default=1.0)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.scale * self.g1 * x


def weak() -> Shear:
    return Shear(0.1)
"""


@pytest.mark.slow  # its neighbours are tried in every run
def test_the_class_statement_has_the_converter_that_a_function_counts_on(tmp_path: Path) -> None:
    generated(tmp_path, {"shear": HEAD + CALLED_BESIDE})
    emitted = (tmp_path / "nets/shear.py").read_text("utf-8")
    assert '    g1: Float[Array, ""] = eqx.field(converter=jnp.asarray)\n' in emitted
    assert "    scale: float = eqx.field(static=True, default=1.0)\n" in emitted
    assert passed(forked_pytest(tmp_path / "nets", "tests")) > 60


@pytest.mark.slow
def test_a_field_that_a_constructor_leaves_to_the_class_is_no_leaf_and_lost_in_copies(tmp_path: Path) -> None:
    code = """

class Rate(eqx.Module):
    weight: jax.Array
    size: int
    least: float = 0.5

    def __init__(self, size: int):
        self.size = size
        self.weight = jnp.full(size, self.least)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x + self.least
"""
    generated(tmp_path, {"rate": HEAD + code})
    ran = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "2 failed" in ran.stdout and "the constructor has not stored `Rate.least`" in ran.stdout, (
        ran.stdout
    )
    assert "fault  P2" not in ran.stdout
