"""The settings of a project: `[tool.scaffold]`."""

from pathlib import Path

import pytest

from scaffold.errors import ScaffoldError
from scaffold.in_project.layout import Layout, Settings, find_layout
from tests.support.trees import write_tree


def layout(tmp_path: Path, files: dict[str, str], start: str = ".") -> Layout:
    root = write_tree(tmp_path / "root", {".git/": "", **files})
    return find_layout(root / start)


def refusal(tmp_path: Path, files: dict[str, str]) -> ScaffoldError:
    with pytest.raises(ScaffoldError) as caught:
        layout(tmp_path, files)
    return caught.value


def configured(table: str) -> dict[str, str]:
    return {"pyproject.toml": f"[tool.scaffold]\n{table}\n"}


def test_defaults(tmp_path: Path):
    assert layout(tmp_path, {}).settings == layout(tmp_path, {"pyproject.toml": ""}).settings == Settings()
    assert Settings() == Settings(None, "tests", "specs", None, (), "kidger")


def test_all_settings_are_read(tmp_path: Path):
    table = (
        'package = "pkg"\ntests = "t"\nspecs = "s"\nbackend = "tpu"\n'
        'lower_for = ["cuda", "rocm"]\nstyle = "scientific-python"'
    )
    expected = Settings("pkg", "t", "s", "tpu", ("cuda", "rocm"), "scientific-python")
    assert layout(tmp_path, configured(table)).settings == expected


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        (
            'severity = "style"',
            "tool.scaffold.severity: `style` is not legal\n  legal: fault, cost, advice\n  fix: write one of the legal values",
        ),
        (
            'numbers = "of"',
            "tool.scaffold.numbers: `of` is not legal\n  legal: record, check, compare, update, off\n  fix: did you mean `off`?",
        ),
        (
            'bakcend = "cpu"',
            "tool.scaffold.bakcend: is not a setting\n"
            "  legal: backend, laws, lower_for, numbers, package, save, severity, sharding, and 4 more, which `--json` lists\n  fix: did you mean `backend`?",
        ),
        (
            "verbose = true",
            "tool.scaffold.verbose: is not a setting\n"
            "  legal: backend, laws, lower_for, numbers, package, save, severity, sharding, and 4 more, which `--json` lists\n  fix: remove it",
        ),
        (
            'backend = "cudaa"',
            "tool.scaffold.backend: `cudaa` is not legal\n  legal: cpu, cuda, rocm, tpu\n  fix: did you mean `cuda`?",
        ),
        (
            'style = "pep8"',
            "tool.scaffold.style: `pep8` is not legal\n"
            "  legal: kidger, scientific-python\n  fix: write one of the legal values",
        ),
        (
            'backend = ["cpu"]',
            "tool.scaffold.backend: is a list, and should be a string\n"
            "  legal: cpu, cuda, rocm, tpu\n  fix: write a string",
        ),
        ("tests = true", "tool.scaffold.tests: is a boolean, and should be a string\n  fix: write a string"),
        (
            "package = 1979-05-27",
            "tool.scaffold.package: is a date or a time, and should be a string\n  fix: write a string",
        ),
        (
            'lower_for = "cuda"',
            "tool.scaffold.lower_for: is a string, and should be a list of strings\n"
            "  legal: cpu, cuda, rocm, tpu\n  fix: write a list of strings",
        ),
        (
            "lower_for = [1]",
            "tool.scaffold.lower_for: is an integer, and should be a string\n"
            "  legal: cpu, cuda, rocm, tpu\n  fix: write a string",
        ),
        (
            'package = "my-pkg.sub"',
            "tool.scaffold.package: `my-pkg.sub` is not a package: `my-pkg` is not a name\n"
            '  fix: write an import name such as "pkg.sub", or a folder such as "src/pkg"',
        ),
    ],
)
def test_a_setting_that_cannot_be_used(tmp_path: Path, table: str, fault: str):
    error = refusal(tmp_path, configured(table))
    assert (str(error), error.exit_code) == (f"pyproject.toml: {fault}", 2)


@pytest.mark.parametrize(
    "value",
    ["/tests", "../tests", "a/../../b", "C:/tests", "C:tests", "a\\\\b", "", " ", "\\\\\\\\host\\\\x"],
)
@pytest.mark.parametrize("key", ["tests", "specs"])
def test_a_folder_outside_the_project(tmp_path: Path, key: str, value: str):
    assert (
        "is not a path below the project's root\n"
        '  fix: write a folder inside the project, with forward slashes, such as "tests"'
    ) in str(refusal(tmp_path, configured(f'{key} = "{value}"')))


@pytest.mark.parametrize(
    "value", ["", "/abs/pkg", "../pkg", "a..b", "a/./b", "class", "pkg.def", "1a", "a b", "src\\\\pkg"]
)
def test_a_package_that_cannot_be_imported(tmp_path: Path, value: str):
    error = refusal(tmp_path, configured(f'package = "{value}"'))
    assert error.faults[0].where == "pyproject.toml: tool.scaffold.package"
    assert "is not a package" in str(error)


def test_all_faults_of_the_settings_come_in_one_report(tmp_path: Path):
    table = 'tests = 1\nspecs = "/x"\nbackend = "gpu"\nlower_for = ["cpu", "gpu", 3]\nunknown = 1'
    assert [fault.where.rpartition(".")[2] for fault in refusal(tmp_path, configured(table)).faults] == [
        "backend",
        "lower_for",
        "lower_for",
        "specs",
        "tests",
        "unknown",
    ]


def test_the_table_itself_has_to_be_one(tmp_path: Path):
    error = refusal(tmp_path, {"pyproject.toml": "[tool]\nscaffold = 3\n"})
    assert (
        str(error)
        == "pyproject.toml: tool.scaffold: is an integer, and should be a table\n  fix: write a table"
    )


def test_a_pyproject_that_is_no_toml_is_refused_with_its_line(tmp_path: Path):
    error = refusal(tmp_path, {"pyproject.toml": "[project]\nname = \n"})
    assert str(error).startswith("pyproject.toml: is not valid TOML: Invalid value (at line 2, column 8)\n")
    assert "fix: mend it at that place" in str(error)
    error = refusal(tmp_path, {"pyproject.toml": b"# ok\n# \xe9\n"})
    assert "is not UTF-8 (at line 2)" in str(error)
    assert error.exit_code == 2
