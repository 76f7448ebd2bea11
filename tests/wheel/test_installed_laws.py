"""Whether the tests import the laws that are installed or a wheel beside them: read off the project and its environment, or said."""

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
from scaffold.law_wheel import law_wheel
from tests.support.projects import AFFINE, passed, run, scaffold
from tests.support.systems import NEEDS_LINKS
from tests.support.trees import read_tree, replace_in, write_tree

pytestmark = NEEDS_LINKS

HEAD = '[project]\nname = "lib"\n'
DEPENDS = {
    "dependencies": 'dependencies = ["jax", "pytree-laws>=0.1 ; python_version > \'3.10\'"]\n',
    "another spelling": 'dependencies = ["Pytree_Laws[all]"]\n',
    "an extra": '[project.optional-dependencies]\ntest = ["pytree.laws"]\n',
    "a group": '[dependency-groups]\ndev = [{ include-group = "test" }]\ntest = ["pytest", "pytree-laws"]\n',
    "a group of poetry": '[tool.poetry.group.test.dependencies]\npytree-laws = "^0.1"\n',
    "poetry": '[tool.poetry.dependencies]\npytree-laws = { version = "^0.1" }\n',
    "uv": '[tool.uv]\ndev-dependencies = ["pytree-laws @ git+https://example.org/it"]\n',
    "pdm": '[tool.pdm.dev-dependencies]\ntest = ["pytree-laws"]\n',
}
DOES_NOT = {
    "nothing": "",
    "another": 'dependencies = ["pytree-laws-extra", "pytree", "jax-scaffold"]\n',
    "odd types": "dependencies = 3\n[dependency-groups]\ntest = [1, { x = 2 }]\n[tool.poetry]\ngroup = { test = 4 }\n",
    "a wheel": 'dependencies = ["pytree-laws"]\n[tool.uv.sources]\npytree-laws = { path = "tests/pytree_laws-0.0.9-py3-none-any.whl" }\n',
}


def laws_of(root: Path, text: str) -> str:
    write_tree(root, {"pyproject.toml": HEAD + text})
    return find_layout(root).laws


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An active environment in which nothing is installed: its folder of packages."""
    site = tmp_path / "environment/lib/python3.11/site-packages"
    site.mkdir(parents=True)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "environment"))
    return site


@pytest.mark.parametrize("where", DEPENDS)
def test_a_project_that_declares_the_laws_imports_what_is_installed(
    where: str, nothing_installed: Path, tmp_path: Path
) -> None:
    assert laws_of(tmp_path / "lib", DEPENDS[where]) == "installed"


@pytest.mark.parametrize("where", DOES_NOT)
def test_any_other_project_gets_a_wheel(where: str, nothing_installed: Path, tmp_path: Path) -> None:
    assert laws_of(tmp_path / "lib", DOES_NOT[where]) == "wheel"
    assert find_layout(tmp_path).laws == "wheel"


@pytest.mark.parametrize("installed", ["the package", "a link to it", "a folder of another meaning"])
def test_an_environment_that_has_the_laws_needs_no_wheel(
    installed: str, nothing_installed: Path, tmp_path: Path
) -> None:
    init = {"the package": nothing_installed, "a link to it": tmp_path / "clone"}
    place = init.get(installed, tmp_path / "other")
    write_tree(place, {"pytree_laws/__init__.py" if installed in init else "pytree_laws/notes.txt": ""})
    (nothing_installed / "links.pth").write_text(f"import sys\n{tmp_path / 'clone'}\n{tmp_path / 'other'}\n")
    assert find_layout(tmp_path).laws == ("installed" if installed in init else "wheel")


@pytest.mark.parametrize("lying", ["pytree_laws-0.0.9-py3-none-any.whl", "pytree_laws/digests.txt"])
def test_a_project_that_has_a_wheel_or_a_former_copy_keeps_to_the_wheel(lying: str, tmp_path: Path) -> None:
    assert find_layout(tmp_path).laws == "installed"  # as the environment of these tests has them
    write_tree(tmp_path, {f"tests/{lying}": ""})
    assert find_layout(tmp_path).laws == "wheel"


def test_the_project_may_decide_otherwise(nothing_installed: Path, tmp_path: Path) -> None:
    assert laws_of(tmp_path, '[tool.scaffold]\nlaws = "installed"\n') == "installed"
    assert laws_of(tmp_path, DEPENDS["dependencies"] + '[tool.scaffold]\nlaws = "wheel"\n') == "wheel"
    with pytest.raises(
        ScaffoldError, match=r"tool\.scaffold\.laws: `none` is not legal\n  legal: installed, wheel"
    ):
        laws_of(tmp_path, '[tool.scaffold]\nlaws = "none"\n')


def test_a_run_may_decide_otherwise_and_the_tests_are_the_same(tmp_path: Path) -> None:
    write_tree(tmp_path, {"one/": "", "two/": ""})
    for folder, laws in (("one", "installed"), ("two", "wheel")):
        assert scaffold(tmp_path / folder, "new-module", *AFFINE, "--laws", laws).returncode == 0
    one, two = read_tree(tmp_path / "one"), read_tree(tmp_path / "two")
    assert two == {**one, f"tests/{law_wheel().name}": law_wheel().content}
    assert scaffold(tmp_path, "new-module", *AFFINE, "--laws", "here").returncode == 2


# -- in environments that have what the wheel declares, and Equinox or not ------------------------------------------------

WITHOUT_EQUINOX = """
from importlib.util import find_spec
from typing import final

