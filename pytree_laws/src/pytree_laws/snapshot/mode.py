"""Mode of a run, which decides how records of numbers are used.

The mode comes from `--numbers=check`, from the variable `PYTREE_LAWS_NUMBERS`, or from `numbers` in
`[tool.scaffold]`. By default, a run writes missing numbers, as snapshot tests do. With `CI` set, it fails for
them.
"""

import os
import tomllib
from pathlib import Path
from typing import Any

from ..engine.applicability import Condition
from ..engine.collection import has_option, is_within_run, option_of
from ..report import or_else
from .files import tests_of
from .format import NoRecord, parse_record, section_of
from .numbers import SECTIONS

MODES = RECORD, CHECK, COMPARE, UPDATE, OFF = ("record", "check", "compare", "update", "off")
"""Modes, for missing numbers and for recorded ones.

`record` writes missing numbers and compares the others. `check` fails for missing numbers. `compare` ignores
them. `update` writes all numbers anew, and `off` does nothing.
"""
VARIABLE = "PYTREE_LAWS_NUMBERS"
OLDER_VARIABLE = "PYTREE_LAWS_RECORD"
COMMAND_VARIABLE = "PYTREE_LAWS_COMMAND"
"""Variable with the command that starts the tests, if not `pytest`. It must accept `--numbers=MODE`."""


def mode_of(suite: Any, tests: Path | None) -> str:
    """Return the mode of a suite's run. Raise `ValueError` for an unknown mode."""
    if option_of(suite, "record_numbers") or os.environ.get(OLDER_VARIABLE):
        return UPDATE
    said = str(option_of(suite, "numbers") or os.environ.get(VARIABLE) or _of_project(tests))
    if said and said not in MODES:
        raise ValueError(f"numbers: {said!r} is no mode; legal values: {', '.join(MODES)}")
    if said:
        return said
    if not is_within_run(suite):
        return OFF  # of a check outside of pytest
    return CHECK if os.environ.get("CI", "").lower() not in ("", "0", "false") else RECORD


def _of_project(tests: Path | None) -> str:
    """Return the mode in `[tool.scaffold]` of the nearest `pyproject.toml`, or an empty string."""
    for folder in tests.resolve().parents if tests is not None else ():
        file = folder / "pyproject.toml"
        if file.is_file():
            tool = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
            return str(tool.get("scaffold", {}).get("numbers", ""))
    return ""


def how_to_approve(suite: Any) -> str:
    return f"what changed it; if it is right as it is now, approve it with `{command(suite, UPDATE)}`"


def how_to_add(suite: Any) -> str:
    return f"nothing that is recorded has moved; record what is new with `{command(suite, UPDATE)}`"


def how_to_replace(suite: Any) -> str:
    return f"values of the example, which the tests give: record its numbers with `{command(suite, UPDATE)}`"


def command(suite: Any, mode: str) -> str:
    """Return the command that runs the tests of a suite in a mode.

    If the run does not know the option, the command sets the variable.
    """
    if COMMAND_VARIABLE in os.environ:
        return f"{os.environ[COMMAND_VARIABLE]} --numbers={mode}"
    tests, devices = tests_of(suite), option_of(suite, "mesh")
    by_option = has_option(suite, "numbers") or not is_within_run(suite)
    words = ["pytest", f"--numbers={mode}"] if by_option else [f"{VARIABLE}={mode}", "pytest"]
    words += [f"--mesh {devices}"] if devices else []
    return " ".join([*words, *([os.path.relpath(tests)] if tests else [])])


@or_else(True, NoRecord)  # it is damaged, as P19 says
def has_record(suite: Any) -> bool:
    """Whether the record beside the tests of a suite contains its numbers."""
    text = suite.recorded()
    if not text:
        return False
    names = [section_of(type(suite), section) for section in SECTIONS]
    return any(name in parse_record(text) for name in names)


def is_asked_for(suite: Any) -> bool:
    """Whether this run records the numbers of a suite, or compares them with the record."""
    mode = mode_of(suite, tests_of(suite))
    return has_record(suite) if mode == COMPARE else mode != OFF


RECORDED = Condition("no numbers are recorded", is_asked_for, "--numbers=record")
