"""docs/failures.md shows ten failures as a user sees them; it is made of real runs, and `--refresh-examples` writes it anew."""

import pathlib
import re

import pytest
from harness.runner import run
from mistakes.reported import structure as pitfalls
from mutants import ownership as mutants_ownership
from mutants import static as mutants_static
from mutants import structure as mutants_structure
from mutants import training as mutants_training

from pytree_laws.laws import LAWS

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "failures.md"
HEAD = """# What a failure says

Ten mistakes of different families, each with the first failure of the law that is there for it, as pytest prints it. A test
makes this page from real runs.
"""
FAILURES = {
    "Unflatten lists the children in another order": (mutants_structure.Swapped, "P3"),
    "The constructor changes the dict that it is given": (mutants_structure.ChangesInput, "P1"),
    "An array is stored in a static field": (pitfalls.ArrayInStaticField, "P2"),
    "A lambda is stored in a static field": (mutants_static.LambdaStatic, "P5"),
    "The call is compiled with a static `self`": (mutants_static.StaticSelf, "P8"),
    "Weight decay moves a buffer": (mutants_training.BufferTrained, "P9"),
    "The carry changes its dtype": (mutants_training.CarryPromoted, "P11"),
    "The call appends to a list": (mutants_training.Appends, "P12"),
    "One key serves two draws": (mutants_ownership.KeyTwice, "P15"),
    "A filter spec compares leaves by identity": (mutants_ownership.IdentitySpec, "P16"),
}


def message(suite, law):
    """The first failure of a law, without the name of the test and without addresses."""
    outcome = run(suite, only=f"test_p{law[1:]:0>2}", on_warning="ignore", once=True)
    return re.sub(r" at 0x[0-9a-f]+", "", outcome[law][0].partition("] ")[2])


def document():
    parts = [f"## {title}\n\n```text\n{message(*of)}\n```\n" for title, of in FAILURES.items()]
    return "\n".join([HEAD, *parts])


def test_the_page_shows_what_really_is_printed(request: pytest.FixtureRequest) -> None:
    text = document()
    if request.config.getoption("--refresh-examples"):
        DOCUMENT.write_text(text)
    assert DOCUMENT.read_text() == text


@pytest.mark.parametrize("title", FAILURES)
def test_a_failure_says_law_place_finding_and_what_to_do(title: str) -> None:
    suite, law = FAILURES[title]
    _, name, statement, mistake, fix = LAWS[law][:5]
    first, *rest = message(suite, law).splitlines()
    assert first.startswith(f"{law} {name}, at `")
    assert f"  law: {statement}" in rest
    usual = [f"  usual mistake: {mistake}", f"  usual fix: {fix}"]
    assert (rest[-2:] == usual) != ("  look for: " in "\n".join(rest))


class Unbuildable(mutants_structure.OneWeight):
    def build(self, weight):
        raise RuntimeError("no file of weights")


def test_a_broken_constructor_is_one_failure_and_the_rest_is_skipped() -> None:
    outcome = run(Unbuildable)
    (failures,) = outcome.values()
    assert len(failures) == 1
    assert "P1 construct, at `build`: `build` on the example raised RuntimeError: no file of" in failures[0]
    assert not outcome.ran
    assert set(outcome.skipped.values()) == {"the example `build` fails, as the first failure of P1 says"}
    assert len(outcome.skipped) > 50


class Uncallable(mutants_structure.NodeLaws):
    def call(self, node, x):
        raise RuntimeError("no route")


def test_a_broken_call_is_one_failure_and_the_laws_of_calls_are_skipped() -> None:
    outcome = run(Uncallable)
    assert {law: len(found) for law, found in outcome.items()} == {"P7": 1}
    assert "P7 jit equals eager, at `call`: `call` on the example raised RuntimeError: no route" in (
        outcome.text("P7")
    )
    assert "test_p03_round_trip_keeps_treedef_and_leaves" in outcome.ran
