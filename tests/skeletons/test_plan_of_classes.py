"""Classes of one plan that name each other: in expressions, as bases without fields, and as their own type."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from scaffold.cli import main
from tests.support.trees import read_tree, write_tree

SINE = 'name = "Sine"\n[fields]\nfrequency = "f[n]=ones"\n[call]\nargs = "x: f[n]"\nbody = "return jnp.sin(self.frequency * x)"\n'
SIREN = 'name = "Siren"\n[fields]\ntop = { type = "tree", init = "=Sine.create(3)" }\n'
ASKING = 'name = "Activation"\nkind = "abstract"\n[call]\nargs = "x: f[n]"\nreturns = "f[n]"\nbody = "..."\n'
TURN = (
    'name = "Turn"\n[fields]\nangle = "f[]"\n'
    'inverse = { type = "Turn", role = "derived", init = "=Turn(-self.angle)" }\n'
    '[call]\nargs = "x: f[]"\nreturns = "Turn"\nbody = "return Turn(self.angle + x)"\n'
)


@pytest.fixture(name="run")
def _run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def run(files: dict[str, str], *arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(write_tree(tmp_path, {"pyproject.toml": "", **files}))
        result = CliRunner().invoke(main, ["new-module", *arguments])
        return result.exit_code, result.output

    return run


def test_an_expression_names_a_class_of_the_same_plan(run, tmp_path: Path) -> None:
    both = {"specs/one.toml": SINE, "specs/two.toml": SIREN}
    code, told = run(both, "--spec", "specs/one.toml", "specs/two.toml")
    assert code == 0, told
    assert "from sine import Sine\n" in read_tree(tmp_path)["siren.py"].decode()


def test_and_one_whose_spec_lies_beside(run, tmp_path: Path) -> None:
    code, told = run({"specs/sine.toml": SINE, "specs/siren.toml": SIREN}, "--spec", "specs/siren.toml")
    assert code == 0, told


def test_a_class_of_no_plan_is_not_known(run) -> None:
    code, told = run({"specs/siren.toml": SIREN}, "--spec", "specs/siren.toml")
    assert code == 2
    assert "specs/siren.toml:3:24: fields.top.init: the name `Sine` is not known here" in told


def test_the_constructor_cannot_read_what_it_makes_below_and_setup_is_the_answer(run) -> None:
    code, told = run({}, "Affine", "b:f[n]==a + 1", "a:f[n]=zeros")
    assert code == 2
    assert 'fix: compute it in `setup`, as `a = ...`, and write `init = "=a"` for the field' in told


def test_a_base_may_have_a_call_alone(run, tmp_path: Path) -> None:
    final = SINE.replace("\n[fields]", '\nbases = ["Activation"]\n[fields]').replace(
        'x: f[n]"', 'x: f[n]"\nreturns = "f[n]"'
    )
    code, told = run(
        {"specs/activation.toml": ASKING, "specs/sine.toml": final},
        "--spec",
        "specs/activation.toml",
        "specs/sine.toml",
    )
    assert code == 0, told
    assert "@abc.abstractmethod" in read_tree(tmp_path)["activation.py"].decode()
    assert "class Sine(Activation):" in read_tree(tmp_path)["sine.py"].decode()


def test_a_derived_field_may_be_of_the_class_itself(run, tmp_path: Path) -> None:
    code, told = run({"specs/turn.toml": TURN}, "--spec", "specs/turn.toml")
    assert code == 0, told
    assert 'def inverse(self) -> "Turn":' in read_tree(tmp_path)["turn.py"].decode()


def test_show_tells_a_circle_too(run, tmp_path: Path) -> None:
    files = {
        "specs/one.toml": 'name = "One"\nfields.b = "Two"\n',
        "specs/two.toml": 'name = "Two"\nfields.a = "One"\n',
    }
    run(files)
    result = CliRunner().invoke(main, ["show", "One", "--code", "--json"])
    (fault,) = json.loads(result.output)["faults"]
    assert (result.exit_code, fault["line"], fault["column"]) == (2, 2, 1)
    assert "classes need each other in a circle: `One` -> `Two` -> `One`" in fault["what"]
    assert fault["fix"].startswith("take one of them out, or hold `tree` in its place")


LEAF = """
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param


class Leaf(Module):
    weight: Float[Array, " n"] = param("ones")

    def grown(self) -> "Branch":
        return Branch(self)
"""
BRANCH = """
from scaffold.skeleton import Module, module


class Branch(Module):
    leaf: Leaf = module()
"""


def test_a_circle_that_is_not_of_parts_goes_in_one_file(run, tmp_path: Path) -> None:
    specs = ("--spec", "specs/branch.py", "--spec", "specs/leaf.py")
    code, told = run({"specs/leaf.py": LEAF, "specs/branch.py": BRANCH}, *specs)
    assert code == 2
    assert "fix: put them into one skeleton, take one of them out, or hold" in " ".join(told.split())
    code, told = run({"specs/both.py": LEAF + BRANCH}, "--spec", "specs/both.py")
    assert code == 0, told
