"""docs/publishing.md shows what is said when a run is killed or meets another; real runs make it, `--refresh-examples` writes it."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from scaffold.errors import ScaffoldError
from scaffold.generate import load_spec
from scaffold.publish import lock as locking
from scaffold.publish import publish
from scaffold.publish.lock import project_lock
from scaffold.publish.signals import stoppable
from tests.publish.test_publish_killed import (
    fresh_tree,
    killed,
    killed_at_second_rename,
    recovered,
    refused,
    wanted_plan,
)
from tests.support.projects import REPOSITORY

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs are forked")
DOCUMENT = REPOSITORY / "docs" / "publishing.md"
HEAD = """# When a run is stopped, killed, or meets another

A run writes everything of its plan, or nothing, and it loses nothing of what was there. What it says, from real runs; a test
makes this page.

While it writes, it has a file `.scaffold-lock` in the project's root and files `.scaffold-*` beside those that it writes; all of
them go when it ends. Only a run that was killed leaves them, for the next one. The `.gitignore` of a new project names them.

| what happens | what is on the disk afterwards | exit code |
|---|---|---|
| SIGINT (Ctrl-C) | nothing was changed | 1 |
| SIGTERM, SIGHUP | nothing was changed | 143, 129 (128 and the signal's number) |
| SIGKILL, or a power cut | the next run finishes it or undoes it | |
| a full disk, or a file that cannot be written | nothing was changed | 1 |
| another run writes in the same project | both have written, one after the other | 0 |
| an editor saves `__init__.py` meanwhile | what was saved, with the import added | 0 |
| an editor saves another file of the plan meanwhile | nothing was changed but what the editor saved | 1 |

A file system without locks has the lock file alone: then a run that was killed on another computer is waited for until its
file is ten minutes old.
"""


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(ScaffoldError) as caught:
        call()
    return str(caught.value)


def finished(root: Path) -> str:
    killed_at_second_rename(root)
    return "\n".join(recovered(root))


def undone(root: Path) -> str:
    killed(root, "link")
    return "\n".join(recovered(root))


def edited_in_both(root: Path) -> str:
    killed_at_second_rename(root)
    for name in ("pkg/__init__.py", "pkg/a.py"):
        (root / name).write_text("edited meanwhile\n")
    return refused(root)


def damaged(root: Path) -> str:
    killed_at_second_rename(root)
    with (root / ".scaffold-lock").open("ab") as file:
        file.write(b"damage\n")
    return refused(root)


def stopped(root: Path) -> str:
    os.link, link = (lambda *_: os.kill(os.getpid(), signal.SIGTERM)), os.link
    try:
        with pytest.raises(SystemExit) as caught, stoppable():
            publish(wanted_plan(root))
    finally:
        os.link = link
    return str(caught.value)


def held(root: Path) -> str:
    with project_lock(root, lambda _: None):
        return refusal(lambda: publish(wanted_plan(root)))


def read_only(root: Path) -> str:
    (root / "pkg/a.py").chmod(0o444)
    return refusal(lambda: publish(wanted_plan(root)))


def device(_: Path) -> str:
    return refusal(lambda: load_spec(Path("/dev/zero")))


CASES = {
    "An earlier run was killed when a part was in its place": finished,
    "An earlier run was killed before that": undone,
    "An earlier run was killed, and its files were edited since": edited_in_both,
    "The lock file is damaged": damaged,
    "SIGTERM": stopped,
    "Another run does not end": held,
    "A file is read-only": read_only,
    "A spec is no regular file": device,
}


def document(folder: Path) -> str:
    parts: list[str] = []
    for number, (title, make) in enumerate(CASES.items()):
        fresh_tree(folder / str(number), "package")
        said = re.sub(r"process \d+", "process 4711", make(folder / str(number)))
        said = re.sub(r"\.scaffold-[0-9a-f]{12}", ".scaffold-0123456789ab", said)
        parts.append(f"## {title}\n\n```text\n{said}\n```\n")
    return "\n".join([HEAD, *parts])


def test_the_page_shows_what_is_really_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
):
    monkeypatch.setattr(locking, "WAIT", 0.0)
    text = document(tmp_path)
    if request.config.getoption("--refresh-examples"):
        DOCUMENT.write_text(text)
    assert DOCUMENT.read_text() == text
