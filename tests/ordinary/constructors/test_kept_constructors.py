"""Constructors that stay as they are written: they check, convert, copy, leave out, and make lists of parts."""

from pathlib import Path

import pytest

from tests.ordinary.generated import generated, suite_text, tried
from tests.support.forking import forked_pytest
from tests.support.projects import scaffold
from tests.support.trees import write_tree

HEAD = """
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray
from scaffold.skeleton import Module, buffer, data, module, param
"""

CLASSES = {
    "pool": """
class Pool(eqx.Module):
    pooling: str = eqx.field(static=True)

    def __init__(self, pooling: str = "mean"):
        if pooling not in ("mean", "sum"):
            raise ValueError(f"unknown pooling {pooling!r}")
        self.pooling = pooling

    def __call__(self, x: Float[Array, "n d"]) -> Float[Array, " d"]:
        return {"mean": jnp.mean, "sum": jnp.sum}[self.pooling](x, axis=0)
""",
    "ring": """
class Ring(eqx.Module):
    head: Int[Array, ""] = data()

    def __init__(self):
        self.head = jnp.zeros((), jnp.int32)

    def add(self) -> "Ring":
        return eqx.tree_at(lambda r: r.head, self, self.head + 1)
""",
    "inducing": """
class Inducing(eqx.Module):
    points: Float[Array, " m"] = param()

    def __init__(self, inducing: Float[Array, " m"]):
        self.points = inducing

    def __call__(self) -> Float[Array, " m"]:
        return self.points * 2
""",
    "critic": """
class Critic(eqx.Module):
    online: eqx.nn.Linear
    target: eqx.nn.Linear = module(frozen=True)

    def __init__(self, size: int, *, key: PRNGKeyArray):
        self.online = eqx.nn.Linear(size, 1, key=key)
        self.target = jax.tree.map(jnp.array, self.online)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " 1"]:
        return self.online(x) - self.target(x) ** 2
""",
    "stack": """
class Plate(eqx.Module):
    weight: Float[Array, "size size"] = param("orthogonal(0.5)")

    def __call__(self, x: Float[Array, " size"], *, foaming: bool = False) -> Float[Array, " size"]:
        y = jnp.tanh(self.weight @ x)
        return 0.5 * y if foaming else y


class Stack(eqx.Module):
    plates: list[Plate] = module(stacked=True)
    gain: Float[Array, " size"] = buffer()

    def __init__(self, gain: Float[Array, " size"], size: int, count: int = 3, *, key: PRNGKeyArray):
        self.gain = gain
        self.plates = [Plate.create(size, key=one) for one in jax.random.split(key, count)]

    def __call__(self, x: Float[Array, " size"], *, foaming: bool = False) -> Float[Array, " size"]:
        x = self.gain * x
        for plate in self.plates:
            x = plate(x, foaming=foaming)
        return x
""",
    "glass": """
class Glass(eqx.Module):
    curvature: Array
    aperture: float = eqx.field(static=True)

    def __init__(self, curvature: float, *, aperture: float = 10.0):
        if abs(curvature) * aperture >= 1:
            raise ValueError("the aperture is wider than the sphere")
        self.curvature = jnp.asarray(curvature, dtype=jnp.float32)
        self.aperture = aperture

    def __call__(self, r: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.curvature * r**2
""",
    "surfaces": """
class Glass(eqx.Module):
    bend: Array

    def __init__(self, bend: float):
        self.bend = jnp.asarray(bend, dtype=jnp.float32)

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        return self.bend * x


class Stack(eqx.Module):
    surfaces: tuple[Glass, ...]
    gaps: Float[Array, " surfaces"]

    def __init__(self, surfaces: list[Glass], gaps: list[float]):
        if len(surfaces) != len(gaps):
            raise ValueError("as many gaps as surfaces")
        self.surfaces = tuple(surfaces)
        self.gaps = jnp.asarray(gaps, dtype=jnp.float32)

    def __call__(self, x: Float[Array, ""]) -> Float[Array, ""]:
        for surface, gap in zip(self.surfaces, self.gaps):
            x = surface(x) + gap
        return x
""",
    # A list is stored.
    "towers": """
class Towers(Module):
    towers: list[eqx.nn.Linear]

    def __init__(self, size: int, depth: int = 2, *, key: PRNGKeyArray):
        self.towers = [eqx.nn.Linear(size, size, key=one) for one in jax.random.split(key, depth)]

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        for tower in self.towers:
            x = jnp.tanh(tower(x))
        return x
""",
    # What may be left out is left out by default.
    "scaler": """
class Scaler(Module):
    offset: Array | None = data()
    scale: Array | None = data()

    def __init__(self, offset: Array | None = None, scale: Array | None = None):
        if scale is not None and offset is None:
            raise ValueError("an offset is needed with a scale")
        self.offset = None if offset is None else jnp.array(offset)
        self.scale = None if scale is None else jnp.array(scale)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        x = x if self.offset is None else x - self.offset
        return x if self.scale is None else x / self.scale
""",
}
EMITTED = {
    "pool": "pooling: str = eqx.field(static=True)",
    "ring": "        self.head = jnp.zeros((), jnp.int32)\n",
    "inducing": "        self.points = _real(inducing)\n",
}
IN_TESTS = {
    "pool": '        "pooling": "sum",\n',
    "ring": 'leaves = (Leaf("head", "data", (), "int32"),)',
    "stack": "        foaming = False\n        x = jax.lax.stop_gradient(instance.gain) * x\n",
}


