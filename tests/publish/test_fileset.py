import json
import os
from functools import partial
from pathlib import Path, PurePosixPath

import pytest

from scaffold.errors import ScaffoldError
from scaffold.files.fileset import Edit, File, make_plan
from tests.support.systems import NEEDS_LINKS
from tests.support.trees import read_tree, write_tree


def file(path: str, text: str, **options: bool) -> File:
    return File(PurePosixPath(path), text, **options)


def append(path: str, line: bytes) -> Edit:
    return Edit(PurePosixPath(path), lambda content: content if line in content else content + line)


def actions(root: Path, *wanted: File | Edit, **options: bool) -> dict[str, str]:
    return {str(step.path): str(step.action) for step in make_plan(root, wanted, **options).steps}


def refusal(call) -> ScaffoldError:
    with pytest.raises(ScaffoldError) as caught:
        call()
    return caught.value


# -- actions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("on_disk", "wanted", "action", "forced"),
    [
        ({}, file("a.py", "x\n"), "create", "create"),
        ({"a.py": "x\n"}, file("a.py", "x\n"), "identical", "identical"),
        ({"a.py": "y\n"}, file("a.py", "x\n"), "conflict", "update"),
        ({"a.py": "x"}, file("a.py", "x\n"), "conflict", "update"),
        ({"a.py": b"\xff"}, file("a.py", "x\n"), "conflict", "update"),
        ({"a.py": "x\r\ny\r\n"}, file("a.py", "x\ny\n"), "identical", "identical"),
        ({"a.py": "x\ry\r"}, file("a.py", "x\ny\n"), "conflict", "update"),
        ({}, file("a.py", "x\n", keep=True), "create", "create"),
        ({"a.py": "y\n"}, file("a.py", "x\n", keep=True), "keep", "keep"),
        ({"a.py/": ""}, file("a.py", "x\n", keep=True), "keep", "keep"),
        ({}, append("a.py", b"x\n"), "create", "create"),
        ({"a.py": "y\n"}, append("a.py", b"x\n"), "update", "update"),
        ({"a.py": "x\n"}, append("a.py", b"x\n"), "identical", "identical"),
        ({}, Edit(PurePosixPath("a.py"), lambda content: content), "identical", "identical"),
    ],
)
def test_action(tmp_path: Path, on_disk, wanted, action: str, forced: str):
    write_tree(tmp_path, on_disk)
    assert actions(tmp_path, wanted) == {"a.py": action}
    assert actions(tmp_path, wanted, force=True) == {"a.py": forced}


def test_planning_writes_nothing(tmp_path: Path):
    write_tree(tmp_path, {"a.py": "y\n"})
    make_plan(tmp_path, [file("a.py", "x\n"), file("new/b.py", "x\n")], force=True)
    assert read_tree(tmp_path) == {"a.py": b"y\n"}


def test_steps_are_sorted_and_carry_both_contents(tmp_path: Path):
    write_tree(tmp_path, {"b.py": "old\n", "c.py": "same\r\n"})
    wanted = [file("c.py", "same\n"), file("b.py", "n\xe9w\n"), file("a/z.py", "z\n"), file("a.py", "")]
    plan = make_plan(tmp_path, wanted, force=True)
    assert [(str(step.path), step.before, step.after) for step in plan.steps] == [
        ("a/z.py", None, b"z\n"),
        ("a.py", None, b""),
        ("b.py", b"old\n", b"n\xc3\xa9w\n"),
        ("c.py", b"same\r\n", b"same\r\n"),
    ]
    assert [str(step.path) for step in plan.writes] == ["a/z.py", "a.py", "b.py"]
    assert make_plan(tmp_path, reversed(wanted), force=True) == plan


def test_same_text_twice_is_one_file_wanted_as_strictly_as_either_asks(tmp_path: Path):
    write_tree(tmp_path, {"a.py": "y\n"})
    assert actions(tmp_path, file("a.py", "x\n"), file("a.py", "x\n")) == {"a.py": "conflict"}
    assert actions(tmp_path, file("a.py", "x\n", keep=True), file("a.py", "x\n")) == {"a.py": "conflict"}


