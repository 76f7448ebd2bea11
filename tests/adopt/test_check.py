"""`scaffold adopt --check` says by source and records which classes have no suite, and starts no jax."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scaffold.cli import main
from scaffold.history.records import Generated, Record
from scaffold.in_project.layout import find_layout
from tests.support.library import EMPTY, Library, spec
from tests.support.projects import REPOSITORY, run, scaffold
from tests.support.trees import write_tree

LAYERS = """
import abc
from functools import partial

import chex
import equinox as eqx
import jax
from equinox import Module as Base
from flax import nnx, struct


class Gate(eqx.Module):
    weight: jax.Array


class Scale(Base):
    factor: jax.Array


class _Private(eqx.Module):
    factor: jax.Array


class Settings:
    size: int = 3


class AbstractFilter(eqx.Module):
    order: eqx.AbstractVar[int]


class Window(eqx.Module):
    length: eqx.AbstractVar[int]

    @abc.abstractmethod
    def weights(self): ...


class Hann(Window):
    length: int

    def weights(self): ...


class Half(Window):
    length: int


class Centre(nnx.Module): ...


@struct.dataclass
class Batch:
    x: jax.Array


@partial(chex.dataclass, frozen=True)
class Transition:
    x: jax.Array


@jax.tree_util.register_pytree_node_class
class Table:
    def tree_flatten(self): ...
"""
GAIN = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Gain(eqx.Module):
    value: jax.Array

    def __init__(self):
        self.value = jnp.ones(3)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.value * x
"""
SHOWN = ("Gate", "Scale", "Hann", "Centre", "Batch", "Transition", "Table")
FILES = {**EMPTY, "lib/layers.py": LAYERS, "lib/_hidden.py": LAYERS, "lib/testing.py": LAYERS}


def check(library: Library, *targets: str) -> Result:
    return CliRunner().invoke(main, ["adopt", "--check", *targets, "--folder", str(library.root)])


def adopted(library: Library, name: str, text: str = "# written\n", module: str = "lib.layers") -> None:
    """The record and the test file of a class, as `scaffold adopt` leaves them."""
    path = find_layout(library.root).test_file(name.lower())
    record = Record(f"adopted/{module}.{name}", "", module, (Generated("test", path, text),))
    write_tree(library.root, {str(record.path): record.text(), str(path): text})


def without_suite(result: Result) -> list[str]:
    lines = result.stdout.splitlines()
    return [line.split()[-1].rpartition(":")[2] for line in lines if line.startswith("no suite")]


def test_each_class_that_the_source_shows_to_be_a_pytree_wants_a_suite(tmp_path: Path) -> None:
    library = Library.at(tmp_path, FILES)
    result = check(library, "lib")
    assert (result.exit_code, tuple(without_suite(result))) == (1, SHOWN)
    assert result.stdout.endswith("7 classes: 7 without a suite\n")
    assert result.stderr.startswith("next: scaffold adopt lib.layers:Gate lib.layers:Scale ")


def test_it_is_done_where_all_have_one(tmp_path: Path) -> None:
    library = Library.at(tmp_path, FILES)
    for name in SHOWN:
        adopted(library, name)
    result = check(library, "lib")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "7 classes: 0 without a suite\n", "")
    library.path("tests/test_gate.py").unlink()
    result = check(library, "lib")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (1, "missing      tests/test_gate.py")
    assert result.stderr == "next: scaffold update\n"
    adopted(library, "Gate")
    library.append("tests/test_gate.py", "\n\ndef test_mine(): ...\n")
    assert check(library, "lib").exit_code == 0


def test_a_record_that_cannot_be_read_is_no_suite(tmp_path: Path) -> None:
    library = Library.at(tmp_path, {**EMPTY, "lib/layers.py": LAYERS})
    adopted(library, "Gate")
    library.write(".scaffold/adopted/lib.layers.Gate.txt", "scaffold record, format 1\n")
    result = check(library, "lib.layers:Gate")
    assert result.exit_code == 1 and "no suite     lib.layers:Gate\n" in result.stdout
    assert "conflicting  .scaffold/adopted/lib.layers.Gate.txt: is damaged" in result.stdout


