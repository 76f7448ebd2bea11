"""A failure of a train state, or of a closure, says which law speaks, where, what was expected, and what to do, as those of all classes do."""

import re

import pytest
from harness.pairs import FURTHER, outcome_of, params
from harness.runner import outcome_of as run_tests
from harness.runner import settings_put_back
from mistakes.kinds import closures, training

from pytree_laws.laws.of_kinds import closure
from pytree_laws.laws.of_kinds.train_state import training as whole
from pytree_laws.laws.of_kinds.train_state import update, variants
from pytree_laws.session import Session

TOLD = {title: pair for title, pair in FURTHER.items() if pair.law in (training.TRAINED, closures.CLOSURES)}
LAWS = {law.number: law for law in (update.LAW, whole.LAW, variants.LAW, closure.LAW)}


@pytest.mark.spread(16)
@pytest.mark.parametrize("pair", params(TOLD))
def test_a_failure_says_law_place_finding_and_what_to_do(pair):
    for message in outcome_of(pair.broken, pair.law)[pair.law]:
        said = re.match(r"\[\w+\] ([CT]\d) (\w+), at `[\w.\[\]]+`: ", message)
        assert said, message
        law = LAWS[said[1]]
        assert said[2] == law.name and f"\n  law: {law.statement}" in message
        usual = f"\n  usual mistake: {law.mistake}\n  usual fix: {law.fix}"
        assert ("\n  look for: " in message) != message.endswith(usual)


def test_training_is_not_told_where_an_update_is_no_fixed_point():
    suite = TOLD["steps that are counted in floats"].broken()
    suite.session = Session()
    with settings_put_back():
        outcome = run_tests(suite, "test_t", "ignore", False, False, None)
    assert {name for name, _ in outcome.found} == {"test_the_update_is_a_fixed_point"}
    assert outcome.skipped["test_training_converges"] == "it rests on T1, which is broken"
