"""Defaults of static fields beside an `__init__` that is kept as it is."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.projects import scaffold
from tests.support.trees import write_tree

HEAD = """\
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray
from scaffold.skeleton import Module, static


class Residual(Module):
    inner: eqx.nn.Linear | eqx.nn.MLP
"""
INIT = """\

    def __init__(self, size: int, *, key: PRNGKeyArray, deep: bool = False):
        if deep:
            self.inner = eqx.nn.MLP(size, size, 8, 1, key=key)
        else:
            self.inner = eqx.nn.Linear(size, size, key=key)
"""
CALL = """\

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
"""


@pytest.mark.parametrize("function", ["jax.nn.silu", "lambda x: x * jax.nn.sigmoid(x)"])
def test_a_function_that_would_become_a_method_is_refused(tmp_path: Path, function: str) -> None:
    field = f"    act: Callable[[Array], Array] = static({function})\n"
    body = f"{CALL}        return x + self.act(self.inner(x))\n"
    write_tree(tmp_path, {"residual.py": HEAD + field + INIT + body})
    made = scaffold(tmp_path, "new-module", "--spec=residual.py")
    assert made.returncode != 0
    assert "fields.act: `__init__` is kept as it is, and does not make `act`" in made.stderr
    assert "fix: assign it there: `self.act = " in made.stderr


@pytest.mark.slow  # a run of its own
def test_with_what_the_fix_says_it_is_a_value(tmp_path: Path) -> None:
    field = "    act: Callable[[Array], Array] = static()\n"
    body = f"{CALL}        return x + self.act(self.inner(x))\n"
    tried(tmp_path, "residual", HEAD + field + INIT + "        self.act = jax.nn.silu\n" + body)


HELD = """\
        return x + self.scales["a"] * self.inner(x) + jnp.sum(x[self.window])
"""


POLICY = """\
import equinox as eqx
import jax
from jaxtyping import Array, Float


class Policy(eqx.Module):
    linear: eqx.nn.Linear
    floor: float = eqx.field(static=True, default=-5.0)

    def __init__(self, size: int, *, key: Array):
        self.linear = eqx.nn.Linear(size, size, key=key)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.floor + jax.nn.softplus(self.linear(x))
"""


def test_no_other_configuration_gives_the_constructor_what_it_does_not_take(tmp_path: Path) -> None:
    generated(tmp_path, {"policy": POLICY})
    assert 'other: ClassVar = {\n        "size": 3,\n    }' in suite_text(tmp_path, "policy")


def test_a_default_of_the_class_is_in_the_form_that_is_read(tmp_path: Path) -> None:
    fields = "    window: slice = static(slice(0, 2))\n    scales: dict[str, float] = static({'a': 2.0})\n"
    generated(tmp_path, {"residual": HEAD + fields + INIT + CALL + HELD})
    code = (tmp_path / "nets/residual.py").read_text("utf-8")
    assert "window: slice = eqx.field(static=True, default=(0, 2, None))" in code
    assert "slice(*self.window)" in code and 'dict(self.scales)["a"]' in code


def test_what_a_kept_constructor_stores_is_read_as_it_is(tmp_path: Path) -> None:
    fields = "    window: slice = static()\n    scales: dict[str, float] = static()\n"
    stores = "        self.window = slice(0, 2)\n        self.scales = {'a': 2.0}\n"
    generated(tmp_path, {"residual": HEAD + fields + INIT + stores + CALL + HELD})
    code = (tmp_path / "nets/residual.py").read_text("utf-8")
    assert 'self.scales["a"] * self.inner(x) + jnp.sum(x[self.window])' in code
