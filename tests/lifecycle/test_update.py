"""`scaffold update`: what is generated now comes in, and what was edited stays."""

import stat
from pathlib import Path

import pytest

from scaffold.errors import ScaffoldError
from scaffold.tidy import ruff_program
from tests.support.library import BIAS, Library, actions, spec
from tests.support.projects import run
from tests.support.systems import NEEDS_MODES

METHOD = "\n    def norm(self):\n        return jnp.linalg.norm(self.weight)\n"
AFFINE = {"name": "Affine", "fields": {"weight": "f[size]=ones"}}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.with_dense(tmp_path)


def refusal(call) -> ScaffoldError:
    with pytest.raises(ScaffoldError) as caught:
        call()
    return caught.value


def test_what_nobody_edited_is_replaced_without_a_word(library: Library):
    library.write_specs(dense=spec("Dense", BIAS))
    assert library.states() == {
        ".scaffold/": "stale",
        "lib/dense.py": "stale",
        "tests/test_dense.py": "stale",
    }
    done = library.update()
    assert actions(done) == {
        ".scaffold/": "update",
        "lib/dense.py": "update",
        "tests/test_dense.py": "update",
    }
    assert done.notes == ()
    fresh = Library.at(library.root / "fresh")
    fresh.generate(dense=spec("Dense", BIAS))
    for path in ("lib/dense.py", "tests/test_dense.py", ".scaffold/Dense.txt"):
        assert library.read(path) == fresh.read(path)


def test_what_was_edited_is_merged(library: Library):
    library.append("lib/dense.py", METHOD)
    library.edit(
        "tests/test_dense.py", "    takes_dtype = True\n", "    takes_dtype = True\n    skips = ('P9',)\n"
    )
    assert library.states() == {"lib/dense.py": "edited", "tests/test_dense.py": "edited"}
    assert actions(library.update()) == {}
    library.write_specs(dense=spec("Dense", BIAS))
    assert actions(library.update("Dense")) == {
        ".scaffold/": "update",
        "lib/dense.py": "merge",
        "tests/test_dense.py": "merge",
    }
    text = library.read("lib/dense.py")
    assert text.endswith(METHOD) and 'bias: Float[Array, " out_size"]' in text
    assert "skips = ('P9',)" in library.read("tests/test_dense.py")
    assert library.states() == {"lib/dense.py": "edited", "tests/test_dense.py": "edited"}


def test_both_sides_stand_where_they_collide_until_somebody_has_solved_it(library: Library):
    library.edit("lib/dense.py", "        return self.weight @ x", "        return self.weight @ x * 2")
    library.write_specs(dense=spec("Dense").replace("self.weight @ x", "self.weight @ x + 1"))
    done = library.update()
    assert actions(done)["lib/dense.py"] == "collide"
    assert [str(fault) for fault in done.faults()] == [
        "lib/dense.py: was edited where something else is generated now: 1 place between `<<<<<<<` and `>>>>>>>`\n"
        "  fix: take one side of each, or make one of both, and delete the markers"
    ]
    both = "<<<<<<< yours\n        return self.weight @ x * 2\n=======\n        return self.weight @ x + 1\n>>>>>>> generated\n"
    assert both in library.read("lib/dense.py")
    assert library.states() == {"lib/dense.py": "conflicting"}
    error = refusal(library.update)
    assert error.exit_code == 1
    assert str(error) == (
        "lib/dense.py: still has the markers of an update (`<<<<<<<`)\n"
        "  fix: take one side of each, or make one of both, and delete the markers"
    )
    library.edit("lib/dense.py", both, "        return self.weight @ x * 2 + 1\n")
    assert library.states() == {"lib/dense.py": "edited"}
    assert actions(library.update()) == {}


def test_new_module_of_a_class_that_is_there_does_the_same(library: Library):
    library.append("lib/dense.py", METHOD)
    library.write_specs(dense=spec("Dense", BIAS))
    assert actions(library.new("specs/dense.toml"))["lib/dense.py"] == "merge"
    assert library.read("lib/dense.py").endswith(METHOD)


