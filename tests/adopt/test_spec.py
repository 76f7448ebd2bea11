"""`scaffold adopt --spec`: a class that exists as a spec, which gives the class again, word for word."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scaffold.generate import shown_files
from scaffold.in_project.layout import find_layout
from tests.support.projects import EXAMPLES, REPOSITORY, run
from tests.support.trees import read_tree, write_tree


def adopt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scaffold", "adopt", *arguments, "--spec", "--python", sys.executable]
    return run(command, folder)


def said(folder: Path, *targets: str) -> dict[str, dict[str, Any]]:
    """What is said of each class, by its name."""
    result = adopt(folder, *targets, "--json")
    assert result.returncode in (0, 1), result.stderr
    return {one["class"].partition(":")[2]: one for one in json.loads(result.stdout)["specs"]}


def statement(text: str, name: str) -> str:
    """The statement of a class in a file, as it is parsed."""
    [node] = [one for one in ast.parse(text).body if isinstance(one, ast.ClassDef) and one.name == name]
    return ast.dump(node)


EVERY_FORM = (
    *("abstract_norm.py:AbstractNorm", "affine.py:Affine", "affine_init.py:AffineInit"),
    *("nnx_block.py:NnxBlock", "running_centre.py:RunningCentre", "loop_condition.py:LoopCondition"),
    *(
        "table_bypass.py:TableBypass",
        "table_flag.py:TableFlag",
        "train_state.py:TrainState",
        "shear.py:Shear",
    ),
)


@pytest.mark.slow  # one form is tried in every run
def test_classes_of_every_form_come_out_as_they_are(tmp_path: Path) -> None:
    before = read_tree(EXAMPLES)
    specs = said(EXAMPLES, *EVERY_FORM)
    assert read_tree(EXAMPLES) == before
    for target in EVERY_FORM:
        file, _, name = target.partition(":")
        assert specs[name]["why"] is None, specs[name]
        path = write_tree(tmp_path, {f"specs/{file}": specs[name]["spec"]}) / "specs" / file
        [module] = [
            one.text for one in shown_files(str(path), find_layout(tmp_path)) if one.path.name == file
        ]
        assert statement(module, name) == statement((EXAMPLES / file).read_text(), name), target


LAYERS = '''\
"""Layers."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

import equinox as eqx
import jax
import jax.numpy as jnp

if TYPE_CHECKING:
    from collections.abc import Sequence

GAIN = 2.0
UNREAD = 3.0


def scaled(x):
    return GAIN * x


@singledispatch
def size_of(layer) -> int:
    raise TypeError(layer)


class Inner(eqx.Module):
    """Beside it."""

    gain: jax.Array


class Layer(eqx.Module):
    """A layer."""

    weight: jax.Array  # of two dims
    inner: Inner
    names: Sequence[str] = eqx.field(static=True)

    def __init__(self, size: int, *, key: jax.Array):
        self.weight = jax.random.normal(key, (size, size))
        self.inner, self.names = Inner(jnp.ones(size)), ()

    def __call__(self, x: jax.Array) -> jax.Array:
        # doubled
        return scaled(self.inner.gain * (self.weight @ x))


@size_of.register(Layer)
def _(layer: Layer) -> int:
    return layer.weight.size
'''
SKELETON = '''\
from __future__ import annotations

from typing import TYPE_CHECKING

import equinox as eqx
import jax
import jax.numpy as jnp
from layers import Inner, size_of
from pytree_laws import sample
from scaffold.skeleton import as_written, module, param, test


if TYPE_CHECKING:
    from collections.abc import Sequence

GAIN = 2.0


def scaled(x):
    return GAIN * x


@as_written
@test(
    values={
        "size": lambda: 3,
        "key": lambda seed: jax.random.key(seed),
        "__call__.x": lambda seed: sample(seed, (3,)),
    }
)
class Layer(eqx.Module):
    """A layer."""

    weight: jax.Array = param()  # of two dims
    inner: Inner = module()
