"""Constructors that stay because something rests on them as they are: subclasses, comments, defaults of the class."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from abc import ABC, abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Pytree, param, static
"""

BASE = """
class Base(eqx.Module, ABC):
    size: int
    outer: int
    is_complex: bool

    def __init__(self, size, outer):
        self.size = size
        self.outer = outer

    @abstractmethod
    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " outer"]: ...


class Cell(Base):
    weight: Float[Array, "outer size"]

    def __init__(self, size, outer, *, key):
        super().__init__(SIZES)
        self.is_complex = False
        self.weight = jax.random.normal(key, (outer, size))

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " outer"]:
        return jnp.tanh(self.weight @ x)
"""


@pytest.mark.slow
def test_an_open_base_keeps_what_its_subclasses_call(tmp_path: Path) -> None:
    generated(tmp_path, {"cell": HEAD + BASE.replace("SIZES", "size, outer")})
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 90
    code = (tmp_path / "nets/cell.py").read_text("utf-8")
    assert "def __init__(self, size, outer):\n        self.size = size" in code


@pytest.mark.slow
def test_a_constructor_that_is_called_wrongly_is_no_misfit_of_an_example(tmp_path: Path) -> None:
    generated(tmp_path, {"cell": HEAD + BASE.replace("SIZES", "size")})
    run = forked_pytest(tmp_path / "nets")
    assert run.returncode == 1 and "missing 1 required positional argument: 'outer'" in run.stdout


COMMENTED = """
class Net(eqx.Module):
    layers: list

    def __init__(self, size: int, *, key: PRNGKeyArray):
        self.layers = (
            # the first layer
            eqx.nn.Linear(size, size, key=key),
            jax.nn.relu,
        )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        for layer in self.layers:
            x = layer(x)
        return x
"""


def test_a_comment_within_what_it_makes_stays(tmp_path: Path) -> None:
    generated(tmp_path, {"net": HEAD + COMMENTED})
    code = (tmp_path / "nets/net.py").read_text("utf-8")
    assert "self.layers = (\n            # the first layer\n" in code


LOCKED = """
class Locked(Pytree):
    level: Float[Array, " n"] = param()
    is_locked: bool = static(False)

    def __init__(self, level):
        self.level = jnp.array(level)
        object.__setattr__(self, "is_locked", True)

    def __setattr__(self, name, value):
        if self.is_locked:
            raise AttributeError("locked")
        object.__setattr__(self, name, value)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.level * x
"""


@pytest.mark.slow
def test_a_default_is_there_before_the_constructor_stores(tmp_path: Path) -> None:
    assert "    is_locked: bool = False\n" in tried(tmp_path, "locked", HEAD + LOCKED)


QUIET = """
class Quiet(eqx.Module):
    linear: eqx.nn.Linear
    gain: Array
    rate: float = eqx.field(static=True)

    def __init__(self, n: int, gain: Float[Array, " n"], rate: float = 0.0, *, key: PRNGKeyArray):
        self.linear = eqx.nn.Linear(n, n, key=key)
        self.gain = gain
        self.rate = rate

    def __call__(
        self, x: Float[Array, " n"], deterministic: bool = True, key: PRNGKeyArray | None = None
    ) -> Float[Array, " n"]:
        y = self.linear(x) * self.gain
        if not deterministic and self.rate > 0.0:
            y = y * jax.random.bernoulli(key, 1 - self.rate, y.shape)
        return y
"""


@pytest.mark.slow
def test_what_it_stores_as_given_and_a_quiet_call_are_no_findings(tmp_path: Path) -> None:
    tried(tmp_path, "quiet", HEAD + QUIET)


SCALED = """
from equinox.nn import Linear


class Scaled(Linear):
    scale: Array

    def __init__(self, size: int, scale: Float[Array, ""], *, key: PRNGKeyArray):
        super().__init__(size, size, key=key)
        self.scale = scale

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.scale * super().__call__(x)
"""


@pytest.mark.slow
def test_what_a_base_of_a_library_holds_is_not_denied(tmp_path: Path) -> None:
    code = tried(tmp_path, "scaled", HEAD + SCALED)
    assert "trainable" not in code and "leaves" not in suite_text(tmp_path, "scaled")
