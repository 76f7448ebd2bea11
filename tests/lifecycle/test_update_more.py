"""Updates: further cases."""

import os
from pathlib import Path

import pytest

from tests.lifecycle.test_update import AFFINE, METHOD, refusal
from tests.support.library import BIAS, EMPTY, Library, actions, spec
from tests.support.trees import read_tree


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.with_dense(tmp_path)


def test_what_is_said_of_renames_is_checked(library: Library):
    assert str(refusal(lambda: library.update(rename={"Dens": "Linear"}))).startswith(
        "--rename: there is no record of `Dens`"
    )
    assert "`Dense` is described by specs/dense.toml" in str(
        refusal(lambda: library.update(rename={"Dense": "Linear"}))
    )


def test_a_package_that_moves_takes_everything_along(library: Library):
    library.append("lib/dense.py", METHOD)
    library.write("pyproject.toml", library.read("pyproject.toml") + 'package = "other"\ntests = "checks"\n')
    library.write("other/__init__.py", "")
    library.update()
    assert library.read("other/dense.py").endswith(METHOD)
    assert library.read("other/__init__.py") == "from .dense import Dense as Dense\n"
    assert library.read("lib/__init__.py") == EMPTY["lib/__init__.py"]
    assert "from other.dense import Dense" in library.read("checks/test_dense.py")
    assert not {"lib/dense.py", "tests/test_dense.py"} & library.tree().keys()


def test_a_package_that_somebody_moved_is_found(library: Library):
    library.append("lib/dense.py", METHOD)
    os.rename(library.path("lib"), library.path("other"))
    library.write("pyproject.toml", library.read("pyproject.toml").replace('"lib"', '"other"'))
    library.update()
    assert library.read("other/dense.py").endswith(METHOD)
    assert library.states() == {"other/dense.py": "edited"}


def test_two_specs_of_one_class_are_a_fault(library: Library):
    library.write("specs/again.toml", spec("Dense"))
    error = refusal(library.update)
    assert (error.exit_code, str(error)) == (
        2,
        "specs/dense.toml: describes `Dense`, as specs/again.toml does\n"
        "  fix: remove one of the two, or give one class another name",
    )


def test_a_second_spec_does_not_take_a_class_over(library: Library):
    library.write("specs/again.toml", spec("Dense", BIAS))
    before = library.tree()
    error = refusal(lambda: library.new("specs/again.toml"))
    assert (error.exit_code, library.tree()) == (2, before)
    assert str(error).startswith("specs/again.toml: describes `Dense`, as specs/dense.toml does\n")
    library.path("specs/dense.toml").unlink()
    library.new("specs/again.toml")
    assert library.states() == {} and "spec: specs/again.toml\n" in library.read(".scaffold/Dense.txt")


def test_a_name_that_no_spec_has_is_answered(library: Library):
    assert "did you mean `Dense`?" in str(refusal(lambda: library.update("Dens")))


def test_the_command_line_typed_again(tmp_path: Path):
    library = Library.at(tmp_path)
    library.typed(AFFINE)
    library.append("lib/affine.py", METHOD)
    again = {"name": "Affine", "fields": {"weight": "f[size]=ones", "shift": "f[size]=zeros"}}
    assert actions(library.typed(again)) == {
        ".scaffold/": "update",
        "lib/affine.py": "merge",
        "specs/affine.toml": "update",
        "tests/test_affine.py": "update",
    }
    library.append("specs/affine.toml", "# mine\n")
    before = library.tree()
    error = refusal(lambda: library.typed(AFFINE))
    assert (
        "specs/affine.toml: was edited since the command line wrote it, and would now say something else"
        in str(error)
    )
    assert library.tree() == before


def test_a_class_that_was_left_unregistered_stays_so(tmp_path: Path):
    from scaffold.generate import load_specs, plan_modules
    from scaffold.publish import publish

    library = Library.at(tmp_path)
    library.write_specs(dense=spec("Dense"))
    publish(plan_modules(load_specs([library.path("specs/dense.toml")]), library.layout, register=False))
    library.write_specs(dense=spec("Dense", BIAS))
    library.update()
    assert library.read("lib/__init__.py") == EMPTY["lib/__init__.py"]


def test_the_record_reads_as_what_it_keeps(library: Library):
    text = library.read(".scaffold/Dense.txt")
    assert text.startswith(
        "scaffold record, format 1\nclass: Dense\nspec: specs/dense.toml\nmodule: lib.dense\nregistered: yes\n\n=== module, "
    )
    assert library.read("lib/dense.py") in text and library.read("tests/test_dense.py") in text
    assert str(library.root) not in text
    assert read_tree(library.root / ".scaffold").keys() == {"Dense.txt"}


def test_the_conftest_is_written_once(library: Library):
    mine = f"{library.read('tests/conftest.py')}\nMINE = 1\n"
    library.write("tests/conftest.py", mine)
    assert "tests/conftest.py" not in library.states()
    library.update()
    assert library.read("tests/conftest.py") == mine


@pytest.mark.parametrize("conftest", ['"""Mine."""\n', None])
def test_a_conftest_beside_tests_of_the_users_stays(tmp_path: Path, conftest: str | None):
    """The user's own, and one that was made for the path alone."""
    theirs = {"tests/test_a.py": "def test_a(): pass\n", "tests/__init__.py": ""}
    theirs |= {"tests/conftest.py": conftest} if conftest is not None else {}
    library = Library.at(
        tmp_path,
        {**EMPTY, "pyproject.toml": EMPTY["pyproject.toml"].replace("installed", "wheel"), **theirs},
    )
    library.generate(dense=spec("Dense"))
    text = library.read("tests/conftest.py")
    assert "Makes the modules" not in text
    library.write_specs(dense=spec("Dense", BIAS))
    library.update()
    assert (library.read("tests/conftest.py"), library.states()) == (text, {})


def test_force_replaces_what_was_only_edited(library: Library):
    library.append("lib/dense.py", METHOD)
    done = library.update(force=True)
    assert actions(done)["lib/dense.py"] == "update" and METHOD not in library.read("lib/dense.py")
    [copy] = library.root.glob(".scaffold/kept/lib/dense.py.*")
    assert copy.read_text().endswith(METHOD)


def test_a_plan_of_nothing_copies_no_laws(tmp_path: Path):
    library = Library.at(tmp_path, {"pyproject.toml": EMPTY["pyproject.toml"].replace("installed", "wheel")})
    before = library.tree()
    assert (library.states(), actions(library.update()), library.tree()) == ({}, {}, before)
