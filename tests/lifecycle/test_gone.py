"""`scaffold update` and `check` refuse what would take a class away from a spec that names it, and say where it does."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scaffold.cli import main
from scaffold.errors import ScaffoldError
from tests.support.library import Library, actions, spec
from tests.support.trees import write_tree

HOLDS = 'part = { type = "Dense" }'
SKELETON = (
    "from jaxtyping import Array, Float\nfrom scaffold.skeleton import Module, param\n\n{imports}\n\n"
    'class {name}(Module):\n    {field}\n    weight: Float[Array, " n"] = param("ones")\n\n'
    '    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:\n        return self.weight * x\n'
)
CALLED = "\n  fix: write `Linear` here; or call it `Dense` again in specs/dense.toml"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library.at(tmp_path)
    library.generate(dense=spec("Dense"), pair=spec("Pair", HOLDS))
    return library


def rename(library: Library, name: str = "Linear", path: str = "specs/dense.toml") -> None:
    library.write(path, spec(name))


def refusal(library: Library, *names: str) -> ScaffoldError:
    before = library.tree()
    with pytest.raises(ScaffoldError) as caught:
        library.update(*names)
    assert (caught.value.exit_code, library.tree()) == (2, before)
    return caught.value


def run(library: Library, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--folder", str(library.root)])


@pytest.mark.parametrize("names", [(), ("Linear",), ("Pair",), ("Linear", "Pair")])
def test_a_class_that_another_spec_names_keeps_its_name_there(library: Library, names: tuple[str, ...]):
    rename(library)
    assert str(refusal(library, *names)) == (
        f"specs/pair.toml:5:10: fields.part.type: names `Dense`, which is called `Linear` now{CALLED}"
    )


def test_both_commands_have_exit_code_2(library: Library):
    rename(library)
    for command in (("check",), ("update",), ("update", "--dry-run")):
        result = run(library, *command)
        assert (result.exit_code, "specs/pair.toml:5:10" in result.stderr) == (2, True), result.output


def test_where_both_specs_are_changed_the_rename_is_carried_through(library: Library):
    library.append("lib/dense.py", "\n    twice = 2\n")
    rename(library)
    library.edit("specs/pair.toml", "Dense", "Linear")
    assert actions(library.update()) == {
        ".scaffold/": "update",
        "lib/__init__.py": "update",
        "lib/dense.py": "remove",
        "lib/linear.py": "create",
        "lib/pair.py": "update",
        "tests/test_dense.py": "remove",
        "tests/test_linear.py": "create",
        "tests/test_pair.py": "update",
    }
    assert "twice = 2" in library.read("lib/linear.py")
    assert "linear import Linear" in library.read("lib/pair.py")
    assert library.states() == {"lib/linear.py": "edited"}


def test_all_places_are_told_at_once(library: Library):
    holds = f'{HOLDS}\nother = {{ type = "list[Other]" }}'
    library.generate(other=spec("Other"), third=spec("Third", holds), fourth=spec("Fourth"))
    rename(library)
    rename(library, "Another", "specs/other.toml")
    assert [(fault.place, fault.what) for fault in refusal(library).faults] == [
        ("specs/pair.toml:5:10: fields.part.type", "names `Dense`, which is called `Linear` now"),
        ("specs/third.toml:5:10: fields.part.type", "names `Dense`, which is called `Linear` now"),
        ("specs/third.toml:6:11: fields.other.type", "names `Other`, which is called `Another` now"),
    ]
    assert actions(library.update("Fourth")) == {}


def test_a_class_that_no_spec_describes_any_more(library: Library):
    library.path("specs/dense.toml").unlink()
    assert str(refusal(library)) == (
        "specs/pair.toml:5:10: fields.part.type: names `Dense`, which specs/dense.toml describes no more\n"
        "  fix: bring it back in specs/dense.toml, or name another class here; "
        "where its module is your own now, delete `.scaffold/Dense.txt`"
    )
    library.path(".scaffold/Dense.txt").unlink()
    library.update()
    assert library.path("lib/dense.py").exists()


@pytest.mark.parametrize(
    ("imports", "fix"),
    [
        ("", "write `Linear` here; "),
        ("from lib.dense import Dense\n", "write `Linear` here, and its module; "),
    ],
)
def test_a_skeleton_that_names_it(library: Library, imports: str, fix: str):
    text = SKELETON.format(imports=imports, name="Own", field="part: Dense")
    write_tree(library.root, {"specs/own.py": text})
    library.edit("specs/pair.toml", HOLDS, "")
    library.update()
    rename(library)
    [fault] = refusal(library).faults
    line = text.splitlines().index("    part: Dense") + 1
    assert fault.place.startswith(f"specs/own.py:{line}:"), fault
    assert fault.what == "names `Dense`, which is called `Linear` now"
    assert fault.fix.startswith(fix)


def test_a_class_that_left_its_skeleton(library: Library):
    two = "\n\n".join(SKELETON.format(imports="", name=name, field="") for name in ("One", "Two"))
    write_tree(library.root, {"specs/both.py": two})
    library.edit("specs/pair.toml", '"Dense"', '"One"')
    library.update()
    write_tree(library.root, {"specs/both.py": SKELETON.format(imports="", name="Two", field="")})
    for names in ((), ("Two",)):
        assert str(refusal(library, *names)) == (
            "specs/pair.toml:5:10: fields.part.type: names `One`, which specs/both.py describes no more\n"
            "  fix: bring it back in specs/both.py, or name another class here"
        )


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (spec("Pair", top='bases = ["Dense"]'), "specs/pair.toml:2:1: bases"),
        (spec("Pair").replace("x: f[in_size]", "x: f[in_size], y: Dense"), "specs/pair.toml:7:1: call.args"),
    ],
)
def test_wherever_a_spec_names_it(library: Library, text: str, key: str):
    library.write_specs(pair=text)
    library.update()
    rename(library)
    [fault] = refusal(library).faults
    assert (fault.place, fault.what) == (key, "names `Dense`, which is called `Linear` now")


def test_a_suite_that_is_not_generated_any_more_is_not_forgotten(library: Library):
    library.write_specs(pair=spec("Pair", 'part = { type = "Dense" }\nother = { type = "some.where:Thing" }'))
    assert any("Pair: not tested" in note for note in library.update().notes)
    assert library.path("tests/test_pair.py").exists() and library.states() == {}
    library.write_specs(pair=spec("Pair", HOLDS.replace("part", "inner")))
    assert actions(library.update())["tests/test_pair.py"] == "update"
    assert library.states() == {}
    library.write_specs(pair=spec("Pair", 'other = { type = "some.where:Thing" }'))
    library.update()
    assert actions(library.destroy("Pair"))["tests/test_pair.py"] == "remove"
