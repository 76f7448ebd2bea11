"""Run of the laws on a class, by the test file that was written for it."""

import linecache
import sys
import traceback
import types
import warnings
from pathlib import Path
from typing import Any

import pytest

from pytree_laws.check import run, tests_of
from pytree_laws.engine.applicability import NotApplicable
from pytree_laws.engine.summary import law_behind
from pytree_laws.errors import is_checked_at_run_time
from pytree_laws.inspect.trees import named_leaves
from pytree_laws.kinds.suite import Suite
from pytree_laws.laws.values.conditions import NotTrue, conditions_of
from pytree_laws.laws.values.p19_snapshot import record_text
from pytree_laws.report import ADVICE, OF_LAWS, LawBroken
from pytree_laws.trace.programs import settings

from ..classes.lookup import add_to_path

Request = dict[str, Any]


def run_laws(request: Request) -> dict[str, Any]:
    """Run a test file. Return its findings, its errors, the counts of tests, and the record of numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        suites = suites_of(request)
        report = report_of(suites, request["seconds"])
        tests = Path(request["path"]).name
        return {**report, "numbers": new_record(suites, tests) if request["records"] else ""}


def leaf_order(request: Request) -> dict[str, Any]:
    """Return the names of the leaves of the instance that a test file builds, in order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        suite = suites_of(request)[0]()
        instance = suite.build(**suite.inputs(0))
        return {"leaves": [attribute_of(instance, name, leaf) for name, leaf in named_leaves(instance)]}


def attribute_of(instance: Any, name: str, leaf: Any) -> str:
    """Return the attribute that holds a leaf, which a class registered without keys does not name."""
    attributes = getattr(instance, "__dict__", {})
    return next((key for key, value in attributes.items() if value is leaf), name)


def suites_of(request: Request) -> list[Any]:
    """Run a test file as a module, and return its suites."""
    add_to_path(request["folders"])
    module = types.ModuleType(request["module"])
    module.__file__ = request["path"]
    sys.modules[request["module"]] = module
    lines = request["text"].splitlines(keepends=True)
    linecache.cache[request["path"]] = len(request["text"]), None, lines, request["path"]
    exec(compile(request["text"], request["path"], "exec"), vars(module))
    candidates = [candidate for name, candidate in vars(module).items() if name.startswith("Test")]
    return [
        candidate for candidate in candidates if isinstance(candidate, type) and issubclass(candidate, Suite)
    ]


def report_of(suites: list[Any], seconds: float) -> dict[str, Any]:
    passed, skipped, findings, errors = 0, 0, list[dict[str, str]](), list[dict[str, str]]()
    rests: dict[str, str] = {}
    for suite in suites:
        suite.time_limit = seconds
        suite.raises_from = ADVICE
        instance = suite()  # a single instance, since its session caches traces
        conditions = dict(conditions_of(instance))
        for name, test in [*tests_of(instance), *conditions.items()]:
            try:
                with settings():
                    run(test)
                passed += 1
            except LawBroken as broken:
                is_of_laws = OF_LAWS in broken.finding.what
                if is_of_laws and is_checked_at_run_time(broken.__cause__):
                    skipped += 1
                elif is_of_laws:
                    errors.append(internal_error(name, broken.__cause__))
                else:
                    findings.append({**broken.finding.to_json(), "text": str(broken.finding)})
            except NotApplicable:
                continue
            except pytest.fail.Exception:  # an accepted finding that no longer occurs
                passed += 1
            except pytest.skip.Exception as reason:
                skipped += 1
                law = law_behind(str(reason))
                rests |= {name: law} if law else {}
            except Exception as error:
                if name in conditions:
                    is_told = any(
                        f"{type(error).__name__}: {error}"[:200] in finding["what"] for finding in findings
                    )
                    findings += [] if is_told else [of_condition(name, suite, error)]
                elif is_checked_at_run_time(error):  # the class refuses the values of a law
                    skipped += 1
                else:  # from a law, and not from the class
                    errors.append(internal_error(name, error))
    findings = [*{(finding["test"], finding["what"]): finding for finding in findings[::-1]}.values()][::-1]
    return {"passed": passed, "skipped": skipped, "findings": findings, "errors": errors, "rests": rests}


def new_record(suites: list[Any], tests: str) -> str:
    """Return the record of the numbers that suites compute, or an empty text if a suite fails."""
    try:
        with settings():
            return record_text([suite() for suite in suites], tests)
    except (Exception, pytest.skip.Exception):  # the findings report a class that breaks its laws
        return ""


def internal_error(name: str, error: BaseException | None) -> dict[str, str]:
    """Describe an error of a law itself: the test, the message and the line."""
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return {"test": name, "what": f"{type(error).__name__}: {error}"[:500], "where": where}


def of_condition(name: str, suite: type, error: Exception) -> dict[str, str]:
    """Return the error of a condition as a finding of a law."""
    message = str(error) if isinstance(error, NotTrue) else f"it raised {type(error).__name__}: {error}"
    return {
        "law": "@holds",
        "name": name.removeprefix("test_").replace("_", " "),
        "test": name,
        "where": suite.__name__,
        "what": message,
        "hint": "",
        "severity": "fault",
        "fix": "Mend what the condition is about, or the condition.",
        "text": f"{name}: {message}",
    }
