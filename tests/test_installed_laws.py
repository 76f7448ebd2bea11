"""Whether the tests import the laws that are installed or a copy beside them: read off the project, said in it, or said in a run."""

import shutil
import subprocess
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scaffold import ScaffoldError, find_layout
from tests.projects import AFFINE, passed, run, scaffold
from tests.support import read_tree, write_tree

HEAD = '[project]\nname = "lib"\n'
DEPENDS = {
    "dependencies": 'dependencies = ["jax", "jax-scaffold>=0.1 ; python_version > \'3.10\'"]\n',
    "another spelling": 'dependencies = ["JAX_Scaffold[all]"]\n',
    "an extra": '[project.optional-dependencies]\ntest = ["jax.scaffold"]\n',
    "a group": '[dependency-groups]\ndev = [{ include-group = "test" }]\ntest = ["pytest", "jax-scaffold"]\n',
    "a group of poetry": '[tool.poetry.group.test.dependencies]\njax-scaffold = "^0.1"\n',
    "poetry": '[tool.poetry.dependencies]\njax-scaffold = { version = "^0.1" }\n',
    "uv": '[tool.uv]\ndev-dependencies = ["jax-scaffold @ git+https://example.org/it"]\n',
    "pdm": '[tool.pdm.dev-dependencies]\ntest = ["jax-scaffold"]\n',
}
DOES_NOT = {
    "nothing": "",
    "another": 'dependencies = ["jax-scaffold-extra", "scaffold"]\n',
    "odd types": "dependencies = 3\n[dependency-groups]\ntest = [1, { x = 2 }]\n[tool.poetry]\ngroup = { test = 4 }\n",
}


def laws_of(root: Path, text: str) -> str:
    write_tree(root, {"pyproject.toml": HEAD + text})
    return find_layout(root).laws


@pytest.mark.parametrize("where", DEPENDS)
def test_a_project_that_depends_on_the_tool_imports_what_is_installed(where: str, tmp_path: Path) -> None:
    assert laws_of(tmp_path, DEPENDS[where]) == "installed"


@pytest.mark.parametrize("where", DOES_NOT)
def test_any_other_project_gets_a_copy(where: str, tmp_path: Path) -> None:
    assert laws_of(tmp_path, DOES_NOT[where]) == "copied"
    assert find_layout(tmp_path / "..").laws == "copied"


def test_the_project_may_decide_otherwise(tmp_path: Path) -> None:
    assert laws_of(tmp_path, '[tool.scaffold]\nlaws = "installed"\n') == "installed"
    assert laws_of(tmp_path, DEPENDS["dependencies"] + '[tool.scaffold]\nlaws = "copied"\n') == "copied"
    with pytest.raises(
        ScaffoldError, match=r"tool\.scaffold\.laws: `none` is not legal\n  legal: installed, copied"
    ):
        laws_of(tmp_path, '[tool.scaffold]\nlaws = "none"\n')


def test_a_run_may_decide_otherwise_and_the_tests_are_the_same(tmp_path: Path) -> None:
    write_tree(tmp_path, {"one/": "", "two/": ""})
    for folder, laws in (("one", "installed"), ("two", "copied")):
        assert scaffold(tmp_path / folder, "new-module", *AFFINE, "--laws", laws).returncode == 0
    one, two = read_tree(tmp_path / "one"), read_tree(tmp_path / "two")
    assert not [path for path in one if "pytree_laws" in path]
    assert one.items() <= two.items() and "tests/pytree_laws/digests.txt" in two
    assert scaffold(tmp_path, "new-module", *AFFINE, "--laws", "here").returncode == 2


# -- in an environment that has jax, numpy, equinox and pytest alone -----------------------------------------------------

ENOUGH = ("jax", "numpy", "equinox", "pytest")
BY_HAND = """
import sys
from importlib.util import find_spec

import equinox as eqx
import jax

import pytree_laws
from pytree_laws import PytreeLaws, sample


class TestLinear(PytreeLaws):
    def build(self, seed):
        return eqx.nn.Linear(3, 2, key=jax.random.key(seed))

    def arguments(self, seed):
        return (sample(seed, (3,)),)


def test_nothing_else_is_imported_or_there():
    assert pytree_laws.__file__.startswith({place!r})
    assert not {{"scaffold", "click", "jinja2", "copier"}} & set(sys.modules)
    assert not any(map(find_spec, ["click", "jinja2", "copier", "flax", "optax", "tomlkit", "yaml"]))
"""


@dataclass(frozen=True)
class Environment:
    """A virtual environment, in which nothing is on the path but what is installed in it."""

    root: Path

    @property
    def python(self) -> Path:
        return self.root / "bin" / "python"

    def pytest(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.python), "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        return run(command, folder, env={"PYTHONPATH": "", "VIRTUAL_ENV": str(self.root)})


def with_what_they_need(names: Iterable[str]) -> dict[str, Distribution]:
    """The distributions of this environment with these names, and all that they require here, by name."""
    found: dict[str, Distribution] = {}
    left = list(names)
    while left:
        name = canonicalize_name(left.pop())
        if name not in found:
            found[name] = distribution(name)
            needed = map(Requirement, found[name].requires or ())
            left += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


@pytest.fixture
def bare(tmp_path: Path) -> Environment:
    """An environment with links to what is installed here of these four, and of what they require."""
    venv.create(tmp_path / "environment", with_pip=False)
    [site] = (tmp_path / "environment").glob("lib/python3*/site-packages")
    for one in with_what_they_need(ENOUGH).values():
        for top in {file.parts[0] for file in one.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(one.locate_file(top))))
    return Environment(tmp_path / "environment")


def test_the_built_wheel_needs_four_packages_alone(bare: Environment, wheel: Path, tmp_path: Path) -> None:
    install = ["uv", "pip", "install", "--quiet", "--no-deps", "--offline", "--python", str(bare.python)]
    installed = run([*install, str(wheel)], tmp_path)
    assert installed.returncode == 0, installed.stderr
    project = tmp_path / "project"
    write_tree(project, {"tests/test_linear.py": BY_HAND.format(place=str(bare.root))})
    assert scaffold(project, "new-module", *AFFINE, "--laws", "installed").returncode == 0
    by_hand = bare.pytest(project, "tests/test_linear.py", "-k", "nothing_else or p01 or p02 or p05 or p07")
    assert passed(by_hand) >= 20
    assert passed(bare.pytest(project, "tests/test_affine.py", "-k", "p03 or p04 or p13")) >= 10


def test_a_copy_needs_no_wheel(bare: Environment, tmp_path: Path) -> None:
    project = tmp_path / "project"
    write_tree(project, {"tests/test_linear.py": BY_HAND.format(place=str(project / "tests"))})
    assert scaffold(project, "new-module", *AFFINE, "--laws", "copied").returncode == 0
    assert passed(bare.pytest(project, "-k", "nothing_else or p03 or p04")) >= 10
    shutil.rmtree(project / "tests/pytree_laws")
    without = bare.pytest(project)
    assert without.returncode == 1 and "No module named 'pytree_laws'" in without.stdout
