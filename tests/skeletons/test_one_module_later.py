"""A module with several classes later: classes come, go and move, and what was edited stays."""

from pathlib import Path

import pytest

from scaffold import ScaffoldError
from scaffold.history.records import DamagedError, parse_record
from tests.skeletons.several import BETWEEN, HEAD, LEFT, MODULE, PLAIN, SIDES, TESTS, THIRD, order, sides
from tests.support.library import Library, actions
from tests.support.trees import read_tree, write_tree


def test_classes_come_and_go_and_what_was_edited_stays(tmp_path: Path) -> None:
    library = sides(tmp_path)
    assert sorted(path.name for path in (tmp_path / ".scaffold").rglob("*.txt")) == ["sides.txt"]
    library.edit(MODULE, "return self.scale * x", "return x * self.scale")
    library.append("specs/sides.py", THIRD)
    assert library.states() == {
        ".scaffold/": "stale",
        "lib/__init__.py": "stale",
        MODULE: "stale",
        TESTS: "stale",
    }
    assert actions(library.update("Left")) == {
        ".scaffold/": "update",
        "lib/__init__.py": "update",
        MODULE: "merge",
        TESTS: "update",
    }
    assert order(library.read(MODULE))[-2:] == ["both", "Third"]
    assert "import Third as Third" in library.read("lib/__init__.py")
    library.write("specs/sides.py", SIDES)
    library.update()
    assert order(library.read(MODULE)) == ["Left", "FACTOR", "scaled", "Right", "both"]
    assert "return x * self.scale" in library.read(MODULE) and "Third" not in library.read("lib/__init__.py")
    assert library.states() == {MODULE: "edited"}


def test_the_order_of_the_author_is_kept_when_it_changes(tmp_path: Path) -> None:
    library = sides(tmp_path, HEAD + PLAIN + THIRD)
    library.write("specs/sides.py", HEAD + THIRD + PLAIN)
    library.update()
    assert order(library.read(MODULE)) == ["Third", "Right"]
    assert order(library.read(TESTS)) == ["TestThird", "TestRight"]
    assert library.states() == {}


def test_a_class_gets_another_name_with_its_edits(tmp_path: Path) -> None:
    library = sides(tmp_path, HEAD + PLAIN + THIRD)
    library.append(MODULE, "\n\ndef doubled(third: Third) -> Third:\n    return third\n")
    library.edit("specs/sides.py", "Third", "Fourth")
    plan = library.update()
    assert "`Third` is called `Fourth` now" in plan.notes
    assert "def doubled(third: Fourth) -> Fourth:" in library.read(MODULE)
    assert "Third" not in library.read(TESTS) + library.read("lib/__init__.py")
    library.edit("specs/sides.py", "Fourth", "Fifth")
    library.edit("specs/sides.py", "Right", "Wrong", every=True)
    library.update(rename={"Fourth": "Fifth", "Right": "Wrong"})
    assert "def doubled(third: Fifth) -> Fifth:" in library.read(MODULE)
    assert order(library.read(MODULE)) == ["Wrong", "Fifth", "doubled"]


def test_one_class_becomes_several_and_one_again(tmp_path: Path) -> None:
    library = Library.at(tmp_path)
    library.write("specs/sides.py", HEAD + PLAIN)
    library.new("specs/sides.py")
    library.edit(
        "lib/right.py",
        "    def __call__",
        "    def twice(self):\n        return 2 * self.scale\n\n    def __call__",
    )
    library.append("specs/sides.py", THIRD)
    plan = library.update()
    assert "`Right`: in the module `lib.sides` now, not in `lib.right`" in plan.notes
    assert actions(plan)["lib/right.py"] == "remove" and not library.path("tests/test_right.py").exists()
    text = library.read(MODULE)
    assert order(text) == ["Right", "Third"] and "def twice(self):" in text.partition("class Third")[0]
    assert library.read("lib/__init__.py").count("from .sides import") == 2
    assert library.states() == {MODULE: "edited"}
    library.write("specs/sides.py", HEAD + PLAIN)
    library.update("Right")
    assert "def twice(self):" in library.read("lib/right.py") and not library.path(MODULE).exists()
    assert "from .right import Right" in library.read("lib/__init__.py")
    assert [path.name for path in (tmp_path / ".scaffold").rglob("*.txt")] == ["Right.txt"]


def apart(root: Path) -> Library:
    """A project in which each class of a skeleton has a module, as an earlier version of the tool wrote them."""
    library = Library.at(root)
    write_tree(root, {"specs/right.py": HEAD + PLAIN, "specs/third.py": HEAD + THIRD})
    library.new("specs/right.py", "specs/third.py")
    write_tree(root, {"specs/sides.py": HEAD + PLAIN + THIRD})
    for name in ("right", "third"):
        library.path(f"specs/{name}.py").unlink()
        library.edit(f".scaffold/{name.capitalize()}.txt", f"spec: specs/{name}.py", "spec: specs/sides.py")
    return library


