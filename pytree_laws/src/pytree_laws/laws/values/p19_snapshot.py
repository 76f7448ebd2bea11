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
from ...engine.collection import Run
from ...engine.runner import guard
from ...inspect.arrays import real_dtype
from ...inspect.trees import flatten, inexact_places, named_leaves, named_numbers
from ...report import Fault, check
from ...session import session_of
from ...snapshot.configurations import (
    ACCEPTED,
    AFTER,
    CONFIGURED,
    of_accepted,
    of_configurations,
)
from ...snapshot.format import (
    Entry,
    NoRecord,
    Record,
    default_dtype,
    differences,
    entries,
    file_of,
    kept_where_close,
    parse_record,
    render_record,
    section_of,
    without,
)
from ...snapshot.methods import OF_METHODS, of_methods
from ...snapshot.numbers import (
    OTHERWISE,
    SECTIONS,
    section_numbers,
    with_other_arguments,
)
from ...suites.base import Suite
from ...suites.programs import compiled_grads
from ...suites.training import Training
from ...values.randomize import randomize

OPTION, VARIABLE = "--record-numbers", "PYTREE_LAWS_RECORD"
FURTHER: Mapping[str, Callable[[Any], dict[str, Entry]]] = {
    CONFIGURED: of_configurations,
    ACCEPTED: of_accepted,
    OF_METHODS: of_methods,
    OTHERWISE: with_other_arguments,
}
EVERY = (*SECTIONS, *FURTHER)
SHOWN = 8  # numbers that differ
ONE_PROCESS = f"{OPTION} writes files that suites share: run it with `-n 0`"


class Recording:
    """Whether this run of pytest records, and how that is asked for in it."""

    def __init__(self) -> None:
        self.on, self.fault, self.how = False, "", f"pytest {OPTION}"


def asked_to_record(suite: Any) -> bool:
    """Whether this run of pytest records."""
    option = session_of(suite).of(Run).option("record_numbers")
    return bool(option or os.environ.get(VARIABLE))


def has_record(suite: Any) -> bool:
    """Whether the record beside the tests of a suite has numbers of it."""
    text = suite.recorded()
    if not text:
        return False
    names = [section_of(type(suite), what) for what in SECTIONS]
    with contextlib.suppress(NoRecord):
        return any(name in parse_record(text) for name in names)
    return True  # it is damaged, as P19 says


RECORDED = Condition(
    "no numbers are recorded",
    lambda suite: asked_to_record(suite) or has_record(suite),
    OPTION,
)


@guard
class NumbersOfRecord(Suite):
    """P19, of records."""

    @pytest.fixture
    def as_this_run_records(self, request: pytest.FixtureRequest) -> None:
        """Sees whether `--record-numbers` is given, or the variable that says the same."""
        asked = request.config.getoption("record_numbers", None)
        recording = session_of(self).of(Recording)
        recording.on = bool(asked or os.environ.get(VARIABLE))
        recording.how = (
            f"pytest {OPTION}" if asked is not None else f"{VARIABLE}=1 pytest"
        )
        is_one_of_many = hasattr(request.config, "workerinput")
        recording.fault = ONE_PROCESS if recording.on and is_one_of_many else ""

    def recorded(self) -> str | None:
        """The text of the record; None where there is none."""
        file = record_of(self)
        return file.read_text(encoding="utf-8") if file and file.is_file() else None

    @pytest.mark.usefixtures("as_this_run_records")
    @applies_where(RECORDED)
    def test_p19_numbers_are_those_of_the_record(self) -> None:
        recording = session_of(self).of(Recording)
        if recording.fault:
            pytest.fail(recording.fault, pytrace=False)
        if recording.on:
            return write(self)
        text = self.recorded() or ""
        usual, dtype = real_dtype("float").name, default_dtype(text)
        record = self.read(text)
        if dtype not in (usual, None):
            pytest.skip(f"the numbers are recorded with {dtype} by default")
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
            raise Fault(
                str(file and file.name), str(error), self.how_to_approve()
            ) from error

    def how_to_approve(self) -> str:
        file = tests_of(self)
        tests = os.path.relpath(file) if file else ""
        return f"what changed it; if it is right as it is now, approve it with `{session_of(self).of(Recording).how} {tests}`"

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
    return {name: one for name, one in found.items() if one or name in needed}


def entries_of(suite: Any, what: str) -> dict[str, Entry]:
    """What a suite computes now in one section."""
    if what in FURTHER:
        return FURTHER[what](suite)
    return entries(section_numbers(suite, what))


def write(suite: Any) -> None:
    """Records what a suite computes; what is close to what was recorded keeps its text."""
    tests = tests_of(suite)
    if tests is None:
        pytest.skip("the suite is in no file")
    file = file_of(tests)
    before = parse_record(file.read_text(encoding="utf-8")) if file.is_file() else {}
    module = vars(sys.modules[type(suite).__module__])
    before = without(before, {s.partition(":")[0] for s in before} - module.keys())
    for section, now in sections(suite).items():
        was = before.get(section, {})
        before[section] = kept_where_close(was, now, suite.tolerance)
    file.parent.mkdir(exist_ok=True)
    ordered = dict(sorted(before.items()))
    text = render_record(ordered, tests.name)
    file.write_text(text, encoding="utf-8", newline="\n")


def record_of(suite: Any) -> Path | None:
    """The file that holds the record of a suite."""
    tests = tests_of(suite)
    return file_of(tests) if tests else None


def tests_of(suite: Any) -> Path | None:
    try:
        return Path(inspect.getfile(type(suite)))
    except (TypeError, OSError):
        return None
