"""An editor saves while the tool updates: every save is there afterwards, or is what the next update starts from."""

import os
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from scaffold.errors import ScaffoldError
from scaffold.history import carried_over
from scaffold.lifecycle.update import plan_update
from scaffold.publish import publish, swap
from tests.publish.killing import fork, left_overs, wait_for
from tests.support.library import BIAS, Library, spec

MODULE, SAVE = "lib/dense.py", re.compile(r"^# save (\d+)$", re.MULTILINE)
SAVES = 150
T = TypeVar("T")


def save_in_place(path: Path, text: str) -> None:
    path.write_text(text)


def save_by_renaming(path: Path, text: str) -> None:
    beside = path.with_name("editors_own.tmp")
    beside.write_text(text)
    os.rename(beside, path)


SAVING = pytest.mark.parametrize("save", [save_in_place, save_by_renaming])


def edited(library: Library) -> Library:
    """A class with an edit, whose spec then gets another field."""
    library.append(MODULE, "# save 0\n")
    library.write_specs(dense=spec("Dense", BIAS))
    return library


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return edited(Library.with_dense(tmp_path))


def test_what_is_saved_after_the_merge_is_not_replaced_by_it(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge = carried_over.outcome

    def merge_and_save(*arguments: Any, **options: Any) -> object:
        merged = merge(*arguments, **options)
        library.edit(MODULE, "# save 0", "# save 1") if "# save 0" in library.read(MODULE) else None
        return merged

    monkeypatch.setattr(carried_over, "outcome", merge_and_save)
    plan = plan_update((), library.layout)
    with pytest.raises(ScaffoldError, match=r"lib/dense\.py: has changed since the plan was made; nothing"):
        publish(plan)
    assert "# save 1" in library.read(MODULE) and "bias" not in library.read(MODULE)


def save_before(
    call: Callable[..., T], library: Library, save: Callable[[Path, str], None]
) -> Callable[..., T]:
    """The system call, before which an editor saves the module once, where the call is about that."""
    module, text = library.path(MODULE), library.read(MODULE).replace("# save 0", "# save 1")
    saves = iter([text])

    def called(*paths: Path, **options: Any) -> T:
        for saved in saves if module in paths else ():
            save(module, saved)
        return call(*paths, **options)

    return called


@SAVING
def test_what_is_saved_just_before_the_renaming_is_brought_back(
    library: Library, save: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: content for path, content in library.tree().items() if path != MODULE}
    monkeypatch.setattr(os, "replace", save_before(os.replace, library, save))
    monkeypatch.setattr(swap, "exchange", save_before(swap.exchange, library, save))
    with pytest.raises(ScaffoldError, match=r"lib/dense\.py: has changed since the plan was made; nothing"):
        library.update()
    assert "# save 1" in library.read(MODULE)
    assert not left_overs(library.root)
    assert {path: content for path, content in library.tree().items() if path != MODULE} == before
    assert not left_overs(library.root)


def test_where_files_cannot_be_exchanged_a_save_in_place_is_brought_back(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swap, "exchange", lambda *_: False)
    monkeypatch.setattr(os, "replace", save_before(os.replace, library, save_in_place))
    with pytest.raises(ScaffoldError, match=r"lib/dense\.py: has changed since the plan was made; nothing"):
        library.update()
    assert "# save 1" in library.read(MODULE) and not left_overs(library.root)


def test_what_is_saved_before_a_removal_is_brought_back(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "rename", save_before(os.rename, library, save_in_place))
    monkeypatch.setattr(Path, "unlink", save_before(Path.unlink, library, save_in_place))
    with pytest.raises(ScaffoldError, match=r"lib/dense\.py: has changed since the plan was made; nothing"):
        library.destroy("Dense", force=True)
    assert "# save 1" in library.read(MODULE) and not left_overs(library.root)


def test_what_is_saved_on_top_of_a_replacement_stays_when_the_rest_is_undone(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = library.path(MODULE).write_text

    def fail_at_the_last(one: Path, other: Path) -> bool:
        if other.name == "test_dense.py":
            write("saved on top\n")
            raise OSError(28, "No space left on device")
        return exchange(one, other)

    exchange = swap.exchange
    monkeypatch.setattr(swap, "exchange", fail_at_the_last)
    with pytest.raises(
        ScaffoldError, match=r"lib/dense\.py: could not be restored: another program has saved"
    ):
        library.update()
    assert library.read(MODULE) == "saved on top\n"


# -- an editor that goes on --------------------------------------------------------------------------------------------


def keep_saving(path: Path, save: Callable[[Path, str], None]) -> None:
    """Save many times, each on top of what is there, which must have the save before."""
    pauses = random.Random(0)
    for number in range(1, SAVES + 1):
        text = path.read_text()
        last = SAVE.search(text)
        assert last is not None and int(last[1]) == number - 1, f"save {number - 1} was lost"
        save(path, SAVE.sub(f"# save {number}", text))
        time.sleep(pauses.uniform(0, 0.02))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the editor is forked")
@SAVING
def test_of_many_saves_during_updates_none_is_lost(tmp_path: Path, save: Callable[[Path, str], None]) -> None:
    library = edited(Library.with_dense(tmp_path))
    editor = fork(lambda: keep_saving(library.path(MODULE), save))
    done = refused = 0
    while os.waitid(os.P_PID, editor, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        library.write_specs(dense=spec("Dense", BIAS if (done + refused) % 2 else ""))
        try:
            library.update()
            done += 1
        except ScaffoldError as error:
            refused += 1
            assert "has changed since the plan was made; nothing was changed" in str(error), error
    assert wait_for(editor) == 0, (done, refused)
    assert f"# save {SAVES}" in library.read(MODULE) and not left_overs(library.root)
    assert done and refused