def test_imports_do_not_collide(library: Library):
    library.append(
        "lib/dense.py", "\n    def twice(self):\n        return math.pi * partial(jnp.sum)(self.weight)\n"
    )
    text = library.read("lib/dense.py")
    library.write("lib/dense.py", "import math\nfrom functools import partial\n\n" + text)
    library.write_specs(dense=spec("Dense", init="zeros"))  # no random number is drawn any more: `jax` goes
    assert actions(library.update())["lib/dense.py"] == "merge"
    head = library.read("lib/dense.py").partition("\n\n\nclass")[0]
    assert head == (
        "import math\nfrom functools import partial\n\nimport equinox as eqx\nimport jax.numpy as jnp\n"
        "from jax.typing import DTypeLike\nfrom jaxtyping import Array, Float"
    )


def test_formatting_does_not_collide(library: Library):
    """A project whose own formatter gets other settings."""
    from scaffold.as_clean import as_clean

    library.write(
        "pyproject.toml",
        library.read("pyproject.toml") + "\n[tool.ruff]\nline-length = 120\nindent-width = 2\n",
    )
    path = library.path("lib/dense.py")
    run([ruff_program(), "format", "-q", str(path)], library.root)
    library.append("lib/dense.py", "\n  def norm(self):\n    return jnp.linalg.norm(self.weight)\n")
    assert library.states()["lib/dense.py"] == "stale", "it would be generated in the style of the project"
    library.write_specs(dense=spec("Dense", BIAS, init="zeros"))
    assert actions(library.update())["lib/dense.py"] == "merge"
    text = library.read("lib/dense.py")
    assert 'bias: Float[Array, " out_size"]' in text and "\n  def norm(self):\n    return" in text
    assert as_clean(path.read_bytes(), path.read_bytes(), path) == path.read_bytes()
    assert run([ruff_program(), "format", "--check", str(path)], library.root).returncode == 0


def test_an_import_stays_that_an_edit_reads(library: Library):
    library.append("lib/dense.py", "\n    def fast(self, x):\n        return jax.jit(self)(x)\n")
    library.write_specs(dense=spec("Dense", init="zeros"))
    library.update()
    assert "import jax\n" in library.read("lib/dense.py")


@NEEDS_MODES
def test_mode_and_line_ends_stay(library: Library):
    path = library.path("lib/dense.py")
    path.write_bytes(b"\xef\xbb\xbf" + (library.read("lib/dense.py") + METHOD).replace("\n", "\r\n").encode())
    path.chmod(0o750)
    library.write_specs(dense=spec("Dense", BIAS))
    assert actions(library.update())["lib/dense.py"] == "merge"
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf") and content.count(b"\n") == content.count(b"\r\n")
    assert b"bias" in content and stat.S_IMODE(path.stat().st_mode) == 0o750


def test_a_file_that_was_deleted_comes_back(library: Library):
    library.path("tests/test_dense.py").unlink()
    assert library.states() == {"tests/test_dense.py": "missing"}
    assert actions(library.update()) == {"tests/test_dense.py": "create"}


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: None, "and `.scaffold/` does not say what was generated before"),
        (
            lambda text: text.replace("eqx.Module", "eqx.Model"),
            "what it keeps of `lib/dense.py` does not have its digest",
        ),
        (lambda text: text[: len(text) // 4], "does not have its digest"),
        (lambda text: "<<<<<<< HEAD\n" + text, "its first line is not that of a record"),
        (lambda text: text.replace("class: Dense", "class: Other"), "it is about `Other`"),
        (lambda text: text.replace("spec: ", "spce: "), "its head is not whole"),
        (lambda text: text.replace("=== module", "=== "), "begins no file"),
    ],
)
def test_without_a_sound_record_an_edited_file_is_a_conflict(library: Library, damage, said: str):
    library.append("lib/dense.py", METHOD)
    record = library.path(".scaffold/Dense.txt")
    damaged = damage(record.read_text())
    record.unlink() if damaged is None else record.write_text(damaged)
    before = library.tree()
    error = refusal(library.update)
    assert (error.exit_code, library.tree()) == (1, before)
    assert said in str(error)
    assert error.faults[0].fix == (
        "bring `.scaffold/` back from version control; without it, `scaffold update Dense --force` overwrites it, "
        "and keeps a copy; --diff shows the difference"
    )
    assert library.states()["lib/dense.py"] == "conflicting"
    done = library.update(force=True)
    assert METHOD not in library.read("lib/dense.py")
    [copy] = library.root.glob(".scaffold/kept/lib/dense.py.*")
    assert copy.read_bytes() == before["lib/dense.py"]
    assert f"lib/dense.py: what was there is kept in {copy.relative_to(library.root)}" in done.notes
    assert library.states() == {}


