"""Mistakes that are in no catalogue: a law notices each, and passes the right form. What survives is marked, with the reason."""

import further_calls
import further_nodes
import further_training
import pytest
from laws_runner import run
from pairs import check_broken, params

FURTHER = {**further_calls.PAIRS, **further_nodes.PAIRS, **further_training.PAIRS}


@pytest.mark.parametrize("pair", params(FURTHER))
def test_the_law_notices_the_mistake(pair):
    check_broken(pair.broken, pair.law, pair.words)


@pytest.mark.parametrize(
    "suite", dict.fromkeys(pair.fixed for pair in FURTHER.values()), ids=lambda one: one.__name__
)
def test_the_right_form_holds_every_law(suite):
    outcome = run(suite, on_warning="ignore")
    assert not outcome, "\n".join(message for found in outcome.values() for message in found)
