"""Edits by hand to the emitted examples apply to them, and the page tells what their tests make of them."""

import ast
import re
from collections import Counter
from dataclasses import replace

import jax
import pytest

from benchmarks.hand_edits import EDITS
from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.proofs import PROOFS
from benchmarks.hand_edits.verdicts import PAGE, changed, name_of, page, verdicts
from benchmarks.mutants import EXAMPLES, Found

QUICK = (
    "affine: The bias is made in jax's default float",
    "table_factory: Unflatten goes through the public",
)
MISSED = re.compile(r"^- `\w+` (.*)$", re.MULTILINE)


@pytest.fixture
def examples_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples can be imported, as in the processes that judge them."""
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.mark.parametrize("edit", EDITS, ids=name_of)
def test_an_edit_applies_to_its_example_and_changes_what_python_reads(edit: Edit) -> None:
    source = (EXAMPLES / edit.place).read_text()
    assert ast.dump(ast.parse(edit.applied(source))) != ast.dump(ast.parse(source))
    assert (EXAMPLES / "tests" / f"test_{edit.example}.py").is_file()


def test_the_edits_are_many_and_each_is_told_once() -> None:
    tags = Counter(edit.tag for edit in EDITS)
    assert tags["declared"] >= 40
    assert tags["numbers"] >= 20
    assert not [name for name, times in Counter(map(name_of, EDITS)).items() if times > 1]


@pytest.mark.parametrize(("source", "times"), [("b", 0), ("a a", 2)])
def test_a_text_that_does_not_occur_once_is_refused(source: str, times: int) -> None:
    edit = Edit("affine", "numbers", "It is changed.", (("a", "c"),))
    with pytest.raises(ValueError, match=re.escape(f"affine.py: occurs {times} times, not once: 'a'")):
        edit.applied(source)


@pytest.mark.slow
def test_two_edits_are_noticed() -> None:
    chosen = [edit for edit in EDITS if name_of(edit).startswith(QUICK)]
    found = verdicts(chosen, 1)
    assert len(found) == len(QUICK)
    assert all(one.killed_by for one in found)


def test_the_page_counts_by_tag_and_lists_what_was_missed() -> None:
    found = [
        Found("a: One.", "declared", "a", {"P3": "no", "P1": "no"}, None),
        Found("b: Two.", "numbers", "b", {}, None),
    ]
    text = page(found)
    assert "| declared | 1 | 1 | 0 |\n| numbers | 1 | 0 | 1 |\n| all | 2 | 1 | 1 |" in text
    assert MISSED.findall(text) == ["b: Two."]
    assert "- P3: `declared` a: One." in text


def test_the_page_has_every_edit() -> None:
    text = PAGE.read_text()
    told = [line.split("` ", 1)[1] for line in text.splitlines() if line.startswith("- ")]
    assert sorted(told) == sorted(map(name_of, EDITS)), "python -m benchmarks.hand_edits --write"


def test_there_is_a_proof_of_each_edit_that_was_missed() -> None:
    assert set(MISSED.findall(PAGE.read_text())) <= set(PROOFS) <= set(map(name_of, EDITS))


def test_an_edit_is_seen_to_change_something_and_no_edit_to_change_nothing(examples_on_path: None) -> None:
    edit = next(edit for edit in EDITS if name_of(edit) == "affine: The bias is subtracted.")
    assert changed(edit, PROOFS[name_of(edit)])
    assert not changed(replace(edit, swaps=()), PROOFS[name_of(edit)])


@pytest.mark.slow
@pytest.mark.parametrize("edit", [edit for edit in EDITS if name_of(edit) in PROOFS], ids=name_of)
def test_what_was_missed_is_a_change(edit: Edit, examples_on_path: None) -> None:
    with jax.numpy_dtype_promotion("standard"):
        assert changed(edit, PROOFS[name_of(edit)])


@pytest.mark.slow
def test_the_page_is_what_the_tests_make_of_the_edits_now() -> None:
    missed = [one.name for one in verdicts(EDITS, 2) if not one.killed_by]
    assert missed == MISSED.findall(PAGE.read_text()), "python -m benchmarks.hand_edits --write"
