"""`scaffold adopt`, on the walk of its page: a package of four classes, three of them with a mistake."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import REPOSITORY, passed, run, scaffold
from tests.support.trees import read_tree, write_tree

PAGE = (REPOSITORY / "docs" / "adopt.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LAYERS, HEAD = [body for name, body in BLOCK.findall(PAGE) if name == "python"]
LINES, FOUND, *_ = [body for name, body in BLOCK.findall(PAGE) if name == "text"]


def masked(text: str) -> str:
    """The text without the numbers of tests and findings, which grow with the laws."""
    return (
        re.sub(r"\d+ (?=tests|fault|cost|left)", "N ", text)
        .replace("faults", "fault")
        .replace("costs", "cost")
    )


def told_to_pass(text: str, name: str) -> int:
    """How many tests are said to pass of a class."""
    found = re.search(rf"^{name} .*?(\d+) tests pass", text, re.MULTILINE)
    assert found is not None, text
    return int(found[1])


def adopt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return scaffold(folder, "adopt", *arguments, "--python", sys.executable)


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("walk")
    write_tree(folder, {"nets/__init__.py": "", "nets/layers.py": LAYERS})
    return folder, adopt(folder, "nets")


def test_one_command_names_the_mistakes(walk: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, result = walk
    assert result.returncode == 1, result.stdout + result.stderr
    assert masked(result.stdout).startswith(masked(LINES))
    told = result.stdout.split("\n")
    assert [line for line in FOUND.split("\n") if line not in told] == []
    looked_at = [
        f"{i}/4 nets.layers:{name}\n" for i, name in enumerate(("Affine", "Gate", "Scale", "Table"), 1)
    ]
    files = (
        ".scaffold/ (4 files)",
        "tests/conftest.py",
        "tests/numbers/affine.txt",
        "tests/numbers/scale.txt",
    )
    written = "".join(f"create     {file}\n" for file in files)
    assert result.stderr.startswith("".join(looked_at) + written), result.stderr
    assert re.search(r"\nand \d more\nnext: pytest tests\n$", result.stderr)


@pytest.mark.slow
def test_what_it_writes_is_a_test_file_that_pytest_runs(
    walk: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, result = walk
    text = (folder / "tests/test_affine.py").read_text()
    assert text.startswith(HEAD)
    assert "from nets.layers import Affine" in text and "scaffold" not in text
    assert passed(forked_pytest(folder, "tests/test_affine.py", "--numbers=off")) == told_to_pass(
        result.stdout, "Affine"
    )


@pytest.mark.slow
def test_again_it_changes_nothing_and_keeps_what_was_edited(
    walk: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, _ = walk
    edited = folder / "tests/test_affine.py"
    edited.write_text(edited.read_text() + "\n# mine\n")
    before = read_tree(folder)
    result = adopt(folder, "nets.layers:Affine", "nets.layers:Gate", "--json")
    report = json.loads(result.stdout)
    assert [(one["class"], one["kept"]) for one in report["classes"]] == [
        ("nets.layers:Affine", True),
        ("nets.layers:Gate", False),
    ]
    assert read_tree(folder) == before
    assert [one["action"] for one in report["files"] if one["path"] == "tests/test_affine.py"] == ["keep"]


BAD = {
    "nothing.here": "nothing.here: cannot be looked at: ModuleNotFoundError: No module named 'nothing'",
    "equinox.nn:MPL": "equinox.nn:MPL: cannot be looked at: there is no `MPL` in `equinox.nn`\n  fix: did you mean `equinox.nn:MLP`?",
    "none.py": "none.py: there is no such file",
    ".": ".: is a folder, and no package",
    "nets:1": "nets:1: `1` is no name of a class",
    "json:JSONDecoder": "json:JSONDecoder: it is no pytree: nothing registers it with jax",
}


@pytest.mark.spread(3)
@pytest.mark.parametrize("target", BAD)
def test_a_bad_target_is_refused(target: str, tmp_path: Path) -> None:
    result = adopt(tmp_path, target)
    assert (result.returncode, read_tree(tmp_path)) == (2, {})
    assert f"error: {BAD[target]}" in result.stderr and "  fix: " in result.stderr


@pytest.mark.slow
def test_what_cannot_be_adopted_is_left_out_beside_what_can(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pair.py": PAIR})
    result = adopt(tmp_path, "pair.py:Moments", "pair.py:Base", "nothing.here", "--dry-run")
    assert result.returncode == 3, result.stderr
    lines = result.stdout.splitlines()
    assert (
        lines[0].startswith("Moments  adopted")
        and "pair:Base: left out: it is abstract: `fit` is missing" in lines
    )
    assert any(line.startswith("nothing.here: passed over, since it cannot be imported") for line in lines)


PAIR = """
import abc
from typing import NamedTuple

