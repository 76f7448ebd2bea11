"""Whether the tests import the laws that are installed or a copy beside them: read off the project, said in it, or said in a run."""

from pathlib import Path

import pytest

from scaffold import ScaffoldError, find_layout
from tests.projects import AFFINE, bare_pytest, passed, scaffold
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


def test_installed_laws_are_imported_and_need_no_tool(tmp_path: Path) -> None:
    """jax, numpy, equinox and pytest are enough: what the tool itself needs is not there."""
    assert scaffold(tmp_path, "new-module", *AFFINE, "--laws", "installed").returncode == 0
    hidden = ("click", "jinja2", "copier", "flax", "optax", "yaml", "scaffold")
    lines = ["import sys", f"sys.modules.update(dict.fromkeys({hidden!r}))"]
    conftest = tmp_path / "conftest.py"
    conftest.write_text("\n".join([*lines, f"sys.path.append({str(Path(__file__).parent.parent)!r})\n"]))
    assert passed(bare_pytest(tmp_path, "-k", "p03 or p04 or p13")) >= 10
