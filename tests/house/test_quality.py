"""The project's own code passes the checks that it demands of what it writes."""

import ast
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.projects import REPOSITORY, checker, run

OWN = ("dev.py", "scaffold", "tests", "benchmarks")
LONGEST_FUNCTION, LONGEST_FILE, LARGEST_ROOM, LARGEST_CLASS_OF_LAWS = 50, 350, 14, 200
SHORT = (*OWN, "pytree_laws")


@pytest.mark.parametrize("command", [("check",), ("format", "--check")], ids="-".join)
def test_ruff(command: tuple[str, ...]) -> None:
    result = run([sys.executable, "-m", "ruff", *command, "--no-cache", *OWN], REPOSITORY)
    assert result.returncode == 0, result.stdout


@pytest.mark.slow  # the hook of each commit, which CI runs, makes the same check
def test_pyright_is_strict_on_the_packages() -> None:
    result = run([sys.executable, "-m", "pyright", "--outputjson"], REPOSITORY)
    report = json.loads(result.stdout)
    assert (result.returncode, report["generalDiagnostics"]) == (0, [])
    files = [path for folder in ("scaffold", "pytree_laws") for path in (REPOSITORY / folder).rglob("*.py")]
    assert report["summary"]["filesAnalyzed"] == len([*files, "dev.py", "hatch_build.py"])


def test_the_laws_are_spared_the_types_of_leaves_alone() -> None:
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]
    assert settings["typeCheckingMode"] == "strict" and not any(key.startswith("report") for key in settings)
    of_laws, of_child, of_all = settings["executionEnvironments"]
    spared = {
        "reportUnknownArgumentType",
        "reportUnknownLambdaType",
        "reportUnknownMemberType",
        "reportUnknownVariableType",
    }
    assert of_laws == {"root": "pytree_laws/src", **dict.fromkeys(spared, False)} and of_all == {"root": "."}
    own = {"root": "scaffold/adopt/child", "extraPaths": ["."]}
    assert of_child == {**own, **dict.fromkeys(spared, False)}


def test_no_two_rooms_import_each_other() -> None:
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    result = run([sys.executable, "-c", command, "--no-cache"], REPOSITORY)
    assert result.returncode == 0, result.stdout + result.stderr


def test_rooms_are_small() -> None:
    """A reader takes in the names of a room at a glance."""
    roots = [REPOSITORY / "scaffold", REPOSITORY / "pytree_laws/src/pytree_laws"]
    rooms = sorted(path.parent for root in roots for path in root.rglob("*/__init__.py"))
    sizes = {str(room.relative_to(REPOSITORY)): len([*room.glob("[!_]*.py")]) for room in rooms}
    assert len(sizes) > 40 and {room: size for room, size in sizes.items() if size > LARGEST_ROOM} == {}


OF_USERS = (
    ("ruff", "format", "--isolated", "--no-cache", "--check"),
    # The project among the examples has settings of its own; a skeleton's constructor binds names for its fields.
    (
        *("ruff", "check", "--isolated", "--no-cache", "--ignore", "F722,UP037", "--exclude", "project"),
        *("--per-file-ignores", "**/specs/*.py:F841"),
    ),
    ("mypy",),
    ("pyright",),
)


def checks_of_users() -> Iterator[Any]:
    """What users get, and each tool as it comes; this repository's own settings hold the laws to ruff and pyright."""
    for place, commands in (("pytree_laws/src", (("mypy",),)), ("generated_examples", OF_USERS)):
        for command in commands:
            is_long = place != "generated_examples" or command in (("pyright",), ("mypy",))
            marks = [pytest.mark.slow] if is_long else []
            yield pytest.param(command, place, id=f"{place}-{' '.join(command[:2])}", marks=marks)


@pytest.mark.parametrize(("command", "place"), [*checks_of_users()])
def test_what_users_get_is_clean_with_the_defaults_of_each_tool(command: tuple[str, ...], place: str) -> None:
    result = run(checker(*command, "."), REPOSITORY / place)
    assert result.returncode == 0, result.stdout + result.stderr


def functions(path: Path) -> list[tuple[str, int]]:
    """Name and number of lines of each function, its docstring not counted."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [
        (f"{path.name}: {node.name}", node.end_lineno - node.lineno + 1 - _doc_lines(node))
        for node in found
        if node.end_lineno
    ]


def _doc_lines(node: ast.FunctionDef) -> int:
    text = ast.get_docstring(node, clean=False)
    return len(text.splitlines()) if text else 0


def test_functions_and_files_are_short() -> None:
    folders = sorted(path for folder in SHORT for path in (REPOSITORY / folder).rglob("*.py"))
    files = [REPOSITORY / "dev.py", *folders]
    lengths = [pair for path in files for pair in functions(path)]
    assert [pair for pair in lengths if pair[1] > LONGEST_FUNCTION] == []
    sizes = {str(path): path.read_text(encoding="utf-8").count("\n") for path in files}
    assert {path: size for path, size in sizes.items() if size > LONGEST_FILE} == {}


def test_no_class_of_the_laws_is_everything() -> None:
    files = (REPOSITORY / "pytree_laws" / "src").rglob("*.py")
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    sizes = {
        node.name: (node.end_lineno or 0) - node.lineno + 1
        for node in nodes
        if isinstance(node, ast.ClassDef)
    }
    assert len(sizes) > 50
    assert {name: size for name, size in sizes.items() if size > LARGEST_CLASS_OF_LAWS} == {}


def test_nothing_emitted_names_the_tool() -> None:
    own_files = ("pyproject.toml", "specs/")
    for path in sorted((REPOSITORY / "generated_examples").rglob("*")):
        relative = path.relative_to(REPOSITORY / "generated_examples").as_posix()
        if path.suffix == ".py" and not relative.startswith(own_files):
            assert "scaffold" not in path.read_text(encoding="utf-8").lower(), relative
