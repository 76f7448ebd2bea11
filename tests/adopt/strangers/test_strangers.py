"""`scaffold adopt` on what strangers' libraries have: named axes, methods that act, and two classes of one name."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.support.projects import pytest_command, run, scaffold
from tests.support.trees import write_tree

INNER = """
import equinox as eqx
import jax


class Affine(eqx.Module):
    weight: jax.Array

    def __init__(self, size: int):
        self.weight = jax.numpy.ones((size,), "float32")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x
"""
OUTER = """
import equinox as eqx
import jax

from lib import inner


class Affine(eqx.Module):
    first: inner.Affine
    shift: jax.Array

    def __init__(self, first: inner.Affine, size: int):
        self.first, self.shift = first, jax.numpy.ones((size,), "float32")

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.first(x) + self.shift.sum()
"""
NAMED = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Named(eqx.Module):
    values: jax.Array
    names: tuple[str, ...] = eqx.field(static=True)

    @property
    def dtype(self):
        return self.values.dtype

    @property
    def shape(self) -> dict[str, int]:
        return dict(zip(self.names, self.values.shape))


class Scale(eqx.Module):
    weight: Named

    def __init__(self, size: int):
        self.weight = Named(jnp.ones((size,), "float32"), ("size",))

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight.values * x
"""
ACTING = """
import pathlib

import equinox as eqx
import jax

HERE = pathlib.Path(__file__).parent


class Store(eqx.Module):
    weight: jax.Array

    def delete(self, x: jax.Array) -> jax.Array:
        HERE.joinpath("deleted").touch()
        return self.weight * x

    def run(self) -> jax.Array:
        HERE.joinpath("run").touch()
        return self.weight

    @classmethod
    def restore_all(cls, size: int) -> "Store":
        HERE.joinpath("restored").touch()
        return cls(jax.numpy.ones((size,), "float32"))

    def scaled(self, x: jax.Array) -> jax.Array:
        return self.weight * x
"""


TWO_PRODUCTS = """
import equinox as eqx
import jax
from jaxtyping import Array, Float


class Mix(eqx.Module):
    up: Float[Array, "hidden size"]
    down: Float[Array, "size hidden"]

    def __init__(self, key, size: int = 8, hidden: int = 16):
        one, two = jax.random.split(key)
        self.up = jax.random.normal(one, (hidden, size))
        self.down = jax.random.normal(two, (size, hidden))

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return self.down @ jax.nn.tanh(self.up @ x)
"""


def adopt(folder: Path, files: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    write_tree(folder, {name: textwrap.dedent(text) for name, text in files.items()})
    return scaffold(folder, "adopt", *arguments, "--python", sys.executable)


@pytest.mark.slow  # its neighbours are tried in every run
def test_two_classes_of_one_name_are_told_apart_in_a_test_file(tmp_path: Path) -> None:
    files = {"lib/__init__.py": "", "lib/inner.py": INNER, "lib/outer.py": OUTER}
    result = adopt(tmp_path, files, "lib.outer:Affine")
    text = (tmp_path / "tests/test_affine.py").read_text()
    assert "from lib.inner import Affine as lib_inner_Affine\nfrom lib.outer import Affine\n" in text
    assert '"first": lib_inner_Affine(' in text
    assert "could not be built" not in result.stdout, result.stdout
    ran = run([*pytest_command("tests/test_affine.py"), "-k", "p01 or p02 or p07_jit"], tmp_path)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.slow
def test_named_axes_have_sizes_too(tmp_path: Path) -> None:
    result = adopt(tmp_path, {"named.py": NAMED}, "named.py:Scale")
    assert "TypeError" not in result.stdout, result.stdout
    assert "instance(x)" in (tmp_path / "tests/test_scale.py").read_text()


@pytest.mark.slow
def test_a_method_that_acts_is_no_guess(tmp_path: Path) -> None:
    adopt(tmp_path, {"stores.py": ACTING}, "stores.py")
    assert "instance.scaled(x)" in (tmp_path / "tests/test_store.py").read_text()
    ran = run([*pytest_command("tests/test_store.py"), "--numbers=update"], tmp_path)
    assert ran.returncode == 0, ran.stdout
    assert [name for name in ("deleted", "run", "restored") if (tmp_path / name).exists()] == []


@pytest.mark.slow  # a search of its own in another interpreter
def test_the_mesh_axes_of_a_project_hold_for_the_dims_that_a_class_names(tmp_path: Path) -> None:
    rules = '[tool.scaffold.sharding]\nhidden = "model"\nvocabulary = "data"\n'
    files = {"pyproject.toml": rules, "lib/__init__.py": "", "lib/mix.py": TWO_PRODUCTS}
    result = adopt(tmp_path, files, "lib.mix:Mix")
    assert 'sharding: ClassVar = {"hidden": "model"}' in (tmp_path / "tests/test_mix.py").read_text()
    assert "ShardingTypeError" in result.stdout or "out_sharding" in result.stdout, result.stdout


@pytest.mark.slow  # a run of its own, as others near it
def test_a_class_may_be_named_with_dots_alone(tmp_path: Path) -> None:
    listed = adopt(tmp_path, {}, "equinox.nn.Identity", "--dry-run", "--json")
    assert [one["class"] for one in json.loads(listed.stdout)["classes"]] == ["equinox.nn:Identity"]
    missing = adopt(tmp_path, {}, "equinox.nn.Identitty", "--dry-run")
    assert "No module named 'equinox.nn.Identitty'" in missing.stderr and missing.returncode == 2
