"""Each law fails on the mistakes that it is there for, and its message names the cause."""

import mutants_again
import mutants_calls
import mutants_construction
import mutants_files
import mutants_numbers
import mutants_ownership
import mutants_platform
import mutants_static
import mutants_structure
import mutants_training
import pitfalls
import pitfalls_training
import pytest
from laws_runner import run
from mutant_base import MUTANTS, NodeLaws
from pairs import check_broken

MODULES = (
    mutants_again,
    mutants_calls,
    mutants_construction,
    mutants_files,
    mutants_structure,
    mutants_static,
    mutants_training,
    mutants_numbers,
    mutants_ownership,
    mutants_platform,
    pitfalls,
    pitfalls_training,
)


@pytest.mark.parametrize("suite, law, words", MUTANTS)
def test_the_law_fails_and_names_the_cause(suite, law, words):
    check_broken(suite, law, words)


def test_the_right_node_holds_every_law():
    assert not run(NodeLaws)


def test_every_law_has_a_mutant():
    killed = {param.values[1] for param in MUTANTS}
    assert killed == {f"P{number}" for number in range(1, 20)}
    assert {module.__name__ for module in MODULES} <= {param.values[0].__module__ for param in MUTANTS}
