"""Classes that are emitted as their authors wrote them: nothing is added but tests."""

import ast
import sys
from pathlib import Path

import pytest

from tests.support.projects import run
from tests.support.trees import read_tree, write_tree

HEAD = """\
from __future__ import annotations

from typing import TYPE_CHECKING

import equinox as eqx
import jax
import jax.numpy as jnp
from pytree_laws import sample
from scaffold.skeleton import as_written, test

if TYPE_CHECKING:
    from nowhere_at_all import Odd

SCALE = 2.0


def helper(x):
    return SCALE * x


"""
NET = '''\
# What stands above it.
class Net(eqx.Module):
    """A net."""

    weight: jax.Array  # behind a field
    inner: eqx.Module
    names: dict[str, Odd] = eqx.field(static=True, default_factory=tuple)

    def __call__(self, x, /, *more, scale=1.0, **rest):
        # in a body
        return helper(self.inner(self.weight * x)) * scale

    def report(self) -> None:
        print(self.names)

    class Inner:
        pass
'''
TEST = """\
@as_written
@test(
    values={
        "weight": lambda seed: sample(seed, (3,)),
        "inner": lambda seed: eqx.nn.Linear(3, 2, key=jax.random.key(seed)),
        "x": lambda seed: sample(seed + 1, (3,)),
    }
)
"""


def generate(folder: Path, *arguments: str) -> str:
    """What `new-module` says of the specs in a folder, once it went well."""
    command = [sys.executable, "-m", "scaffold", "new-module", "--spec", *arguments]
    result = run(command, folder)
    assert result.returncode == 0, result.stderr
    return result.stdout + result.stderr


def checked(folder: Path) -> str:
    """What pytest says of the generated tests."""
    result = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"], folder)
    return result.stdout + result.stderr


def class_in(text: str) -> str:
    """The class statement, with the comment above it, to the end."""
    return text[text.index("# What stands above it.") :]


def test_the_class_is_emitted_word_for_word(tmp_path: Path) -> None:
    head, _, rest = NET.partition("class Net")
    write_tree(tmp_path, {"specs/net.py": HEAD + head + TEST + "class Net" + rest})
    told = generate(tmp_path, "specs/net.py")
    module = (tmp_path / "net.py").read_text()
    assert class_in(module) == NET
    assert "scaffold" not in module and "pytree_laws" not in module
    assert "if TYPE_CHECKING:\n    from nowhere_at_all import Odd\n" in module
    assert "Net: not tried: report (returns nothing)" in told
    result = checked(tmp_path)
    assert " passed" in result and "failed" not in result, result


@pytest.mark.slow  # a run of its own, as others near it
def test_words_say_the_roles_and_leave_no_trace(tmp_path: Path) -> None:
    told = NET.replace("weight: jax.Array ", "weight: jax.Array = param() ")
    told = told.replace("inner: eqx.Module", "inner: eqx.Module = module()")
    told = told.replace("eqx.field(static=True, default_factory=tuple)", "static(())")
    head, _, rest = told.replace("self.weight * x", "jax.lax.stop_gradient(self.weight) * x").partition(
        "class Net"
    )
    words = HEAD.replace("import as_written, test", "import as_written, module, param, static, test")
    write_tree(tmp_path, {"specs/net.py": words + head + TEST + "class Net" + rest})
    generate(tmp_path, "specs/net.py")
    module = (tmp_path / "net.py").read_text()
    assert "    weight: jax.Array  # behind a field\n    inner: eqx.Module\n" in module
    assert "names: dict[str, Odd] = eqx.field(static=True, default=())\n" in module
    tests = (tmp_path / "tests" / "test_net.py").read_text()
    assert 'Leaf("weight", "param"),\n        Leaf("inner", "module"),' in tests
    result = checked(tmp_path)
    assert "LawWarning: P9" in result and "failed" not in result, (
        "no gradient reaches the weight, which may be meant"
    )


def test_what_registers_the_class_stays_below_it(tmp_path: Path) -> None:
    text = """\
import dataclasses

import jax
from scaffold.skeleton import as_written, test


@as_written
@test(values={"size": lambda: 1.5})
@dataclasses.dataclass
class Box:
    size: jax.typing.ArrayLike
    name: str = "box"


jax.tree_util.register_dataclass(Box, data_fields=["size"], meta_fields=["name"])
"""
    write_tree(tmp_path, {"specs/box.py": text})
    generate(tmp_path, "specs/box.py")
    module = ast.parse((tmp_path / "box.py").read_text())
    assert [type(one).__name__ for one in module.body[-2:]] == ["ClassDef", "Expr"]
    assert '"size": 1.5' in (tmp_path / "tests" / "test_box.py").read_text()


