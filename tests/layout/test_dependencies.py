"""What a class needs is told before it is written, and added when asked for; no package is left that cannot be imported."""

import json
import os
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from scaffold.errors import ScaffoldError
from scaffold.files.fileset import Plan
from scaffold.generate import load_specs, plan_modules, plan_new
from scaffold.in_project.layout import find_layout
from tests.support.projects import run, scaffold
from tests.support.trees import read_tree, write_tree

FIELDS = {"scale": "f[n]"}
NNX = {"name": "Scale", "kind": "nnx", "fields": FIELDS}
PLAIN = {"name": "Scale", "fields": FIELDS}
SAVED = {**PLAIN, "save": True}
GROUP = '[dependency-groups]\ndev = ["pytest"]\n'


@pytest.fixture(autouse=True)
def nothing_installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """An active environment without the laws, so that a project gets their wheel."""
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path_factory.mktemp("environment")))


def plan(
    tmp_path: Path, pyproject: str, raw: dict[str, Any], more: dict[str, str] | None = None, **options: bool
) -> Plan:
    files = {".git/": "", "pyproject.toml": pyproject, "lib/__init__.py": "", **(more or {})}
    return plan_new(raw, find_layout(write_tree(tmp_path, files)), **options)


def stated(*names: str) -> str:
    return f'[project]\nname = "lib"\ndependencies = {json.dumps(names)}\n\n{GROUP}'


def after(found: Plan, path: str) -> str | None:
    texts = {str(step.path): step.after for step in found.steps if step.after != step.before}
    return texts[path].decode() if texts.get(path) is not None else None


@pytest.mark.parametrize(
    ("pyproject", "raw", "missing"),
    [
        (stated("equinox"), PLAIN, ""),
        (stated("equinox>=0.13; python_version > '3'"), PLAIN, ""),
        (stated("diffrax"), PLAIN, ""),
        (stated(), PLAIN, "equinox>=0.13.3"),
        (stated("jax"), NNX, "flax>=0.12.4, jaxtyping"),
        (stated("equinox", "flax[all]"), NNX, ""),
        (stated("equinox"), NNX, "flax>=0.12.4"),
        (stated("equinox"), SAVED, "safetensors"),
        (stated("equinox", "safetensors"), SAVED, ""),
        ('[project]\nname = "lib"\n' + GROUP, PLAIN, ""),
        ('[project]\nname = "lib"\n' + GROUP, NNX, "flax>=0.12.4"),
        (
            '[tool.poetry]\nname = "lib"\n[tool.poetry.dependencies]\nequinox = "*"\n' + GROUP,
            NNX,
            "flax>=0.12.4",
        ),
        (
            '[tool.poetry]\nname = "lib"\n[tool.poetry.dependencies]\nequinox = "*"\nflax = "^0.12"\n'
            + GROUP,
            NNX,
            "",
        ),
    ],
)
def test_what_is_not_declared_is_told_and_not_registered(
    pyproject: str, raw: dict[str, Any], missing: str, tmp_path: Path
) -> None:
    found = plan(tmp_path, pyproject, raw)
    registered = after(found, "lib/__init__.py")
    if not missing:
        assert (registered, found.notes) == ("from .scale import Scale as Scale\n", ())
        return
    told, left_out = found.notes
    assert (
        told
        == f"pyproject.toml: does not declare {missing}; add it, or run the command with `--add-dependencies`"
    )
    assert left_out.startswith(
        "lib/__init__.py: does not import `Scale`, since the project does not declare `"
    )
    assert registered is None
    assert found.to_json()["notes"] == [told, left_out]


def test_classes_that_miss_the_same_are_told_in_one_note(tmp_path: Path) -> None:
    skeleton = (
        "from flax import nnx\nfrom jaxtyping import Array, Float\nfrom scaffold.skeleton import Nnx, param\n"
    )
    for name in ("Scale", "Shift"):
        skeleton += f'\n\nclass {name}(Nnx):\n    value: Float[Array, " n"] = param("ones")\n'
    files = {
        ".git/": "",
        "pyproject.toml": stated("equinox"),
        "lib/__init__.py": "",
        "specs/maps.py": skeleton,
    }
    layout = find_layout(write_tree(tmp_path, files))
    notes = plan_modules(load_specs([tmp_path / "specs/maps.py"]), layout).notes
    left_out = [note for note in notes if "does not import" in note]
    assert [note.partition(",")[0] for note in left_out] == [
        "lib/__init__.py: does not import `Scale` and `Shift`"
    ]


