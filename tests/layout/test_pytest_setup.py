"""What configures pytest in a project, what a conftest puts on the path, and the line that is added to one."""

import ast
from pathlib import Path

import pytest
from msgspec.structs import replace

from scaffold.errors import ScaffoldError
from scaffold.generate import plan_new
from scaffold.in_project.conftest import folders_on_path, with_path_lines
from scaffold.in_project.law_files import WHEEL
from scaffold.in_project.layout import find_layout
from scaffold.in_project.pytest_config import PytestConfig
from scaffold.publish import publish
from tests.support.trees import write_tree

TABLE = '[tool.pytest.ini_options]\naddopts = "--import-mode=append"\n'
LINE = "sys.path.insert(0, str(Path(__file__).parent))"


def config(tmp_path: Path, files: dict[str, str], start: str = ".") -> PytestConfig:
    return find_layout(write_tree(tmp_path, {".git/": "", "pyproject.toml": "", **files}) / start).pytest


@pytest.mark.parametrize(
    ("files", "file", "mode"),
    [
        ({}, "", "prepend"),
        ({"pyproject.toml": TABLE}, "pyproject.toml", "append"),
        (
            {"pyproject.toml": '[tool.pytest]\naddopts = ["--import-mode", "importlib"]\n'},
            "pyproject.toml",
            "importlib",
        ),
        ({"pytest.ini": "", "pyproject.toml": TABLE}, "pytest.ini", "prepend"),
        (
            {"pytest.toml": "[pytest]\n", "pytest.ini": "[pytest]\naddopts = --import-mode=append"},
            "pytest.toml",
            "prepend",
        ),
        (
            {"tox.ini": "[tox]\n", "setup.cfg": "[tool:pytest]\naddopts = -q --import-mode=importlib\n"},
            "setup.cfg",
            "importlib",
        ),
        (
            {
                "tox.ini": "[pytest]\naddopts =\n    -q\n    --import-mode=importlib\n",
                "pyproject.toml": TABLE,
            },
            "pyproject.toml",
            "append",
        ),
    ],
)
def test_the_file_that_wins(files: dict[str, str], file: str, mode: str, tmp_path: Path) -> None:
    found = config(tmp_path, files)
    assert (found.file, found.import_mode) == (file, mode)


def test_a_member_has_the_configuration_above_it(tmp_path: Path) -> None:
    found = config(tmp_path, {"pyproject.toml": TABLE, "member/pyproject.toml": ""}, "member")
    assert (found.folder, found.import_mode) == (tmp_path, "append")


def test_a_configuration_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError) as caught:
        config(tmp_path, {"pytest.ini": "no section\n"})
    assert str(caught.value).startswith("pytest.ini: cannot be read, though pytest is configured there: ")


@pytest.mark.parametrize(
    ("option", "value", "note"),
    [
        ("python_classes", "*Suite", "pytest.ini: by `python_classes` pytest will not see `TestAffine`"),
        ("python_functions", "check_*", "pytest.ini: by `python_functions` pytest will not see `TestAffine`"),
        ("testpaths", "elsewhere", "pytest.ini: `testpaths` leaves out tests; bare `pytest` will not run"),
        ("python_classes", "Test* *Suite", ""),
    ],
)
def test_what_pytest_would_not_see_is_told(option: str, value: str, note: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "pyproject.toml": "", "pytest.ini": f"[pytest]\n{option} = {value}\n"})
    notes = plan_new({"name": "Affine", "fields": {"w": "f[n]"}}, find_layout(tmp_path)).notes
    assert [told.startswith(note) for told in notes] == [True] * bool(note)


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("sys.path.insert(0, str(Path(__file__).parent))", ["tests"]),
        ("sys.path.append(os.path.dirname(os.path.abspath(__file__)))", ["tests"]),
        (
            "HERE = Path(__file__).resolve().parent\nsys.path[:0] = [str(HERE), str(HERE.parent / 'src')]",
            ["tests", "src"],
        ),
        ("sys.path += [os.path.join(os.path.dirname(__file__), 'laws')]", ["tests/laws"]),
        ("sys.path.insert(0, str(Path(__file__).parents[1]))", ["."]),
        ("sys.path.insert(0, os.environ['WHERE'])", []),
        ("sys.path.insert(0, str(Path(__file__).parents[900]))", []),
    ],
)
def test_what_a_conftest_puts_on_the_path(text: str, folders: list[str], tmp_path: Path) -> None:
    found = folders_on_path(text.encode(), tmp_path / "tests/conftest.py")
    assert found == [tmp_path / folder for folder in folders]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", f"import sys\nfrom pathlib import Path\n\n{LINE}\n"),
        (
            '"""Ours."""\n\nimport os\n\nimport pytest\n\nONE = os, pytest\n',
            f'"""Ours."""\n\nimport os\nimport sys\nfrom pathlib import Path\n\nimport pytest\n\n{LINE}\n\nONE = os, pytest\n',
        ),
        ("import sys\nfrom pathlib import Path\n", f"import sys\nfrom pathlib import Path\n\n{LINE}\n"),
        (
            f"import sys\nfrom pathlib import Path\n\n{LINE}\n",
            f"import sys\nfrom pathlib import Path\n\n{LINE}\n",
        ),
    ],
)
def test_the_line_is_added_once_and_in_order(source: str, expected: str, tmp_path: Path) -> None:
    place = tmp_path / "tests/conftest.py"
    found = with_path_lines(source.encode(), [LINE], place, "tests/conftest.py")
    assert found.decode() == expected
    assert with_path_lines(found, [LINE], place, "tests/conftest.py") == found


