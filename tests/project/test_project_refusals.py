"""What `scaffold new-project` refuses, and what of the machine it does not listen to."""

import tomllib
from pathlib import Path

import copier
import pytest
import yaml
from copier.errors import CopierError

from scaffold import ScaffoldError
from scaffold.project import parse_answers, plan_project
from tests.project.test_project import TAKEN
from tests.support.projects import REPOSITORY, scaffold
from tests.support.trees import read_tree

LETTERS = "write letters and digits of English, and single hyphens between them"


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("folder", "name", "why", "fix"),
    [
        ("jax", "jax", TAKEN, "my-jax"),
        ("test", "test", TAKEN, "my-test"),
        ("NUL", "nul", TAKEN, "my-nul"),
        ("123", "123", LETTERS, "my-123"),
        ("日本", "", LETTERS, "my-study"),
        ("x" * 37, "x" * 37, "write at most 36 characters, so that imports fit on a line", "my-study"),
    ],
)
def test_a_folder_that_gives_no_name_is_a_fault(
    folder: str, name: str, why: str, fix: str, tmp_path: Path
) -> None:
    with pytest.raises(ScaffoldError) as caught:
        plan_project(tmp_path / folder, {})
    [fault] = caught.value.faults
    assert fault.what == f"the folder gives the project the name {name!r}, which will not do: {why}"
    assert fault.fix == f"give it one with `--data name={fix}`, for example"
    assert plan_project(tmp_path / folder, {"name": fix}).conflicts == ()


def test_the_folder_and_the_answers_are_refused_together(tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError) as caught:
        plan_project(tmp_path / "jax", {"license": "GPL", "nmae": "x"})
    assert [fault.where for fault in caught.value.faults] == ["--data", "--data license", "DIR"]


@pytest.mark.parametrize("folder", ["", "  "])
def test_a_folder_without_a_name_is_refused(folder: str, tmp_path: Path) -> None:
    result = scaffold(tmp_path, "new-project", folder)
    told = "error: DIR: the name of the folder is empty\n  fix: write `.` for the folder you are in\n"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", told)
    assert read_tree(tmp_path) == {}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "study").write_text("mine")
    result = scaffold(tmp_path, "new-project", "study")
    assert result.returncode == 2 and "DIR: `study` is not a folder" in result.stderr
    assert read_tree(tmp_path) == {"study": b"mine"}


def test_an_answer_is_given_once() -> None:
    with pytest.raises(ScaffoldError) as caught:
        parse_answers(["name=a", " name =b", "style", "style=kidger"])
    assert [(fault.where, fault.what) for fault in caught.value.faults] == [
        ("--data", "`style` has no `=`"),
        ("--data name", "is answered more than once"),
    ]


# -- Copier ------------------------------------------------------------------------------------------------------------

OTHERS = "defaults: {license: MIT, style: scientific-python, author: Somebody}\n"
DEFAULTS = {
    "author": "The study authors",
    "backend": "cpu",
    "description": "A library in JAX.",
    "email": "",
    "kinds": ["module"],
    "laws": "wheel",
    "sharding": False,
    "layout": "flat",
    "license": "Apache-2.0",
    "name": "study",
    "repository": "",
    "style": "kidger",
}


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("XDG_CONFIG_HOME", OTHERS),
        ("COPIER_SETTINGS_PATH", OTHERS),
        ("COPIER_SETTINGS_PATH", "defaults: {license: GPL, kinds: 3}\n"),
        ("XDG_CONFIG_HOME", "defaults: [\n"),
        ("COPIER_SETTINGS_PATH", "defaults: 3\n"),
        ("COPIER_SETTINGS_PATH", None),
    ],
)
def test_the_users_own_settings_of_copier_change_nothing(
    variable: str, text: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = tmp_path / "config/copier/settings.yml"
    if text is not None:
        settings.parent.mkdir(parents=True)
        settings.write_text(text)
    monkeypatch.setenv(variable, str(tmp_path / "config" if variable == "XDG_CONFIG_HOME" else settings))
    [remembered] = [
        step.after
        for step in plan_project(tmp_path / "study", {}).steps
        if step.path.name == ".copier-answers.yml"
    ]
    assert yaml.safe_load(remembered or b"") == DEFAULTS


def test_an_older_copier_is_refused_before_it_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("scaffold.project.version", lambda _: "9.14.3")
    with pytest.raises(ScaffoldError) as caught:
        plan_project(tmp_path / "study", {})
    [fault] = caught.value.faults
    assert fault.what == "Copier 9.14.3 is installed, and the template needs 9.15.0 or newer"
    assert fault.fix == "install 'copier>=9.15.0' beside scaffold" and caught.value.exit_code == 1


@pytest.mark.spread(3)
@pytest.mark.parametrize("installed", ["9.15.0", "9.100.0", "10.0.0a1"])
def test_a_newer_copier_is_taken(installed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("scaffold.project.version", lambda _: installed)
    assert plan_project(tmp_path / "study", {}).writes != ()


def test_the_oldest_copier_is_the_same_everywhere() -> None:
    dependencies = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["dependencies"]
    [wanted] = [name for name in dependencies if name.startswith("copier")]
    configurations = sorted((REPOSITORY / "templates").glob("*/copier.yml"))
    oldest = {yaml.safe_load(path.read_text())["_min_copier_version"] for path in configurations}
    assert {f"{wanted.replace('copier>=', '')}.0"} == oldest


@pytest.mark.parametrize("raised", [TypeError("odd"), CopierError("odd"), AssertionError("odd")])
def test_no_traceback_of_copier_gets_out(
    raised: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(copier, "run_copy", fail)
    with pytest.raises(ScaffoldError, match=f"Copier fails: {type(raised).__name__}: odd") as caught:
        plan_project(tmp_path / "study", {})
    assert caught.value.exit_code == 1


@pytest.mark.parametrize("raised", [KeyboardInterrupt, EOFError, PermissionError])
def test_who_has_had_enough_is_no_fault_of_copier(
    raised: type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(copier, "run_copy", fail)
    with pytest.raises(raised):
        plan_project(tmp_path / "study", {})
