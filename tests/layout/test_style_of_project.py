"""What is written is as the project's own ruff lays it out: lines, quotes, indents, and the order of imports."""

import subprocess
from pathlib import Path

import pytest

from scaffold.tidy import ruff_program
from tests.support.projects import AFFINE, scaffold
from tests.support.trees import write_tree

PROJECT = """\
[project]
name = "pkg"
version = "0"
"""
IN_PYPROJECT = """
[tool.ruff]
line-length = 120
[tool.ruff.format]
quote-style = "single"
skip-magic-trailing-comma = true
[tool.ruff.lint.isort]
force-single-line = true
known-third-party = ["pytree_laws"]
"""
OF_ITS_OWN = """\
line-length = 60
indent-width = 2
[format]
indent-style = "tab"
[lint.isort]
from-first = true
"""
STYLES = {
    "pyproject": {"pyproject.toml": PROJECT + IN_PYPROJECT},
    "ruff.toml": {"pyproject.toml": PROJECT + IN_PYPROJECT, "ruff.toml": OF_ITS_OWN},
    "black": {
        "pyproject.toml": f"{PROJECT}[tool.black]\nline-length = 100\n",
        "ruff.toml": "line-length = 100\n",
    },
    "loose": {"ruff.toml": "[lint.isort]\nforce-single-line = true\n"},
    "none": {"pyproject.toml": PROJECT},
}


def clean(folder: Path, *command: str) -> None:
    """Nothing is left to do for ruff, whose further arguments these are."""
    arguments = [ruff_program(), *command, "--no-cache"]
    ran = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("style", list(STYLES))
def test_what_is_written_is_clean_in_the_style_of_the_project(tmp_path: Path, style: str) -> None:
    package = {} if style == "loose" else {"src/pkg/__init__.py": ""}
    write_tree(tmp_path, {**STYLES[style], **package})
    made = scaffold(tmp_path, "new-module", *AFFINE)
    assert made.returncode == 0, made.stderr
    clean(tmp_path, "format", "--check", ".")
    clean(tmp_path, "check", "--select=I", ".")
    assert scaffold(tmp_path, "check").returncode == 0


def test_another_style_is_an_update(tmp_path: Path) -> None:
    write_tree(tmp_path, {**STYLES["none"], "src/pkg/__init__.py": "", "tests/.keep": ""})
    scaffold(tmp_path, "new-module", *AFFINE)
    (tmp_path / "pyproject.toml").write_text(PROJECT + IN_PYPROJECT, "utf-8")
    updated = scaffold(tmp_path, "update")
    assert updated.returncode == 0 and "update     src/pkg/affine.py" in updated.stdout, updated.stderr
    clean(tmp_path, "format", "--check", "src", "tests/test_affine.py")


def test_settings_that_ruff_does_not_know_change_nothing(tmp_path: Path) -> None:
    strange = '[tool.ruff]\nline-length = "long"\n[tool.ruff.format]\nquote-style = "curly"\n'
    write_tree(tmp_path, {"pyproject.toml": PROJECT + strange, "src/pkg/__init__.py": "", "tests/.keep": ""})
    made = scaffold(tmp_path, "new-module", *AFFINE)
    assert made.returncode == 0, made.stderr
