"""`scaffold destroy` refuses a class that other code imports, or another spec names, and says who does."""

from pathlib import Path

import pytest

from scaffold.errors import ScaffoldError
from tests.support.library import BIAS, Library, spec
from tests.support.trees import write_tree

HOLDS = 'part = { type = "Dense" }'


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.with_dense(tmp_path)


def refusal(library: Library, *names: str) -> ScaffoldError:
    before = library.tree()
    with pytest.raises(ScaffoldError) as caught:
        library.destroy(*names)
    assert (caught.value.exit_code, library.tree()) == (1, before)
    return caught.value


FIX = "\n  fix: change that first, or let its class go too; --force removes `Dense` all the same"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("lib/mine.py", "from lib.dense import Dense\n"),
        ("lib/mine.py", "from .dense import Dense as Layer\n"),
        ("lib/mine.py", "from . import dense\n"),
        ("lib/mine.py", "def f():\n    import lib.dense as d\n"),
        ("lib/deep/mine.py", "from ..dense import *\n"),
        ("tools/mine.py", "from lib import Dense\n"),
        ("tools/mine.py", "import lib\n\n\nprint(lib.Dense)\n"),
        ("tests/test_mine.py", "import lib as l\n\nassert l.dense\n"),
        ("lib/__init__.py", '"""Lib."""\n\nfrom .dense import Dense as Dense\n\nlayers = [Dense]\n'),
    ],
)
def test_python_that_imports_it_is_listed(library: Library, path: str, text: str) -> None:
    library.write(path, text)
    [fault] = refusal(library, "Dense").faults
    assert fault.where.partition(":")[0] == path and fault.what == "uses `Dense`"
    assert fault.fix == FIX.removeprefix("\n  fix: ")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("lib/mine.py", "# from lib.dense import Dense\n"),
        ("lib/mine.py", "from other.dense import Dense\n"),
        ("lib/mine.py", "from flax.linen import Dense\n\nimport lib\n"),
        ("lib/deep/mine.py", "from .dense import Dense\n"),
        ("lib/mine.py", "class Dense: ...\n"),
        ("lib/mine.py", "from lib.dense import (\n"),
        ("specs/other.toml", spec("Other", top='doc = "As Dense, but otherwise."')),
        ("specs/other.toml", "name = [Dense\n"),
    ],
)
def test_what_does_not_use_it_holds_nothing_up(library: Library, path: str, text: str) -> None:
    library.write(path, text)
    library.destroy("Dense")
    assert "lib/dense.py" not in library.tree()


def test_all_who_use_it_are_listed_beside_what_was_edited(library: Library) -> None:
    library.generate(pair=spec("Pair", HOLDS))
    library.write_specs(more=spec("More", HOLDS))
    library.write("tools/mine.py", "\nfrom lib import Dense\n")
    library.append("lib/dense.py", "# mine\n")
    assert str(refusal(library, "Dense")) == "\n".join(
        (
            "lib/dense.py: was edited since it was generated\n"
            "  fix: --force removes it, and keeps a copy; or bring it back to what was generated",
            f"lib/pair.py:{line_of(library, 'lib/pair.py', 'Dense')}: uses `Dense`{FIX}",
            f"specs/more.toml: names `Dense`{FIX}",
            f"specs/pair.toml: names `Dense`{FIX}",
            f"tests/test_pair.py:{line_of(library, 'tests/test_pair.py', 'Dense')}: uses `Dense`{FIX}",
            f"tools/mine.py:2: uses `Dense`{FIX}",
        )
    )


def line_of(library: Library, path: str, name: str) -> int:
    lines = library.read(path).splitlines()
    return next(number for number, line in enumerate(lines, 1) if "import" in line and name in line)


def test_force_goes_on_and_tells(library: Library) -> None:
    library.write("tools/mine.py", "from lib import Dense\n")
    notes = library.destroy("Dense", force=True).notes
    assert "tools/mine.py:1: uses `Dense`, which goes" in notes
    assert "lib/dense.py" not in library.tree()


def test_those_who_go_with_it_do_not_hold_it_up(library: Library) -> None:
    library.generate(pair=spec("Pair", HOLDS), other=spec("Other", BIAS))
    library.destroy("Dense", "Pair")
    assert library.states() == {} and "lib/other.py" in library.tree()


def test_a_skeleton_beside_which_builds_on_it_is_named(library: Library) -> None:
    head = "from jaxtyping import Array, Float\nfrom scaffold.skeleton import Module, param\n"
    one = '\n\nclass One(Module):\n    a: Float[Array, " n"] = param("ones")\n'
    two = "from .one import One\n\n\nclass Two(Module):\n    one: One\n"
    write_tree(library.root, {"specs/one.py": head + one, "specs/two.py": head + two})
    library.new("specs/one.py", "specs/two.py")
    where = [fault.where.partition(":")[0] for fault in refusal(library, "One").faults]
    assert "lib/two.py" in where
