"""`.ci/run` runs the README's command, and no variable of the machine on which it runs can hide a failure."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.projects import REPOSITORY
from tests.support.systems import NEEDS_SHELL
from tests.support.trees import write_tree

pytestmark = NEEDS_SHELL

COMMAND = "python3 dev.py test"
NETWORK = {
    "HTTPS_PROXY": "http://proxy.example:1",
    "no_proxy": "localhost",
    "SSL_CERT_FILE": "/certificates.pem",
    "REQUESTS_CA_BUNDLE": "/certificates.pem",
    "PIP_INDEX_URL": "https://index.example",
    "UV_DEFAULT_INDEX": "https://index.example with spaces",
}
HIDING = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONPATH": "/somewhere",
    "JAX_ENABLE_X64": "1",
    "PYTEST_ADDOPTS": "-k nothing",
    "CI": "true",
    "NO_COLOR": "1",
    "VIRTUAL_ENV": "/somewhere",
}
# Stands for Python: notes with which words it was called, and in which environment.
SPY = """#!/bin/sh
{ echo "called $*"; env; ls -A "$HOME" | sed 's/^/in the home: /'; } >> "$(dirname "$0")/../noted"
exit %s
"""


def ci_run(folder: Path, variables: Mapping[str, str], *, status: int = 0) -> tuple[int, list[str]]:
    """The exit code of `.ci/run` where a spy stands for Python, and what it noted."""
    write_tree(folder, {"clone/.ci/run": (REPOSITORY / ".ci/run").read_bytes(), "bin/python3": SPY % status})
    (folder / "bin/python3").chmod(0o755)
    environment = {**variables, "PATH": f"{folder}/bin{os.pathsep}{os.environ['PATH']}", "HOME": "/root/home"}
    result = subprocess.run(["bash", ".ci/run"], cwd=folder / "clone", env=environment, check=False)
    return result.returncode, (folder / "noted").read_text().splitlines()


def test_ci_runs_the_command_of_the_readme() -> None:
    [command] = [line for line in (REPOSITORY / ".ci/run").read_text().splitlines() if COMMAND in line]
    assert f"```sh\n{command}\n```" in (REPOSITORY / "README.md").read_text()


def test_the_tests_see_an_empty_home_and_the_network_and_nothing_else_of_the_machine(tmp_path: Path) -> None:
    code, noted = ci_run(tmp_path, {**NETWORK, **HIDING, "LANG": "C.UTF-8"})
    assert code == 0 and noted[0] == "called dev.py test"
    seen = dict(line.split("=", 1) for line in noted[1:])
    own = {"PWD", "OLDPWD", "SHLVL", "_"}  # what a shell sets by itself
    assert {name: seen.pop(name) for name in NETWORK} == NETWORK
    assert seen.keys() - own == {"HOME", "PATH", "LANG"}
    assert seen["HOME"] != "/root/home" and not Path(seen["HOME"]).exists()


@pytest.mark.parametrize("status", [0, 1, 5])
def test_a_run_that_fails_fails_ci(status: int, tmp_path: Path) -> None:
    assert ci_run(tmp_path, {}, status=status)[0] == status
