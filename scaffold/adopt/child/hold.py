"""Holds a class to the laws by the test file that was written for it."""

import sys
import types
import warnings
from typing import Any

import pytest

from pytree_laws.check import run, tests_of
from pytree_laws.look.programs import settings
from pytree_laws.report import LawBroken
from pytree_laws.summary import is_rest

from .targets import look_in

Request = dict[str, Any]


def hold(request: Request) -> dict[str, Any]:
    """What the laws find by a test file: each finding, and how many tests passed or were skipped."""
    look_in(request["folders"])
    module = types.ModuleType(request["module"])
    module.__file__ = request["path"]
    sys.modules[request["module"]] = module
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(request["text"], request["path"], "exec"), vars(module))
        suites = [
            one for name, one in vars(module).items() if name.startswith("Test") and isinstance(one, type)
        ]
        return report_of(suites, request["seconds"])


def report_of(suites: list[Any], seconds: float) -> dict[str, Any]:
    passed, skipped, findings, errors = 0, 0, list[dict[str, str]](), list[dict[str, str]]()
    rests: dict[str, str] = {}
    for suite in suites:
        suite.time_limit = seconds
        for name, test in tests_of(suite()):
            try:
                with settings():
                    run(test)
                passed += 1
            except LawBroken as broken:
                findings.append({**broken.finding.to_json(), "text": str(broken.finding)})
            except pytest.skip.Exception as reason:
                skipped += 1
                rests |= {name: str(reason)} if is_rest(str(reason)) else {}
            except Exception as error:  # of a law, and not of the class
                errors.append({"test": name, "what": f"{type(error).__name__}: {error}"[:500]})
    return {"passed": passed, "skipped": skipped, "findings": findings, "errors": errors, "rests": rests}
