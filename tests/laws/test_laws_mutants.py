"""Each law fails on the mistakes that it is there for, and its message names the cause."""

import pytest
from harness.mutants import MUTANTS, NodeLaws
from harness.pairs import check_broken
from harness.runner import run
from mistakes.reported import structure as pitfalls
from mistakes.reported import training as pitfalls_training
from mutants import calls as mutants_calls
from mutants import computed as mutants_computed
from mutants import construction as mutants_construction
from mutants import decay as mutants_decay
from mutants import files as mutants_files
from mutants import numbers as mutants_numbers
from mutants import of_other_laws as mutants_again
from mutants import ownership as mutants_ownership
from mutants import platform as mutants_platform
from mutants import sharding as mutants_sharding
from mutants import stacked as mutants_stacked
from mutants import static as mutants_static
from mutants import structure as mutants_structure
from mutants import training as mutants_training

MODULES = (
    mutants_again,
    mutants_calls,
    mutants_computed,
    mutants_construction,
    mutants_decay,
    mutants_files,
    mutants_structure,
    mutants_sharding,
    mutants_stacked,
    mutants_static,
    mutants_training,
    mutants_numbers,
    mutants_ownership,
    mutants_platform,
    pitfalls,
    pitfalls_training,
)


@pytest.mark.spread(3)
@pytest.mark.parametrize("suite, law, words", MUTANTS)
def test_the_law_fails_and_names_the_cause(suite, law, words):
    check_broken(suite, law, words)


def test_the_right_node_holds_every_law():
    assert not run(NodeLaws)


def test_every_law_has_a_mutant():
    killed = {param.values[1] for param in MUTANTS}
    assert killed == {
        f"P{number}" for number in (*range(1, 21), 22)
    }  # tests/sharding/test_sharding_mistakes.py has P21
    assert {module.__name__ for module in MODULES} <= {param.values[0].__module__ for param in MUTANTS}
