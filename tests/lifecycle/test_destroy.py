"""`scaffold destroy`: a class goes, and what only it needed; nothing that somebody wrote goes without a copy."""

import os
from pathlib import Path

import pytest

from scaffold.errors import ScaffoldError
from scaffold.law_wheel import law_wheel
from tests.support.library import BIAS, EMPTY, Library, actions, spec
from tests.support.trees import write_tree

WHEEL = f"tests/{law_wheel().name}"
BRINGS_LAWS = {**EMPTY, "pyproject.toml": EMPTY["pyproject.toml"].replace("installed", "wheel")}
TYPED = {"name": "Affine", "save": True, "fields": {"weight": "f[size]=ones"}}


def refusal(call) -> ScaffoldError:
    with pytest.raises(ScaffoldError) as caught:
        call()
    return caught.value


def test_destroy_undoes_what_the_command_line_wrote_to_the_last_byte(tmp_path: Path):
    library = Library.at(tmp_path, BRINGS_LAWS)
    before = library.tree()
    library.typed(TYPED)
    assert {"lib/affine.py", "lib/serialisation.py", WHEEL} <= library.tree().keys()
    library.destroy("Affine")
    assert library.tree() == before


@pytest.mark.parametrize(
    "conftest",
    [
        "import pytest\n\n\n@pytest.fixture\ndef one():\n    return 1\n",
        "import sys\n\nassert sys\n",
        '"""Mine."""\n',
    ],
)
def test_a_conftest_of_the_users_is_as_it_was(tmp_path: Path, conftest: str):
    theirs = {
        "tests/__init__.py": "",
        "tests/conftest.py": conftest,
        "tests/test_a.py": "import lib\n\n\ndef test_a(): lib\n",
    }
    library = Library.at(tmp_path, {**BRINGS_LAWS, **theirs})
    before = library.tree()
    library.typed(TYPED)
    assert library.read("tests/conftest.py") != conftest
    library.destroy("Affine")
    assert library.tree() == before


def test_the_numbers_that_the_laws_recorded_go_too(tmp_path: Path):
    library = Library.at(tmp_path, BRINGS_LAWS)
    library.generate(one=spec("One"), two=spec("Two"))
    library.write("tests/numbers/one.txt", "[TestOne: as it is built]\n")
    library.write("tests/numbers/two.txt", "[TestTwo: as it is built]\n")
    library.destroy("One")
    there = library.tree().keys()
    assert "tests/numbers/two.txt" in there and "tests/numbers/one.txt" not in there


def test_what_others_need_stays(tmp_path: Path):
    library = Library.at(tmp_path, BRINGS_LAWS)
    library.generate(one=spec("One", top="save = true"), two=spec("Two", top="save = true"))
    library.destroy("One")
    there = library.tree().keys()
    assert {
        "lib/serialisation.py",
        WHEEL,
        "tests/conftest.py",
        "lib/two.py",
    } <= there
    assert not {"lib/one.py", "tests/test_one.py", "specs/one.toml", ".scaffold/One.txt"} & there
    assert library.read("lib/__init__.py") == '"""Lib."""\n\nfrom .two import Two as Two\n'
    library.destroy("Two")
    left = {path for path in library.tree() if not path.startswith(".scaffold/kept/")}
    assert left == {*BRINGS_LAWS}


def test_what_somebody_imports_or_edited_stays(tmp_path: Path):
    library = Library.at(tmp_path, BRINGS_LAWS)
    library.typed(TYPED)
    library.write("tests/test_mine.py", "from pytree_laws import check_pytree\n\nassert check_pytree\n")
    library.append("lib/serialisation.py", "\n\nMINE = 1\n")
    library.destroy("Affine")
    assert {
        "lib/serialisation.py",
        WHEEL,
        "tests/conftest.py",
    } <= library.tree().keys()


