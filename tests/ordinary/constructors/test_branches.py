"""Constructors with branches: what the defaults leave None, or make of another type, is declared as it may be."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text
from tests.support.forking import forked_pytest
from tests.support.projects import passed

HEAD = """
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float
"""

LEFT_OUT = """
class Block(eqx.Module):
    linear: eqx.nn.Linear
    act: Callable
    centres: Array | None

    def __init__(self, size: int, act: Callable = None, width: int | None = None, *, key: Array):
        self.linear = eqx.nn.Linear(size, size, key=key)
        self.act = act
        self.centres = jnp.ones(width) if width else None

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.linear(x) if self.act is None else self.act(self.linear(x))
"""

OPTIONAL = """
from scaffold.skeleton import Module, module


class Block(Module):
    linear: eqx.nn.Linear = module()
    extra: eqx.nn.Linear | None = module()

    def __init__(self, size: int, *, attend: bool = False, key: Array):
        self.linear = eqx.nn.Linear(size, size, key=key)
        self.extra = eqx.nn.Linear(size, size, key=key) if attend else None

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        x = self.linear(x)
        return x if self.extra is None else self.extra(x)
"""

OF_TWO_TYPES = """
class Const(nnx.Variable):
    pass


class Width(nnx.Module):
    def __init__(self, size: int, learned: bool = True, *, rngs: nnx.Rngs):
        self.learned = learned
        if self.learned:
            self.width = nnx.Param(jnp.ones(size))
        else:
            self.width = Const(jnp.ones(size))

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return x * self.width
"""


def test_what_a_default_leaves_none_need_not_be_a_leaf(tmp_path: Path) -> None:
    generated(tmp_path, {"block": HEAD + LEFT_OUT})
    assert 'conditional = ("act", "centres")' in suite_text(tmp_path, "block")
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


@pytest.mark.slow  # a run of its own
def test_a_part_that_the_default_leaves_out_need_not_be_a_leaf(tmp_path: Path) -> None:
    generated(tmp_path, {"block": HEAD + OPTIONAL})
    assert 'conditional = ("extra",)' in suite_text(tmp_path, "block")
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 50


@pytest.mark.slow  # a run of its own
def test_a_variable_has_the_type_of_the_branch_that_the_defaults_take(tmp_path: Path) -> None:
    generated(tmp_path, {"width": HEAD + OF_TWO_TYPES})
    assert 'Var("width", nnx.Param' in suite_text(tmp_path, "width")
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 30
