"""Nothing in the suites cannot fail: each of their tests, and each check in these, finds something in a specimen of its law.

Whoever writes a law, or a check in one, writes a specimen that breaks it: a mutant, or a pair of a mistake and its right form.
"""

import ast

import pytest
from harness.pairs import outcome_of
from harness.runner import lines_of
from harness.suite_checks import SPECIMENS, Check, checks_below, every_check, every_test, seen_by

from tests.laws.steps.test_steps import EVERY, Endless, Raises, Unknown
from tests.laws.steps.test_steps import findings as step_findings

STEPS = (*EVERY, Raises, Unknown, Endless)
LAW = """
class SomeLaws:
    def test_p01_it(self):
        with doing("here", "a step"):
            check(self.holds(
                1, 2), "it")
        if self.wrong:
            raise Fault("it")
        assert self.right
"""


@pytest.fixture(scope="module", name="findings")
def _findings():
    """What was found: pairs of a test, by the class that defines it, and the lines of its failure."""
    ran = [(suite, outcome_of(suite, law).found) for suite, law in SPECIMENS]
    of_suites = [(getattr(suite, name).__qualname__, lines) for suite, found in ran for name, lines in found]
    of_steps = [(name, lines_of(broken)) for mistake in STEPS for name, broken in step_findings(mistake)]
    return of_suites + of_steps


@pytest.mark.slow
def test_each_test_of_the_suites_finds_something(findings):
    idle = set(every_test()) - {name for name, _ in findings}
    assert not idle, f"no specimen makes these fail: {', '.join(sorted(idle))}"


@pytest.mark.slow
def test_each_check_of_the_suites_finds_something(findings):
    checks = every_check()
    seen = {check for _, lines in findings for check in seen_by(lines, checks)}
    idle = [str(check) for check in checks if check not in seen]
    assert not idle, "\n".join(["no specimen makes these checks fail:", *idle])


@pytest.mark.slow
def test_checks_are_found_in_a_text():
    found = list(checks_below(ast.parse(LAW), "some_laws"))
    assert [(one.first, one.last) for one in found] == [(4, 4), (5, 6), (8, 8), (9, 9)]
    assert str(found[2]) == "some_laws.py:8 SomeLaws.test_p01_it: raise Fault('it')"
    assert len(every_test()) > 170 and len(every_check()) > 360


def test_a_failure_is_that_of_the_narrowest_check():
    wide, narrow, other = (Check("some_laws", "", *lines, "") for lines in [(1, 9), (3, 4), (6, 6)])
    lines = [("some_laws", 4), ("other_laws", 6), ("some_laws", 8)]
    assert list(seen_by(lines, [wide, narrow, other])) == [narrow, wide]
