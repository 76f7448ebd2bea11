"""Declaration of dependencies in a project, by `uv add` if uv manages it, else in `pyproject.toml`."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, cast

from msgspec import Struct

from scaffold.errors import ScaffoldError
from scaffold.files.fileset import Edit, Plan
from scaffold.in_project.dependencies import Dependencies, requirement
from scaffold.in_project.layout import Layout
from scaffold.in_project.packages import table

_PYPROJECT = PurePosixPath("pyproject.toml")


class Addition(Struct, frozen=True):
    """Commands to run before publication, edits of files, and notes that declare dependencies."""

    commands: tuple[tuple[str, ...], ...] = ()
    edits: tuple[Edit, ...] = ()
    notes: tuple[str, ...] = ()


def addition(missing: Dependencies, layout: Layout) -> Addition:
    """Return the steps that declare missing dependencies.

    Raises `ScaffoldError` if the project has no known list of dependencies.
    """
    wanted = missing.requirements()
    tests = tuple(map(requirement, missing.tests))
    if not wanted and not tests:
        return Addition()
    if _uses_uv(layout) and shutil.which("uv") and "project" in layout.document:
        commands = [("uv", "add", *wanted)] if wanted else []
        return Addition((*commands, *([("uv", "add", "--dev", *tests)] if tests else [])))
    place = _place(layout, wanted)
    edit = Edit(_PYPROJECT, partial(_with_requirements, place, wanted, tests))
    install = " ".join(f'"{each}"' if ">" in each else each for each in (*wanted, *tests))
    return Addition(
        edits=(edit,), notes=(f"pyproject.toml: now declares what to install: pip install {install}",)
    )


def _uses_uv(layout: Layout) -> bool:
    """Whether uv manages the project or the workspace around it."""
    if "uv" in table(layout.document, "tool"):
        return True
    for folder in (layout.root, *layout.root.parents):
        if (folder / "uv.lock").is_file():
            return True
        if os.path.exists(folder / ".git"):
            return False
    return False


def _place(layout: Layout, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the key of `pyproject.toml` that lists the package's dependencies."""
    project = table(layout.document, "project")
    dynamic = project.get("dynamic")
    if project and "dependencies" not in cast("list[object]", dynamic if isinstance(dynamic, list) else []):
        return ("project", "dependencies")
    if table(layout.document, "tool", "poetry"):
        return ("tool", "poetry", "dependencies")
    message = "has no list of dependencies that `--add-dependencies` could add to"
    fix = f"add {', '.join(wanted) or 'them'} where the project says what it needs, and leave the option out"
    raise ScaffoldError(message, where="pyproject.toml", fix=fix)


def _with_requirements(
    place: tuple[str, ...], wanted: Sequence[str], tests: Sequence[str], source: bytes
) -> bytes:
    """Add the requirements to `pyproject.toml`, and keep its layout and present entries."""
    import tomlkit  # here, because only this needs it

    document = cast("dict[str, Any]", tomlkit.parse(source.decode()))
    if place[-1] == "dependencies" and place[0] == "project":
        _extend(document["project"], "dependencies", wanted)
    elif wanted:
        _fill(document["tool"]["poetry"].setdefault("dependencies", tomlkit.table()), wanted)
    if tests and place[0] == "project":
        _extend(document.setdefault("dependency-groups", tomlkit.table()), "dev", tests)
    elif tests:
        group = document["tool"]["poetry"].setdefault("group", tomlkit.table(is_super_table=True))
        dev = group.setdefault("dev", tomlkit.table(is_super_table=True))
        _fill(dev.setdefault("dependencies", tomlkit.table()), tests)
    return tomlkit.dumps(document).encode()  # pyright: ignore[reportUnknownMemberType]


def _extend(parent: Any, key: str, wanted: Sequence[str]) -> None:
    """Add entries to a list of TOML, in lines of their own if the present entries have such."""
    import tomlkit

    if not wanted:
        return
    if key not in parent:
        parent[key] = tomlkit.array()
    entries = parent[key]
    is_long = "\n" in entries.as_string()
    for each in wanted:
        if each not in entries:
            entries.add_line(each, indent=_indent(entries.as_string())) if is_long else entries.append(each)
    if is_long and not entries.as_string().rstrip("]").endswith("\n"):
        entries.add_line(indent="")


def _indent(text: str) -> str:
    """Return the indentation of the entries of a list, or four spaces."""
    lines = [line for line in text.split("\n")[1:] if line.strip() not in ("", "]")]
    return lines[0][: len(lines[0]) - len(lines[0].lstrip())] if lines else "    "


def _fill(entries: Any, wanted: Sequence[str]) -> None:
    """Add requirements to a table of Poetry."""
    for each in wanted:
        name, _, floor = each.partition(">=")
        entries.setdefault(name, f">={floor}" if floor else "*")


def run_commands(plan: Plan) -> None:
    """Run the commands of a plan before its publication, unless it has conflicts.

    If a command fails, it raises `ScaffoldError` (exit code 1) with the command's output. Nothing is written
    then.
    """
    for command in () if plan.conflicts else plan.commands:
        _run(command, plan.root)


def _run(command: Sequence[str], folder: Path) -> None:
    without = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    ran = subprocess.run(
        command,
        cwd=folder,
        env=without,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        said = " ".join(ran.stderr.split()) or f"exit code {ran.returncode}"
        fix = "mend that, or add the dependency by hand and leave `--add-dependencies` out"
        raise ScaffoldError(
            f"failed, and nothing was written: {said[:600]}", where=" ".join(command), fix=fix, exit_code=1
        )
