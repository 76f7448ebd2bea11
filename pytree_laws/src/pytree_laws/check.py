"""The laws outside of pytest: in a notebook, or in a script."""

import contextlib
import dataclasses
import functools
import importlib
import inspect
import pathlib
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from .discover.inference import suggest_declaration
from .engine.applicability import NotApplicable, unmet
from .engine.summary import (
    count_text,
    declared_lines,
    is_of_law,
    law_of,
    more_laws,
    resting_lines,
    undeclared,
)
from .laws import PytreeLaws
from .report import Finding, LawBroken
from .session import Session
from .trace.programs import settings


@dataclasses.dataclass(frozen=True)
class Report:
    """Results of the laws for one class, which print well and convert to JSON."""

    name: str
    findings: tuple[Finding, ...]
    passed: tuple[str, ...]
    skipped: dict[str, str]
    """Reason of each skip, by test."""
    leaves: tuple[Any, ...]
    """Each `Leaf`, or each `Var` of an NNX module, as declared or inferred."""
    undeclared: tuple[str, ...] = ()
    """Names of further declarations that would make more laws apply."""
    declaration: str = ""
    """Source code that declares leaves, static values and outputs, ready to paste into a suite."""

    @property
    def ok(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        findings = [finding.to_json() for finding in self.findings]
        head = f"{self.name}: {len(self.passed)} tests passed, {count_text(findings) or 'nothing found'}"
        rests = [*resting_lines(self.skipped), *declared_lines(self.skipped.items())]
        others = [f"skipped {law_of(name)}: {why}" for name, why in self.skipped.items() if is_of_law(why)]
        more = [more_laws(self.undeclared)] if self.undeclared else []
        return "\n".join([head, *map(str, self.findings), *rests, *others, *more])

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON."""
        findings = [finding.to_json() for finding in self.findings]
        fields = {"name": self.name, "ok": self.ok, "findings": findings}
        return {**fields, "passed": list(self.passed), "skipped": dict(self.skipped)}


def check_pytree(
    build: Callable[[int], Any],
    arguments: Callable[[int], Sequence[Any]] | None = None,
    *,
    call: Callable[..., Any] | None = None,
    **declared: Any,
) -> Report:
    """Run the pytree laws, or the laws of NNX modules, on the class that `build(seed)` builds.

    `arguments(seed)` returns example arguments of the call. The call is that of the instance, or
    `call(instance, *arguments)`. The other keywords are the declarations of a suite: `leaves`, `static`,
    `returns`, `skips` and more.
    """
    body: dict[str, Any] = {"build": lambda self, seed: build(seed), **declared}
    if arguments is not None:
        body["arguments"] = lambda self, seed: tuple(arguments(seed))
    if call is not None:
        body["call"] = lambda self, *arguments: call(*arguments)
    suite = type("Checked", (laws_of(build),), body)()
    suite.session = Session()
    passed, findings, skipped = list[str](), list[Finding](), dict[str, str]()
    with settings():
        for name, test in tests_of(suite):
            try:
                run(test)
                passed.append(name)
            except LawBroken as broken:
                findings.append(broken.finding)
            except NotApplicable:
                continue
            except pytest.fail.Exception as mended:
                skipped[name] = str(mended)
            except pytest.skip.Exception as reason:
                skipped[name] = str(reason)
        with contextlib.suppress(Exception):
            name, leaves = (type(suite.cached_instance()).__name__, tuple(suite.manifest()))
            parts = tuple(findings), tuple(passed), skipped, leaves
            tests = [getattr(suite, test) for test in dir(suite) if test.startswith("test_p")]
            conditions = [condition for test in tests if (condition := unmet(suite, test))]
            more = undeclared(condition.declaration for condition in conditions)
            return Report(name, *parts, more, suggest_declaration(suite))
    return Report("?", tuple(findings), tuple(passed), skipped, ())


def laws_of(build: Callable[[int], Any]) -> Any:
    """Return the suite for what `build` returns: `NnxLaws` for an NNX module, else `PytreeLaws`."""
    with contextlib.suppress(Exception):  # the constructor fails: P1 says so
        first = build(0)
        flax: Any = sys.modules.get("flax.nnx")
        if flax is not None and isinstance(first, flax.Module):
            return importlib.import_module(".nnx", __package__).NnxLaws
    return PytreeLaws


def tests_of(suite: Any) -> Iterator[tuple[str, Callable[..., None]]]:
    """Yield name and function of each test that applies, causes first, once per parameter value."""
    owners = reversed(type(suite).__mro__)
    names = [n for owner in owners for n in vars(owner) if n.startswith("test_p")]
    for name in dict.fromkeys(names):
        test = getattr(suite, name)
        if test is None:  # a further configuration is not held to it
            continue
        if unmet(suite, test) is not None:
            continue
        marks = [m for m in getattr(test, "pytestmark", ()) if m.name == "parametrize"]
        if not marks:
            yield name, test
        for mark in marks:
            for value in mark.args[1]:
                yield f"{name}[{value}]", functools.partial(test, **{mark.args[0]: value})


def run(test: Callable[..., None]) -> None:
    """Run a test with warnings ignored, and with a temporary folder if the test takes `tmp_path`."""
    folders = tempfile.TemporaryDirectory if "tmp_path" in inspect.signature(test).parameters else None
    with contextlib.ExitStack() as stack, warnings.catch_warnings(action="ignore"):
        test(**({"tmp_path": pathlib.Path(stack.enter_context(folders()))} if folders else {}))
