"""Collection of the tests that apply to the class of a suite.

The hooks come from the suites, so they need neither a conftest nor an installed plugin. pytest asks a class
for `pytest_generate_tests` at its first test. From then on, this module sees all other tests.
"""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from ..session import Session, session_of
from .applicability import NotApplicable, unmet
from .law_sets import NEWER, later_set

_PACKAGE = __name__.partition(".")[0]
_SESSION = pytest.StashKey[Session]()


class LeftOut(dict[str, dict[str, tuple[str, str]]]):
    """Reason, and missing declaration, of each test that was not collected, by test class and test."""


class Run:
    """The pytest run of a session."""

    config: pytest.Config | None = None


def register_collection(config: pytest.Config) -> None:
    """Register the hooks with a pytest run, once for all suites."""
    if not config.pluginmanager.has_plugin(__name__):
        config.pluginmanager.register(sys.modules[__name__], __name__)


def session_in(config: pytest.Config) -> Session:
    """Return the session of a run, which pytest's stash keeps."""
    session = config.stash.setdefault(_SESSION, Session())
    session.of(Run).config = config
    return session


def option_of(suite: Any, name: str) -> Any:
    """Return an option of the run of a suite, or None outside pytest or for an unknown option."""
    config = session_of(suite).of(Run).config
    return config.getoption(name, None) if config else None


def has_option(suite: Any, name: str) -> bool:
    """Whether the run of a suite has an option."""
    config = session_of(suite).of(Run).config
    return config is not None and hasattr(config.option, name)


def is_within_run(suite: Any) -> bool:
    """Whether pytest runs a suite."""
    return session_of(suite).of(Run).config is not None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: Any, name: str, obj: Any) -> list[Any] | None:
    """Collect nothing for a test that does not apply according to declarations."""
    return [] if is_left_out(collector, name, obj) else None


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Remove inapplicable tests that pytest collected before it knew this module."""
    names = ((item, name_of(item), getattr(item, "obj", None)) for item in items)
    items[:] = [item for item, name, test in names if not is_left_out(item.parent, name, test)]


def is_left_out(collector: Any, name: str, test: Any) -> bool:
    suite = getattr(collector, "cls", None)
    if suite is None:  # nothing is asked of what is no test of a class: a module may warn
        return False
    may_be_left_out = hasattr(test, "conditions") or bool(getattr(suite, "laws", ""))
    if not may_be_left_out or is_asked_for(collector.config, name):
        return False
    instance = suite()
    instance.session = session_in(collector.config)
    condition = unmet(instance, test)
    later = later_set(instance, name)
    if condition is None and not later:
        return False
    reason = (condition.reason, condition.declaration) if condition else (NEWER, f'laws = "{later}"')
    session_in(collector.config).of(LeftOut).setdefault(collector.nodeid, {})[name] = reason
    return True


def name_of(item: Any) -> str:
    """Return the name of a test without its parameters."""
    return getattr(item, "originalname", item.name)


def is_asked_for(config: pytest.Config, name: str) -> bool:
    """Whether the command line names a test."""
    return any(argument.partition("[")[0].endswith(f"::{name}") for argument in config.args)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: Any, nextitem: Any) -> bool | None:
    """Run a law, and report nothing if it does not apply."""
    if not is_law(item) or is_asked_for(item.config, name_of(item)):
        return None
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if any(hasattr(report, "does_not_apply") for report in reports):
        item.session.testscollected -= 1
        return True
    place = {"nodeid": item.nodeid, "location": item.location}
    item.ihook.pytest_runtest_logstart(**place)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(**place)
    return True


def is_law(item: Any) -> bool:
    """Whether a test is defined in this package."""
    module = getattr(getattr(item, "obj", None), "__module__", "")
    return module == _PACKAGE or str(module).startswith(f"{_PACKAGE}.")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Iterator[None]:
    """Record in the report of a test that its law does not apply."""
    outcome: Any = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, NotApplicable):
        outcome.get_result().does_not_apply = True


def pytest_sessionfinish(session: Any) -> None:
    """Send the tests left out by a worker to the process that writes the summary."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["pytree_laws"] = dict(session_in(session.config).of(LeftOut))