def test_edits_of_one_file_compose_in_order(tmp_path: Path):
    plan = make_plan(tmp_path, [append("a.py", b"1\n"), append("b.py", b"x\n"), append("a.py", b"2\n")])
    assert [step.after for step in plan.steps] == [b"1\n2\n", b"x\n"]


def test_an_edit_starts_from_a_kept_file_or_from_what_is_there(tmp_path: Path):
    wanted = [append("a.py", b"1\n"), file("a.py", '"""Doc."""\n', keep=True)]
    assert make_plan(tmp_path, wanted).steps[0].after == b'"""Doc."""\n1\n'
    write_tree(tmp_path, {"a.py": "mine\n"})
    assert make_plan(tmp_path, wanted).steps[0].after == b"mine\n1\n"


def test_a_kept_file_is_created_even_where_its_edits_change_nothing(tmp_path: Path):
    unchanged = Edit(PurePosixPath("a.py"), lambda content: content)
    assert actions(tmp_path, file("a.py", "x\n", keep=True), unchanged) == {"a.py": "create"}
    assert actions(tmp_path, file("a.py", "", keep=True), unchanged) == {"a.py": "create"}


def test_an_edit_that_refuses_is_reported_with_the_rest(tmp_path: Path):
    def refuse(content: bytes) -> bytes:
        raise ScaffoldError("does not parse", where="b.py:1", fix="mend it")

    write_tree(tmp_path, {"a.py/": ""})
    wanted = [file("a.py", ""), Edit(PurePosixPath("b.py"), refuse)]
    error = refusal(lambda: make_plan(tmp_path, wanted))
    assert [fault.where for fault in error.faults] == ["a.py", "b.py:1"]


# -- requests that cannot be met ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/etc/passwd", "../a.py", "a/../../b.py", "a/..", ".", ""])
def test_a_path_outside_the_project_is_refused(path: str):
    for make in (lambda: file(path, ""), lambda: append(path, b"")):
        error = refusal(make)
        assert "is not a path inside the project\n  fix: give a path below the root" in str(error)
        assert error.exit_code == 2


@pytest.mark.parametrize("path", ["a\\b.py", "C:a.py", "a\n.py", "a\0.py", "\x1b[31m.py"])
def test_a_path_that_means_another_place_elsewhere_is_refused(path: str):
    assert "a path cannot hold" in str(refusal(lambda: file(path, "")))


def test_a_text_that_cannot_be_written_is_refused():
    assert "has carriage returns" in str(refusal(lambda: file("a.py", "x\r\n")))
    assert str(refusal(lambda: file("a.py", "x\udc80"))) == (
        "a.py: the text cannot be written as UTF-8: '\\udc80' at offset 1\n  fix: remove that character"
    )


@pytest.mark.parametrize(
    ("wanted", "fault"),
    [
        (
            [file("a.py", "x\ny\n"), file("a.py", "x\nz\n")],
            "a.py: is asked for twice, with different texts: line 2 is `y` in one and `z` in the other\n"
            "  fix: give one of the two another name",
        ),
        (
            [file("a.py", "x"), file("a.py", "x\n")],
            "a.py: is asked for twice, with different texts: line 2 is `(end)` in one and `` in the other\n"
            "  fix: give one of the two another name",
        ),
        (
            [file("a.py", "x\n"), append("a.py", b"y\n")],
            "a.py: is asked for as a whole file and as an edit\n  fix: ask for one of the two",
        ),
        (
            [file("affine.py", ""), file("Affine.py", "")],
            "affine.py: is the same file as `Affine.py` where case does not count (macOS, Windows)\n"
            "  fix: rename one of the two",
        ),
        (
            [file("a", ""), append("A/b/c.py", b"")],
            "A/b/c.py: needs `a` as a folder, which is to be a file\n  fix: rename one of the two",
        ),
    ],
)
def test_requests_that_contradict_each_other_are_refused(tmp_path: Path, wanted, fault: str):
    error = refusal(lambda: make_plan(tmp_path, wanted))
    assert (str(error), error.exit_code) == (fault, 2)


