"""The edits of the study apply to the classes that the tool generates now, and each that went unnoticed is a change."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study import STUDY
from benchmarks.hand_edits.study.__main__ import LISTS, counts, line
from benchmarks.hand_edits.study.further import FURTHER
from benchmarks.hand_edits.study.proofs import PROOFS, UNCHANGED
from benchmarks.hand_edits.study.suites import Failure, Folders, Outcome
from benchmarks.hand_edits.verdicts import changed, name_of

BY_NAME = {name_of(edit): edit for edit in STUDY}
DECAY = "spectral_block: Weight decay moves the gains."
POWER = "spectral_block: The power of a derivative is weighted by its order, not by twice that."


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    return Folders(tmp_path_factory.mktemp("study"))


@pytest.fixture
def importable(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both folders can be imported, and leave no module behind."""
    before = set(sys.modules)
    for folder in (folders.examples, folders.study):
        monkeypatch.syspath_prepend(str(folder))
    yield
    for name in set(sys.modules) - before:
        if any((folder / f"{name}.py").exists() for folder in (folders.examples, folders.study)):
            del sys.modules[name]


@pytest.mark.spread(10)
@pytest.mark.parametrize("edit", (*STUDY, *FURTHER), ids=name_of)
def test_an_edit_applies_and_changes_what_python_reads(folders: Folders, edit: Edit) -> None:
    folder = folders.folder_of(edit.example)
    source = (folder / edit.place).read_text()
    assert ast.dump(ast.parse(edit.applied(source))) != ast.dump(ast.parse(source))
    assert (folder / "tests" / f"test_{edit.example}.py").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("number", sorted(LISTS))
def test_the_edits_of_each_list_apply_to_what_is_emitted_now(tmp_path: Path, number: int) -> None:
    edits, specs = LISTS[number]
    folders = Folders(tmp_path, specs)
    for edit in edits:
        edit.applied((folders.folder_of(edit.example) / edit.place).read_text("utf-8"))


def test_the_list_has_as_many_edits_of_each_tag_as_was_asked_for() -> None:
    assert Counter(edit.tag for edit in STUDY) == {"declared": 32, "numbers": 8, "legitimate": 15}
    assert len(BY_NAME) == len(STUDY)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROOFS)
def test_an_edit_that_went_unnoticed_is_a_change(folders: Folders, importable: None, name: str) -> None:
    edit = BY_NAME[name]
    with jax.numpy_dtype_promotion("standard"):
        assert changed(edit, PROOFS[name], folders.folder_of(edit.example))


def test_an_edit_that_changes_nothing_is_one_of_the_list() -> None:
    assert BY_NAME.keys() >= UNCHANGED
    assert not UNCHANGED & PROOFS.keys()


def test_outcomes_are_counted_by_tag_with_and_without_a_record() -> None:
    edit = Edit("a", "declared", "One.", ())
    failure = Failure("test_p01", "no")
    outcomes = [Outcome(edit, (), (failure,)), Outcome(edit, (failure,), (failure,)), Outcome(edit, (), ())]
    assert counts(outcomes) == ["declared: 1 of 3 fail without a record, 2 with it"]
    assert line(outcomes[0]) == "declared   - | test_p01 | a: One."


@pytest.mark.slow
def test_an_edit_is_noticed_by_a_first_run(folders: Folders) -> None:
    folders.record([BY_NAME[DECAY].example])
    decay, power = folders.judge(BY_NAME[DECAY]), folders.judge(BY_NAME[POWER])
    broken = ["test_p16_decay_moves_all_that_is_trained_but_the_declared"]
    assert [failure.test for failure in decay.unrecorded] == broken
    assert not power.unrecorded
    assert power.recorded
