"""P91: its checks find something in every class, each with another severity."""

from pytree_laws.engine.registry import Checks
from pytree_laws.kinds.suite import Suite
from pytree_laws.report import ADVICE, COST, Law, check

LAW = Law("P91", "graded", statement="Nothing holds.", mistake="It exists.", fix="Delete it.")
CHECKS = Checks(LAW)


@CHECKS.register()
def test_p91_as_its_law(subject: Suite) -> None:
    check(False, "here", "its law says how much it matters")


@CHECKS.register(severity=COST)
def test_p91_as_the_check_says(subject: Suite) -> None:
    check(False, "here", "the check says how much it matters")


@CHECKS.register(severity=COST)
def test_p91_as_the_finding_says(subject: Suite) -> None:
    check(False, "here", "the finding says how much it matters", severity=ADVICE)
