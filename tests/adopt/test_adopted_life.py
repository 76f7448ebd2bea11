"""Tests that `scaffold adopt` wrote, after the class has changed, after they were edited, and when they go."""

import json
import re
import shutil
import sys
from hashlib import sha256
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from click.testing import CliRunner, Result

from scaffold.cli import main
from scaffold.cli.commands.begin import plan_skeleton
from scaffold.errors import ScaffoldError
from scaffold.publish import publish
from tests.support.library import BIAS, EMPTY, Library, actions, spec
from tests.support.projects import run, scaffold
from tests.support.trees import write_tree

SOURCE = """
import equinox as eqx
import jax
from jaxtyping import Array, Float


class Gate(eqx.Module):
    weight: Float[Array, " size"]

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        return jax.nn.sigmoid(self.weight) * x


class Scale(eqx.Module):
    factor: Float[Array, " size"]
"""
BIASED = SOURCE.replace(
    '    weight: Float[Array, " size"]\n',
    '    bias: Float[Array, " size"]\n    weight: Float[Array, " size"]\n',
).replace("* x\n", "* x + self.bias\n")
GATE, SCALE = "tests/test_gate.py", "tests/test_scale.py"
RECORD = ".scaffold/adopted/lib.layers.Gate.txt"
MINE = "\n\ndef test_mine():\n    assert Gate\n"


def adopt(library: Library, *arguments: str) -> CompletedProcess[str]:
    """In a process of its own, as a user does."""
    return scaffold(library.root, "adopt", *(arguments or ("lib",)), "--python", sys.executable)


