import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from scaffold.errors import ScaffoldError
from scaffold.in_project.layout import Layout, find_layout
from tests.support.trees import write_tree

PROJECT = '[project]\nname = "My-Proj"\n'


def layout(tmp_path: Path, files: dict[str, str], start: str = ".") -> Layout:
    root = write_tree(tmp_path / "root", {".git/": "", **files})
    return find_layout(root / start)


def place(found: Layout) -> tuple[str, str | None, str]:
    return str(found.source), found.package, str(found.import_root)


def refusal(tmp_path: Path, files: dict[str, str]) -> ScaffoldError:
    with pytest.raises(ScaffoldError) as caught:
        layout(tmp_path, files)
    return caught.value


def configured(table: str) -> dict[str, str]:
    return {"pyproject.toml": f"[tool.scaffold]\n{table}\n"}


# -- the root ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [".", "pkg", "pkg/deep/er"])
def test_the_nearest_pyproject_upwards_is_the_root(tmp_path: Path, start: str):
    found = layout(tmp_path, {"pyproject.toml": "", "pkg/__init__.py": "", "pkg/deep/er/": ""}, start)
    assert (found.root, found.package) == (tmp_path / "root", "pkg")


def test_an_inner_project_is_its_own_root(tmp_path: Path):
    files = {"pyproject.toml": "", "inner/pyproject.toml": "", "inner/sub/": ""}
    assert layout(tmp_path, files, "inner/sub").root == tmp_path / "root/inner"


@pytest.mark.parametrize("start", [".", "sub"])
def test_the_search_does_not_leave_a_checkout(tmp_path: Path, start: str):
    write_tree(tmp_path, {"pyproject.toml": ""})
    found = layout(tmp_path, {"sub/": "", "pkg/__init__.py": ""}, start)
    assert found.root == tmp_path / "root" / start
    assert place(found) == (".", None, ".")


def test_a_worktree_is_a_checkout_too(tmp_path: Path):
    write_tree(tmp_path, {"pyproject.toml": "", "tree/.git": "gitdir: elsewhere\n"})
    assert find_layout(tmp_path / "tree").root == tmp_path / "tree"


def test_the_search_does_not_go_above_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_tree(tmp_path, {"pyproject.toml": "", "home/project/": ""})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    assert find_layout(tmp_path / "home/project").root == tmp_path / "home/project"
    write_tree(tmp_path, {"home/pyproject.toml": ""})
    assert find_layout(tmp_path / "home/project").root == tmp_path / "home"


def test_a_relative_start_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_tree(tmp_path, {"pyproject.toml": "", "sub/": ""})
    monkeypatch.chdir(tmp_path / "sub")
    assert find_layout(Path(".")).root == tmp_path


# -- the package -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param({"pyproject.toml": ""}, (".", None, "."), id="loose"),
        pytest.param({"pyproject.toml": PROJECT}, (".", None, "."), id="named, not there"),
        pytest.param(
            {"pyproject.toml": PROJECT, "my_proj/__init__.py": ""}, ("my_proj", "my_proj", "."), id="flat"
        ),
        pytest.param(
            {"pyproject.toml": PROJECT, "src/my_proj/__init__.py": "", "my_proj/__init__.py": ""},
            ("src/my_proj", "my_proj", "src"),
            id="src before flat",
        ),
        pytest.param(
            {"pyproject.toml": PROJECT, "src/my_proj/__init__.py": "", "src/other/__init__.py": ""},
            ("src/my_proj", "my_proj", "src"),
            id="the project's name settles it",
        ),
        pytest.param(
            {"pyproject.toml": PROJECT, "My_Proj/a.py": ""}, ("My_Proj", "My_Proj", "."), id="case kept"
        ),
        pytest.param(
            {"pyproject.toml": '[project]\nname = "MyProj"\n', "src/MyProj/a.py": ""},
            ("src/MyProj", "MyProj", "src"),
            id="as is",
        ),
        pytest.param(
            {"pyproject.toml": '[project]\nname = "my.proj"\n', "my_proj/a.py": ""},
            ("my_proj", "my_proj", "."),
            id="dot",
        ),
        pytest.param(
            {
                "pyproject.toml": '[tool.poetry]\nname = "my-proj"\n',
                "my_proj/a.py": "",
                "other/__init__.py": "",
            },
            ("my_proj", "my_proj", "."),
            id="poetry",
        ),
        pytest.param(
            {"pyproject.toml": PROJECT, "my_proj/data.txt": ""}, (".", None, "."), id="no Python inside"
        ),
        pytest.param({"pyproject.toml": PROJECT, "my_proj": ""}, (".", None, "."), id="a file by that name"),
        pytest.param(
            {"pyproject.toml": "", "src/pkg/__init__.py": ""}, ("src/pkg", "pkg", "src"), id="only one in src"
        ),
        pytest.param(
            {"pyproject.toml": "", "src/pkg/__init__.py": "", "one/__init__.py": "", "two/__init__.py": ""},
            ("src/pkg", "pkg", "src"),
            id="src hides the root",
        ),
        pytest.param(
            {"pyproject.toml": "", "src/loose.py": "", "pkg/__init__.py": ""},
            ("pkg", "pkg", "."),
            id="src without",
        ),
        pytest.param(
            {
                "pyproject.toml": "",
                "pkg/__init__.py": "",
                "plain/a.py": "",
                ".hidden/__init__.py": "",
                "not-a-name/__init__.py": "",
                **{
                    f"{name}/__init__.py": ""
                    for name in (
                        [
                            "tests",
                            "test",
                            "docs",
                            "doc",
                            "examples",
                            "benchmarks",
                            "scripts",
                            "tools",
                            "build",
                            "dist",
                            "node_modules",
                            "specs",
                        ]
                    )
                },
            },
            ("pkg", "pkg", "."),
            id="folders that are no packages",
        ),
        pytest.param(
            {
                "pyproject.toml": '[tool.scaffold]\ntests = "checks/unit"\nspecs = "."',
                "checks/__init__.py": "",
            },
            (".", None, "."),
            id="the folder for tests is none",
        ),
        pytest.param(
            {"pyproject.toml": "[project]\nname = 3\n[tool]\npoetry = 1\n"},
            (".", None, "."),
            id="not ours to judge",
        ),
    ],
)
def test_the_package_is_found(tmp_path: Path, files: dict[str, str], expected: tuple[str, str | None, str]):
    assert place(layout(tmp_path, files)) == expected


