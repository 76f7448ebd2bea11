"""Summary at the end of a run: findings by class and cause, and laws that were left out.

The hooks come from the suites, so they need neither a conftest nor an installed plugin. Findings travel with
the reports of pytest. Under pytest-xdist, the process that receives these imports no suite, so `-p
pytree_laws.summary` loads the summary there.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ..declare.unread import refuse_unread
from ..report import DECLARED, NOT_TRIED, SEVERITIES, Law, LawBroken, LawWarning
from .collection import LeftOut, register_collection, session_in
from .law_sets import NEWER, not_asked, number_of, too_few

_PACKAGE = Path(__file__).resolve().parents[1]
_FOUND, _LINE = "pytree_laws", "pytree_laws_line"
_REQUIRED = "pytree_laws_must_run"
_WARNING = f"{LawWarning.__module__}.{LawWarning.__qualname__}"
PLUGIN = "pytree_laws.summary"
"""Module at the top of the package that passes on these hooks, as named in `-p`."""
TELLS_MOST = (
    *("reference", "--numbers=record", "leaves", "static", "other", "dtypes"),
    *("invariants", "methods", "rejected", "accepted"),
)
"""Declarations in order of the mistakes that they reveal, the most first."""
MAX_NAMED = 4
_RESTS = re.compile(r"it rests on (P\d+(?: of `\w+`)?), which is broken")
_BEHIND = re.compile(r"(?:rests on|first failure of|is the one that) ([PS]\d+)\b")


class Collected:
    """A suite of which pytest collects the tests that apply, and adds a summary to the run."""

    skips: ClassVar[Sequence[str] | Mapping[str, str]] = ()
    """Parts of the names of tests that are expected to fail, with reasons: `p17_: a twin is meant`."""
    laws_by_number: ClassVar[Mapping[str, Law]] = {}
    summary_line: str = ""
    """Line of a passing test for the summary. Any test may list methods that are not tried."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        refuse_unread(cls)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        register_collection(metafunc.config)
        register_summary(metafunc.config)


def register_summary(config: pytest.Config) -> None:
    """Add the summary to a run, once for all suites."""
    if not config.pluginmanager.has_plugin(PLUGIN):
        # Also where a project makes errors of warnings: a finding that fails nothing stays one.
        config.addinivalue_line("filterwarnings", f"default::{_WARNING}")
        config.pluginmanager.register(sys.modules[__name__], PLUGIN)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Record in the report of a test the finding of its law, and its line for the summary."""
    outcome: Any = yield
    least = getattr(getattr(item, "cls", None), "must_run", 0)
    if least:
        outcome.get_result().user_properties.append((_REQUIRED, least))
    line = getattr(getattr(item, "instance", None), "summary_line", "")
    if line and call.when == "call":
        outcome.get_result().user_properties.append((_LINE, line))
    error = call.excinfo.value if call.excinfo else None
    if isinstance(error, LawBroken):
        report = outcome.get_result()
        report.user_properties.append((_FOUND, error.finding.to_json()))
        # Nobody asks for the code that it went through, as by `--tb=long`: its text names the line of the class.
        is_alone = not item.config.getoption("fulltrace", False)
        is_alone = is_alone and item.config.getoption("tbstyle", "auto") == "auto"
        if report.failed and call.excinfo and is_alone:
            text: Any = call.excinfo.getrepr(style="value", chain=False)
            text.reprcrash = call.excinfo.getrepr(style="short").reprcrash  # for the short summary of pytest
            report.longrepr = text


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Write the findings by class, and the reasons of skipped tests in one line each."""
    by_class = findings_by_class(terminalreporter.stats.get("failed", []))
    reports = terminalreporter.stats.get("skipped", [])
    reasons = [(report.nodeid, reason) for report in reports if (reason := _reason(report))]
    if by_class:
        terminalreporter.section("pytree laws")
    for name, findings in by_class.items():
        skipped = {test: why for test, why in reasons if test.startswith(f"{name}::")}
        terminalreporter.write_line(f"{name}: {count_text(findings)}")
        for line in [*finding_lines(findings), *resting_lines(skipped)]:
            terminalreporter.write_line(f"  {line}")
    left_out, is_brief = session_in(config).of(LeftOut), bool(by_class) or config.get_verbosity() < 0
    ran = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    noted = [*noted_in(ran, _LINE)]
    for line in [
        *untried_lines([*reasons, *((report.nodeid, line) for report, line in noted)]),
        *declared_lines(reasons),
        *(line for report, line in noted if report.passed and not line.startswith(NOT_TRIED)),
        *lines_of_too_few(terminalreporter, config),
        *left_out_lines(left_out, config.getoption("laws", None), is_brief=is_brief),
    ]:
        terminalreporter.write_line(line)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which a suite ran fewer tests than it requires."""
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and lines_of_too_few(reporter, session.config):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def lines_of_too_few(reporter: Any, config: pytest.Config) -> list[str]:
    """List the suites that ran too few tests, unless the command line selects tests of them."""
    if hasattr(config, "workerinput") or config.getoption("collectonly", False):
        return []
    reports = [report for kind in ("passed", "failed", "skipped") for report in reporter.stats.get(kind, [])]
    required = {_suite_of(report.nodeid): least for report, least in noted_in(reports, _REQUIRED)}
    ran = Counter(_suite_of(each.nodeid) for each in reports if each.when == "call" and not each.skipped)
    chosen = [_suite_of(report.nodeid) for report in reporter.stats.get("deselected", [])]
    named = [_suite_of(argument) for argument in config.args if argument.count("::") > 1]
    return too_few(required, ran, [*chosen, *named])


def _suite_of(nodeid: str) -> str:
    return nodeid.rpartition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the tests that a worker of pytest-xdist has left out."""
    tests_by_suite: dict[str, Any] = getattr(node, "workeroutput", {}).get(_FOUND, {})
    left_out = session_in(node.config).of(LeftOut)
    for suite, tests in tests_by_suite.items():
        left_out[suite] = {name: (why, with_it) for name, (why, with_it) in tests.items()}