@pytest.mark.parametrize("file", ["requirements.txt", "requirements/base.txt", "setup.py", "environment.yml"])
def test_other_files_that_say_it_count_where_pyproject_does_not(file: str, tmp_path: Path) -> None:
    pyproject = '[project]\nname = "lib"\ndynamic = ["dependencies"]\n' + GROUP
    found = plan(tmp_path, pyproject, NNX, {file: "equinox>=0.13\nflax==0.12.4\n"})
    assert (after(found, "lib/__init__.py"), found.notes) == ("from .scale import Scale as Scale\n", ())


@pytest.mark.parametrize(
    "source", ["from ._old import Old\n", "from lib._old import Old\n", "import lib._old\n"]
)
def test_what_the_package_imports_already_breaks_nothing_new(source: str, tmp_path: Path) -> None:
    found = plan(
        tmp_path, stated("equinox"), NNX, {"lib/__init__.py": source, "lib/_old.py": "import flax\n"}
    )
    assert "from .scale import Scale" in (after(found, "lib/__init__.py") or "")


def test_a_module_that_nothing_imports_does_not_count(tmp_path: Path) -> None:
    found = plan(tmp_path, stated("equinox"), NNX, {"lib/extra.py": "import flax\n"})
    assert after(found, "lib/__init__.py") is None


def test_a_class_needs_what_the_classes_that_it_holds_need(tmp_path: Path) -> None:
    inner = "import flax\n\nclass Inner: ...\n"
    raw = {"name": "Outer", "fields": {"inner": "Inner"}, "test": {"values": {"inner": "=Inner()"}}}
    found = plan(tmp_path, stated("equinox"), raw, {"lib/inner.py": inner})
    assert after(found, "lib/__init__.py") is None


@pytest.mark.parametrize("raw", [PLAIN, NNX])
def test_the_modules_of_a_project_without_a_package_are_its_own(raw: dict[str, Any], tmp_path: Path) -> None:
    files = {".git/": "", "pyproject.toml": stated("equinox", "flax")}
    assert plan_new(raw, find_layout(write_tree(tmp_path, files))).notes == ()


def test_pytest_is_looked_for_in_groups_extras_and_files(tmp_path: Path) -> None:
    bare = stated("equinox").removesuffix(GROUP)
    assert plan(tmp_path / "none", bare, PLAIN).notes == (
        "pyproject.toml: does not declare pytest, which the tests need",
    )
    for number, (pyproject, more) in enumerate(
        [
            (bare + '[project.optional-dependencies]\ntest = ["pytest>=8"]\n', {}),
            (bare + '[tool.hatch.envs.test]\ndependencies = ["pytest"]\n', {}),
            (bare, {"requirements-dev.txt": "pytest\n"}),
            (bare, {"tox.ini": "[testenv]\ndeps = pytest\n"}),
        ]
    ):
        assert plan(tmp_path / str(number), pyproject, PLAIN, more).notes == ()


def test_a_loose_folder_declares_nothing_and_is_told_nothing(tmp_path: Path) -> None:
    assert plan_new(NNX, find_layout(write_tree(tmp_path, {".git/": ""}))).notes == ()


# -- adding ------------------------------------------------------------------------------------------------------------

LONG = '[project]\nname = "lib"  # ours\ndependencies = [\n  "equinox",  # layers\n]\n\n' + GROUP


def test_the_list_of_the_project_gets_it_and_keeps_its_form(tmp_path: Path) -> None:
    found = plan(tmp_path, LONG, NNX, add_dependencies=True)
    assert after(found, "pyproject.toml") == LONG.replace("# layers\n", '# layers\n  "flax>=0.12.4",\n')
    assert after(found, "lib/__init__.py") == "from .scale import Scale as Scale\n"
    assert found.notes == ('pyproject.toml: now declares what to install: pip install "flax>=0.12.4"',)


@pytest.mark.slow
def test_a_short_list_and_a_new_group(tmp_path: Path) -> None:
    bare = stated("equinox").removesuffix(GROUP)
    document = tomllib.loads(
        after(plan(tmp_path, bare, SAVED, add_dependencies=True), "pyproject.toml") or ""
    )
    assert document["project"]["dependencies"] == ["equinox", "safetensors"]
    assert document["dependency-groups"] == {"dev": ["pytest"]}