import equinox as eqx
import jax


class Moments(NamedTuple):
    mean: jax.Array


class Base(eqx.Module):
    @abc.abstractmethod
    def fit(self): ...
"""
ODD = """
import os
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Ends:
    def __init__(self, size: int):
        os._exit(3)


class Hangs:
    def __init__(self, size: int):
        while True:
            pass


class Moments(NamedTuple):
    mean: jax.Array


class Weak(NamedTuple):
    mean: jax.Array

    @classmethod
    def create(cls, size: int) -> "Weak":
        return cls(jnp.full(size, 2.0))


for one in (Ends, Hangs):
    jax.tree_util.register_pytree_node(one, lambda held: ((), ()), lambda aux, held: None)
"""


@pytest.mark.slow  # tests/adopt/strangers/test_hostile.py ends processes in every run
def test_a_class_that_hangs_or_ends_the_process_costs_no_other_anything(tmp_path: Path) -> None:
    write_tree(tmp_path, {"odd.py": ODD})
    result = adopt(tmp_path, "odd.py", "--time-limit", "8", "--json", "--dry-run", "-n", "2")
    assert [path for path in read_tree(tmp_path) if path != "odd.py"] == []
    report = json.loads(result.stdout)
    states = {one["class"].partition(":")[2]: (one["state"], one["missing"]) for one in report["classes"]}
    assert states["Moments"] == ("adopted", [])
    assert states["Ends"][1][0].startswith("odd:Ends: it ended with 3")
    assert states["Hangs"][1][0] == "odd:Hangs: it took more than 8 seconds; give: --build 'Hangs(...)'"


STRICTER = '[project]\nname = "odd"\n[tool.scaffold]\nseverity = "cost"\n'


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_baseline_leaves_out_what_is_found_with_its_text(tmp_path: Path) -> None:
    write_tree(tmp_path, {"odd.py": ODD, "pyproject.toml": STRICTER})
    said = ("odd.py:Weak", "--build", "Weak.create(3)")
    first = adopt(tmp_path, *said, "--dry-run")
    line = masked(first.stdout.split("\n")[0])
    assert (first.returncode, line) == (1, "Weak  adopted, N tests pass, N cost")
    result = adopt(tmp_path, *said, "--baseline")
    line = masked(result.stdout.split("\n")[0])
    assert (result.returncode, line) == (0, "Weak  adopted, N tests pass, N left out"), result.stderr
    text = (tmp_path / "tests/test_weak.py").read_text()
    assert "# P5 static, at `mean`: it is weakly typed: its dtype changes on the first update" in text
    ran = passed(forked_pytest(tmp_path, "tests/test_weak.py", "--numbers=off"))
    assert ran == told_to_pass(result.stdout, "Weak")


@pytest.mark.slow
def test_what_is_said_of_one_class_is_refused_for_several(tmp_path: Path) -> None:
    write_tree(tmp_path, {"odd.py": ODD})
    result = adopt(tmp_path, "odd.py", "--build", "Weak.create(3)")
    assert result.returncode == 2
    assert "error: --build: is said of one class, and there are 4" in result.stderr
    result = adopt(tmp_path, "odd.py", "--set", "size")
    assert (result.returncode, "error: --set: `size` sets nothing" in result.stderr) == (2, True)


@pytest.mark.slow
def test_a_value_for_an_argument_that_nothing_takes_is_refused(tmp_path: Path) -> None:
    write_tree(tmp_path, {"odd.py": ODD})
    result = adopt(
        tmp_path, "odd.py:Weak", "--set", "sise=3", "--set", "quark=2", "--set", "mean=jnp.ones(2)"
    )
    assert (result.returncode, read_tree(tmp_path).keys()) == (2, {"odd.py"})
    assert result.stderr == (
        "error: --set quark: no constructor and no method that was found takes it\n"
        "  legal: mean, size\n  fix: name one of their arguments\n"
        "error: --set sise: no constructor and no method that was found takes it\n"
        "  legal: mean, size\n  fix: did you mean `size`?\n"
    )


METHODS = """
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp


