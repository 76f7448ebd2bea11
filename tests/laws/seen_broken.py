"""Laws that are seen to hold for one class, and to be broken in another."""

from typing import Any

import pytest

from pytree_laws import LawBroken, PytreeLaws
from pytree_laws.report import Finding
from pytree_laws.trace.programs import settings


def suite_of(laws: type[PytreeLaws], cls: type[Any]) -> PytreeLaws:
    """The suite of a class, by laws that build `under_test`."""
    return type(f"Test{cls.__name__}", (laws,), {"under_test": cls})()


def hold(suite: PytreeLaws, test: str) -> None:
    """Run one test of a suite, by its name without `test_`."""
    with settings():
        getattr(suite, f"test_{test}")()


def broken(suite: PytreeLaws, test: str) -> Finding:
    """What one test of a suite finds, which has to find something."""
    with pytest.raises(LawBroken) as raised:
        hold(suite, test)
    return raised.value.finding
