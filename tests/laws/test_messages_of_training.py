"""A failure of a train state says which law speaks, where, what was expected, and what to do, as those of all classes do."""

import re

import pytest
from harness.pairs import FURTHER, outcome_of, params
from mistakes.kinds import training

from pytree_laws.laws.of_kinds.train_state import training as whole
from pytree_laws.laws.of_kinds.train_state import update, variants

TOLD = {title: pair for title, pair in FURTHER.items() if pair.law == training.TRAINED}
LAWS = {law.number: law for law in (update.LAW, whole.LAW, variants.LAW)}


@pytest.mark.parametrize("pair", params(TOLD))
def test_a_failure_says_law_place_finding_and_what_to_do(pair):
    for message in outcome_of(pair.broken, pair.law)[pair.law]:
        said = re.match(r"\[\w+\] (T\d) (\w+), at `[\w.\[\]]+`: ", message)
        assert said, message
        law = LAWS[said[1]]
        assert said[2] == law.name and f"\n  law: {law.statement}" in message
        assert "\n  look for: " in message or f"\n  usual mistake: {law.mistake}" in message
        assert message.endswith(f"\n  usual fix: {law.fix}")