NNX = """\
from flax import nnx
from pytree_laws import sample
from scaffold.skeleton import as_written, test


@as_written
@test(values={"size": lambda: 3, "rngs": lambda seed: nnx.Rngs(seed), "x": lambda seed: sample(seed, (3,))})
class Map(nnx.Module):
    def __init__(self, size: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(size, size, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)
"""


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_module_of_nnx_is_held_to_the_laws_of_nnx(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/map.py": NNX})
    generate(tmp_path, "specs/map.py")
    assert "class TestMap(NnxLaws):" in (tmp_path / "tests" / "test_map.py").read_text()
    result = checked(tmp_path)
    assert " passed" in result and "failed" not in result, result


@pytest.mark.slow
def test_every_import_that_the_class_reads_is_kept(tmp_path: Path) -> None:
    text = """\
from abc import ABC
import equinox as eqx
from math import *
from scaffold.skeleton import as_written


@as_written
class Empty(eqx.Module, ABC):
    size: int = int(floor(2.5))
"""
    write_tree(tmp_path, {"specs/empty.py": text})
    generate(tmp_path, "specs/empty.py")
    module = (tmp_path / "empty.py").read_text()
    assert "from abc import ABC\n" in module and "from math import *\n" in module
    assert "failed" not in checked(tmp_path)


UNTESTED = {
    "a constructor of a base": (
        "from somewhere import Base\n",
        "class Odd(Base):\n    size: int\n",
        "a base builds it: write `@test(build=...)`",
    ),
    "an abstract class": (
        "import abc\n",
        "class Odd:\n    @abc.abstractmethod\n    def f(self): ...\n",
        "it leaves methods or fields to subclasses",
    ),
    "no example": (
        "import equinox as eqx\nfrom somewhere import Thing, Other\n",
        "class Odd(eqx.Module):\n    size: Thing | Other\n",
        "the tests have no example for `size`, of which nothing says type and shape",
    ),
}


@pytest.mark.parametrize("name", UNTESTED)
def test_a_class_without_an_example_is_generated_and_told(name: str, tmp_path: Path) -> None:
    above, text, why = UNTESTED[name]
    head = "from scaffold.skeleton import as_written\n"
    write_tree(tmp_path, {"specs/odd.py": f"{above}{head}\n\n@as_written\n{text}"})
    told = generate(tmp_path, "specs/odd.py")
    assert f"Odd: not tested: {why}" in told
    assert {"odd.py", "specs/odd.py"} <= read_tree(tmp_path).keys()
    assert not any(path.startswith("tests/test_") for path in read_tree(tmp_path))


@pytest.mark.slow  # a run of its own
def test_an_expression_builds_what_arguments_cannot_say(tmp_path: Path) -> None:
    text = """\
from equinox import nn
import jax
from scaffold.skeleton import as_written, test


@as_written
@test(build=lambda seed: Own(3, 2, key=jax.random.key(seed)))
class Own(nn.Linear):
    pass
"""
    write_tree(tmp_path, {"specs/own.py": text})
    generate(tmp_path, "specs/own.py")
    assert "return Own(3, 2, key=jax.random.key(seed))" in (tmp_path / "tests" / "test_own.py").read_text()
    assert "failed" not in checked(tmp_path)


FAULTS = {
    "a name that nothing binds": (
        "@as_written\nclass Odd:\n    def f(self):\n        return missing\n",
        "source: the name `missing` is not known here",
    ),
    "a word that says nothing of it": (
        "@as_written\n@groups(a=['x'])\nclass Odd:\n    x: int\n",
        "a class of kind `as-written` has no `groups`",
    ),
    "what no test reads": (
        "@as_written\n@test(tolerance=0.1)\nclass Odd:\n    x: int\n",
        "a class of kind `as-written` has no `tolerance`",
    ),
    "`build` of a class that the tool builds": (
        "from scaffold.skeleton import Module\n\n\n@test(build=lambda seed: Odd())\nclass Odd(Module):\n    pass\n",
        "a class of kind `module` has no `build`",
    ),
    "an unknown option": (
        '@as_written(laws="flax")\nclass Odd:\n    x: int\n',
        "`flax` is not legal",
    ),
}


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_is_told_and_nothing_written(name: str, tmp_path: Path) -> None:
    text, what = FAULTS[name]
    write_tree(
        tmp_path, {"specs/odd.py": f"from scaffold.skeleton import as_written, groups, test\n\n\n{text}"}
    )
    result = run([sys.executable, "-m", "scaffold", "new-module", "--spec", "specs/odd.py"], tmp_path)
    assert result.returncode == 2
    assert what in result.stderr
    assert read_tree(tmp_path).keys() == {"specs/odd.py"}


def test_toml_has_no_class_statement(tmp_path: Path) -> None:
    write_tree(tmp_path, {"specs/odd.toml": 'name = "Odd"\nkind = "as-written"\n'})
    result = run([sys.executable, "-m", "scaffold", "new-module", "--spec", "specs/odd.toml"], tmp_path)
    assert result.returncode == 2
    assert "there is no class statement to emit" in result.stderr


def test_an_import_of_which_only_an_attribute_has_the_name_goes(tmp_path: Path) -> None:
    skeleton = (
        "from dataclasses import dataclass\nimport jax\nfrom flax import struct\nfrom jaxtyping import Array\n\n\n"
        "@struct.dataclass\nclass Kept:\n    a: jax.Array\n    b: dataclass\n\n\n"
        "@struct.dataclass\nclass Left:\n    a: jax.Array\n"
    )
    write_tree(tmp_path, {"specs/kept.py": skeleton})
    result = run([sys.executable, "-m", "scaffold", "new-module", "--spec", "specs/kept.py"], tmp_path)
    assert result.returncode == 0, result.stderr
    module = read_tree(tmp_path)["kept.py"].decode()
    assert "import Array" not in module and "from dataclasses import dataclass\n" in module