def test_suites_that_were_generated_or_written_by_hand_count(tmp_path: Path) -> None:
    library = Library.at(tmp_path, {**EMPTY, "lib/layers.py": LAYERS})
    library.generate(dense=spec("Dense"))
    suite = "from lib.layers import Gate\nfrom pytree_laws import PytreeLaws\n\n\nclass TestGate(PytreeLaws): ...\n"
    other = "from lib.layers import Scale\n\n\ndef test_scale():\n    assert Scale\n"
    write_tree(library.root, {"tests/unit/test_by_hand.py": suite, "tests/test_other.py": other})
    assert tuple(without_suite(check(library, "lib"))) == tuple(name for name in SHOWN if name != "Gate")
    result = CliRunner().invoke(
        main, ["adopt", "--check", "lib.dense", "--json", "--folder", str(library.root)]
    )
    report = json.loads(result.stdout)
    assert (
        report["classes"] == [{"class": "lib.dense:Dense", "suite": "tests/test_dense.py"}] and report["ok"]
    )
    assert [row["path"] for row in report["files"]] == ["tests/test_dense.py"]


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_package_is_adopted_without_what_has_a_suite(tmp_path: Path) -> None:
    handed_on = "from lib.dense import Dense as Dense\nfrom lib.layers import Gate as Gate\n"
    gate = "import equinox as eqx\nimport jax\n\n\nclass Gate(eqx.Module):\n    weight: jax.Array\n"
    library = Library.at(tmp_path, {**EMPTY, "lib/layers.py": gate})
    library.generate(dense=spec("Dense"))
    library.write("lib/__init__.py", handed_on)
    options = ("--folder", str(library.root), "--python", sys.executable)
    for target in ("lib.layers:Gate", "lib"):
        adopt = CliRunner().invoke(main, ["adopt", target, *options])
    assert adopt.exit_code < 2, adopt.stderr
    assert "lib:Dense: left out: it is generated, and tests/test_dense.py has its tests" in adopt.stdout
    tests = {path.name for path in (library.root / "tests").glob("test_*.py")}
    assert {"test_dense.py", "test_gate.py"} <= tests and not {name for name in tests if "lib" in name}
    alone = CliRunner().invoke(main, ["adopt", "lib.dense", *options])
    why = "holds no class to adopt (`Dense`: it is generated, and tests/test_dense.py has its tests)"
    assert alone.exit_code == 2 and why in alone.stderr


def test_a_class_that_a_package_hands_on_is_asked_for_once(tmp_path: Path) -> None:
    """Under the name of the package, as `scaffold adopt` records it."""
    files = {
        **EMPTY,
        "lib/__init__.py": "from ._gates import Gate as Gate\nfrom .nets import Net\n",
        "lib/_gates.py": "import equinox as eqx\n\n\nclass Gate(eqx.Module): ...\n\n\nclass Other(eqx.Module): ...\n",
        "lib/nets.py": "from lib._gates import Other\n__all__ = ['Net']\n\n\nclass Net(Other): ...\n\n\nclass Not(Other): ...\n",
    }
    library = Library.at(tmp_path, files)
    assert without_suite(check(library, "lib")) == ["Gate", "Net"]
    adopted(library, "Gate", module="lib")
    adopted(library, "Net", module="lib")
    assert check(library, "lib").exit_code == 0


def test_what_is_named_is_asked_for_whatever_the_source_shows(tmp_path: Path) -> None:
    library = Library.at(tmp_path, FILES)
    assert without_suite(check(library, "lib.layers:Settings", "lib._hidden:_Private")) == [
        "Settings",
        "_Private",
    ]


def test_targets_that_are_not_there_are_told_at_once(tmp_path: Path) -> None:
    library = Library.at(tmp_path, FILES)
    result = check(library, "lib.layers:Gat", "numpy", "lib")
    what = "is not in this project, whose source is read\n  also: numpy\n  fix: write a module or a class of this project\n"
    assert (result.exit_code, result.stderr) == (2, f"error: lib.layers:Gat: {what}")


