"""A folder that is copied as a whole: an older copy that nobody edited gives way, an edited one stays, and holds up nothing else."""

import json
import os
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from scaffold import ScaffoldError, publish
from scaffold.files.fileset import Action, File, Plan, make_plan
from scaffold.files.folders import DIGESTS, Folder, with_folder
from scaffold.law_texts import law_texts
from tests.projects import AFFINE, scaffold
from tests.support import read_tree, write_tree

PLACE = PurePosixPath("tests/lib")
OLD = {"__init__.py": "old = 1\n", "part/gone.py": "gone = 1\n", "part/same.py": "same = 1\n"}
NEW = {"__init__.py": "new = 1\n", "part/more.py": "more = 1\n", "part/same.py": "same = 1\n"}
MINE = File(PurePosixPath("mine.py"), "mine = 1\n")


def planned(root: Path, files: dict[str, str], *, force: bool = False) -> Plan:
    plan = make_plan(root, [MINE], force=force)
    return with_folder(plan, Folder(PLACE, files), force=force)


def copied(root: Path, files: dict[str, str], *, force: bool = False) -> list[str]:
    """Publishes, and gives the lines of the plan."""
    plan = planned(root, files, force=force)
    publish(plan)
    return plan.summary().splitlines()


def held(root: Path) -> dict[str, str]:
    found = {path: data.decode() for path, data in read_tree(root / PLACE).items()}
    return {path: text for path, text in found.items() if path != DIGESTS}


def test_a_copy_is_one_line_with_the_number_of_its_files(tmp_path: Path) -> None:
    assert copied(tmp_path, OLD) == ["create     mine.py", "create     tests/lib/ (4 files)"]
    assert held(tmp_path) == OLD
    assert copied(tmp_path, OLD) == ["identical  mine.py", "identical  tests/lib/ (4 files)"]
    entry = planned(tmp_path, NEW).to_json()["files"]
    assert entry == [
        {"path": "mine.py", "action": "identical"},
        {"path": "tests/lib/", "action": "update", "files": 4},
    ]


def test_an_older_copy_that_nobody_edited_is_replaced(tmp_path: Path) -> None:
    copied(tmp_path, OLD)
    write_tree(tmp_path, {"tests/lib/of_the_user.py": "kept = 1\n"})
    plan = planned(tmp_path, NEW)
    assert plan.diff() == "update tests/lib/ (4 files)\n" and not plan.conflicts
    assert copied(tmp_path, NEW)[1] == "update     tests/lib/ (4 files)"
    assert held(tmp_path) == {**NEW, "of_the_user.py": "kept = 1\n"}
    assert copied(tmp_path, NEW)[1] == "identical  tests/lib/ (4 files)"


def test_line_ends_of_windows_are_no_edit(tmp_path: Path) -> None:
    copied(tmp_path, OLD)
    for path in (tmp_path / PLACE).rglob("*.*"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    copied(tmp_path, NEW)
    assert held(tmp_path)["__init__.py"] == NEW["__init__.py"]


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ({"__init__.py": "mine = 1\n"}, "__init__.py"),
        ({"part/same.py": "mine = 1\n"}, "part/same.py"),
        ({"part/more.py": "mine = 1\n"}, "part/more.py"),
    ],
)
def test_an_edited_copy_stays_and_holds_up_nothing_else(
    edit: dict[str, str], told: str, tmp_path: Path
) -> None:
    copied(tmp_path, OLD)
    (tmp_path / "mine.py").unlink()
    write_tree(tmp_path / PLACE, edit)
    before = held(tmp_path)
    left = f"conflict   tests/lib/ (edited: {told}; left as it is, --force replaces it)"
    assert copied(tmp_path, NEW) == ["create     mine.py", left]
    assert held(tmp_path) == before and (tmp_path / "mine.py").is_file()
    assert copied(tmp_path, NEW, force=True)[1] == "update     tests/lib/ (4 files)"
    assert held(tmp_path) == NEW


def test_a_conflict_of_another_file_holds_up_the_folder_too(tmp_path: Path) -> None:
    copied(tmp_path, OLD)
    write_tree(tmp_path, {"mine.py": "other = 1\n", "tests/lib/part/same.py": "mine = 1\n"})
    before = read_tree(tmp_path)
    with pytest.raises(ScaffoldError) as caught:
        copied(tmp_path, NEW)
    assert caught.value.exit_code == 1 and read_tree(tmp_path) == before
    assert str(caught.value) == (
        "mine.py: exists, and differs from what would be written\n"
        "  fix: --force overwrites, --diff shows the difference; or rename\n"
        "tests/lib/: was edited, and is left as it is: part/same.py\n"
        "  fix: --force replaces it"
    )


