"""`scaffold new-module NAME` on a terminal: a skeleton to fill in, or the questions."""

from pathlib import Path

import pytest

from tests.cli.test_prompts import KIND, dialogue, folder, scaffold
from tests.support.systems import NEEDS_TERMINAL
from tests.support.trees import read_tree

pytestmark = [pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning"), NEEDS_TERMINAL]


def test_a_name_alone_begins_a_skeleton(tmp_path: Path) -> None:
    begun = folder(tmp_path, "begun")
    with dialogue(begun, "new-module", "Affine", "--kind", "pytree") as terminal:
        terminal.answer("Write specs/affine.py, a class in Python to fill in? No asks for fields [Y/n]: ", "")
        terminal.expect("next: fill in specs/affine.py, then scaffold new-module --spec specs/affine.py")
        assert terminal.code() == 0, terminal.shown
    assert sorted(read_tree(begun)) == ["pyproject.toml", "specs/affine.py"]
    assert "class Affine(Pytree):" in (begun / "specs/affine.py").read_text()
    scaffold(begun, "--spec", "specs/affine.py")
    assert "class Affine:" in (begun / "affine.py").read_text()


def test_a_name_alone_may_be_asked_for_the_rest(tmp_path: Path) -> None:
    asked = folder(tmp_path, "asked")
    with dialogue(asked, "new-module", "Scale") as terminal:
        terminal.answer("[Y/n]: ", "n")
        terminal.answer(KIND, "")
        terminal.answer("Docstring (empty for none): ", "")
        terminal.answer("Constructor (factory, init) [factory]: ", "")
        terminal.answer("Field: ", "scale:f[n]=ones")
        terminal.answer("Field (empty to finish): ", "")
        terminal.answer("(empty for none): ", "")
        assert terminal.code() == 0, terminal.shown
    assert (asked / "scale.py").is_file() and (asked / "specs/scale.toml").is_file()


def test_a_class_that_is_described_already_gets_no_skeleton(tmp_path: Path) -> None:
    begun = folder(tmp_path, "begun")
    (begun / "specs").mkdir()
    (begun / "specs/maps.py").write_text("class Affine(Module):\n    size: int\n")
    with dialogue(begun, "new-module", "Affine") as terminal:
        terminal.expect("there is no field")
        assert terminal.code() == 2
    assert "specs/affine.py" not in read_tree(begun)
