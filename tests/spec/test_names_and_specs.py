"""Names that would hide, or be hidden; and where specs are found."""

from pathlib import Path

import pytest

from scaffold.errors import ScaffoldError
from scaffold.generate import load_specs, plan_modules, plan_new, shown_files
from scaffold.in_project.layout import find_layout
from tests.support.trees import write_tree

PYPROJECT = '[project]\nname = "lib"\ndependencies = ["equinox"]\n[dependency-groups]\ndev = ["pytest"]\n'
SPEC = 'name = "{}"\n[fields]\nweight = "f[n]"\n'


def refusal(tmp_path: Path, files: dict[str, str], name: str = "Affine") -> str:
    layout = find_layout(write_tree(tmp_path, {".git/": "", **files}))
    with pytest.raises(ScaffoldError) as caught:
        plan_new({"name": name, "fields": {"weight": "f[n]"}}, layout)
    return str(caught.value)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("affine/__init__.py", "the package `lib/affine/` would hide `lib/affine.py` from every import"),
        (
            "affine/more.py",
            "`lib/affine.py` would hide what is in the folder `lib/affine/` from every import",
        ),
        (
            "affine.cpython-311-x86_64-linux-gnu.so",
            "the compiled `lib/affine.cpython-311-x86_64-linux-gnu.so` would hide",
        ),
    ],
)
def test_what_lies_beside_and_would_hide_it(file: str, said: str, tmp_path: Path) -> None:
    found = refusal(tmp_path, {"pyproject.toml": PYPROJECT, "lib/__init__.py": "", f"lib/{file}": ""})
    assert found.startswith(f"NAME: {said}")


def test_a_folder_of_data_hides_nothing(tmp_path: Path) -> None:
    files = {".git/": "", "pyproject.toml": PYPROJECT, "lib/__init__.py": "", "lib/affine/data.csv": ""}
    plan = plan_new(
        {"name": "Affine", "fields": {"weight": "f[n]"}}, find_layout(write_tree(tmp_path, files))
    )
    assert not plan.conflicts


@pytest.mark.parametrize(
    "line", ["from .functional import affine", "import affine", "def affine(): ...", "affine = 1"]
)
def test_a_name_of_the_package_that_the_module_would_replace(line: str, tmp_path: Path) -> None:
    found = refusal(tmp_path, {"pyproject.toml": PYPROJECT, "lib/__init__.py": f"{line}\n"})
    assert found == (
        "lib/__init__.py:1: `affine` means something else there, whose place the new module `affine` would take\n"
        "  fix: choose another name for the class, or rename what is there"
    )


@pytest.mark.parametrize(
    "name",
    ["MlDtypes", "OptEinsum", "WadlerLindig", "TypingExtensions", "Pluggy", "Pygments", "Iniconfig", "Numpy", "Random",
     "Types", "Scipy", "Absl", "Conftest"],
)  # fmt: skip
def test_a_loose_module_hides_nothing_that_is_needed(name: str, tmp_path: Path) -> None:
    assert "would hide the module `" in refusal(tmp_path, {}, name)


def test_what_is_installed_says_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    site = ".venv/lib/python3.13/site-packages"
    files = {
        f"{site}/newdep.py": "",
        f"{site}/other.py": "",
        f"{site}/jax-9.dist-info/METADATA": "Metadata-Version: 2.1\nName: jax\nVersion: 9\nRequires-Dist: new-dep>=1\n",
        f"{site}/new_dep-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: new-dep\nVersion: 1\n",
        f"{site}/new_dep-1.dist-info/RECORD": "newdep.py,,\n",
        f"{site}/other-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: other\nVersion: 1\n",
        f"{site}/other-1.dist-info/RECORD": "other.py,,\n",
    }
    assert "`newdep.py` would hide the module `newdep`" in refusal(tmp_path, files, "Newdep")
    plan_new({"name": "Other", "fields": {"weight": "f[n]"}}, find_layout(tmp_path))


# -- specs -------------------------------------------------------------------------------------------------------------


def test_a_spec_is_found_by_the_class_that_it_describes(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/bar.toml": SPEC.format("Affine")})
    assert [str(file.path) for file in shown_files("Affine", find_layout(tmp_path))] == [
        "affine.py",
        "tests/test_affine.py",
    ]


def test_a_spec_that_is_not_found_says_where_it_was_looked_for(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            ".git/": "",
            "specs/affine.toml": SPEC.format("Other"),
            "elsewhere/affine.toml": SPEC.format("Affine"),
        },
    )
    with pytest.raises(ScaffoldError) as caught:
        shown_files("Affine", find_layout(tmp_path))
    assert str(caught.value) == (
        'specs/affine.toml: there is no spec of `Affine`: looked for specs/affine.toml, for `name = "Affine"` in '
        "specs/*.toml, and for `class Affine` in specs/*.py; specs/affine.toml describes `Other`\n  legal: Other\n"
        "  fix: name a spec by its path, as in `scaffold show path/to/spec.toml`, or set `specs` under [tool.scaffold]"
    )


def test_a_spec_elsewhere_finds_those_beside_it(tmp_path: Path) -> None:
    outer = 'name = "Outer"\n[fields]\ninner = "Inner"\n'
    write_tree(tmp_path, {".git/": "", "more/outer.toml": outer, "more/odd.toml": SPEC.format("Inner")})
    plan = plan_modules(load_specs([tmp_path / "more/outer.toml"]), find_layout(tmp_path))
    assert "outer.py" in [str(step.path) for step in plan.writes]


def test_a_class_without_a_spec_says_where_it_was_looked_for(tmp_path: Path) -> None:
    outer = 'name = "Outer"\n[fields]\ninner = "Inner"\n[test]\nvalues = { inner = "=Inner()" }\n'
    write_tree(tmp_path, {".git/": "", "more/outer.toml": outer})
    with pytest.raises(ScaffoldError) as caught:
        plan_modules(load_specs([tmp_path / "more/outer.toml"]), find_layout(tmp_path))
    assert "there is no class `Inner`: looked for it in specs and beside the spec" in str(caught.value)
