"""`scaffold new-module` from the command line to a green test suite."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from scaffold.law_wheel import law_wheel
from tests.support.projects import AFFINE, bare_pytest, passed, run, scaffold
from tests.support.trees import read_tree, write_tree

LOOSE = ("affine.py", "specs/affine.toml", "specs/scaffold.schema.json")
WHEEL = f"tests/{law_wheel().name}"
TESTS = ("tests/conftest.py", WHEEL, "tests/test_affine.py")
RECORDS = (".scaffold/Affine.txt",)
PROJECTS = {
    "empty folder": ({}, LOOSE),
    "project without a package": ({"pyproject.toml": '[project]\nname = "study"\nversion = "0"\n'}, LOOSE),
    "flat layout": (
        {"pyproject.toml": '[project]\nname = "my-study"\nversion = "0"\n', "my_study/__init__.py": ""},
        ("my_study/affine.py", *LOOSE[1:]),
    ),
    "src layout": (
        {"pyproject.toml": '[project]\nname = "my-study"\nversion = "0"\n', "src/my_study/__init__.py": ""},
        ("src/my_study/affine.py", *LOOSE[1:]),
    ),
    "other folders": (
        {
            "pyproject.toml": '[tool.scaffold]\npackage = "lib"\ntests = "checks/unit"\nspecs = "classes"\n',
            "src/lib/__init__.py": "",
        },
        ("src/lib/affine.py", "classes/affine.toml", "classes/scaffold.schema.json"),
    ),
}


@pytest.mark.spread(6)
@pytest.mark.parametrize("project", PROJECTS)
def test_generated_tests_pass_where_they_are_written(project: str, tmp_path: Path) -> None:
    before, modules = PROJECTS[project]
    write_tree(tmp_path, before)
    result = scaffold(tmp_path, "new-module", *AFFINE, "--laws", "wheel")
    assert result.returncode == 0, result.stderr
    tests = "checks/unit" if project == "other folders" else "tests"
    expected = {*before, *modules, *RECORDS, *(path.replace("tests/", f"{tests}/", 1) for path in TESTS)}
    assert set(read_tree(tmp_path)) == expected
    assert passed(bare_pytest(tmp_path)) >= 15


def test_the_package_gets_its_import_once(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {"pyproject.toml": '[project]\nname = "lib"\n', "lib/__init__.py": '"""Library."""\r\n'}
    )
    for _ in range(2):
        assert scaffold(tmp_path, "new-module", *AFFINE).returncode == 0
    text = (tmp_path / "lib/__init__.py").read_bytes()
    assert text == b'"""Library."""\r\n\r\nfrom .affine import Affine as Affine\r\n'


def test_tokens_write_the_spec_that_generates_the_same(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write_tree(tmp_path, {"first/": "", "second/": ""})
    assert scaffold(first, "new-module", *AFFINE).returncode == 0
    spec = (first / "specs/affine.toml").read_text()
    assert spec.startswith("#:schema ./scaffold.schema.json\n")
    assert tomllib.loads(spec)["fields"]["weight"] == {"type": "f[out_size,in_size]", "init": "lecun_normal"}
    write_tree(second, {"specs/affine.toml": spec})
    assert scaffold(second, "new-module", "--spec", "specs/affine.toml").returncode == 0
    generated = ("affine.py", "tests/test_affine.py")
    assert [read_tree(first)[path] for path in generated] == [read_tree(second)[path] for path in generated]


def test_many_specs_are_one_plan(tmp_path: Path) -> None:
    field = '[fields]\nweight = "f[size]=ones"\n'
    specs = {f"specs/{name}.toml": f'name = "{name.title()}"\n{field}' for name in ("one", "two")}
    specs["specs/bad.toml"] = 'name = "Bad"\n[fields]\nweight = "f[size]=one"\n'
    write_tree(tmp_path, specs)
    before = read_tree(tmp_path)
    result = scaffold(tmp_path, "new-module", "--spec", "specs/one.toml", "specs/two.toml", "specs/bad.toml")
    assert (result.returncode, read_tree(tmp_path)) == (2, before)
    assert "did you mean `ones`?" in result.stderr
    assert scaffold(tmp_path, "new-module", "--spec", "specs/one.toml", "specs/two.toml").returncode == 0
    assert {"one.py", "two.py"} <= set(read_tree(tmp_path))


def test_dry_run_and_diff_write_nothing(tmp_path: Path) -> None:
    dry = scaffold(tmp_path, "new-module", *AFFINE, "--dry-run")
    diff = scaffold(tmp_path, "new-module", *AFFINE, "--diff")
    assert (dry.returncode, diff.returncode, read_tree(tmp_path)) == (0, 0, {})
    assert "create     affine.py" in dry.stdout
    assert "+class Affine(eqx.Module):" in diff.stdout


def test_conflicts_are_listed_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    write_tree(tmp_path, {"affine.py": "mine = 1\n", "tests/test_affine.py": "mine = 2\n"})
    before = read_tree(tmp_path)
    result = scaffold(tmp_path, "new-module", *AFFINE)
    assert (result.returncode, read_tree(tmp_path)) == (1, before)
    assert "affine.py: exists" in result.stderr and "also: tests/test_affine.py" in result.stderr
    forced = scaffold(tmp_path, "new-module", *AFFINE, "--force")
    assert forced.returncode == 0
    after = read_tree(tmp_path)
    assert b"class Affine" in after["affine.py"]
    copies = re.findall(r"note +(\S+): what was there is kept in (\S+)", forced.stdout)
    assert {path: after[copy] for path, copy in copies} == before


@pytest.mark.slow
def test_a_conftest_of_the_users_stays(tmp_path: Path) -> None:
    own = "import sys\nfrom pathlib import Path\nsys.path[:0] = [str(Path(__file__).parent.parent)]\n"
    write_tree(tmp_path, {"tests/conftest.py": own})
    assert scaffold(tmp_path, "new-module", *AFFINE).returncode == 0
    assert read_tree(tmp_path)["tests/conftest.py"] == own.encode()
    assert passed(bare_pytest(tmp_path)) >= 15


def test_json_says_what_was_done_and_what_is_wrong(tmp_path: Path) -> None:
    done = json.loads(scaffold(tmp_path, "new-module", *AFFINE, "--json").stdout)
    assert done["ok"] and done["written"]
    assert {"path": "affine.py", "action": "create"} in done["files"]
    wrong = scaffold(tmp_path, "new-module", "Other", "weight:f[size]=one", "--json")
    [fault] = json.loads(wrong.stdout)["faults"]
    assert (wrong.returncode, fault["fix"]) == (2, "did you mean `ones`?")


def test_without_a_name_or_a_terminal_the_error_says_what_to_write(tmp_path: Path) -> None:
    result = scaffold(tmp_path, "new-module")
    assert (result.returncode, read_tree(tmp_path)) == (2, {})
    assert "fix: write `scaffold new-module NAME FIELDS...` or `--spec FILE`" in result.stderr


def test_a_module_that_would_hide_another_is_refused_in_a_loose_folder(tmp_path: Path) -> None:
    result = scaffold(tmp_path, "new-module", "Types", "weight:f[size]=ones")
    assert result.returncode == 2
    assert "`types.py` would hide the module `types` from every import" in result.stderr


def test_a_class_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = scaffold(tmp_path, "new-module", "Pair", "first:Affine==Affine.create(2, 2, key=key)")
    assert result.returncode == 2
    assert "there is no class `Affine`" in result.stderr


@pytest.mark.parametrize("command", [("kinds",), ("laws",), ("laws", "P3"), ("schema",)])
def test_references_print_json(command: tuple[str, ...], tmp_path: Path) -> None:
    result = scaffold(tmp_path, *command, "--json")
    assert result.returncode == 0
    assert json.loads(result.stdout)


def test_an_unknown_law_is_answered_with_the_nearest(tmp_path: Path) -> None:
    result = scaffold(tmp_path, "laws", "round-trip")
    assert (result.returncode, "did you mean `round trip`?" in result.stderr) == (2, True)


def test_show_prints_what_would_be_written(tmp_path: Path) -> None:
    assert scaffold(tmp_path, "new-module", *AFFINE).returncode == 0
    shown = scaffold(tmp_path, "show", "Affine", "--code").stdout
    assert shown.startswith("# --- affine.py\n" + (tmp_path / "affine.py").read_text())


def test_both_scripts_are_installed() -> None:
    import sys

    for script in ("scaffold", "jax-scaffold"):
        result = run([str(Path(sys.executable).parent / script), "--version"], Path.cwd())
        assert (result.returncode, result.stdout.startswith("scaffold, version ")) == (0, True)