'''


@pytest.mark.slow
def test_a_class_goes_along_with_what_it_reads_and_no_more(tmp_path: Path) -> None:
    write_tree(tmp_path, {"layers.py": LAYERS})
    result = adopt(tmp_path, "layers.py:Layer")
    assert (result.returncode, result.stderr) == (0, "layers:Layer: as it is written\n")
    assert result.stdout.startswith(SKELETON), result.stdout
    assert "@size_of.register(Layer)" in result.stdout
    assert "UNREAD" not in result.stdout
    assert read_tree(tmp_path).keys() == {"layers.py"}


@pytest.mark.slow  # specs of every form are generated and compared above
def test_the_tests_of_its_spec_pass_and_see_a_mistake(tmp_path: Path) -> None:
    write_tree(tmp_path, {"layers.py": LAYERS})
    spec = adopt(tmp_path, "layers.py:Layer").stdout
    write_tree(tmp_path, {"specs/layer.py": spec})
    made = run([sys.executable, "-m", "scaffold", "new-module", "--spec", "specs/layer.py"], tmp_path)
    assert made.returncode == 0, made.stderr
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    assert "failed" not in run(tests, tmp_path).stdout
    module = (tmp_path / "layer.py").read_text()
    (tmp_path / "layer.py").write_text(
        module.replace("self.weight @ x", "jax.lax.stop_gradient(self.weight) @ x")
    )
    assert "P9" in run(tests, tmp_path).stdout


NAMES_TAKEN = """\
import equinox as eqx
import jax


def test(x):
    return x


class Net(eqx.Module):
    weight: jax.Array

    def param(self) -> jax.Array:
        return test(self.weight)
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_words_that_mean_something_else_get_a_prefix(tmp_path: Path) -> None:
    write_tree(tmp_path, {"nets.py": NAMES_TAKEN})
    spec = said(tmp_path, "nets.py:Net")["Net"]["spec"]
    assert "from scaffold import skeleton\n" in spec
    assert "@skeleton.as_written\n@skeleton.test(" in spec
    assert "weight: jax.Array = skeleton.param()" in spec


TUPLES = """\
from collections import namedtuple

Point = namedtuple("Point", ["x", "y"], defaults=[1.0])
"""


@pytest.mark.slow
def test_a_named_tuple_that_a_function_made_gets_a_statement(tmp_path: Path) -> None:
    write_tree(tmp_path, {"points.py": TUPLES})
    spec = said(tmp_path, "points.py:Point")["Point"]["spec"]
    assert "class Point(NamedTuple):\n    x: Any" in spec
    assert "y: Any = 1.0" in spec or "y: Any = param(1.0)" in spec


ODD = """\
import equinox as eqx
import jax


class Outer:
    class Inner(eqx.Module):
        gain: jax.Array


def made():
    class Hidden(eqx.Module):
        gain: jax.Array

    return Hidden


Hidden = made()
"""


@pytest.mark.slow
def test_what_cannot_be_said_is_told_in_a_line(tmp_path: Path) -> None:
    write_tree(tmp_path, {"odd.py": ODD})
    result = adopt(tmp_path, "odd.py:Hidden")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("odd:Hidden: no spec says it: it lies within `made.<locals>`")


PAGE = (REPOSITORY / "docs" / "adopt.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_shows_what_it_prints(tmp_path: Path) -> None:
    layers = next(body for name, body in BLOCK.findall(PAGE) if name == "python")
    [command, skeleton, told] = BLOCK.findall(PAGE[PAGE.index("## A class as a spec") :])[:3]
    write_tree(tmp_path, {"nets/__init__.py": "", "nets/layers.py": layers})
    [target] = re.findall(r"nets\.\S+", command[1])
    result = adopt(tmp_path, target)
    assert (result.stdout, result.stderr, result.returncode) == (skeleton[1], told[1], 0)
    assert read_tree(tmp_path).keys() == {"nets/__init__.py", "nets/layers.py"}


@pytest.mark.slow
def test_every_example_comes_out_word_for_word(tmp_path: Path) -> None:
    every = sorted(
        f"{path.name}:{one.name}"
        for path in EXAMPLES.glob("*.py")
        for one in ast.parse(path.read_text()).body
        if isinstance(one, ast.ClassDef) and (EXAMPLES / "tests" / f"test_{path.name}").exists()
    )
    every = [one for one in every if not one.endswith((":Count", "Small", ":Boundary"))]
    specs = said(EXAMPLES, *every)
    for target in every:
        file, _, name = target.partition(":")
        path = write_tree(tmp_path, {f"specs/{file}": specs[name]["spec"]}) / "specs" / file
        emitted = [
            one.text
            for one in shown_files(str(path), find_layout(tmp_path))
            if f"class {name}(" in one.text or f"class {name}:" in one.text
        ]
        assert statement(emitted[0], name) == statement((EXAMPLES / file).read_text(), name), target


INHERITED = """\
import equinox as eqx
import jax


class Base(eqx.Module):
    gain: float = 2.0

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x


class Below(Base):
    pass
"""


@pytest.mark.slow  # a search of its own in another interpreter
def test_a_class_that_a_base_builds_says_so_by_an_expression(tmp_path: Path) -> None:
    write_tree(tmp_path, {"nets.py": INHERITED})
    spec = said(tmp_path, "nets.py:Below")["Below"]["spec"]
    assert "build=lambda: Below()" in spec
    write_tree(tmp_path, {"specs/below.py": spec})
    made = run([sys.executable, "-m", "scaffold", "new-module", "--spec", "specs/below.py"], tmp_path)
    assert "not tested" not in made.stdout and (tmp_path / "tests" / "test_below.py").exists(), made.stderr
