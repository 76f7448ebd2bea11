"""A child that has imported one module, and answers what `scaffold adopt` asks of it."""

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from scaffold.adopt.processes.process import CHILD, Child
from scaffold.law_wheel import wheel_path
from tests.support.trees import write_tree

SUPPORT = Path(__file__).parents[1] / "support"


@functools.cache
def command() -> list[str]:
    """What starts a child: on Linux a fork of a process that has imported jax, which is half of a short test."""
    if sys.platform != "linux":
        return [sys.executable]
    folder = tempfile.mkdtemp(prefix="adopt-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = str(Path(folder, "socket"))
    server = subprocess.Popen(
        [sys.executable, str(SUPPORT / "adopt_server.py"), path, str(CHILD), str(wheel_path())],
        env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    atexit.register(server.communicate)
    assert server.stdout is not None and server.stdout.readline() == b"ready\n"
    return [sys.executable, "-S", str(SUPPORT / "adopt_client.py"), path]


class Asked:
    """A child that has imported a module, or a package of these files, and what it lists."""

    def __init__(self, folder: Path, module: str, source: str | Mapping[str, str]) -> None:
        self.module = module
        files = {f"{module}.py": source} if isinstance(source, str) else source
        self.child = Child(command(), write_tree(folder, files))
        target = {"text": module, "module": module, "name": "", "whole": True}
        self.listed = self.child.ask({"do": "list", "folders": [str(folder)], "targets": [target]}, 60.0)

    def adopt(self, name: str, **said: Any) -> dict[str, Any]:
        """What is found of a class or a function; `part:name` is one of another module of the package."""
        below, _, name = name.rpartition(":")
        request: dict[str, Any] = {
            "do": "adopt",
            "module": ".".join(filter(None, (self.module, below))),
            "name": name,
            "seconds": 60.0,
            "folders": [],
        }
        return self.child.ask({**request, "said": {}, "build": "", "call": "", **said}, 60.0)


def asked_of(module: str, source: str | Mapping[str, str]) -> Any:
    """A fixture of a test file: the child of a module with this source, or of a package of these files."""

    @pytest.fixture(scope="module")
    def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
        asked = Asked(tmp_path_factory.mktemp(module), module, source)
        yield asked
        asked.child.close()

    return asked
