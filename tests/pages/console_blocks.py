"""Fenced `console` blocks of a page: each command with what it prints, run and compared."""

import re
import shlex
from pathlib import Path

from tests.support.projects import scaffold

BLOCK = re.compile(r"^```console\n\$ scaffold ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def executed(page: str, folder: Path) -> str:
    """The page with what its commands really print in `folder`."""

    def run(block: re.Match[str]) -> str:
        result = scaffold(folder, *shlex.split(block[1]))
        assert result.returncode == 0, f"{block[1]}: {result.stderr}"
        return f"```console\n$ scaffold {block[1]}\n{result.stdout}```"

    return BLOCK.sub(run, page)


def hold(page: Path, folder: Path, *, refresh: bool) -> None:
    """Assert that a page shows what its commands print; with `refresh`, write it."""
    text = page.read_text(encoding="utf-8")
    real = executed(text, folder)
    if refresh:
        page.write_text(real, encoding="utf-8")
        text = real
    assert BLOCK.search(text) and text == real, f"{page.name}: pytest --refresh-examples writes it"