def test_of_many_edited_files_the_first_are_named(tmp_path: Path) -> None:
    many = {f"{name}.py": "x = 1\n" for name in "abcde"}
    copied(tmp_path, many)
    write_tree(tmp_path / PLACE, dict.fromkeys(many, "x = 2\n"))
    line = planned(tmp_path, many).lines()[1]
    assert line.told == "tests/lib/ (edited: a.py, b.py, c.py and 2 more; left as it is, --force replaces it)"
    assert line.to_json()["edited"] == sorted(many)


def test_what_is_edited_while_the_run_writes_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied(tmp_path, OLD)
    plan = planned(tmp_path, NEW)
    write_tree(tmp_path / PLACE, {"part/same.py": "mine = 1\n"})
    before = read_tree(tmp_path)
    with pytest.raises(ScaffoldError, match="has changed since the plan was made; nothing was changed"):
        publish(plan)
    assert read_tree(tmp_path) == before


def test_a_file_that_was_deleted_is_an_edit(tmp_path: Path) -> None:
    copied(tmp_path, OLD)
    (tmp_path / PLACE / "part/same.py").unlink()
    assert copied(tmp_path, NEW)[1].startswith("conflict   tests/lib/ (edited: part/same.py;")


def test_a_copy_without_its_digests_is_taken_as_it_is_or_is_edited(tmp_path: Path) -> None:
    write_tree(tmp_path / PLACE, NEW)  # as plain Copier copies it
    assert copied(tmp_path, NEW)[1] == "create     tests/lib/ (4 files)"
    (tmp_path / PLACE / DIGESTS).unlink()
    assert planned(tmp_path, OLD).lines()[1].edited == ("__init__.py",)


def test_digests_that_lead_elsewhere_are_not_followed(tmp_path: Path) -> None:
    copied(tmp_path, OLD)
    outside = tmp_path / "outside.py"
    outside.write_text("outside = 1\n")
    lines = f"{'0' * 64}  ../../outside.py\n{'0' * 64}  /etc/hosts\nnonsense\n"
    with (tmp_path / PLACE / DIGESTS).open("a") as file:
        file.write(lines)
    copied(tmp_path, NEW)
    assert outside.is_file() and held(tmp_path) == NEW


def test_the_digests_are_what_sha256sum_reads(tmp_path: Path) -> None:
    copied(tmp_path, OLD)
    command = ["sha256sum", "--check", "--strict", DIGESTS]
    assert subprocess.run(command, cwd=tmp_path / PLACE, capture_output=True).returncode == 0
    (tmp_path / PLACE / "__init__.py").write_text("mine = 1\n")
    assert subprocess.run(command, cwd=tmp_path / PLACE, capture_output=True).returncode == 1


def test_a_failed_write_brings_back_what_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied(tmp_path, OLD)
    before = read_tree(tmp_path)
    plan = planned(tmp_path, NEW)
    assert Action.REMOVE in {step.action for step in plan.steps}

    replace = os.replace

    def fails_at_the_last(source: Path, target: Path) -> None:
        if target.name == "more.py":  # the removal comes before it
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails_at_the_last)
    with pytest.raises(ScaffoldError, match="No space left"):
        publish(plan)
    monkeypatch.undo()
    assert read_tree(tmp_path) == before


def test_the_tool_copies_the_laws_as_such_a_folder(tmp_path: Path) -> None:
    assert scaffold(tmp_path, "new-module", *AFFINE).returncode == 0
    law = tmp_path / "tests/pytree_laws/laws/p03_round_trip.py"
    law.write_text(law.read_text() + "# mine\n")
    told = scaffold(tmp_path, "new-module", "Other", *AFFINE[1:], "--json")
    said = json.loads(told.stdout)
    assert told.returncode == 1 and (said["ok"], said["written"]) == (False, True)
    [folder] = [entry for entry in said["files"] if entry["path"] == "tests/pytree_laws/"]
    assert folder["action"] == "conflict" and folder["edited"] == ["laws/p03_round_trip.py"]
    [fault] = said["faults"]
    assert (fault["where"], fault["fix"]) == ("tests/pytree_laws/", "--force replaces it")
    assert (tmp_path / "other.py").is_file() and law.read_text().endswith("# mine\n")
    shown = scaffold(tmp_path, "new-module", "Third", *AFFINE[1:])
    assert shown.returncode == 1 and "create     third.py" in shown.stdout.splitlines()
    edited = "was edited, and is left as it is: laws/p03_round_trip.py"
    assert shown.stderr == f"error: tests/pytree_laws/: {edited}\n  fix: --force replaces it\n"
    again = scaffold(tmp_path, "new-module", "Other", *AFFINE[1:], "--force")
    assert f"update     tests/pytree_laws/ ({len(law_texts()) + 1} files)" in again.stdout.splitlines()
    assert not law.read_text().endswith("# mine\n")