def test_modules_of_one_class_each_become_one(tmp_path: Path) -> None:
    library = apart(tmp_path)
    head = "# What the classes of test_NAME.py compute.\n# As float32.\n"
    for name in ("right", "third"):
        section = f"\n[Test{name.capitalize()}: as it is built]\nw: float32[1]\n    1.0\n"
        library.write(f"tests/numbers/{name}.txt", head.replace("NAME", name) + section)
    states = library.states()
    assert states[MODULE] == "missing" and states["lib/right.py"] == states["tests/test_third.py"] == "stale"
    plan = library.update()
    done = actions(plan)
    assert {path for path, action in done.items() if action == "remove" and path != ".scaffold/"} == {
        f"{folder}{name}{ending}"
        for name in ("right", "third")
        for folder, ending in (("lib/", ".py"), ("tests/test_", ".py"), ("tests/numbers/", ".txt"))
    }
    assert "`Right`: in the module `lib.sides` now, not in `lib.right`" in plan.notes
    assert order(library.read(MODULE)) == ["Right", "Third"]
    numbers = library.read("tests/numbers/sides.txt")
    assert numbers.startswith(head.replace("NAME", "sides") + "\n[TestRight: as it is built]\n")
    assert "\n\n[TestThird: as it is built]\n" in numbers
    assert library.read("lib/__init__.py").count("from .sides import") == 2
    assert ".right" not in library.read("lib/__init__.py")
    assert library.states() == {}
    assert actions(library.update()) == {}


def test_the_module_of_the_same_name_is_continued(tmp_path: Path) -> None:
    library = Library.at(tmp_path)
    own = HEAD + PLAIN.replace("Right", "Sides")
    write_tree(tmp_path, {"specs/sides.py": own, "specs/third.py": HEAD + THIRD})
    library.new("specs/sides.py", "specs/third.py")
    library.edit(
        MODULE, "    def __call__", "    def twice(self):\n        return 2 * self.scale\n\n    def __call__"
    )
    library.path("specs/third.py").unlink()
    library.append("specs/sides.py", THIRD)
    assert actions(library.update())[MODULE] == "merge"
    assert order(library.read(MODULE)) == ["Sides", "Third"] and "def twice" in library.read(MODULE)
    assert not library.path("lib/third.py").exists()


def test_an_edited_module_is_not_removed(tmp_path: Path) -> None:
    library = apart(tmp_path)
    library.append("lib/third.py", "\n\nMINE = 3\n")
    before = read_tree(tmp_path)
    assert library.states()["lib/third.py"] == "conflicting"
    told = "lib/third.py: was edited since it was generated, and `Third` is in `sides.py` now: move what is yours there"
    with pytest.raises(ScaffoldError) as caught:
        library.update()
    assert told in str(caught.value) and read_tree(tmp_path) == before
    library.path("lib/third.py").unlink()
    library.update()
    assert library.states() == {} and library.path(MODULE).exists()


def test_force_keeps_a_copy_of_an_edited_module(tmp_path: Path) -> None:
    library = apart(tmp_path)
    library.append("lib/third.py", "\n\nMINE = 3\n")
    library.update(force=True)
    kept = [path for path in (tmp_path / ".scaffold/kept").rglob("third.py.*")]
    assert len(kept) == 1 and "MINE = 3" in kept[0].read_text()
    assert not library.path("lib/third.py").exists() and library.states() == {}


def test_a_damaged_record_of_a_class_stops_the_move(tmp_path: Path) -> None:
    library = apart(tmp_path)
    library.edit(".scaffold/Third.txt", "class Third", "class  Third")
    with pytest.raises(
        ScaffoldError, match=r"Third\.txt: is damaged: (.|\n)*bring it back from version control"
    ):
        library.update()


def test_classes_go_to_modules_of_their_own(tmp_path: Path) -> None:
    library = sides(tmp_path, HEAD + PLAIN + THIRD)
    library.path("specs/sides.py").unlink()
    write_tree(tmp_path, {"specs/right.py": HEAD + PLAIN, "specs/third.py": HEAD + THIRD})
    library.update("Third")
    assert {"lib/right.py", "lib/third.py"} <= library.tree().keys() and MODULE not in library.tree()
    assert library.states() == {}


@pytest.mark.parametrize("planned", [("Third",), ()])
def test_the_numbers_of_a_class_that_is_parted_off_go_along(tmp_path: Path, planned: tuple[str, ...]) -> None:
    library = sides(tmp_path, HEAD + PLAIN + THIRD)
    head = "# What the classes of test_NAME.py compute.\n# As float32.\n"
    section = "\n[TestNAME: as it is built]\nw: float32[1]\n    1.0\n"
    of_class = {name: section.replace("NAME", name) for name in ("Right", "Third")}
    library.write("tests/numbers/sides.txt", head.replace("NAME", "sides") + "".join(of_class.values()))
    library.append("specs/sides.py", LEFT + BETWEEN)  # no numbers yet
    library.edit("specs/sides.py", THIRD, "")
    library.write("specs/third.py", HEAD + THIRD)
    library.update(*planned)
    assert library.read("tests/numbers/third.txt") == head.replace("NAME", "third") + of_class["Third"]
    assert library.read("tests/numbers/sides.txt") == head.replace("NAME", "sides") + of_class["Right"]
    assert library.states() == {}


