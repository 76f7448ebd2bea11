"""State of `equinox.nn.State` through methods: what is emitted, what is refused, and that it works."""

import sys
from pathlib import Path
from typing import Any

import pytest

from scaffold import ScaffoldError
from scaffold.spec import ModuleSpec, read_spec
from tests.support.forking import forked_pytest
from tests.support.projects import passed, run, scaffold
from tests.support.trees import write_tree

RUNNING = '''
import equinox as eqx
import jax.numpy as jnp
from equinox.nn import State
from jaxtyping import Array, Float, Int32
from scaffold.skeleton import Module, param, state


class Running(Module):
    """The mean of what came so far."""

    gain: Float[Array, " n"] = param("ones")
    total: Float[Array, " n"] = state("zeros")
    count: Int32[Array, ""] = state("zeros")

    def update(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        """Take `x` in, and give the mean."""
        self.total += x
        self.count += 1
        return self.total / self.count

    @eqx.filter_jit
    def mean(self, least: int = 1) -> Float[Array, " n"]:
        return self.total / jnp.maximum(self.count, least)

    def scaled(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * x

    def centred(
        self, x: Float[Array, " n"], state: State
    ) -> tuple[Float[Array, " n"], State]:
        mean, state = self.known(state)
        self.count = self.count + 0
        return self.scaled(x) - mean, state

    def known(self, state: State) -> tuple[Float[Array, " n"], State]:
        return self.total, state
'''
CALL = """
    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        self.total = self.total + x
        return self.gain * self.total
"""
USE = """
import equinox as eqx, jax, jax.numpy as jnp
from running import Running
node, state = eqx.nn.make_with_state(Running.create)(n=3)
x = jnp.arange(3.0)
mean, state = node.update(x, state)
mean, state = node.update(3 * x, state)
assert (mean == 2 * x).all()
again, state = node.mean(state, 4)
assert (again == x).all() and (node.scaled(x) == x).all()
centred, state = node.centred(x, state)
assert (centred == x - 4 * x).all() and state.get(node.count) == 2
means, state = jax.lax.scan(lambda state, x: node.update(x, state)[::-1], state, jnp.ones((5, 3)))[::-1]
assert jnp.allclose(means[-1], (4 * x + 5) / 7) and state.get(node.count) == 7
"""
FIELDS = {"m": {"type": "f[n]", "role": "state", "init": "zeros"}, "w": {"type": "f[n]", "init": "ones"}}


def spec(**methods: Any) -> ModuleSpec:
    return read_spec({"name": "A", "fields": FIELDS, "methods": methods}, "s")


def faults_of(**methods: Any) -> list[str]:
    with pytest.raises(ScaffoldError) as caught:
        spec(**methods)
    return [f"{fault.where}: {fault.what} -> {fault.fix}" for fault in caught.value.faults]


@pytest.mark.slow  # methods of states are among the examples
@pytest.mark.spread(2)
@pytest.mark.parametrize("call", ["", CALL], ids=["without a call", "with one"])
def test_methods_take_the_state_and_return_the_next(call: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/running.py": RUNNING + call})
    result = scaffold(tmp_path, "new-module", "--spec", "specs/running.py")
    assert result.returncode == 0, result.stderr
    text = (tmp_path / "running.py").read_text()
    assert "state = state.set(self.total, state.get(self.total) + x)" in text
    assert 'def scaled(self, x: Float[Array, " n"]) -> Float[Array, " n"]:' in text
    assert "def mean(\n        self, state: eqx.nn.State, least: int = 1\n" in text
    used = run([sys.executable, "-c", USE], tmp_path)
    assert used.returncode == 0, used.stderr
    assert passed(forked_pytest(tmp_path)) > 20
    checked = run([sys.executable, "-m", "pyright", "running.py"], tmp_path)
    assert checked.returncode == 0, checked.stdout


def test_what_uses_no_state_is_given_none() -> None:
    plain, user = spec(f={"body": "return self.w"}, g={"body": "return self.m"}).methods
    assert (plain.call.args, len(user.call.args)) == ((), 1)
    assert user.call.body == "return state.get(self.m), state"


@pytest.mark.parametrize(
    ("methods", "told"),
    [
        ({"f": {"decorator": "property", "body": "return self.m"}}, "s: methods.f.decorator: a property is given no state to read -> remove it: write a method"),
        ({"f": {"body": "return self.m"}, "g": {"body": "return self.f()"}}, "s: methods.g.body: calls `f`, which takes the state and returns the next one -> write `state: eqx.nn:State` as an argument of both, and `result, state = self.f(..., state)`"),
        ({"f": {"args": "state: f[n]", "body": "return self.m + state"}}, "s: methods.f.args: `state` is what `f` names the module's state -> rename it, or write `state: eqx.nn:State` and return it yourself"),
        ({"f": {"body": "self.w = 1\nreturn self.m"}}, "s: methods.f.body: `f` assigns `self.w`, and it may update state alone"),
        ({"f": {"args": "state: eqx.nn:State", "returns": "f[n]", "body": "return self.m"}}, "s: methods.f.returns: `f` takes `state` and returns no state"),
        ({"f": {"body": "def g(x):\n    self.m = x\nreturn g(1)"}}, "s: methods.f.body: `self.m` is updated within another statement or function"),
    ],
)  # fmt: skip
def test_what_a_method_cannot_do_with_state(methods: dict[str, Any], told: str) -> None:
    found = faults_of(**methods)
    assert any(one.startswith(told) for one in found), found