import jax
from pytree_laws import PytreeLaws, sample


@final
@jax.tree_util.register_pytree_with_keys_class
class Line:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, x):
        return self.slope * x

    def tree_flatten_with_keys(self):
        return ((jax.tree_util.GetAttrKey("slope"), self.slope),), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        line = object.__new__(cls)
        [line.slope] = children
        return line


class TestLine(PytreeLaws):
    def build(self, seed):
        return Line(sample(seed, (3,)))

    def arguments(self, seed):
        return (sample(seed, (3,)),)


def test_nothing_else_is_there():
    assert not any(map(find_spec, ["click", "copier", "equinox", "flax", "jinja2", "optax", "ruff", "scaffold"]))
"""
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


def environment_with(root: Path, *names: str) -> Environment:
    """An environment with links to what is installed here of these, and of what they require."""
    venv.create(root, with_pip=False)
    [site] = root.glob("lib/python3*/site-packages")
    for package in with_what_they_need(names).values():
        for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(package.locate_file(top))))
    return Environment(root)


@pytest.fixture
def bare(tmp_path: Path) -> Environment:
    """What the laws declare, and Equinox."""
    return environment_with(tmp_path / "environment", *law_wheel().requires, "equinox")


def install_laws(environment: Environment, folder: Path) -> None:
    wheel = folder / law_wheel().name
    wheel.write_bytes(law_wheel().content)
    install = ["uv", "pip", "install", "--quiet", "--no-deps", "--offline", "--python"]
    installed = run([*install, str(environment.python), str(wheel)], folder)
    assert installed.returncode == 0, installed.stderr


@pytest.mark.slow
def test_the_wheel_of_the_laws_needs_what_it_declares_alone(tmp_path: Path) -> None:
    assert law_wheel().requires == ("jax", "numpy", "pytest")
    environment = environment_with(tmp_path / "environment", *law_wheel().requires)
    install_laws(environment, tmp_path)
    project = tmp_path / "project"
    write_tree(project, {"test_line.py": WITHOUT_EQUINOX})
    assert passed(environment.pytest(project)) >= 60
    assert "--numbers" in environment.pytest(project, "--help").stdout


@pytest.mark.slow
def test_a_project_whose_environment_has_the_laws_gets_no_wheel(bare: Environment, tmp_path: Path) -> None:
    install_laws(bare, tmp_path)
    project = tmp_path / "project"
    write_tree(project, {"tests/test_linear.py": BY_HAND.format(place=str(bare.root))})
    environment = {"VIRTUAL_ENV": str(bare.root)}
    assert scaffold(project, "new-module", *AFFINE, env=environment).returncode == 0
    assert not [*project.rglob("*.whl")]
    by_hand = bare.pytest(project, "tests/test_linear.py", "-k", "nothing_else or p01 or p02 or p05 or p07")
    assert passed(by_hand) >= 20
    assert passed(bare.pytest(project, "tests/test_affine.py", "-k", "p03 or p04 or p13")) >= 10


@pytest.mark.slow  # a second way to the same wheel
def test_the_wheel_beside_the_tests_needs_no_installation(bare: Environment, tmp_path: Path) -> None:
    project = tmp_path / "project"
    wheel = project / "tests" / law_wheel().name
    write_tree(project, {"tests/test_linear.py": BY_HAND.format(place=str(wheel))})
    assert scaffold(project, "new-module", *AFFINE, env={"VIRTUAL_ENV": str(bare.root)}).returncode == 0
    assert passed(bare.pytest(project, "-k", "nothing_else or p03 or p04")) >= 10
    broken = project / "affine.py"
    replace_in(broken, "self.weight @ x", "self.weight @ x * 0")
    shown = ("-k", "p08", "--tb=long")  # with the code of the law
    failed = bare.pytest(project, "tests/test_affine.py", *shown)
    assert (
        failed.returncode == 1
        and f"{wheel.name}/pytree_laws/laws/transforms/p08_never_stale.py" in failed.stdout
    )
    wheel.unlink()
    without = bare.pytest(project)
    assert without.returncode != 0 and "No module named 'pytree_laws'" in without.stdout + without.stderr
