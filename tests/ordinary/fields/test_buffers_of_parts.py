"""Buffers that are layers, NamedTuples and other instances with arrays: no gradient, not trained, and the suite says so."""

from pathlib import Path

import pytest

from tests.ordinary.generated import suite_text, tried
from tests.support.projects import scaffold
from tests.support.trees import write_tree

HEAD = """\
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Scalar
from scaffold.skeleton import Module, Nnx, Pytree, buffer, param, test
"""
OF_EACH_KIND = """

class Stats(NamedTuple):
    mean: Float[Array, " n"]
    var: Float[Array, " n"]


@test(
    values={{
        "stats": lambda: Stats(jnp.zeros(3), jnp.ones(3)),
        "teacher": lambda: eqx.nn.MLP(3, 3, 4, 1, key=jax.random.key(0)),
        "more": lambda: [eqx.nn.Linear(3, 3, key=jax.random.key(1))],
    }},
    sizes={{"n": 3}},
)
class Distilled({kind}):
    gain: Float[Array, " n"] = param("ones")
    stats: Stats = buffer()
    teacher: eqx.nn.MLP = buffer()
    more: list[eqx.nn.Linear] = buffer()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        mean, var = self.stats
        return self.gain * (self.teacher(x) + self.more[0](x - mean)) / jnp.sqrt(1 + var**2)

    def moved(self, x: Float[Array, " n"]) -> "Distilled":
        \"\"\"With the mean moved.\"\"\"
        return Distilled(self.gain, self.stats._replace(mean=x), self.teacher, self.more)
"""


@pytest.mark.slow  # a run of its own
@pytest.mark.parametrize("kind", ["Module", "Pytree"])
def test_what_holds_arrays_among_other_things_is_a_buffer(tmp_path: Path, kind: str) -> None:
    code = tried(tmp_path, "distilled", HEAD + OF_EACH_KIND.format(kind=kind), least=100)
    assert "mean, var = _stopped(self.stats)" in code
    assert "_stopped(self.teacher)(x) + _stopped(self.more)[0](x - mean)" in code
    assert 'path[0].name not in ("stats", "teacher", "more")' in code
    suite = suite_text(tmp_path, "distilled")
    assert all(f'Leaf("{name}", "buffer")' in suite for name in ("stats", "teacher", "more"))


MADE = """

class Stats(Module):
    mean: Float[Array, " n"] = param("zeros")


class Net(Module):
    gain: Float[Array, " n"] = param("ones", decay=False)
    weight: Float[Array, " n"] = param("ones")
    stats: Stats = buffer()
    teacher: eqx.nn.Linear = buffer()

    def __init__(self, n: int, *, key):
        self.gain = jnp.ones(n)
        self.weight = jnp.ones(n)
        self.stats = Stats.create(n)
        self.teacher = eqx.nn.Linear(n, n, key=key)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * (self.teacher(x) - self.stats.mean) + self.weight


class Outer(Module):
    net: Net

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.net(x) + self.net.teacher(x)
"""


@pytest.mark.slow  # a run of its own
def test_parts_that_are_made_are_stored_as_made(tmp_path: Path) -> None:
    code = tried(tmp_path, "made", HEAD + MADE)
    assert "self.teacher = eqx.nn.Linear(n, n, key=key)" in code
    assert "_stopped(self.teacher)(x) - _stopped(self.stats).mean" in code
    assert "_stopped(self.net.teacher)(x)" in code
    assert code.count("def _stopped(") == 1
    assert code.count('not in ("stats", "teacher")') == 1
    assert 'not in ("stats", "teacher", "gain")' in code or '("gain", "stats", "teacher")' in code


ALIASES = """
Vector = Float[Array, " n"]


class Shift(Module):
    gain: Float[Array, " n"] = param("ones")
    centre: Scalar = buffer()
    offset: Vector = buffer()

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * (x - self.centre) + self.offset
"""


@pytest.mark.slow  # a run of its own
def test_an_alias_is_the_array_that_it_stands_for(tmp_path: Path) -> None:
    code = tried(tmp_path, "shift", HEAD + ALIASES)
    assert all(f"jax.lax.stop_gradient(self.{name})" in code for name in ("centre", "offset"))
    assert 'Leaf("centre", "buffer")' in suite_text(tmp_path, "shift")


OF_FLAX = """

class Net(Nnx):
    gain: Float[Array, " n"] = param("ones")
    teacher: nnx.Linear = buffer()

    def __init__(self, n: int, *, rngs: nnx.Rngs):
        self.gain = nnx.Param(jnp.ones(n))
        self.teacher = nnx.Linear(n, n, rngs=rngs)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.gain * self.teacher(x)
"""


def test_the_params_of_a_layer_of_flax_cannot_be_buffers(tmp_path: Path) -> None:
    write_tree(tmp_path, {"net.py": HEAD + OF_FLAX})
    made = scaffold(tmp_path, "new-module", "--spec=net.py")
    assert made.returncode != 0
    assert "fields.teacher.role: the Params of a sub-module are its own" in made.stderr


@pytest.mark.slow  # a run of its own
def test_a_layer_that_is_given_is_a_buffer(tmp_path: Path) -> None:
    given = "\n\nclass Given(Module):\n    teacher: eqx.nn.Linear = buffer()\n" + (
        '    gain: Float[Array, " n"] = param("ones")\n\n'
        '    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:\n'
        "        return self.gain * self.teacher(x)\n"
    )
    code = tried(tmp_path, "given", HEAD + given)
    assert "self.gain * _stopped(self.teacher)(x)" in code and "def trainable(" in code
