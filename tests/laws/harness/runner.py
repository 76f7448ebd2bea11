"""Runs a law suite in process: which laws fail on a class, and with what message."""

import contextlib
import inspect
import pathlib
import re
import tempfile
import traceback
import warnings

import jax
import pytest

from pytree_laws import LawBroken
from pytree_laws.session import Session
from pytree_laws.trace.programs import settings

PACKAGE = pathlib.Path(__file__).parents[3] / "pytree_laws"


def register(mutants):
    """A decorator that adds a suite to `mutants`: its class must break a law, with these words in the message."""

    def mutant(law, *words):
        def mark(suite):
            mutants.append(pytest.param(suite, law, words, id=f"{law}-{suite.__name__}"))
            return suite

        return mark

    return mutant


class Outcome(dict):
    """law -> messages of its failures; `ran`, `skipped` and `found` name the tests.

    `found` are those that found something themselves, each with the lines of the suites that its failure went through: not
    those that only tell what the constructor or the call raises in every law.
    """

    def __init__(self):
        super().__init__()
        self.ran, self.skipped, self.found = [], {}, []

    def note(self, law, name, error):
        self.setdefault(law, []).append(f"[{name}] {error}")
        told = "on the example raised", "the class under test raised"
        if not any(words in str(error) for words in told):
            self.found.append((name, lines_of(error)))

    def text(self, law):
        return "\n".join(self.get(law, ()))


def lines_of(error):
    """File of the suites and line of each frame of a failed check, and none where something else was raised."""
    if not isinstance(error, AssertionError | pytest.fail.Exception):
        return []
    frames = traceback.walk_tb(error.__traceback__)
    files = [(pathlib.Path(frame.f_code.co_filename), line) for frame, line in frames]
    return [(place_of(file), line) for file, line in files if file.is_relative_to(PACKAGE)]


def place_of(file):
    """A file of the suites as it is named here: `laws/p01_construct`."""
    return file.relative_to(PACKAGE).with_suffix("").as_posix()


def cases(suite):
    """Every law of a suite, one for each of its parameters."""
    for name, test in inspect.getmembers(suite, inspect.ismethod):
        if name.startswith("test_"):
            marks = [m for m in getattr(test, "pytestmark", ()) if m.name == "parametrize"]
            for kwargs in [{marks[0].args[0]: v} for v in marks[0].args[1]] if marks else [{}]:
                yield name, test, kwargs


def run(suite, only="test_", on_warning="error", once=False, first=False, law=None):
    """Every law of `suite` (a subclass of PytreeLaws) whose name starts with `only`.

    With a `law` its own tests alone run. With `once` the tests of a law end with its first failure, with `first` all of them do. What is no law of a number goes
    by the name of its suite, such as `closure`.
    """
    instance = suite()
    instance.session = Session(reports_all=True)  # each test says what it finds
    with settings_put_back():
        return outcome_of(instance, only, on_warning, once, first, law)


@contextlib.contextmanager
def settings_put_back():
    before = dict(jax.config.values)
    try:
        yield
    finally:
        for name, value in before.items():
            if jax.config.values[name] != value:
                jax.config.update(name, value)


def outcome_of(suite, only, on_warning, once, first, wanted):
    outcome = Outcome()
    for name, test, kwargs in cases(suite):
        law = law_of(name, test)
        if not name.startswith(only) or (once and law in outcome) or wanted not in (None, law):
            continue
        if first and outcome:
            break
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter(on_warning)
            if "tmp_path" in inspect.signature(test).parameters:
                kwargs = {**kwargs, "tmp_path": pathlib.Path(folder)}
            try:
                with settings():
                    test(**kwargs)
                outcome.ran.append(name)
            except pytest.skip.Exception as reason:
                outcome.skipped[name] = str(reason)
            except LawBroken as broken:
                told = str(broken).partition(" ")[0]
                outcome.note(told if told.startswith("P") else law, name, broken)
            except Exception as error:
                if NUMBERED.match(name):
                    raise
                outcome.note(law, name, error)
            except pytest.fail.Exception as error:
                outcome.note(law, name, error)
    return outcome


NUMBERED = re.compile(r"test_p(\d\d)_")


def law_of(name, test):
    """The number of a law, such as P3, or the suite that a law without a number comes from."""
    found = NUMBERED.match(name)
    return f"P{int(found[1])}" if found else suite_of(test.__func__.__module__)


def suite_of(module):
    """The suite that a module belongs to: `closure`, `train_state`, or `conditions` among the laws of all kinds."""
    _, room, *rest = module.split(".")
    return rest[1] if rest[:1] == ["of_kinds"] else rest[-1] if room == "laws" else room