def test_edited_files_are_refused_and_force_keeps_copies(tmp_path: Path):
    library = Library.at(tmp_path)
    library.typed({**TYPED, "save": False})
    library.append("lib/affine.py", "# mine\n")
    library.append("tests/test_affine.py", "# mine too\n")
    before = library.tree()
    error = refusal(lambda: library.destroy("Affine"))
    assert (error.exit_code, library.tree()) == (1, before)
    assert str(error) == "\n".join(
        f"{path}: was edited since it was generated\n"
        "  fix: --force removes it, and keeps a copy; or bring it back to what was generated"
        for path in ("lib/affine.py", "tests/test_affine.py")
    )
    done = library.destroy("Affine", force=True)
    after = library.tree()
    copies = dict(note.split(": what was there is kept in ") for note in done.notes)
    assert {path: after[copy] for path, copy in copies.items()} == {
        path: before[path] for path in ("lib/affine.py", "tests/test_affine.py")
    }
    assert after[".scaffold/kept/.gitignore"] == b"*\n"
    assert not {"lib/affine.py", "tests/test_affine.py", "specs/affine.toml"} & after.keys()


@pytest.mark.parametrize("content", ["", "# torn by a power cut"], ids=["empty", "torn"])
def test_a_copy_of_other_bytes_is_not_trusted_by_its_name(tmp_path: Path, content: str):
    library = Library.at(tmp_path)
    library.generate(dense=spec("Dense"))
    [note] = library.destroy("Dense").notes
    _, _, copy = note.partition(": what was there is kept in ")
    library.write(copy, content)
    library.generate(dense=spec("Dense"))
    [note] = library.destroy("Dense").notes
    assert note == f"specs/dense.toml: what was there is kept in {copy}-2"
    assert (library.read(copy), library.read(f"{copy}-2")) == (content, spec("Dense"))


def test_a_copy_of_the_same_bytes_is_kept_once(tmp_path: Path):
    library = Library.at(tmp_path)
    for _ in range(2):
        library.generate(dense=spec("Dense"))
        library.destroy("Dense")
    assert len([path for path in library.tree() if path.startswith(".scaffold/kept/specs/")]) == 1


def test_copies_are_on_the_disk_before_what_they_are_of_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    library = Library.at(tmp_path)
    library.generate(dense=spec("Dense"))
    synced, before_removing = set[int](), list[set[int]]()
    fsync, unlink = os.fsync, Path.unlink

    def noted_fsync(descriptor: int) -> None:
        fsync(descriptor)
        synced.add(os.fstat(descriptor).st_ino)

    def noted_unlink(path: Path, missing_ok: bool = False) -> None:
        before_removing.append({*synced})
        unlink(path, missing_ok)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "unlink", noted_unlink)
    [note] = library.destroy("Dense").notes
    copy = library.path(note.partition(": what was there is kept in ")[2])
    assert {path.stat().st_ino for path in (copy, *copy.parents[:4])} <= before_removing[0]


def test_a_spec_by_hand_goes_and_a_copy_of_it_is_kept(tmp_path: Path):
    library = Library.at(tmp_path)
    library.generate(dense=spec("Dense"))
    done = library.destroy("Dense")
    [note] = done.notes
    path, _, copy = note.partition(": what was there is kept in ")
    assert (path, library.read(copy)) == ("specs/dense.toml", spec("Dense"))
    assert library.states() == {}


