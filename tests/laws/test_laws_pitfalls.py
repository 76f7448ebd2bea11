"""Every mistake of the catalogue: its law notices the wrong form and says what is wrong, and every law passes the right one.

docs/pitfalls.md lists them, with what else was tried; `--refresh-examples` writes it anew.
"""

# ruff: noqa: F401 - the further mistakes add themselves to `FURTHER`
import pathlib

import pytest
from harness.pairs import FURTHER, check_broken, of_law, params
from harness.runner import run
from mistakes.calls import (
    behind_flags,
    calls,
    configurations,
    draws,
    edges,
    exceptions,
    flagged,
    loops_of_draws,
    randomness,
    reached,
    results,
    sequences,
    sizes,
)
from mistakes.kinds import averages, closures, nnx, nnx_methods, state_methods, states, steps, training
from mistakes.methods import (
    carried_arguments,
    declared_results,
    method_dependence,
    method_draws,
    method_effects,
    method_results,
    next_instances,
)
from mistakes.reported.catalogue import PITFALLS
from mistakes.structure import bases, nodes, parts, statics, submodules, tables
from mistakes.values import archives, files, filters, numbers, settings, snapshots, values

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "pitfalls.md"
HEAD = """# Mistakes, and the laws that notice them

Each mistake has a class that makes it, on which the named law fails, and a right form, which holds every law; both are in
`tests/laws`. A test makes this page from them. `scaffold laws P3` explains a law.

## The catalogue

Mistakes that were reported, by the number under which the tests keep them.

| # | mistake | law |
|---|---|---|
"""
MORE = """
## Further mistakes

They are in no catalogue, and the laws were not written for them.

| mistake | law |
|---|---|
"""
REST = """
## What no law notices yet

| mistake | why |
|---|---|
"""
NUMBERS = (
    *(1, 2, 3, 5, 6, 8, 10, 13, 14, 16, 17, 18, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 36, 37, 38),
    *(40, 41, 42, 44, 45, 47, 49, 50, 52, 53, 54, 55, 57, 58, 61, 62, 63, 64, 66, 67, 69, 70, 76),
)


def row(*cells):
    shown = (text[:1].upper() + text[1:] for text in map(str, cells))
    return f"| {' | '.join(shown)} |\n"


def check_right(suite, only="test_", law=None):
    outcome = run(suite, only=only, on_warning="ignore", law=law)
    assert outcome.ran or outcome.skipped
    assert not outcome, "\n".join(message for found in outcome.values() for message in found)


def document():
    known = [row(number, pair.title, pair.law) for number, pair in PITFALLS.items()]
    further = sorted(FURTHER.values(), key=lambda one: one.broken.__module__.removesuffix("__twin"))
    noticed = [row(one.title, one.law) for one in further if not one.survives]
    rest = [row(one.title, one.survives) for one in further if one.survives]
    return "".join([HEAD, *known, MORE, *noticed, *([REST, *rest] if rest else [])])


def test_every_number_of_the_catalogue_is_there():
    assert tuple(PITFALLS) == NUMBERS


@pytest.mark.spread(5)
@pytest.mark.parametrize("pair", params(PITFALLS))
def test_the_law_notices_the_mistake_of_the_catalogue(pair):
    check_broken(pair.broken, pair.law, pair.words)


@pytest.mark.spread(12)
@pytest.mark.parametrize("pair", params(FURTHER))
def test_the_law_notices_the_further_mistake(pair):
    check_broken(pair.broken, pair.law, pair.words)


@pytest.mark.spread(12)
@pytest.mark.parametrize("pair", FURTHER.values(), ids=lambda pair: pair.fixed.__name__)
def test_the_law_passes_the_right_form(pair):
    check_right(pair.fixed, of_law(pair.law), pair.law)


@pytest.mark.slow
@pytest.mark.parametrize(
    "suite", dict.fromkeys(pair.fixed for pair in FURTHER.values()), ids=lambda one: one.__name__
)
def test_every_law_passes_the_right_form(suite):
    check_right(suite)


def test_at_least_so_many_mistakes_are_noticed():
    noticed = [one for one in FURTHER.values() if not one.survives]
    assert len(noticed) >= 68 and len(FURTHER) >= 79


def test_the_page_lists_them(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--refresh-examples"):
        DOCUMENT.write_text(document())
    assert DOCUMENT.read_text() == document()
