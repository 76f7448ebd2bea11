"""P19: what the call computes is what was last approved."""

import contextlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ...engine.applicability import Condition, applies_where
from ...engine.runner import guard
from ...inspect.trees import flatten, inexact_places, named_leaves, named_numbers
from ...report import Fault, check
from ...snapshot.configurations import ACCEPTED, AFTER, CONFIGURED, of_accepted, of_configurations
from ...snapshot.files import change
from ...snapshot.format import (
    Entry,
    NoRecord,
    Record,
    differences,
    entries,
    file_of,
    kept_where_close,
    parse_record,
    render_record,
    section_of,
    settings_of,
    usual_settings,
    without,
)
from ...snapshot.methods import OF_METHODS, of_methods
from ...snapshot.mode import COMPARE, OFF, RECORD, UPDATE, mode_of
from ...snapshot.numbers import OTHERWISE, SECTIONS, section_numbers, with_other_arguments
from ...suites.base import Suite
from ...suites.programs import compiled_grads
from ...suites.training import Training
from ...values.randomize import randomize
from ..sharding.p20_sharding import ALONE, of_dims

OPTION = "--numbers=update"
FURTHER: Mapping[str, Callable[[Any], dict[str, Entry]]] = {
    CONFIGURED: of_configurations,
    ACCEPTED: of_accepted,
    OF_METHODS: of_methods,
    OTHERWISE: with_other_arguments,
}
EVERY = (*SECTIONS, *FURTHER)
SHOWN = 8  # numbers that differ


def has_record(suite: Any) -> bool:
    """Whether the record beside the tests of a suite has numbers of it."""
    text = suite.recorded()
    if not text:
        return False
    names = [section_of(type(suite), what) for what in SECTIONS]
    with contextlib.suppress(NoRecord):
        return any(name in parse_record(text) for name in names)
    return True  # it is damaged, as P19 says


def is_asked_for(suite: Any) -> bool:
    """Whether this run records the numbers of a suite, or holds the suite to them."""
    mode = mode_of(suite, tests_of(suite))
    return has_record(suite) if mode == COMPARE else mode != OFF


RECORDED = Condition("no numbers are recorded", is_asked_for, "--numbers=record")


@guard
class NumbersOfRecord(Suite):
    """P19, of records."""

    def recorded(self) -> str | None:
        """The text of the record; None where there is none."""
        file = record_of(self)
        return file.read_text(encoding="utf-8") if file and file.is_file() else None

    def keeps_record(self) -> bool:
        return is_asked_for(self)

    @applies_where(RECORDED)
    def test_p19_numbers_are_those_of_the_record(self) -> None:
        mode = mode_of(self, tests_of(self))
        if mode == UPDATE or (mode == RECORD and not has_record(self)):
            self.summary_line = write(self)
            return
        missing = "no numbers of the suite are recorded"
        check(has_record(self), "numbers", missing, self.how_to_record())
        self.compare(self.recorded() or "")

    def compare(self, text: str) -> None:
        """Holds the suite to a record, where that was written with the settings of this run."""
        record, settings = self.read(text), settings_of(text)
        if settings not in (usual_settings(), None):
            now = usual_settings()
            pytest.skip(f"the numbers are recorded with {settings}, this run has {now}")
        found = [one for what in EVERY for one in self.changed_numbers(record, what)]
        message = "it does not compute what is recorded"
        shown = found[:SHOWN] + ["and more"] * (len(found) > SHOWN)
        where = found[0].partition(":")[0] if found else ""
        check(not found, where, "\n    ".join([message, *shown]), self.how_to_approve())

    def changed_numbers(self, record: Record, what: str) -> list[str]:
        """What differs from a section of the record, each in one line."""
        section = section_of(type(self), what)
        if what in FURTHER and section not in record:
            return []  # it has none, or was recorded before there were such
        was, now = record.get(section, {}), entries_of(self, what)
        if what == CONFIGURED and not any(name.startswith(AFTER) for name in was):
            # It was recorded before there were such.
            now = {n: one for n, one in now.items() if not n.startswith(AFTER)}
        pairs = differences(was, now, self.tolerance)
        return [f"{name}: {told} ({what})" for name, told in pairs]

    def read(self, text: str) -> Record:
        try:
            return parse_record(text)
        except NoRecord as error:
            file = record_of(self)
            raise Fault(str(file and file.name), str(error), self.how_to_approve()) from error

    def how_to_approve(self) -> str:
        return f"what changed it; if it is right as it is now, approve it with `{_command(self, OPTION)}`"

    def how_to_record(self) -> str:
        file = record_of(self)
        name = os.path.relpath(file) if file else ""
        return f"run `{_command(self, '--numbers=record')}`, look at {name}, and commit it"

    # What a suite of another kind does in its own way.

    def elsewhere(self, instance: Any) -> Any:
        """An instance with other numbers than those of the start."""
        raise NotImplementedError

    def copied(self, instance: Any) -> Any:
        """An instance that a method may change."""
        raise NotImplementedError

    def called_with(self, instance: Any, arguments: Any) -> dict[str, Any]:
        """What the call gives, by name."""
        raise NotImplementedError

    def gradients(self, instance: Any, arguments: Any) -> dict[str, Any]:
        """The gradients of a loss over the call, by the paths of leaves and arguments."""
        raise NotImplementedError


