"""`scaffold check`, and the commands of the life cycle as a process sees them: output, JSON and exit codes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scaffold.cli import main
from tests.support.library import BIAS, Library, spec

EDIT = "# mine\n"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library.at(tmp_path)
    library.generate(**{name: spec(name.title()) for name in ("a", "b", "c", "d", "e")})
    return library


def run(library: Library, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--folder", str(library.root)])


def drift(library: Library) -> None:
    """One class in each state."""
    library.append("lib/b.py", EDIT)
    library.write_specs(c=spec("C", BIAS), e=spec("E").replace("self.weight @ x", "self.weight @ x + 1"))
    library.path("lib/d.py").unlink()
    library.edit("lib/e.py", "self.weight @ x", "self.weight @ x + 2")


def test_a_clean_project_is_one_line_and_exit_code_0(library: Library):
    result = run(library, "check")
    assert (result.exit_code, result.stdout) == (0, "11 files: 11 clean\n")


def test_an_edit_is_no_drift(library: Library):
    library.append("lib/b.py", EDIT)
    result = run(library, "check")
    assert (result.exit_code, result.stdout) == (
        0,
        "edited       lib/b.py\n11 files: 10 clean, 1 edited\n",
    )


def test_each_state_is_told_and_drift_is_exit_code_1(library: Library):
    drift(library)
    before = library.tree()
    result = run(library, "check")
    assert (result.exit_code, library.tree()) == (1, before)
    assert result.stdout == (
        "stale        .scaffold/\n"
        "edited       lib/b.py\n"
        "stale        lib/c.py\n"
        "missing      lib/d.py\n"
        "conflicting  lib/e.py: was edited where something else is generated now: 1 place between `<<<<<<<` and `>>>>>>>`\n"
        "stale        tests/test_c.py\n"
        "11 files: 5 clean, 1 edited, 3 stale, 1 missing, 1 conflicting\n"
    )
    assert result.stderr == (
        "next: scaffold update --diff, which shows what both sides changed; scaffold update leaves both between markers\n"
    )


def test_json_has_the_state_of_every_file(library: Library):
    drift(library)
    result = run(library, "check", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["ok"], result.stderr) == (1, False, "")
    states = {file["path"]: file["state"] for file in found["files"]}
    assert [states[f"lib/{name}.py"] for name in "abcde"] == [
        "clean",
        "edited",
        "stale",
        "missing",
        "conflicting",
    ]


@pytest.mark.parametrize("command", ["check", "update"])
def test_a_spec_with_a_fault_is_exit_code_2_and_nothing_is_written(library: Library, command: str):
    library.edit("specs/c.toml", "lecun_normal", "lecun_norml")
    before = library.tree()
    result = run(library, command)
    assert (result.exit_code, library.tree()) == (2, before)
    assert "specs/c.toml:4:42: fields.weight.init" in result.stderr, result.stderr


def test_a_spec_that_is_gone_is_told(library: Library):
    library.path("specs/b.toml").unlink()
    result = run(library, "check")
    assert result.exit_code == 1
    why = "no spec describes `B` any more (`scaffold destroy B`)"
    assert f"stale        lib/b.py: {why}\nstale        tests/test_b.py: {why}\n" in result.stdout
    told = run(library, "update")
    assert (told.exit_code, "specs/b.toml: describes `B` no more" in told.stdout) == (0, True)


def test_a_spec_that_nobody_generated_from_is_missing(library: Library):
    library.write_specs(f=spec("F"))
    result = run(library, "check")
    assert "missing      lib/f.py\n" in result.stdout and "missing      tests/test_f.py\n" in result.stdout


REFUSED = (
    "next: scaffold update, which says how to resolve each conflict, and writes nothing before that is done\n"
)


def test_what_update_refuses_is_not_said_to_be_left_between_markers(library: Library):
    library.append("lib/b.py", EDIT)
    for record in library.path(".scaffold").glob("*.txt"):
        record.unlink()
    result = run(library, "check")
    assert (result.exit_code, result.stderr) == (1, REFUSED)
    assert "bring `.scaffold/` back from version control" in run(library, "update").stderr


def test_markers_that_are_not_solved_are_told_in_the_same_way(library: Library):
    drift(library)
    run(library, "update")
    assert run(library, "check").stderr == REFUSED


@pytest.mark.parametrize("command", ["check", "update"])
@pytest.mark.parametrize(
    "files", [{}, {"pyproject.toml": '[project]\nname = "lib"\n', "lib/__init__.py": ""}]
)
def test_a_folder_where_nothing_is_generated_is_refused(command: str, files: dict[str, str], tmp_path: Path):
    result = run(Library.at(tmp_path, files), command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"error: {tmp_path}: no class is generated here: there is no spec in specs/, no record in .scaffold/, "
        "and no `[tool.scaffold]` in a pyproject.toml\n"
        "  fix: name the folder of the project, as in `--folder path/to/project`, or generate a class first\n"
    )
    found = json.loads(run(Library.at(tmp_path, files), command, "--json").stdout)
    assert (found["ok"], found["faults"][0]["where"]) == (False, str(tmp_path))


@pytest.mark.parametrize("command", ["check", "update"])
def test_an_empty_project_says_so(command: str, tmp_path: Path):
    result = run(Library.at(tmp_path), command)
    assert (result.exit_code, result.stdout) == (0, "no class is generated here\n")


def test_update_tells_what_it_does_and_collisions_are_exit_code_1(library: Library):
    drift(library)
    shown = run(library, "update", "--dry-run")
    result = run(library, "update")
    assert (shown.exit_code, result.exit_code) == (1, 1)
    assert shown.stdout == result.stdout
    assert "collide    lib/e.py\n" in result.stdout and "create     lib/d.py\n" in result.stdout
    assert "error: lib/e.py: was edited where something else is generated now: 1 place" in result.stderr
    assert "+<<<<<<< yours" not in run(library, "update", "--diff").stdout
    again = run(library, "update")
    assert (again.exit_code, "still has the markers of an update" in again.stderr) == (1, True)


def test_a_skeleton_whose_class_was_edited_goes_the_same_way(library: Library):
    skeleton = (
        "from jaxtyping import Array, Float\nfrom scaffold.skeleton import Module, param\n\n\nclass Own(Module):\n"
        '    # What it weighs.\n    weight: Float[Array, " n"] = param("ones")\n\n'
        '    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:\n        return self.weight * x\n'
    )
    library.write("specs/own.py", skeleton)
    assert run(library, "new-module", "--spec", str(library.path("specs/own.py"))).exit_code == 0
    library.edit("lib/own.py", "        return self.weight * x", "    (return self.weight * x + 1  # mine")
    library.write("specs/own.py", skeleton.replace("self.weight * x", "self.weight * x + 2"))
    result = run(library, "new-module", "--spec", str(library.path("specs/own.py")))
    assert result.exit_code == 1 and "collide    lib/own.py\n" in result.stdout, result.output
    assert "# mine\n=======\n" in library.read("lib/own.py")


def test_update_as_json(library: Library):
    drift(library)
    found = json.loads(run(library, "update", "--json").stdout)
    assert (found["ok"], found["written"]) == (False, True)
    assert {"path": "lib/e.py", "action": "collide"} in found["files"]
    assert [fault["where"] for fault in found["faults"]] == ["lib/e.py"]


def test_destroy_says_what_went(library: Library):
    library.append("lib/b.py", EDIT)
    refused = run(library, "destroy", "B", "--json")
    assert (refused.exit_code, json.loads(refused.stdout)["ok"]) == (1, False)
    result = run(library, "destroy", "B", "--force")
    assert result.exit_code == 0
    assert "remove     lib/b.py\n" in result.stdout
    assert "note       lib/b.py: what was there is kept in .scaffold/kept/lib/b.py." in result.stdout
    assert run(library, "check").exit_code == 0


def test_what_is_written_wrong_is_exit_code_2(library: Library):
    for arguments in (("update", "--rename", "A"), ("update", "Nobody"), ("destroy",), ("destroy", "Nobody")):
        assert run(library, *arguments).exit_code == 2, arguments


@pytest.mark.parametrize("command", ["update", "destroy"])
def test_names_are_completed(library: Library, command: str, monkeypatch: pytest.MonkeyPatch):
    from click.shell_completion import ShellComplete

    monkeypatch.chdir(library.root)
    found = ShellComplete(main, {}, "scaffold", "_SCAFFOLD_COMPLETE").get_completions([command], "")
    assert [item.value for item in found] == ["A", "B", "C", "D", "E"]
