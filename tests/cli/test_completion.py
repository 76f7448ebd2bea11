"""What a shell is offered for the words on its command line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from scaffold.cli import main
from scaffold.kind import NAMES
from scaffold.spec.tables.key import ROLES
from tests.emitted.test_imports import FORBIDDEN
from tests.support.projects import REPOSITORY
from tests.support.trees import write_tree

ENTRY = "from scaffold.cli import main; main(prog_name='scaffold')"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the shell is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def completed(*words: str) -> list[str]:
    """What a shell is offered for the last of the words."""
    *before, incomplete = words
    shell = ShellComplete(main, {}, "scaffold", "_SCAFFOLD_COMPLETE")
    return [one.value for one in shell.get_completions(before, incomplete)]


def test_completion_knows_the_values(here: Path) -> None:
    write_tree(here, {"specs/lora_linear.toml": '#:schema x\nname = "LoRALinear"\n', "pyproject.toml": ""})
    assert completed("new-") == ["new-module", "new-project"]
    assert completed("new-module", "--kind", "") == list(NAMES)
    assert completed("new-module", "--rebuild", "f") == ["flag", "factory"]
    assert completed("new-module", "--kind", "train-state", "--option", "") == ["ema=", "key=", "state="]
    assert completed("new-module", "--te") == ["--template", "--test"]
    assert completed("new-module", "--lower-for", "c") == ["cpu", "cuda"]
    assert completed("new-module", "Affine", "w:f[n]@") == [f"w:f[n]@{role}" for role in ROLES]
    assert completed("new-module", "Affine", "w:f[n]@buffer=lecun_n") == ["w:f[n]@buffer=lecun_normal"]
    assert completed("new-module", "Affine", "w", ":", "f[n]", "=", "zer") == ["zeros"]
    assert completed("new-module", "Affine", "w:f[n]") == []
    assert completed("show", "L") == ["LoRALinear"]
    assert "P3" in completed("laws", "P")
    assert completed("new-project", "here", "--data", "style=") == ["style=kidger", "style=scientific-python"]


@pytest.mark.parametrize(
    ("words", "offered"), [("new-module --kind ", "pytree"), ("laws ", "P18"), ("show ", "")]
)
def test_completion_imports_nothing_heavy(
    words: str, offered: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"import atexit, sys; atexit.register(lambda: print('MODULES', *sys.modules)); {ENTRY}"
    asked = {"_SCAFFOLD_COMPLETE": "fish_complete", "COMP_WORDS": f"scaffold {words}", "COMP_CWORD": ""}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=True,
    )
    values, _, modules = result.stdout.rpartition("MODULES")
    assert offered in values
    assert {name.partition(".")[0] for name in modules.split()}.isdisjoint(FORBIDDEN)
    assert "laws" in words or "jinja2" not in modules.split()