def command(library: Library, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--folder", str(library.root)])


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both classes adopted; jax is started for that, and for nothing that only the records know."""
    library = Library.at(tmp_path_factory.mktemp("adopted"), {**EMPTY, "lib/layers.py": SOURCE})
    result = adopt(library)
    assert result.returncode == 0, result.stdout + result.stderr
    return library.root


@pytest.fixture
def library(once: Path, tmp_path: Path) -> Library:
    return Library(Path(shutil.copytree(once, tmp_path / "project")))


def refusal(call) -> ScaffoldError:
    with pytest.raises(ScaffoldError) as caught:
        call()
    return caught.value


@pytest.mark.slow
def test_check_knows_edited_and_missing_by_the_record_alone(library: Library) -> None:
    assert (library.states(), actions(library.update())) == ({}, {})
    library.append(GATE, MINE)
    library.path(SCALE).unlink()
    result = command(library, "check")
    assert (result.exit_code, result.stdout) == (
        1,
        f"edited       {GATE}\nmissing      {SCALE}\n3 files: 1 clean, 1 edited, 1 missing\n"
        "2 classes are adopted: their tests are compared with what was written last, and `scaffold adopt` looks anew\n",
    )
    before = library.read(RECORD)
    assert actions(library.update()) == {SCALE: "create"}
    assert (library.states(), library.read(RECORD)) == ({GATE: "edited"}, before)
    assert "jax" not in modules_of(library)


def modules_of(library: Library) -> str:
    """What a process that checks has imported of all that is slow."""
    looked = (
        "import sys; from pathlib import Path; from scaffold.in_project.layout import find_layout; "
        "from scaffold.lifecycle.check import check; check(find_layout(Path())); "
        "print(*{'jax', 'equinox', 'flax', 'copier'} & {*sys.modules})"
    )
    return run([sys.executable, "-c", looked], library.root).stdout


@pytest.mark.slow
def test_what_was_written_follows_the_class_and_what_was_edited_is_merged(library: Library) -> None:
    library.append(GATE, MINE)
    library.write("lib/layers.py", BIASED.replace("factor", "gain"))
    result = adopt(library)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"its own tests in {GATE}" in result.stdout
    assert library.read(GATE).endswith(MINE) and 'Leaf("bias"' in library.read(GATE)
    assert 'Leaf("gain"' in library.read(SCALE) and "factor" not in library.read(SCALE)
    assert library.states() == {GATE: "edited"}
    before = library.tree()
    assert (adopt(library).returncode, library.tree()) == (0, before)


@pytest.mark.slow  # tests/lifecycle/test_lifecycle_merge.py merges for all classes
def test_both_sides_stand_where_they_collide(library: Library) -> None:
    library.edit(
        GATE,
        '    leaves = (Leaf("weight", "param", (3,)),)\n',
        '    leaves = (Leaf("weight", "param", (4,)),)\n',
    )
    library.write("lib/layers.py", BIASED)
    result = adopt(library)
    assert result.returncode == 1
    assert f"error: {GATE}: was edited where something else is generated now: " in result.stderr
    text = library.read(GATE)
    assert "<<<<<<< yours\n" in text and "(4,)" in text and 'Leaf("bias"' in text
    assert library.states() == {GATE: "conflicting"}
    again = adopt(library)
    assert (again.returncode, library.read(GATE)) == (3, text)  # no Python, so that no law is held


@pytest.mark.slow
def test_a_class_that_moves_takes_its_tests_along(library: Library) -> None:
    library.append(GATE, MINE)
    library.path("lib/layers.py").rename(library.path("lib/gates.py"))
    result = adopt(library)
    assert result.returncode == 0, result.stdout + result.stderr
    assert library.read(GATE).endswith(MINE) and "from lib.gates import Gate" in library.read(GATE)
    names = sorted(path for path in library.tree() if path.startswith(".scaffold/adopted"))
    assert names == [".scaffold/adopted/lib.gates.Gate.txt", ".scaffold/adopted/lib.gates.Scale.txt"]
    assert library.states() == {GATE: "edited"}


@pytest.mark.slow  # tests/lifecycle/test_forged_records.py has such records in every run
def test_without_a_sound_record_what_differs_stays(library: Library) -> None:
    library.append(GATE, MINE)
    record = library.read(RECORD)
    library.path(RECORD).unlink()
    library.edit(".scaffold/adopted/lib.layers.Scale.txt", "(3,)", "(5,)", every=True)
    library.append(SCALE, "# mine\n")
    states = library.states()
    assert states == {".scaffold/adopted/lib.layers.Scale.txt": "conflicting"}
    before = library.tree()
    result = adopt(library, "lib", "--json")
    notes = json.loads(result.stdout)["notes"]
    assert f"{GATE}: differs from what would be written, and stays; --force replaces it" in notes
    assert any(
        note.startswith(f"{SCALE}: differs from what would be written, and stays, since ") for note in notes
    )
    assert library.tree() == before
    assert adopt(library, "lib", "--force").returncode == 0
    assert (library.read(RECORD), library.states()) == (record, {})
    kept = sorted(path.name.partition(".py")[0] for path in library.root.glob(".scaffold/kept/tests/*"))
    assert kept == ["test_gate", "test_scale"]


@pytest.mark.slow  # tests/suites/test_expected_failures.py holds entries in every run
def test_what_was_accepted_stays_accepted(tmp_path: Path) -> None:
    weak = SOURCE.replace("class Scale(eqx.Module):", "class Scale(eqx.Module):\n    power = 2\n")
    weak += (
        "\n    @classmethod\n    def create(cls, size: int):\n        return cls(jax.numpy.full(size, 2.0))\n"
    )
    settings = EMPTY["pyproject.toml"].replace("[tool.scaffold]\n", '[tool.scaffold]\nseverity = "cost"\n')
    library = Library.at(tmp_path, {**EMPTY, "pyproject.toml": settings, "lib/layers.py": weak})
    said = ("lib.layers:Scale", "--build", "Scale.create(3)")
    assert adopt(library, *said).returncode == 1
    assert adopt(library, *said, "--baseline").returncode == 0
    accepted = library.read(SCALE)
    assert "skips = (" in accepted
    result = adopt(library, *said)
    assert (result.returncode, library.read(SCALE)) == (0, accepted), result.stdout
    library.edit("lib/layers.py", "full(size, 2.0)", "full(size, 2.0, 'float32')")
    assert adopt(library, *said).returncode == 0
    assert "skips = (" not in library.read(SCALE)


@pytest.mark.slow
def test_destroy_removes_tests_and_record_and_never_the_class(library: Library) -> None:
    source, before = library.read("lib/layers.py"), library.tree()
    library.append(GATE, MINE)
    assert command(library, "destroy", "Gate").exit_code == 1
    library.destroy("Gate", force=True)
    assert not {GATE, RECORD} & library.tree().keys()
    [copy] = library.root.glob(".scaffold/kept/tests/test_gate.py.*")
    assert copy.read_text().endswith(MINE)
    library.destroy("lib.layers:Scale")
    left = {path for path in library.tree() if not path.startswith(".scaffold/kept/")}
    assert left == {*EMPTY, "lib/layers.py"} and left < before.keys()
    assert library.read("lib/layers.py") == source


def test_a_name_is_asked_for_where_two_have_it_and_answered_where_none_has(library: Library) -> None:
    other = library.read(RECORD).replace("lib.layers", "lib.other")
    library.write(".scaffold/adopted/lib.other.Gate.txt", digested(other))
    assert str(refusal(lambda: library.destroy("Gate"))) == (
        "NAME: `Gate` is the name of 2 classes that were adopted\n"
        "  legal: lib.layers:Gate, lib.other:Gate\n"
        "  fix: write which, as in `lib.layers:Gate`"
    )
    assert "did you mean `lib.layers:Scale`" in str(refusal(lambda: library.destroy("lib.layers:Scal")))
    assert str(refusal(lambda: library.update("Scale"))) == (
        "Scale: is adopted: what its tests are to say is only known by looking at the class\n"
        "  fix: `scaffold adopt lib.layers:Scale`"
    )


def digested(record: str) -> str:
    """A record that was edited, with the digest of what it holds then."""
    head, _, text = record.partition("tests/test_gate.py\n")
    digest = sha256(text.encode()).hexdigest()
    return re.sub("[0-9a-f]{64}", digest, head) + "tests/test_other_gate.py\n" + text


@pytest.mark.slow  # a search of its own in another interpreter
def test_generated_and_adopted_classes_live_beside_each_other(library: Library) -> None:
    library.generate(dense=spec("Dense"))
    assert library.states() == {}
    library.append(GATE, MINE)
    library.write_specs(dense=spec("Dense", BIAS))
    assert actions(library.update()) == {
        ".scaffold/": "update",
        "lib/dense.py": "update",
        "tests/test_dense.py": "update",
    }
    library.destroy("Dense")
    assert library.read(GATE).endswith(MINE) and library.path("tests/conftest.py").exists()
    result = adopt(library, "lib.layers:Gate", "--dry-run")
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
def test_a_second_class_of_the_name_gets_a_file_of_its_own(library: Library) -> None:
    library.write("lib/other.py", SOURCE)
    before = library.read(GATE)
    assert adopt(library, "lib.other:Gate").returncode == 0
    assert library.read(GATE) == before and "from lib.other import Gate" in library.read(
        "tests/test_other_gate.py"
    )


@pytest.mark.slow  # a run of its own, as others near it
def test_tests_of_the_users_that_have_the_name_stay_and_the_laws_get_a_file_beside_them(
    tmp_path: Path,
) -> None:
    files = {"pyproject.toml": "", "lib/__init__.py": "", "lib/layers.py": SOURCE}
    mine = "def test_mine():\n    assert True\n"
    write_tree(tmp_path, {**files, GATE: mine})
    for _ in range(2):
        result = scaffold(tmp_path, "adopt", "lib.layers:Gate", "--python", sys.executable)
        assert result.returncode == 0, result.stdout + result.stderr
        assert "its own tests" not in result.stdout
    assert (tmp_path / GATE).read_text() == mine
    assert "class TestGate(PytreeLaws):" in (tmp_path / "tests/test_gate_laws.py").read_text()
    assert (
        scaffold(tmp_path, "adopt", "--check", "lib.layers:Gate", "--python", sys.executable).returncode == 0
    )


def test_a_skeleton_is_the_users_own(tmp_path: Path) -> None:
    """What `new-module NAME` begins is a spec that somebody writes by hand from then on: no run replaces a byte of it."""
    library = Library.at(tmp_path)
    publish(plan_skeleton("Dense", "module", library.layout))
    assert (
        library.states() == {"lib/dense.py": "missing", "tests/test_dense.py": "missing"} or library.states()
    )
    path = library.path("specs/dense.py")
    path.write_text(f"# mine\n{path.read_text()}")
    text = path.read_bytes()
    assert refusal(lambda: publish(plan_skeleton("Dense", "module", library.layout))).exit_code == 1
    library.new("specs/dense.py")
    library.update(force=True)
    assert path.read_bytes() == text and library.states() == {}
    library.destroy("Dense")
    [copy] = library.root.glob(".scaffold/kept/specs/dense.py.*")
    assert copy.read_bytes() == text