class Scale(eqx.Module):
    gain: jax.Array
    size: int = eqx.field(static=True)
    kind: Any = eqx.field(static=True)

    def __init__(self, size: int):
        self.gain, self.size, self.kind = jnp.ones(size, jnp.float32), size, jnp.float32

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x

    def blended(self, x: jax.Array, *, weight: jax.Array) -> jax.Array:
        return self.gain * (x + weight)

    def inverse(self, y: jax.Array) -> jax.Array:
        return FORM

    def doubled(self) -> jax.Array:
        return 2 * self.gain

    def plain(self, x: jax.Array) -> jax.Array:
        return x

    def by_values(self, x: jax.Array) -> jax.Array:
        return self.gain * x if x.sum() > 0 else self.gain
"""


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    ("form", "advice"),
    [
        ("y / self.gain", ""),
        ("y / jax.lax.stop_gradient(self.gain)", "advice P9 gradient and step: small steps of `gain` show"),
        ("self.gain * float(y[0])", ""),
    ],
)
def test_methods_whose_arguments_are_found_are_declared_and_held(
    tmp_path: Path, form: str, advice: str
) -> None:
    write_tree(tmp_path, {"scales.py": METHODS.replace("FORM", form)})
    result = adopt(tmp_path, "scales.py")
    text = (tmp_path / "tests/test_scale.py").read_text()
    declared = re.findall(r'Method\(\s*"(\w+)"', text)
    assert declared == ["blended", *(["inverse"] if "float" not in form else [])]
    assert '"size": 3,\n        "kind": ...,\n' in text
    assert "call=lambda instance, x, weight: instance.blended(x, weight=weight)" in text
    assert result.returncode == 0, result.stdout
    assert advice in result.stdout and (", `inverse`\n" in result.stdout) == bool(advice)


@pytest.mark.slow  # a search of its own in another interpreter
def test_an_instance_of_which_a_member_raises_is_not_taken_where_another_is_found(tmp_path: Path) -> None:
    source = """
        from typing import NamedTuple

        import jax
        import jax.numpy as jnp


        class Rotation(NamedTuple):
            unit: jax.Array

            @classmethod
            def identity(cls) -> "Rotation":
                return cls(jnp.array([1.0, 0.0], jnp.float32))

            def turned(self, x: jax.Array) -> jax.Array:
                return x * self.unit.sum()

            def matrix(self) -> jax.Array:
                cosine, sine = self.unit
                return jnp.array([[cosine, -sine], [sine, cosine]]).reshape(2, 2)
    """
    write_tree(tmp_path, {"rotations.py": textwrap.dedent(source)})
    result = adopt(tmp_path, "rotations.py")
    assert 'Leaf("unit", "param", (2,))' in (tmp_path / "tests/test_rotation.py").read_text()
    assert "matrix" not in result.stdout


def test_the_process_of_the_tool_imports_nothing_of_jax() -> None:
    looked = "import sys, scaffold.adopt, scaffold.cli.commands.adopt; print({'jax', 'equinox', 'flax', 'copier'} & {*sys.modules})"
    assert run([sys.executable, "-c", looked], REPOSITORY).stdout == "set()\n"