def test_case_counts_for_different_names_only(tmp_path: Path):
    assert actions(tmp_path, file("A/x.py", ""), file("a/y.py", "")) == {
        "A/x.py": "create",
        "a/y.py": "create",
    }


# -- disks that refuse -------------------------------------------------------------------------------------------------


@NEEDS_LINKS
def test_everything_in_the_way_is_reported_at_once(tmp_path: Path):
    root = write_tree(tmp_path / "root", {"folder.py/": "", "plain": "x\n", "real.py": ""})
    write_tree(tmp_path, {"outside.py": "", "elsewhere/": ""})
    (root / "escape.py").symlink_to("../outside.py")
    (root / "away").symlink_to("../elsewhere")
    (root / "loop.py").symlink_to("loop.py")
    (root / "dangling").symlink_to("nowhere")
    (root / "z_alias.py").symlink_to("real.py")
    os.mkfifo(root / "pipe.py")
    paths = [
        "folder.py",
        "plain/a.py",
        "escape.py",
        "away/a.py",
        "loop.py",
        "dangling/a.py",
        "pipe.py",
        "real.py",
    ]
    error = refusal(
        lambda: make_plan(root, [file(path, "x\n") for path in [*paths, "z_alias.py", "fine.py"]])
    )
    assert str(error).replace(str(tmp_path.resolve()), "TMP") == (
        "away/a.py: a symbolic link leads out of the project, to TMP/elsewhere/a.py\n"
        "  fix: remove the link, or write to another path\n"
        "dangling/a.py: `dangling` is not a folder\n"
        "  fix: move `dangling` away, or write elsewhere\n"
        "escape.py: a symbolic link leads out of the project, to TMP/outside.py\n"
        "  fix: remove the link, or write to another path\n"
        "folder.py: stands where a file is to be written: it is a folder, not a regular file\n"
        "  fix: move it away, or choose another name\n"
        "loop.py: cannot be read: Too many levels of symbolic links\n"
        "  fix: make it readable, or move it away\n"
        "pipe.py: stands where a file is to be written: it is a pipe, not a regular file\n"
        "  fix: move it away, or choose another name\n"
        "plain/a.py: `plain` is not a folder\n"
        "  fix: move `plain` away, or write elsewhere\n"
        "z_alias.py: is the same file as `real.py`, by a symbolic link\n"
        "  fix: remove the link"
    )
    assert error.exit_code == 1


def test_an_unreadable_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def deny(path: Path, *_: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    write_tree(tmp_path, {"a.py": "x\n"})
    monkeypatch.setattr(os, "open", deny)  # not by chmod: root may read everything
    assert str(refusal(lambda: make_plan(tmp_path, [file("a.py", "x\n")]))) == (
        "a.py: cannot be read: Permission denied\n  fix: make it readable, or move it away"
    )


@NEEDS_LINKS
def test_links_inside_the_project_are_followed(tmp_path: Path):
    write_tree(tmp_path, {"real/a.py": "x\n"})
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "b.py").symlink_to("real/a.py")
    (tmp_path / "c.py").symlink_to("real/new.py")
    assert actions(tmp_path, file("link/a.py", "x\n")) == {"link/a.py": "identical"}
    assert actions(tmp_path, file("b.py", "y\n"), file("c.py", "y\n")) == {
        "b.py": "conflict",
        "c.py": "create",
    }


@NEEDS_LINKS
def test_a_kept_link_does_not_count_as_its_target(tmp_path: Path):
    write_tree(tmp_path, {"b.py": "x\n"})
    (tmp_path / "a.py").symlink_to("b.py")
    wanted = [file("a.py", "", keep=True), file("b.py", "x\n")]
    assert actions(tmp_path, *wanted) == {"a.py": "keep", "b.py": "identical"}


