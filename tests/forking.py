"""Runs of pytest in processes forked from one that has jax imported, since that import is half of a short run.

For what the generated tests find. How they are found and imported is a matter of a process of its own: `projects.bare_pytest`.
"""

import atexit
import functools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.projects import environment, pytest_command, run

SERVER = Path(__file__).parent / "fork_server.py"


def forked_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `pytest` in a folder, as `bare_pytest` does, but that jax is imported already."""
    command = pytest_command(*arguments)
    if sys.platform != "linux":
        return run(command, folder)
    with tempfile.TemporaryDirectory() as told:
        out, err = Path(told, "out"), Path(told, "err")
        code = ask({"command": command, "folder": str(folder), "out": str(out), "err": str(err)})
        return subprocess.CompletedProcess(command, code, out.read_text(), err.read_text())


def ask(request: dict[str, object]) -> int:
    """The exit code of a run; one at a time."""
    process = server()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    return int(process.stdout.readline())


@functools.cache
def server() -> subprocess.Popen[str]:
    """The process that has jax imported; it ends with this one, whose end closes its input."""
    process = subprocess.Popen(
        [sys.executable, str(SERVER)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(process.communicate)
    return process