class PytreeRecord(Training):
    """What records of pytrees hold."""

    def elsewhere(self, instance: Any) -> Any:
        return randomize(instance, 2, self.held_fixed(instance))

    def copied(self, instance: Any) -> Any:
        leaves, treedef = flatten(instance)
        return treedef.unflatten(leaves)

    def called_with(self, instance: Any, arguments: Any) -> dict[str, Any]:
        return named_numbers("call", self.compiled_use()(instance, *arguments))

    def gradients(self, instance: Any, arguments: Any) -> dict[str, Any]:
        tree = instance, arguments
        names = names_of(instance, arguments)
        _, *found = compiled_grads(self)(instance, *arguments)
        return {names[i]: grad for i, grad in zip(inexact_places(tree), found)}


def names_of(instance: Any, arguments: Sequence[Any]) -> list[str]:
    """The names of the leaves of an instance, and then of the arguments."""
    own = [name for name, _ in named_leaves(instance)]
    call_arguments = (f"argument {path}" for path, _ in named_leaves(tuple(arguments)))
    return [*own, *call_arguments]


def sections(suite: Any) -> Record:
    """What a suite computes now, as a record has it."""
    names = {what: section_of(type(suite), what) for what in EVERY}
    found = {name: entries_of(suite, what) for what, name in names.items()}
    needed = {section_of(type(suite), what) for what in SECTIONS}
    found[section_of(type(suite), ALONE)] = of_dims(suite)  # which P20 holds
    return {name: one for name, one in found.items() if one or name in needed}


def record_text(suites: Sequence[Any], tests: str) -> str:
    """A new record of the suites of a test file."""
    found = {name: one for suite in suites for name, one in sections(suite).items()}
    return render_record(dict(sorted(found.items())), tests)


def entries_of(suite: Any, what: str) -> dict[str, Entry]:
    """What a suite computes now in one section."""
    if what in FURTHER:
        return FURTHER[what](suite)
    return entries(section_numbers(suite, what))


def write(suite: Any) -> str:
    """Records what a suite computes, and says so in a line; what is close to what was recorded keeps its text."""
    laws: Any = type(suite)
    tests = tests_of(suite)
    if tests is None:
        pytest.skip("the suite is in no file")
    file, now = file_of(tests), sections(suite)
    try:
        change(file, lambda text: _changed(text, now, suite, tests.name))
    except PermissionError as error:
        pytest.skip(f"the numbers cannot be recorded: {error}")
    count = sum(map(len, now.values()))
    name = laws.__name__.removeprefix("Test")
    return f"recorded {count} numbers of {name} in {os.path.relpath(file)}; commit this file"


def _changed(text: str | None, now: Record, suite: Any, tests: str) -> str:
    """The text of a record with the sections of one suite as they are now, and without suites that are gone."""
    laws: Any = type(suite)
    before = parse_record(text) if text else {}
    module = vars(sys.modules[laws.__module__])
    before = without(before, {s.partition(":")[0] for s in before} - module.keys())
    for section, entries_now in now.items():
        was = before.get(section, {})
        before[section] = kept_where_close(was, entries_now, suite.tolerance)
    return render_record(dict(sorted(before.items())), tests)


def _command(suite: Any, option: str) -> str:
    file = tests_of(suite)
    return f"pytest {option} {os.path.relpath(file) if file else ''}".strip()


def record_of(suite: Any) -> Path | None:
    """The file that holds the record of a suite."""
    tests = tests_of(suite)
    return file_of(tests) if tests else None


def tests_of(suite: Any) -> Path | None:
    try:
        return Path(inspect.getfile(type(suite)))
    except (TypeError, OSError):
        return None