def test_without_a_record_what_is_as_generated_gets_one(library: Library):
    library.path(".scaffold/Dense.txt").unlink()
    assert library.states() == {".scaffold/": "missing"}
    library.update()
    assert library.states() == {}


def test_a_record_of_a_later_version_is_not_guessed(library: Library):
    library.edit(".scaffold/Dense.txt", "format 1", "format 2")
    assert str(refusal(library.update)) == (
        ".scaffold: has format 2, and this version of the tool reads format 1\n"
        "  fix: use the version of the tool that the project is kept with, or a later one"
    )


@NEEDS_MODES
def test_a_rename_takes_edits_registration_and_tests_along(library: Library):
    library.append(
        "lib/dense.py", METHOD + "\n    def copy(self) -> 'Dense':\n        return Dense(self.weight)\n"
    )
    library.append("tests/test_dense.py", "\n\ndef test_mine():\n    assert Dense\n")
    library.path("lib/dense.py").chmod(0o640)
    library.write_specs(dense=spec("Linear", BIAS))
    assert library.update().notes == ("`Dense` is called `Linear` now",)
    assert "lib/dense.py" not in library.tree() and "tests/test_dense.py" not in library.tree()
    assert library.read("lib/__init__.py") == '"""Lib."""\n\nfrom .linear import Linear as Linear\n'
    text = library.read("lib/linear.py")
    assert METHOD in text and "def copy(self) -> 'Linear':\n        return Linear(self.weight)" in text
    assert library.read("tests/test_linear.py").endswith("\n\ndef test_mine():\n    assert Linear\n")
    assert "class TestLinear(PytreeLaws):" in library.read("tests/test_linear.py")
    assert stat.S_IMODE(library.path("lib/linear.py").stat().st_mode) == 0o640
    assert library.states() == {"lib/linear.py": "edited", "tests/test_linear.py": "edited"}
    assert ".scaffold/Dense.txt" not in library.tree()


def test_a_rename_takes_the_recorded_numbers_along(library: Library):
    numbers = (
        "# What the classes of test_dense.py compute.\n\n[TestDense: as it is built]\ncall: int32[]\n    1\n"
    )
    library.write("tests/numbers/dense.txt", numbers)
    library.write_specs(dense=spec("Linear", BIAS))
    library.update()
    assert library.read("tests/numbers/linear.txt") == numbers.replace("Dense", "Linear").replace(
        "dense", "linear"
    )
    assert "tests/numbers/dense.txt" not in library.tree()


def test_a_rename_that_specs_do_not_tell_can_be_said(library: Library):
    library.append("lib/dense.py", METHOD)
    library.path("specs/dense.toml").unlink()
    library.write_specs(linear=spec("Linear"))
    assert "`scaffold destroy Dense`" in library.states_why("lib/dense.py")
    library.update(rename={"Dense": "Linear"})
    assert library.read("lib/linear.py").endswith(METHOD)
    assert "lib/dense.py" not in library.tree()


def test_a_module_that_was_moved_to_a_folder_of_the_package_is_named(tmp_path: Path):
    library = Library.with_dense(tmp_path)
    library.write("lib/nets/dense.py", library.read("lib/dense.py"))
    assert library.update().notes == ()  # a copy, of which nothing is written
    library.path("lib/dense.py").unlink()
    [note] = library.update().notes
    assert note.startswith("lib/nets/dense.py: has a class `Dense` too; classes are generated in lib/ alone")