@NEEDS_LINKS
def test_a_project_may_lie_behind_a_link_and_need_not_exist(tmp_path: Path):
    (tmp_path / "link").symlink_to(write_tree(tmp_path / "real", {"a.py": "x\n"}))
    assert actions(tmp_path / "link", file("a.py", "x\n")) == {"a.py": "identical"}
    assert actions(tmp_path / "absent", file("a.py", "x\n")) == {"a.py": "create"}
    write_tree(tmp_path, {"plain": ""})
    assert "`.` is not a folder" in str(refusal(partial(make_plan, tmp_path / "plain", [file("a.py", "")])))


# -- how a plan is shown -----------------------------------------------------------------------------------------------


def plan_of_all_actions(root: Path):
    on_disk = {
        "conflict.py": "old\n",
        "identical.py": "x\n",
        "same.py": "x\n",
        "keep.py": "x\n",
        "update.py": "a\nb",
    }
    write_tree(root, on_disk)
    wanted = [file(name, "x\n") for name in ("sub/create.py", "conflict.py", "identical.py", "same.py")]
    return make_plan(root, [*wanted, file("keep.py", "", keep=True), append("update.py", b"\nc")])


def test_summary_and_json(tmp_path: Path):
    plan = plan_of_all_actions(tmp_path)
    assert plan.summary() == (
        "conflict   conflict.py\n"
        "keep       keep.py\n"
        "create     sub/create.py\n"
        "update     update.py\n"
        "identical  2 files"
    )
    assert json.loads(json.dumps(plan.to_json())) == {
        "files": [
            {"path": "conflict.py", "action": "conflict"},
            {"path": "identical.py", "action": "identical"},
            {"path": "keep.py", "action": "keep"},
            {"path": "same.py", "action": "identical"},
            {"path": "sub/create.py", "action": "create"},
            {"path": "update.py", "action": "update"},
        ],
        "commands": [],
        "notes": [],
    }


def test_diff_shows_what_is_created_changed_or_refused(tmp_path: Path):
    assert plan_of_all_actions(tmp_path).diff() == (
        "--- a/conflict.py\n"
        "+++ b/conflict.py\n"
        "@@ -1 +1 @@\n"
        "-old\n"
        "+x\n"
        "--- /dev/null\n"
        "+++ b/sub/create.py\n"
        "@@ -0,0 +1 @@\n"
        "+x\n"
        "--- a/update.py\n"
        "+++ b/update.py\n"
        "@@ -1,2 +1,3 @@\n"
        " a\n"
        "-b\n"
        "\\ No newline at end of file\n"
        "+b\n"
        "+c\n"
        "\\ No newline at end of file\n"
    )


def test_diff_can_be_printed_whatever_the_bytes(tmp_path: Path):
    write_tree(tmp_path, {"a.py": b"caf\xe9\x0cx\n", "b.bin": b"\0\xff"})
    diff = make_plan(tmp_path, [file("a.py", "caf\xe9\n"), file("b.bin", "x\n")]).diff()
    assert "-caf\\xe9\x0cx\n+caf\xe9\n" in diff
    assert diff.endswith("Binary files a/b.bin and b/b.bin differ\n")
    diff.encode()


def test_all_conflicts_are_refused_in_one_report(tmp_path: Path):
    write_tree(tmp_path, {"a.py": "x\n", "b.py": "x\n", "c.py": "x\n"})
    plan = make_plan(tmp_path, [file("b.py", "y\n"), file("a.py", "y\n"), file("c.py", "x\n")])
    error = refusal(plan.refuse_conflicts)
    assert str(error) == (
        "a.py: exists, and differs from what would be written\n"
        "  fix: --force overwrites, --diff shows the difference; or rename\n"
        "b.py: exists, and differs from what would be written\n"
        "  fix: --force overwrites, --diff shows the difference; or rename"
    )
    assert error.exit_code == 1
    assert [str(step.path) for step in plan.conflicts] == ["a.py", "b.py"]
    make_plan(tmp_path, [file("c.py", "x\n"), file("d.py", "")]).refuse_conflicts()