def test_numbers_stay_with_a_module_that_is_not_generated_again(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/sides.py": HEAD + PLAIN + THIRD})
    library = Library(tmp_path)
    library.new("specs/sides.py")
    numbers = "# What the classes of test_sides.py compute.\n\n[TestRight: as it is built]\nw: float32[1]\n    1.0\n"
    library.write("tests/numbers/sides.txt", numbers + numbers.partition("\n")[2].replace("Right", "Third"))
    write_tree(tmp_path, {"specs/sides.py": HEAD + PLAIN, "specs/third.py": HEAD + THIRD})
    library.new("specs/third.py")
    assert "[TestRight: as it is built]" in library.read("tests/numbers/sides.txt")
    assert "[TestThird: as it is built]" in library.read("tests/numbers/third.txt")


def test_an_edited_module_is_not_parted(tmp_path: Path) -> None:
    library = sides(tmp_path, HEAD + PLAIN + THIRD)
    library.append(MODULE, "\n\nMINE = 3\n")
    library.path("specs/sides.py").unlink()
    write_tree(tmp_path, {"specs/right.py": HEAD + PLAIN, "specs/third.py": HEAD + THIRD})
    with pytest.raises(ScaffoldError, match=r"lib/sides\.py: was edited since it was generated"):
        library.update()
    assert "MINE" in library.read(MODULE) and "lib/right.py" not in library.tree()


def test_a_module_stays_as_long_as_a_class_of_it_is_described_there(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/": "", "specs/sides.py": HEAD + PLAIN + THIRD})
    library = Library(tmp_path)
    library.new("specs/sides.py")
    write_tree(tmp_path, {"specs/sides.py": HEAD + PLAIN, "specs/third.py": HEAD + THIRD})
    library.new("specs/third.py")
    assert {"sides.py", "third.py"} <= library.tree().keys()
    library.update()
    assert {"right.py", "third.py"} <= library.tree().keys() and "sides.py" not in library.tree()
    assert library.states() == {}


def test_a_class_beside_is_none_of_the_tool(tmp_path: Path) -> None:
    library = Library.at(tmp_path)
    library.write("specs/right.py", f"{HEAD}{PLAIN}\n\nclass Plain:\n    pass\n")
    library.new("specs/right.py")
    assert "specs/right.py" in actions(library.destroy("Right"))


@pytest.mark.parametrize(
    "head", ["class: modules/a\n", "class: A\nclasses: A, B\n", "class: modules/a\nclasses: A, b c\n"]
)
def test_a_record_that_does_not_say_its_classes_is_damaged(head: str) -> None:
    text = f"scaffold record, format 1\n{head}spec: specs/a.py\nmodule: a\nregistered: yes\n"
    with pytest.raises(DamagedError, match="are no names of its classes"):
        parse_record(text.encode())


def test_a_module_goes_as_a_whole(tmp_path: Path) -> None:
    library = sides(tmp_path)
    before = read_tree(tmp_path)
    with pytest.raises(ScaffoldError) as caught:
        library.destroy("Left")
    told = "NAME: `Left` is in one module with `Right`, `sides.py`, which goes as a whole"
    fix = "`scaffold destroy sides` removes it; or take `Left` out of specs/sides.py, then `scaffold update`"
    assert str(caught.value) == f"{told}\n  fix: {fix}"
    assert read_tree(tmp_path) == before
    plan = library.destroy("sides")
    assert actions(plan)[MODULE] == actions(plan)[TESTS] == actions(plan)["specs/sides.py"] == "remove"
    assert library.read("lib/__init__.py") == '"""Lib."""\n' and library.states() == {}
    again = sides(tmp_path / "again")
    again.destroy("Right", "Left")
    assert MODULE not in again.tree()


def test_who_uses_a_class_of_it_is_named(tmp_path: Path) -> None:
    library = sides(tmp_path)
    library.write("lib/user.py", "from lib.sides import Right\n")
    library.write("lib/other.py", "from lib import Left\n")
    library.write("specs/holder.toml", 'name = "Holder"\n[fields]\nright = "Right"\n')
    with pytest.raises(ScaffoldError) as caught:
        library.destroy("sides")
    assert [(fault.where, fault.what) for fault in caught.value.faults] == [
        ("lib/other.py:1", "uses `sides`"),
        ("lib/user.py:1", "uses `sides`"),
        ("specs/holder.toml", "names `sides`"),
    ]


def test_a_module_without_a_spec_is_left_to_its_owner(tmp_path: Path) -> None:
    library = sides(tmp_path)
    library.path("specs/sides.py").unlink()
    assert library.states_why(MODULE) == "no spec describes `sides` any more (`scaffold destroy sides`)"
    notes = library.update().notes
    assert (
        "specs/sides.py: describes `sides` no more; `scaffold destroy sides` removes what was generated"
        in notes
    )
    library.destroy("sides")
    assert MODULE not in library.tree()
