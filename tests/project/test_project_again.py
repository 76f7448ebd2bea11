"""`scaffold new-project` where a project is already: nothing that somebody wrote is lost, with `--force` or without."""

from pathlib import Path

import pytest

from scaffold import ScaffoldError, publish
from scaffold.files.fileset import Action, Plan
from scaffold.project import plan_project
from tests.project.test_project import made
from tests.support.projects import scaffold
from tests.support.trees import read_tree

EDITED = ("README.md", "pyproject.toml", "study/affine.py", ".gitignore", ".github/workflows/ci.yml")


def again(folder: Path, *, force: bool = True, **answers: str) -> Plan:
    return plan_project(folder, answers, force=force)


def changed(plan: Plan) -> set[str]:
    return {str(step.path) for step in plan.writes}


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


@pytest.mark.slow
def test_force_keeps_registrations_and_the_changelog(tmp_path: Path) -> None:
    project = made(tmp_path / "study")
    added = ("new-module", "Gain", "gain:f[size]=ones", "--call", "x:f[size] -> f[size]")
    assert scaffold(project, *added, "--body", "return self.gain * x").returncode == 0
    append(project / "study/__init__.py", "\nANSWER = 42\n")
    append(project / "CHANGELOG.md", "- Mine.\n")
    before = read_tree(project)
    assert b"import Gain as Gain" in before["study/__init__.py"]
    plan = again(project)
    publish(plan)
    assert (changed(plan), read_tree(project)) == (set(), before)


@pytest.mark.slow
def test_a_package_that_is_there_gets_the_first_classes(tmp_path: Path) -> None:
    package = tmp_path / "study/study"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""Mine."""\n\nANSWER = 42\n')
    publish(again(tmp_path / "study", force=False))
    text = (package / "__init__.py").read_text()
    assert text == '"""Mine."""\n\nfrom .affine import Affine as Affine\n\nANSWER = 42\n'


@pytest.mark.spread(2)
@pytest.mark.parametrize("force", [False, True])
def test_what_was_edited_is_a_conflict(force: bool, tmp_path: Path) -> None:
    project = made(tmp_path / "study")
    for name in EDITED:
        append(project / name, "\n# Mine.\n")
    before = read_tree(project)
    with pytest.raises(ScaffoldError) as caught:
        publish(again(project, force=force))
    assert {fault.where for fault in caught.value.faults} == set(EDITED)
    assert read_tree(project) == before and caught.value.exit_code == 1
    [fix] = {fault.fix for fault in caught.value.faults}
    keeps = "merge it by hand, or delete the file; --force keeps what someone may have edited"
    assert fix == (
        f"--diff shows the difference: {keeps}"
        if force
        else "--diff shows the difference; --force replaces what nobody has edited, and nothing else"
    )


@pytest.mark.slow
def test_force_brings_other_answers_where_nobody_has_edited(tmp_path: Path) -> None:
    project = made(tmp_path / "study")
    assert {str(step.path) for step in again(project, force=False, license="MIT").conflicts} == {
        ".copier-answers.yml",
        "CITATION.cff",
        "LICENSE",
        "pyproject.toml",
    }
    append(project / "pyproject.toml", "\n[tool.mine]\n")
    plan = again(project, license="MIT")
    assert changed(plan) == {".copier-answers.yml", "CITATION.cff", "LICENSE"}
    assert [str(step.path) for step in plan.conflicts] == ["pyproject.toml"]


@pytest.mark.slow
def test_force_replaces_what_is_only_copied(tmp_path: Path) -> None:
    project = made(tmp_path / "study")
    copies = [*project.glob("tests/*.whl"), project / "specs/scaffold.schema.json"]
    before = read_tree(project)
    for path in copies:
        path.write_text("# of an older version\n")
    (project / "tests/conftest.py").unlink()
    names = {path.relative_to(project).as_posix() for path in copies}
    assert len(names) >= 2
    assert {str(step.path) for step in again(project, force=False).conflicts} == names
    publish(again(project))
    assert read_tree(project) == before


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    "answers",
    [
        b"",
        b"[",
        b"\xff\xfe",
        b"- a\n- b\n",
        b"name: jax\n",
        b"kinds: {a: [b]}\n",
        b"unknown: 1\n",
        b"? [a]\n: 1\n",
        b"name: " + b"9" * 5000 + b"\n",
        b"[" * 5000,
    ],
)
def test_answers_that_nobody_understands_make_everything_edited(answers: bytes, tmp_path: Path) -> None:
    project = tmp_path / "study"
    project.mkdir()
    (project / ".copier-answers.yml").write_bytes(answers)
    (project / "README.md").write_text("Mine.\n")
    steps = {str(step.path): step.action for step in again(project).steps}
    assert steps[".copier-answers.yml"] is Action.UPDATE and steps["README.md"] is Action.CONFLICT


@pytest.mark.slow
def test_windows_line_ends_are_no_edit(tmp_path: Path) -> None:
    project = made(tmp_path / "study")
    for name, data in read_tree(project).items():
        if not name.endswith(".whl"):  # binary, as .gitattributes says
            (project / name).write_bytes(data.replace(b"\n", b"\r\n"))
    assert again(project, license="MIT").conflicts == ()
