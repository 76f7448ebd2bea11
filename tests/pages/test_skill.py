"""The skill file says what happens: its commands run in order in one folder, and its tokens are a class."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.projects import AFFINE, REPOSITORY, scaffold
from tests.support.systems import NEEDS_SHELL

SKILL = REPOSITORY / "skills" / "scaffold" / "SKILL.md"
TEXT = SKILL.read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {"py": "specs/ring.py", "python": "layers.py"}
TOKENS, FAILURE = (body for language, body in BLOCK.findall(TEXT) if language == "text")


def test_its_head_says_when_to_read_it() -> None:
    _, head, body = re.split(r"^---$", TEXT, maxsplit=2, flags=re.MULTILINE)
    about = yaml.safe_load(head)
    assert about.keys() == {"name", "description"} and about["name"] == SKILL.parent.name
    assert 100 < len(about["description"]) <= 1024 and len(body.splitlines()) < 200


@pytest.mark.slow  # README and the pages are run each time
@NEEDS_SHELL
def test_every_command_runs_in_the_order_of_the_page(tmp_path: Path) -> None:
    scripts = str(Path(sys.executable).parent)
    env = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": sys.prefix}

    def sh(command: str) -> str:
        done = subprocess.run(["sh", "-ec", command], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, command + done.stdout + done.stderr
        return done.stdout

    said: list[str] = []
    for language, body in BLOCK.findall(TEXT):
        if language in FILES:
            (tmp_path / FILES[language]).write_text(body, encoding="utf-8")
        elif language == "sh":
            said.append(sh(body))
    one_line, methods, change, law, numbers, adopted = said
    assert " passed" in one_line and " passed" in methods
    assert "0.1" in (tmp_path / "affine.py").read_text() and "update     tests/test_affine.py" in change
    assert law.startswith("P8 ") and " passed" in law
    assert " passed" in numbers and (tmp_path / "tests/numbers/affine.txt").is_file()
    inline = re.findall(r"`(scaffold [^`]+)`", TEXT)
    assert len(inline) > 5
    for command in dict.fromkeys(inline):
        sh(command.replace("NAME", "Fit").replace("COMMAND", "update"))
    assert "Scale  adopted" in adopted and adopted.endswith("1 class: 0 without a suite\n")


def test_each_token_is_a_field(tmp_path: Path) -> None:
    tokens = TOKENS.splitlines()
    assert len(tokens) == 10
    assert scaffold(tmp_path, "new-module", *AFFINE).returncode == 0
    result = scaffold(tmp_path, "new-module", "Every", *tokens, "--diff")
    assert result.returncode == 0, result.stderr
    names = [token.partition(":")[0] for token in tokens]
    assert all(re.search(rf"^\+    (def )?{name}\b", result.stdout, re.MULTILINE) for name in names)


def test_its_roles_are_all_that_there_are() -> None:
    from scaffold.spec.tables.key import ROLES

    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", TEXT, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"\w+", row)}
    assert named == set(ROLES) - {"callable"}


@pytest.mark.parametrize("part", ["look for", "law", "usual fix"])
def test_a_failure_has_the_parts_that_it_shows(part: str) -> None:
    assert f"  {part}: " in FAILURE
    assert f"  {part}: " in (REPOSITORY / "docs/failures.md").read_text(encoding="utf-8")


def test_every_option_that_it_names_is_there(tmp_path: Path) -> None:
    helps = "".join(scaffold(tmp_path, name, "--help").stdout for name in ("new-module", "adopt"))
    named = set(re.findall(r"--[a-z][a-z-]+", TEXT)) - {"--help", "--numbers"}
    assert named and all(option in helps for option in named), named
