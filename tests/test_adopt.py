"""`scaffold adopt`, on the walk of its page: a package of four classes, three of them with a mistake."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.projects import REPOSITORY, passed, pytest_command, run
from tests.support import read_tree, write_tree

PAGE = (REPOSITORY / "docs" / "adopt.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LAYERS, HEAD = [body for name, body in BLOCK.findall(PAGE) if name == "python"]
LINES, FOUND = [body for name, body in BLOCK.findall(PAGE) if name == "text"]


def adopt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-m", "scaffold", "adopt", *arguments, "--python", sys.executable], folder)


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("walk")
    write_tree(folder, {"nets/__init__.py": "", "nets/layers.py": LAYERS})
    return folder, adopt(folder, "nets")


def test_one_command_names_the_mistakes(walk: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, result = walk
    assert result.returncode == 1, result.stdout + result.stderr
    assert result.stdout.startswith(LINES)
    told = result.stdout.split("\n")
    assert [line for line in FOUND.split("\n") if line not in told] == []
    assert result.stderr == "next: pytest tests\n"


def test_what_it_writes_is_a_test_file_that_pytest_runs(
    walk: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, _ = walk
    text = (folder / "tests/test_affine.py").read_text()
    assert text.startswith(HEAD)
    assert "from nets.layers import Affine" in text and "scaffold" not in text
    assert passed(run(pytest_command("tests/test_affine.py"), folder)) == 77


def test_again_it_changes_nothing_and_keeps_what_was_edited(
    walk: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, _ = walk
    edited = folder / "tests/test_affine.py"
    edited.write_text(edited.read_text() + "\n# mine\n")
    before = read_tree(folder)
    result = adopt(folder, "nets.layers:Affine", "nets.layers:Scale", "--json")
    report = json.loads(result.stdout)
    assert [(one["class"], one["kept"]) for one in report["classes"]] == [
        ("nets.layers:Affine", True),
        ("nets.layers:Scale", False),
    ]
    assert read_tree(folder) == before
    assert (
        "tests/test_affine.py: differs from what would be written, and stays; --force replaces it"
        in report["notes"]
    )


BAD = {
    "nothing.here": "nothing.here: cannot be looked at: ModuleNotFoundError: No module named 'nothing'",
    "none.py": "none.py: there is no such file",
    "nets:1": "nets:1: `1` is no name of a class",
    "json:JSONDecoder": "json:JSONDecoder: it is no pytree: nothing registers it with jax",
}


@pytest.mark.parametrize("target", BAD)
def test_a_bad_target_is_refused(target: str, tmp_path: Path) -> None:
    result = adopt(tmp_path, target)
    assert (result.returncode, read_tree(tmp_path)) == (2, {})
    assert f"error: {BAD[target]}" in result.stderr and "  fix: " in result.stderr