def test_source_that_python_cannot_parse_is_told(tmp_path: Path) -> None:
    library = Library.at(tmp_path, {**EMPTY, "lib/layers.py": "class\n"})
    result = check(library, "lib")
    assert result.exit_code == 2 and "layers.py: is no Python: invalid syntax" in result.stderr


def test_a_vendored_library_is_known_by_its_public_names(tmp_path: Path) -> None:
    """As in a workspace, where the source of equinox lies beside the package."""
    vendored = {
        "equinox/__init__.py": "from ._module import Module\n",
        "equinox/_module.py": "class Module: ...\n",
    }
    library = Library.at(tmp_path, {**EMPTY, **vendored, "lib/layers.py": GAIN})
    assert without_suite(check(library, "lib")) == ["Gain"]


def test_imports_in_a_circle_end(tmp_path: Path) -> None:
    files = {
        **EMPTY,
        "lib/a.py": "from lib.b import X\n\n\nclass Y(X): ...\n",
        "lib/b.py": "from lib.a import X\n",
    }
    assert check(Library.at(tmp_path, files), "lib").exit_code == 0


def test_no_jax_is_started(tmp_path: Path) -> None:
    library = Library.at(tmp_path, FILES)
    code = "import sys; from scaffold.cli import main\ntry: main(sys.argv[1:])\nfinally: print('jax' in sys.modules)"
    result = run(
        [sys.executable, "-c", code, "adopt", "--check", "lib"],
        library.root,
        env={"PYTHONPATH": str(REPOSITORY)},
    )
    assert result.stdout.endswith("False\n") and "without a suite" in result.stdout


STARRED = {
    "lib/_impl/__init__.py": "from .solvers import *\n",
    "lib/_impl/solvers.py": "from .. import public\nfrom ..public import *\n"
    + GAIN
    + GAIN.replace("Gain", "_Step"),
    "lib/_parts.py": GAIN.replace("Gain", "Part"),
    "lib/public.py": "from ._parts import Part\nfrom ._impl import *\n",
    "lib/layers.py": "from .public import *\n\n\nclass Louder(Gain): ...\n",
}


def test_a_module_has_the_classes_that_a_star_imports_from_a_private_one(tmp_path: Path) -> None:
    library = Library.at(tmp_path, {**EMPTY, **STARRED})
    assert without_suite(check(library, "lib")) == ["Louder", "Part", "Gain"]
    assert without_suite(check(library, "lib.public")) == ["Gain"]
    assert without_suite(check(library, str(library.path("lib/public.py")))) == ["Gain"]
    adopted(library, "Gain", module="lib.public")
    assert check(library, "lib.public").exit_code == 0


@pytest.mark.slow
def test_check_and_adopt_agree(tmp_path: Path) -> None:
    """What `adopt` has written suites of, `--check` is content with."""
    library = Library.at(tmp_path, {**EMPTY, "lib/layers.py": GAIN})
    assert without_suite(check(library, "lib")) == ["Gain"]
    result = scaffold(library.root, "adopt", "lib", "--python", sys.executable)
    assert "Gain" in result.stdout, result.stderr
    assert check(library, "lib").exit_code == 0


ASKS = """
import equinox as eqx
import jax


class Scale(eqx.Module):
    gain: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x

    def to_table(self) -> object:
        import no_such_package

        return no_such_package.table(self.gain)
"""


@pytest.mark.slow  # a run of its own, as others near it
def test_a_package_that_is_not_there_is_no_fault_of_a_method(tmp_path: Path) -> None:
    library = Library.at(tmp_path, {**EMPTY, "lib/asks.py": ASKS, "lib/lacks.py": "import no_such_package\n"})
    options = ("--dry-run", "--folder", str(library.root), "--python", sys.executable)
    result = CliRunner().invoke(main, ["adopt", "lib.asks:Scale", *options])
    assert result.exit_code == 0 and "no_such_package" not in result.stdout, result.stdout
    result = CliRunner().invoke(main, ["adopt", "lib.lacks", *options])
    assert result.exit_code == 2
    assert "fix: install `no_such_package` for this interpreter, or name another" in result.stderr
