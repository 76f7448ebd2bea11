"""Adds what generated code needs to a project: by `uv add` where uv manages it, else in pyproject.toml."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
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
    """How the dependencies get in: commands to run first, edits of files, and what is left to do."""

    commands: tuple[tuple[str, ...], ...] = ()
    edits: tuple[Edit, ...] = ()
    notes: tuple[str, ...] = ()


def addition(missing: Dependencies, layout: Layout) -> Addition:
    """How to add what is undeclared. Raises `ScaffoldError` where the project has no place for it that is known."""
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
    """Whether uv manages the project, or the workspace that it is a member of."""
    if "uv" in table(layout.document, "tool"):
        return True
    for folder in (layout.root, *layout.root.parents):
        if (folder / "uv.lock").is_file():
            return True
        if os.path.exists(folder / ".git"):
            return False
    return False


def _place(layout: Layout, wanted: Sequence[str]) -> tuple[str, ...]:
    """The key below which pyproject.toml says what the package needs."""
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
    """pyproject.toml with what is wanted, in the form that it has; what is there already stays."""
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
    """A list with further entries, one a line where its entries have lines of their own."""
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
    """What the entries of a list are indented by."""
    lines = [line for line in text.split("\n")[1:] if line.strip() not in ("", "]")]
    return lines[0][: len(lines[0]) - len(lines[0].lstrip())] if lines else "    "


def _fill(entries: Any, wanted: Sequence[str]) -> None:
    """A table of Poetry's with further entries."""
    for each in wanted:
        name, _, floor = each.partition(">=")
        entries.setdefault(name, f">={floor}" if floor else "*")


def run_commands(plan: Plan) -> None:
    """Run what a plan wants run before it is published; nothing where conflicts hold it up.

    Raises `ScaffoldError` (exit code 1) with what the command said, where one fails. Nothing is written then.
    """
    for command in () if plan.conflicts else plan.commands:
        _run(command, plan.root)


def _run(command: Sequence[str], folder: Path) -> None:
    without = {name: value for name, value in _environment().items() if name != "VIRTUAL_ENV"}
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


def _environment() -> Mapping[str, str]:
    return os.environ