@pytest.mark.parametrize(
    ("declared", "files", "expected"),
    [
        ("pkg", {}, ("pkg", "pkg", ".")),
        ("pkg", {"src/": ""}, ("src/pkg", "pkg", "src")),
        ("pkg", {"src/": "", "pkg/": ""}, ("pkg", "pkg", ".")),
        ("pkg.sub", {"src/": "", "pkg/__init__.py": ""}, ("pkg/sub", "pkg.sub", ".")),
        ("pkg.sub", {"src/pkg/": "", "pkg/": ""}, ("src/pkg/sub", "pkg.sub", "src")),
        ("pkg.sub", {"src/pkg/": "", "pkg/sub/": ""}, ("pkg/sub", "pkg.sub", ".")),
        ("src/pkg", {}, ("src/pkg", "pkg", "src")),
        ("src/pkg/sub/", {}, ("src/pkg/sub", "pkg.sub", "src")),
        ("python/pkg", {"python/": ""}, ("python/pkg", "pkg", "python")),
        ("pkg/sub", {"pkg/__init__.py": ""}, ("pkg/sub", "pkg.sub", ".")),
        ("pkg/sub", {}, ("pkg/sub", "pkg.sub", ".")),
        ("two", {"one/__init__.py": "", "two/__init__.py": ""}, ("two", "two", ".")),
    ],
)
def test_the_package_can_be_declared(tmp_path: Path, declared: str, files: dict[str, str], expected):
    assert place(layout(tmp_path, {**configured(f'package = "{declared}"'), **files})) == expected


def test_several_packages_are_a_question_for_the_user(tmp_path: Path):
    files = {"pyproject.toml": "", "src/two/__init__.py": "", "src/one/__init__.py": ""}
    error = refusal(tmp_path, files)
    assert str(error) == (
        "pyproject.toml: tool.scaffold.package: several folders could be the package\n"
        "  legal: src/one, src/two\n"
        '  fix: say which under [tool.scaffold], as in `package = "src/one"`'
    )
    assert error.exit_code == 2
    answered = {**files, "pyproject.toml": '[tool.scaffold]\npackage = "src/one"\n'}
    assert layout(tmp_path, answered).package == "one"


# -- the places --------------------------------------------------------------------------------------------------------


def test_places_in_a_package(tmp_path: Path):
    table = 'package = "src/pkg"\ntests = "test/unit"\nspecs = "src/pkg/specs"'
    found = layout(tmp_path, {**configured(table), "src/pkg/__init__.py": ""})
    assert found.module("affine") == "pkg.affine"
    assert found.source_file("affine") == PurePosixPath("src/pkg/affine.py")
    assert found.test_file("affine") == PurePosixPath("test/unit/test_affine.py")
    assert found.spec_file("affine") == PurePosixPath("src/pkg/specs/affine.toml")
    assert found.law_files.tests == PurePosixPath("test/unit")
    assert found.init_file == PurePosixPath("src/pkg/__init__.py")


def test_places_in_a_loose_folder(tmp_path: Path):
    found = layout(tmp_path, {})
    assert found.module("affine") == "affine"
    assert found.source_file("affine") == PurePosixPath("affine.py")
    assert found.test_file("affine") == PurePosixPath("tests/test_affine.py")
    assert found.spec_file("affine") == PurePosixPath("specs/affine.toml")
    assert found.init_file is None


def test_a_namespace_package_stays_one(tmp_path: Path):
    found = layout(tmp_path, {"pyproject.toml": PROJECT, "src/my_proj/a.py": ""})
    assert (found.module("affine"), found.init_file) == ("my_proj.affine", None)


def test_a_package_still_to_be_made_gets_an_init(tmp_path: Path):
    found = layout(tmp_path, {**configured('package = "pkg"'), "pkg/": ""})
    assert found.init_file == PurePosixPath("pkg/__init__.py")


# -- start-up ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["files.fileset", "publish", "in_project.layout"])
def test_importing_is_cheap(module: str):
    heavy = {"jinja2", "click", "copier", "jax", "tomllib", "difflib", "shutil", "tempfile", "subprocess"}
    code = f"import sys, scaffold.{module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert f"scaffold.{module}" in loaded.split()
    assert heavy.isdisjoint(loaded.split())