def test_a_skeleton_of_several_classes_stays_where_each_is_a_module(tmp_path: Path):
    skeleton = (
        "from jaxtyping import Array, Float\nfrom scaffold.skeleton import Module, param\n\n\n"
        'class One(Module):\n    a: Float[Array, " n"] = param("ones")\n\n\n'
        'class Two(Module):\n    b: Float[Array, " n"] = param("ones")\n'
    )
    library = Library.at(tmp_path)
    head, one, two = skeleton.split("\n\n\n")
    write_tree(tmp_path, {"specs/one.py": f"{head}\n\n\n{one}\n", "specs/two.py": f"{head}\n\n\n{two}"})
    library.new("specs/one.py", "specs/two.py")
    # As an earlier version of the tool has left it.
    library.path("specs/one.py").unlink()
    library.path("specs/two.py").unlink()
    write_tree(tmp_path, {"specs/both.py": skeleton})
    for name in ("One", "Two"):
        library.edit(f".scaffold/{name}.txt", f"spec: specs/{name.lower()}.py", "spec: specs/both.py")
    done = library.destroy("One")
    assert done.notes == ("specs/both.py: still describes `One`, beside others; take it out there",)
    assert "lib/one.py" not in library.tree() and "lib/two.py" in library.tree()


def test_several_go_at_once(tmp_path: Path):
    library = Library.at(tmp_path)
    library.generate(one=spec("One"), two=spec("Two", BIAS), three=spec("Three"))
    assert {"lib/one.py", "lib/three.py"} <= actions(library.destroy("One", "Three")).keys()
    assert library.states() == {} and "lib/two.py" in library.tree()


def test_a_name_without_a_record_is_answered(tmp_path: Path):
    library = Library.at(tmp_path)
    library.generate(dense=spec("Dense"))
    error = refusal(lambda: library.destroy("Dens"))
    assert (error.exit_code, str(error)) == (
        2,
        "NAME: there is no record of `Dens`\n  legal: Dense\n  fix: did you mean `Dense`?",
    )
    library.write(".scaffold/Dense.txt", "what is this?\n")
    error = refusal(lambda: library.destroy("Dense"))
    assert (error.exit_code, ".scaffold/Dense.txt: is damaged" in str(error)) == (1, True)


ATTACHED = "import lazy_loader as lazy\n\n__getattr__, __dir__, __all__ = lazy.attach("
STUB = ATTACHED.replace("attach(", "attach_stub(") + "__name__, __file__)\n"


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    "table",
    [
        "__name__)\n",
        '__name__, submodules=["b"])\n',
        "__name__, [], {})\n",
        '__name__, submod_attrs={"b": ["B"]})\n',
        '__name__, submod_attrs={"a": ["A"]})\n',
        '__name__, submod_attrs={"affine": ["affine_map"]})\n',
        '\n    __name__,\n    submod_attrs={\n        "a": ["A"],\n    },\n)\n',
        '\n    __name__,\n    submod_attrs={\n        "a": ["A"],\n        "b": [\n            "B",\n            "C",\n        ],\n    },\n)\n',
    ],
)
def test_a_lazy_table_is_as_it_was(tmp_path: Path, table: str):
    library = Library.at(tmp_path, {**BRINGS_LAWS, "lib/__init__.py": ATTACHED + table})
    before = library.tree()
    library.typed(TYPED)
    assert "Affine" in library.read("lib/__init__.py")
    library.destroy("Affine")
    assert library.tree() == before


def test_a_lazy_table_that_was_edited_since_keeps_what_was_written(tmp_path: Path):
    library = Library.at(tmp_path, {**BRINGS_LAWS, "lib/__init__.py": ATTACHED + "__name__)\n"})
    library.typed(TYPED)
    library.edit("lib/__init__.py", '{"affine": ["Affine"]', '{"b": ["B"],  # mine\n    "affine": ["Affine"]')
    library.destroy("Affine")
    left = library.read("lib/__init__.py")
    assert '"b": ["B"],  # mine' in left and "ffine" not in left
    compile(left, "lib/__init__.py", "exec")


def test_the_stub_of_a_lazy_package_is_as_it_was(tmp_path: Path):
    stub = "from .b import B as B\n"
    library = Library.at(tmp_path, {**BRINGS_LAWS, "lib/__init__.py": STUB, "lib/__init__.pyi": stub})
    before = library.tree()
    library.typed(TYPED)
    assert library.read("lib/__init__.pyi") != stub
    library.destroy("Affine")
    assert library.tree() == before