def left_out_lines(
    left_out: Mapping[str, Mapping[str, tuple[str, str]]], asked: bool | None, *, is_brief: bool = False
) -> list[str]:
    """List the declarations that would add laws: in one line, or by suite if `--laws` is given.

    `asked` is None if the option does not exist. With `is_brief`, as for `-q` or with findings, only newer
    laws are listed.
    """
    if asked:
        return [line for suite in left_out for line in (suite, *_of_suite(left_out[suite]))]
    pairs = [pair for tests in left_out.values() for pair in tests.values()]
    names = () if is_brief else undeclared(with_it for why, with_it in pairs if why != NEWER)
    more = more_laws(names) + "; see pytest --laws" * (asked is not None)
    newer = {law_of(name) for tests in left_out.values() for name, (why, _) in tests.items() if why == NEWER}
    return [*filter(None, [not_asked(left_out, by_number(newer)), more if names else ""])]


def _of_suite(tests: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """Yield the declarations that would add tests to a suite, then the reasons of other tests."""
    wanted = grouped(
        (f"with `{with_it}`" if with_it else f"does not apply, since {why}", name)
        for name, (why, with_it) in tests.items()
    )
    for message in sorted(wanted, key=lambda text: (not text.startswith("with"), text)):
        yield f"  {message}: {laws_text(wanted[message])}"


def grouped(pairs: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    """Group the second parts of pairs by the first parts, in their order."""
    result: dict[str, list[Any]] = {}
    for key, value in pairs:
        result.setdefault(key, []).append(value)
    return result


def laws_text(tests: Sequence[str]) -> str:
    """Return the laws of some tests with the number of tests, such as `P1, P2 (3 tests)`."""
    return f"{', '.join(by_number(map(law_of, tests)))} ({len(tests)} test{'s' * (len(tests) > 1)})"


def undeclared(declarations: Iterable[str]) -> tuple[str, ...]:
    """Return distinct declarations, the most revealing first."""
    order = {name: place for place, name in enumerate(TELLS_MOST)}
    names = {name for name in declarations if name}
    return tuple(sorted(names, key=lambda name: (order.get(name, len(order)), name)))


def more_laws(names: Sequence[str]) -> str:
    """Return a line such as `more laws with: reference, dtypes, other, static and 5 others`."""
    others = len(names) - MAX_NAMED
    rest = f" and {others} other{'s' * (others > 1)}" if others > 0 else ""
    return f"more laws with: {', '.join(names[:MAX_NAMED])}{rest}"


def findings_by_class(reports: Iterable[Any]) -> dict[str, list[Mapping[str, str]]]:
    """Return the findings of failed tests by test class, in the order of the run."""
    return grouped((_suite_of(report.nodeid), finding) for report, finding in noted_in(reports, _FOUND))


def noted_in(reports: Iterable[Any], key: str) -> Iterator[tuple[Any, Any]]:
    """Yield each report with each value that it has under a key."""
    for report in reports:
        yield from ((report, value) for name, value in getattr(report, "user_properties", ()) if name == key)


def count_text(findings: Iterable[Mapping[str, str]]) -> str:
    """Count findings by severity, as in `1 fault, 2 costs`."""
    counts = Counter(finding["severity"] for finding in findings)
    plurals = {"fault": "faults", "cost": "costs", "advice": "advice"}
    names = {severity: severity if counts[severity] == 1 else plurals[severity] for severity in SEVERITIES}
    return ", ".join(f"{counts[severity]} {names[severity]}" for severity in SEVERITIES if counts[severity])


def finding_lines(findings: Iterable[Mapping[str, str]]) -> list[str]:
    """Return a line for each finding, the most severe first, otherwise in the order of causes."""
    ordered = sorted(findings, key=lambda finding: SEVERITIES.index(finding["severity"]))
    return [
        f"{finding['severity']:6} {finding['law']} {finding['name']}, at {finding['place']}: "
        + first_line(finding["what"])
        for finding in ordered
    ]


def first_line(text: str) -> str:
    """Return the first line of a text, cut to 100 columns."""
    line = text.partition("\n")[0]
    return line if len(line) < 100 else f"{line[:97]}..."


def resting_lines(skipped: Mapping[str, str]) -> list[str]:
    """Return a line for each broken law with the skipped laws that rest on it."""
    rests = grouped((match[1], test) for test, why in skipped.items() if (match := _RESTS.fullmatch(why)))
    return [f"follow from {broken}: {laws_text(tests)}" for broken, tests in rests.items()]


def untried_lines(reasons: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each method of a suite whose example does not fit, however many tests this skips."""
    untried = ((_suite_of(test), why) for test, why in reasons if why.startswith(NOT_TRIED))
    parts = ((suite, part) for suite, why in untried for part in re.split(rf"(?:^|; ){NOT_TRIED}", why)[1:])
    return [f"{suite}: {NOT_TRIED}{part}" for suite, part in dict.fromkeys(parts)]


def declared_lines(reasons: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each reason in `skips`, with the laws that suites declare not to hold."""
    laws_by_reason = grouped((why, law_of(test)) for test, why in reasons if why.startswith(DECLARED))
    return [f"{why} ({', '.join(by_number(laws))})" for why, laws in laws_by_reason.items()]


def law_behind(why: str) -> str:
    """Return the number of the broken law that caused a skip, or an empty string."""
    match = _BEHIND.search(why)
    return match[1] if match else ""


def is_of_law(why: str) -> bool:
    """Whether the reason of a skip is that a law does not apply."""
    return not _RESTS.fullmatch(why) and not why.startswith(DECLARED)


def law_of(test: str) -> str:
    """Return the number of a test's law, or the name of a test without a law."""
    name = test.rpartition("::")[2]
    return number_of(name) or name


def by_number(laws: Iterable[str]) -> list[str]:
    """Return distinct laws in the order of their numbers."""
    return sorted(set(laws), key=lambda law: (len(law), law))


def _reason(report: Any) -> str | None:
    """Return the reason of a skipped law, or None for a test outside this package."""
    if not isinstance(report.longrepr, tuple):
        return None
    file, reason = report.longrepr[0], str(report.longrepr[2]).removeprefix("Skipped: ")
    # Where each frame is hidden that a skip went through, pytest names its own file.
    ours = reason.startswith(NOT_TRIED) or Path(file).resolve().is_relative_to(_PACKAGE)
    return reason if ours else None
