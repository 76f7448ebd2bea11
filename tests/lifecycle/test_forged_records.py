"""A record that names what no run wrote is damaged: nothing that it names is read, merged or removed."""

from hashlib import sha256
from pathlib import Path

import pytest

from scaffold.errors import ScaffoldError
from tests.support.library import BIAS, Library, spec

RECORD, THEIRS = ".scaffold/Dense.txt", "theirs\n"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A project beside which, and in which, there are files of the user's."""
    (tmp_path / "theirs.toml").write_text(THEIRS)
    library = Library.with_dense(tmp_path / "project")
    library.write("notes.toml", THEIRS)
    library.write("mine.py", "class Dense: ...\n")
    library.write("README.md", 'name = "Dense"\n')
    return library


def refusal(library: Library) -> str:
    before = library.tree()
    with pytest.raises(ScaffoldError) as caught:
        library.destroy("Dense", force=True)
    assert (caught.value.exit_code, library.tree()) == (1, before)
    assert (library.root.parent / "theirs.toml").read_text() == THEIRS
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("{above}/theirs.toml", "`{above}/theirs.toml` is no path of a spec"),
        ("specs/../notes.toml", "`specs/../notes.toml` is no path of a spec"),
        ("specs/a\0b.toml", "`specs/a\\x00b.toml` is no path of a spec"),
        ("README.md", "`README.md` is no path of a spec"),
        ("lib", "`lib` is no path of a spec"),
        ("lib/dense.py", "`lib/dense.py` is no path of a spec"),
        ("notes.toml", "`notes.toml` is no spec of `Dense`"),
        ("pyproject.toml", "`pyproject.toml` is no spec of `Dense`"),
        ("mine.py", "`mine.py` is no spec of `Dense`"),
    ],
)
def test_a_spec_that_is_none_of_the_class_is_damage(library: Library, path: str, why: str) -> None:
    above = library.root.parent.as_posix()
    library.edit(RECORD, "spec: specs/dense.toml", f"spec: {path.format(above=above)}")
    assert f"{RECORD}: is damaged: {why.format(above=above)}; it does not say" in refusal(library)


def test_a_spec_beside_the_project_is_never_removed(library: Library) -> None:
    library.edit(RECORD, "spec: specs/dense.toml", "spec: ../theirs.toml")
    assert "`../theirs.toml` is no spec of `Dense`" in refusal(library)
    (library.root.parent / "theirs.toml").write_text(spec("Dense"))
    library.destroy("Dense")
    assert (library.root.parent / "theirs.toml").read_text() == spec("Dense")


@pytest.mark.parametrize(
    ("line", "forged", "why"),
    [
        ("module: lib.dense", "module: lib.((", "`lib.((` is no name of a module"),
        ("module: lib.dense", "module: ../lib", "`../lib` is no name of a module"),
        ("class: Dense", "class: ../Dense", "`../Dense` is no name of a class"),
    ],
)
def test_names_that_no_run_writes_are_damage(library: Library, line: str, forged: str, why: str) -> None:
    library.edit(RECORD, line, forged)
    assert f"is damaged: {why}" in refusal(library)


@pytest.mark.parametrize(
    "path",
    ["/etc/hostname", "../theirs.toml", "a\0b.py", ".git/config", ".scaffold/Other.txt", ".scaffold-lock"],
)
def test_files_in_other_places_are_damage(library: Library, path: str) -> None:
    digest = sha256(THEIRS.encode()).hexdigest()
    library.append(RECORD, f"\n=== test, 1 lines, sha256 {digest}: {path}\n{THEIRS}")
    shown = path.replace("\0", "\\x00")
    assert f"is damaged: `{shown}` is no path inside the project" in refusal(library)


@pytest.mark.parametrize("path", ["/etc/hostname", "specs/a\0b.toml", "README.md"])
def test_updating_goes_by_nothing_that_such_a_record_says(library: Library, path: str) -> None:
    library.edit(RECORD, "spec: specs/dense.toml", f"spec: {path}")
    library.append("lib/dense.py", "# mine\n")
    library.write_specs(dense=spec("Dense", BIAS))
    with pytest.raises(ScaffoldError, match=r"Dense\.txt is damaged: .* is no path of a spec"):
        library.update()
    assert library.read("lib/dense.py").endswith("# mine\n")


def test_a_name_that_is_a_path_has_no_record(library: Library) -> None:
    (library.root.parent / "Dense.txt").write_text(library.read(RECORD))
    for name in ("../../Dense", "a\0b", "/Dense"):
        with pytest.raises(ScaffoldError, match="there is no record of"):
            library.destroy(name)
