"""How much a finding matters: by its law, by the check, and by what the check found."""

from additions import graded
from right.modules import AffineLaws

from pytree_laws import LawBroken
from pytree_laws.engine.registry import with_tests_of
from pytree_laws.report import ADVICE, COST, FAULT


@with_tests_of(graded.CHECKS)
class Graded(AffineLaws): ...


def severity_of(test):
    """How much the finding of a test matters."""
    try:
        getattr(Graded(), test)()
    except LawBroken as broken:
        return broken.finding.severity


def test_a_check_and_a_finding_say_how_much_they_matter():
    assert severity_of("test_p91_as_its_law") == FAULT
    assert severity_of("test_p91_as_the_check_says") == COST
    assert severity_of("test_p91_as_the_finding_says") == ADVICE
