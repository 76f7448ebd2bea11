"""Runs of pytest, and of the tool, in processes forked from one that has imported what they need: half of a short run.

For what the generated tests find. How they are found and imported is a matter of a process of its own: `projects.bare_pytest`.
"""

import atexit
import functools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.projects import environment, pytest_command, run

SERVER = Path(__file__).parent / "fork_server.py"
NEEDLESS = ("-p", "no:hypothesispytest", "-p", "no:unraisableexception")
"""Plugins of pytest that take a quarter of a short run at its end: one imports Hypothesis, one collects garbage five times."""


def forked_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `pytest` in a folder, as `bare_pytest` does, but that jax is imported already, and without needless plugins."""
    command = pytest_command(*NEEDLESS, *arguments)
    return forked("pytest", command, folder) if sys.platform == "linux" else run(command, folder)


def forked(
    program: str, command: list[str], folder: Path, **more: object
) -> subprocess.CompletedProcess[str]:
    """What a run printed, and its exit code."""
    with tempfile.TemporaryDirectory() as told:
        out, err = Path(told, "out"), Path(told, "err")
        request = {"command": command, "folder": str(folder), "out": str(out), "err": str(err), **more}
        code = ask(server(program), request)
        return subprocess.CompletedProcess(command, code, out.read_text(), err.read_text())


def ask(process: subprocess.Popen[str], request: dict[str, object]) -> int:
    """The exit code of a run; one at a time."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    return int(process.stdout.readline())


@functools.cache
def server(program: str) -> subprocess.Popen[str]:
    """The process that is forked; it ends with this one, whose end closes its input."""
    process = subprocess.Popen(
        [sys.executable, str(SERVER), program],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(process.communicate)
    return process