@pytest.mark.slow  # the classes of other subjects are tried in every run
@pytest.mark.parametrize("name", CLASSES)
def test_the_constructor_is_kept_and_the_tests_pass(tmp_path: Path, name: str) -> None:
    module = tried(tmp_path, name, HEAD + CLASSES[name])
    assert EMITTED.get(name, "") in module
    suite = suite_text(tmp_path, name)
    assert IN_TESTS.get(name, "") in suite


@pytest.mark.slow
def test_the_arguments_of_a_lambda_that_a_constructor_stores_are_its_own(tmp_path: Path) -> None:
    text = """
class Head(eqx.Module):
    linear: eqx.nn.Linear
    act: Callable

    def __init__(self, n, *, key):
        self.linear = eqx.nn.Linear(n, n, key=key)
        self.act = lambda x: jax.nn.relu(x) ** 2

    def __call__(self, x):
        return self.act(self.linear(x))
"""
    generated(tmp_path, {"head": HEAD + text})
    assert "        self.act = lambda x: jax.nn.relu(x) ** 2\n" in (tmp_path / "nets/head.py").read_text(
        "utf-8"
    )
    failed = forked_pytest(tmp_path / "nets", "--numbers=off")
    assert "under jax.jit a second instance was traced anew" in failed.stdout, (
        "each instance has a function of its own"
    )


REFUSED = """
class Held(Module):
    def __init__(self, handle: int):
        self.handle = handle

    def get(self):
        return 1
"""


def test_what_a_constructor_stores_and_the_class_does_not_declare_is_refused(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/held.py": HEAD + REFUSED})
    said = scaffold(tmp_path, "new-module", "--spec=specs/held.py")
    assert said.returncode == 2 and "fields.handle: `self.handle` is no field" in said.stderr


NORM = """
class Norm(eqx.Module):
    weight: Float[Array, "dim"] | None
    scale: Float[Array, "dim"] | None

    def __init__(self, dim: int, affine: bool = True):
        if affine:
            self.weight = jnp.zeros((dim,), dtype=jnp.float32)
        else:
            self.weight = None
        self.scale = jnp.ones((dim,)) if affine else None

    def __call__(self, x: Float[Array, "... dim"]) -> Float[Array, "... dim"]:
        return x if self.weight is None else self.scale * x + self.weight
"""


def test_what_a_branch_fills_with_one_number_is_trained(tmp_path: Path) -> None:
    assert "taken for data" not in generated(tmp_path, {"norm": HEAD + NORM})
    assert 'Leaf("weight", "param"' in suite_text(tmp_path, "norm")
    assert "trainable" not in (tmp_path / "nets/norm.py").read_text("utf-8")


STATISTICS = """
class Followed(eqx.Module):
    mean: Float[Array, " n"]

    def __init__(self, n: int, *args):
        self.mean = jnp.zeros(n)

    def update(self, batch: Float[Array, "b n"]) -> "Followed":
        return eqx.tree_at(lambda s: s.mean, self, jnp.mean(batch, axis=0))
"""


def test_what_begins_with_one_number_is_trained_as_equinox_does(tmp_path: Path) -> None:
    assert "taken for" not in generated(tmp_path, {"followed": HEAD + STATISTICS}), "no word, no line"
    assert 'Leaf("mean", "param"' in suite_text(tmp_path, "followed")