OF_LAWS = 'sys.path.extend(map(str, Path(__file__).parent.glob("pytree_laws-*.whl")))'


def test_where_the_laws_come_by_a_wheel_their_options_come_as_well(tmp_path: Path) -> None:
    place = tmp_path / "tests/conftest.py"
    added = with_path_lines(b"import pytest\n", [OF_LAWS], place, "tests/conftest.py")
    expected = "\n\nimport pytree_laws.plugin\n\npytest_addoption = pytree_laws.plugin.pytest_addoption\n"
    assert added.decode().endswith(OF_LAWS + expected)
    assert with_path_lines(added, [OF_LAWS], place, "tests/conftest.py") == added
    own = b"import pytest\n\n\ndef pytest_addoption(parser):\n    pass\n"
    assert b"pytree_laws.plugin" not in with_path_lines(own, [OF_LAWS], place, "tests/conftest.py")


def test_another_meaning_of_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError) as caught:
        with_path_lines(b"from py.path import Path\n", [LINE], tmp_path / "conftest.py", "tests/conftest.py")
    assert str(caught.value) == (
        "tests/conftest.py:1: means something else by `Path`, which is needed to put the folder of the tests on the path\n"
        '  fix: rename it, or write `pythonpath = ["tests"]` for pytest'
    )


def test_the_conftest_changes_nothing_in_how_other_tests_run(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {".git/": ""})
    publish(plan_new({"name": "Affine", "fields": {"w": "f[n]"}}, find_layout(root)))
    conftest = ast.parse((root / "tests/conftest.py").read_text())
    hooks = [node for node in conftest.body if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)]
    imported = [
        alias.name for node in conftest.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    assert [ast.unparse(node) for node in hooks] == ["__all__ = ['pytest_addoption']"]
    assert imported == ["Path", "pytest_addoption"]


def test_a_folder_that_would_hide_a_module_is_not_put_on_the_path(tmp_path: Path) -> None:
    files = {
        ".git/": "",
        "pyproject.toml": '[project]\nname = "lib"\ndependencies = ["equinox"]\n',
        "lib/__init__.py": "",
        "tests/__init__.py": "",
        "tests/random.py": "",
        "tests/test_root.py": "import lib\n",
    }
    layout = replace(find_layout(write_tree(tmp_path, files)), laws=WHEEL)
    plan = plan_new({"name": "Affine", "fields": {"w": "f[n]"}}, layout)
    made = next(step.after for step in plan.writes if step.path.name == "conftest.py")
    line = b'\nsys.path.extend(map(str, Path(__file__).parent.glob("pytree_laws-*.whl")))\n'
    assert made is not None and line in made and b"insert" not in made


@pytest.mark.parametrize(
    ("addopts", "checked"),
    [
        ("-q", ""),
        ("--jaxtyping-packages=lib,beartype.beartype -q", "lib,beartype.beartype"),
        ("--jaxtyping-packages a,typeguard.typechecked", "a,typeguard.typechecked"),
        ("--jaxtyping-packages=a,b.c --jaxtyping-packages=lib,b.c", "lib,b.c"),
    ],
)
def test_packages_whose_annotations_are_checked(addopts: str, checked: str, tmp_path: Path) -> None:
    files = {"pyproject.toml": f'[tool.pytest.ini_options]\naddopts = "{addopts}"\n'}
    assert config(tmp_path, files).checked_types == checked
