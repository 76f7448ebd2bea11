"""What classes have of bases that are carried: mixins, and bases that are registered by their subclasses alone."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree

HEAD = """
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, test

"""
MIXIN = """
class Fit:
    def loss(self, x: Float[Array, " n"], y: Float[Array, " m"]) -> Float[Array, ""]:
        return jnp.mean((self(x) - y) ** 2)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " m"]:
        return self.linear(x)
"""
REGISTERED = """
class Base:
    def __init__(self, *args):
        self.params = args
        self._sum = None

    def __call__(self, z: jax.Array) -> jax.Array:
        return self.shape(z) / jnp.sum(self.shape(jnp.linspace(0.0, 1.0, 5)))

    def tree_flatten(self):
        return self.params, None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


@test(build=lambda seed: unit())
@jax.tree_util.register_pytree_node_class
class Bump(Base):
    def shape(self, z: jax.Array) -> jax.Array:
        return jnp.exp(-self.params[0] * z)


def unit() -> Bump:
    return Bump(jnp.float32(1.0))
"""
CACHED = """        if self._sum is None:
            self._sum = jnp.sum(self.shape(jnp.linspace(0.0, 1.0, 5)))
        return self.shape(z) / self._sum
"""
CLASSES = {
    "linear": f"""{MIXIN}
class Linear(Fit, eqx.Module):
    linear: eqx.nn.Linear

    def __init__(self, n: int, m: int, *, key: Array):
        self.linear = eqx.nn.Linear(n, m, key=key)
""",
    "affine": f"""{MIXIN.replace("self.linear(x)", "self.weight @ x")}
class Affine(Fit, Module):
    weight: Float[Array, "m n"] = param("lecun_normal")
""",
    "head": f"""{MIXIN}
class Head(Fit, nnx.Module):
    def __init__(self, n: int, m: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(n, m, rngs=rngs)
""",
}


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", CLASSES)
def test_methods_of_a_mixin_are_tried_and_not_written_twice(name: str, tmp_path: Path) -> None:
    code = tried(tmp_path, name, HEAD + CLASSES[name])
    suite = suite_text(tmp_path, name)
    assert code.count("def loss") == code.count("def __call__") == 1
    assert '"loss"' in suite and "return instance(x)" in suite, suite


@pytest.mark.slow
def test_a_base_that_is_not_registered_itself_is_tried_in_the_class_that_is(tmp_path: Path) -> None:
    tried(tmp_path, "bump", HEAD + REGISTERED, least=40)
    body = REGISTERED.partition("        return self.shape(z) / ")[2].partition("\n")[0]
    leaking = REGISTERED.replace(f"        return self.shape(z) / {body}\n", CACHED)
    generated(tmp_path / "leaks", {"bump": HEAD + leaking})
    ran = forked_pytest(tmp_path / "leaks/nets", "--numbers=off")
    assert "P12 purity, at `Bump._sum`: a tracer was left behind by a call inside jit" in ran.stdout


@pytest.mark.slow
def test_a_mixin_that_maps_the_call_of_a_base_over_rows_is_tried(tmp_path: Path) -> None:
    code = """
from abc import abstractmethod

class Sampled:
    def sampled(self, times):
        return jax.vmap(self)(times)


class Wavelet(eqx.Module):
    frequency: eqx.AbstractVar[jax.Array]

    @abstractmethod
    def shape(self, phase):
        ...

    def __call__(self, t):
        return self.shape(self.frequency * t)


class Ricker(Wavelet, Sampled):
    frequency: jax.Array

    def __init__(self, frequency: float = 2.0):
        self.frequency = jnp.asarray(frequency, jnp.float32)

    def shape(self, phase):
        return (1 - 2 * phase**2) * jnp.exp(-(phase**2))
"""
    said = generated(tmp_path, {"ricker": HEAD + code})
    assert "not tried" not in said and 'Method("sampled"' in suite_text(tmp_path, "ricker"), said
    assert passed(forked_pytest(tmp_path / "nets", "--numbers=off")) > 80


def test_a_mixin_without_a_constructor_leaves_it_to_the_dataclass(tmp_path: Path) -> None:
    code = """
from dataclasses import dataclass

import numpy as np


class Shown:
    label: str

    def total(self) -> Float[Array, ""]:
        return jnp.sum(self.values)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Track(Shown, np.lib.mixins.NDArrayOperatorsMixin):
    values: Float[Array, " n"]

    def scaled(self, by: float) -> "Track":
        return Track(self.values * by)
"""
    tried(tmp_path, "track", HEAD + code)
    assert 'Method("total", returns=(Output(()),))' in suite_text(tmp_path, "track")


def test_a_spec_of_tables_says_it_too(tmp_path: Path) -> None:
    write_tree(tmp_path, {"net.py": HEAD + CLASSES["affine"]})
    for source, target in (("net.py", "net.toml"), ("net.toml", "again.py")):
        done = scaffold(tmp_path, "convert", source, target)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "net.toml").read_text("utf-8").count("inherited = true") == 2
    assert (tmp_path / "again.py").read_text("utf-8").count("def loss") == 1