def test_poetry_has_tables(tmp_path: Path) -> None:
    pyproject = '[tool.poetry]\nname = "lib"\n\n[tool.poetry.dependencies]\nequinox = "*"\n'
    document = tomllib.loads(
        after(plan(tmp_path, pyproject, NNX, add_dependencies=True), "pyproject.toml") or ""
    )
    poetry = document["tool"]["poetry"]
    assert poetry["dependencies"] == {"equinox": "*", "flax": ">=0.12.4"}
    assert poetry["group"]["dev"]["dependencies"] == {"pytest": "*"}


def test_no_place_to_add_to_is_refused(tmp_path: Path) -> None:
    pyproject = '[project]\nname = "lib"\ndynamic = ["dependencies"]\n' + GROUP
    with pytest.raises(ScaffoldError) as caught:
        plan(tmp_path, pyproject, NNX, {"requirements.txt": "equinox\n"}, add_dependencies=True)
    assert str(caught.value) == (
        "pyproject.toml: has no list of dependencies that `--add-dependencies` could add to\n"
        "  fix: add flax>=0.12.4 where the project says what it needs, and leave the option out"
    )


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for uv is a shell script")
@pytest.mark.parametrize("code", [0, 1])
def test_uv_adds_where_it_manages_the_project(code: int, tmp_path: Path) -> None:
    uv = (
        write_tree(
            tmp_path, {"bin/uv": f'#!/bin/sh\necho "$@" >> uv.said\necho "no network" >&2\nexit {code}\n'}
        )
        / "bin/uv"
    )
    uv.chmod(uv.stat().st_mode | stat.S_IXUSR)
    files = {".git/": "", "pyproject.toml": stated("equinox"), "uv.lock": "", "lib/__init__.py": ""}
    root = write_tree(tmp_path / "root", files)
    before = read_tree(root)
    env = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    command = ("new-module", "Scale", "scale:f[n]", "--kind", "nnx", "--add-dependencies")
    dry = scaffold(root, *command, "--dry-run", env=env)
    assert (dry.returncode, read_tree(root)) == (0, before)
    assert "run        uv add flax>=0.12.4\n" in dry.stdout
    result = scaffold(root, *command, env=env)
    assert (root / "uv.said").read_text() == "add flax>=0.12.4\n"
    if code:
        (root / "uv.said").unlink()
        assert (result.returncode, read_tree(root)) == (1, before)
        assert "error: uv add flax>=0.12.4: failed, and nothing was written: no network" in result.stderr
    else:
        assert result.returncode == 0, result.stderr
        assert (root / "lib/__init__.py").read_text() == "from .scale import Scale as Scale\n"


# -- what it is for ----------------------------------------------------------------------------------------------------


def test_the_package_can_be_imported_without_what_it_does_not_declare(tmp_path: Path) -> None:
    files = {
        ".git/": "",
        "pyproject.toml": stated("equinox"),
        "lib/__init__.py": "ONE = 1\n",
        "no/flax.py": "raise ImportError\n",
    }
    root = write_tree(tmp_path, files)
    assert scaffold(root, "new-module", "Scale", "scale:f[n]", "--kind", "nnx").returncode == 0
    result = run(
        [sys.executable, "-c", "import lib; print(lib.ONE)"], root, env={"PYTHONPATH": str(root / "no")}
    )
    assert (result.returncode, result.stdout) == (0, "1\n"), result.stderr


def test_no_register_leaves_the_package_as_it_is(tmp_path: Path) -> None:
    files = {".git/": "", "pyproject.toml": stated("equinox"), "lib/__init__.py": "Scale = 1\n"}
    root = write_tree(tmp_path, files)
    refused = scaffold(root, "new-module", "Scale", "scale:f[n]")
    assert refused.returncode == 1
    assert "or leave this one unregistered (`--no-register`)" in refused.stderr
    result = scaffold(root, "new-module", "Scale", "scale:f[n]", "--no-register", "--json")
    assert json.loads(result.stdout)["notes"] == ["lib/__init__.py: left as it is, as `--no-register` says"]
    assert (root / "lib/__init__.py").read_text() == "Scale = 1\n"
