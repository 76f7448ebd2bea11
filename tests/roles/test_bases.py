"""Abstract classes and those that fulfil them: what is refused, and that the two work together."""

import re
from pathlib import Path
from typing import Any

import pytest

from scaffold import ScaffoldError, find_layout
from scaffold.generate import plan_modules
from scaffold.spec.reading.read import read_spec
from tests.support.forking import forked_pytest
from tests.support.projects import checker, copy_example, failed_tests, passed, run, scaffold
from tests.support.trees import write_tree

ASKED = {"args": "x: f[n]", "returns": "f[n]", "body": "..."}
MADE = {"args": "x: f[n]", "returns": "f[n]", "body": "return self.w * x"}
GUARDED = {**MADE, "body": "return x if self.w is None else self.w * x"}
W = {"type": "f[n]", "init": "ones"}
TWICE = {"type": "f[n]", "role": "derived", "init": "=self.w * 2"}


def base(**parts: Any) -> dict[str, Any]:
    fields = parts.pop("fields", {"w": "f[n]", "n": "int"})
    return {"name": "Base", "kind": "abstract", "fields": fields, "call": ASKED, **parts}


def final(**parts: Any) -> dict[str, Any]:
    fields = parts.pop("fields", {"w": W, "n": "int"})
    return {"name": "Final", "bases": ["Base"], "fields": fields, "call": MADE, **parts}


def told(*raws: dict[str, Any]) -> list[str]:
    """The faults of a plan for these specs."""
    try:
        specs = [read_spec(raw, raw["name"].lower()) for raw in raws]
        plan_modules(specs, find_layout(Path("/nonexistent")))
    except ScaffoldError as error:
        return [f"{fault.where} | {fault.what} | {fault.fix}" for fault in error.faults]
    return []


# A row: the specs, what is wrong with them, and the specs that are right.
# fmt: off
ROWS = [
    ([base(), final(fields={"w": W})], "final: fields | `Base` asks for a field `n` | write `n = { type = \"int\" }`", [base(), final()]),
    ([base(), final(call=None)], "final: call | `Base` asks for a call | write `[call]` with `args = \"x: f[n]\"` and a body", [base(call=None), final(call=None)]),
    ([base(), final(call={**MADE, "body": "return self.twice"})], "final: call.body | `self.twice` is no field | declare it as a field", [base(fields={"w": "f[n]", "n": "int", "twice": TWICE}), final(call={**MADE, "body": "return self.twice"})]),
    ([{**final(bases=[]), "name": "Base"}, final(fields={"w": W})], "final: bases | the constructor of `Final` does not make the fields of `Base` | write `kind = \"abstract\"` for `Base`, or an `__init__` in `Final`, or hold one as a field", [base(), final()]),
    ([final()], "final: bases | there is no class `Base`: looked for it in specs and beside the spec | generate `Base` first or with it (`--spec` takes several), or write `package.module:Base`", [final(bases=["lib.norms:Base"])]),
    ([base(), final(bases=["Base", "Base"])], "final: bases | `Base` is there twice | remove one", [base(), final()]),
    ([final(bases=["Final"])], "final: bases | the name `Final` is not known here: it is the class itself | remove it", [base(), final()]),
    ([base(), final(bases=["list[int]"])], "final: bases | `list[int]` is no class | write `AbstractNorm`, or `package.module:AbstractNorm`", [base(), final()]),
    ([base(), final(kind="pytree")], "final: bases | a class of kind `pytree` has no `bases` | remove it, or write `kind = \"module\"`", [base(), final(kind="module")]),
    ([base(fields={"w": W})], "base: fields.w.init | a class of kind `abstract` has no `init` | remove it", [base(fields={"w": "f[n]"})]),
    ([base(setup="a = 1")], "base: setup | a class of kind `abstract` has no `setup` | remove it", [base()]),
    ([base(constructor="init")], "base: constructor | a class of kind `abstract` is not built by `init` | remove it", [base()]),
    ([base(fields={"d": {"type": "int", "role": "derived", "init": "=1"}}, call=None)], "base: fields | every field is derived, so there is nothing to hold | declare a field that is not derived", [base(call=None)]),
]
# fmt: on


@pytest.mark.parametrize(("bad", "what", "good"), ROWS, ids=[row[1].split("|")[1].strip() for row in ROWS])
def test_a_fault_has_its_place_and_fix(
    bad: list[dict[str, Any]], what: str, good: list[dict[str, Any]]
) -> None:
    assert what in told(*map(_given, bad))
    assert told(*map(_given, good)) == []


def _given(raw: dict[str, Any]) -> dict[str, Any]:
    """The spec without what is None in it."""
    return {name: part for name, part in raw.items() if part is not None}


SHAPE = """\
name = "AbstractShape"
kind = "abstract"
[fields]
corners = "f[n,2] | None"
centre = { type = "f[2]", role = "buffer" }
twice = { type = "f[2]", role = "derived", init = "=2 * self.centre" }
[call]
args = "x: f[2]"
returns = "f[2]"
body = "return x - self.twice"
"""
SCALED = """\
name = "AbstractScaled"
kind = "abstract"
bases = ["AbstractShape"]
[fields]
scale = "f[]"
"""
FOREIGN = """\
name = "AbstractActivation"
kind = "abstract"
bases = ["equinox.nn:StatefulLayer"]
[fields]
slope = "f[]"
"""
POLYGON = """\
name = "Polygon"
bases = ["AbstractScaled"]
constructor = "init"
[fields]
corners = "f[n,2] | None@param"
centre = { type = "f[2]", role = "buffer" }
scale = "f[]=ones"
area = { type = "f[2]", role = "derived", init = "=self.scale * self.twice" }
[test]
skip = ["p08_every", "p09_every_parameter", "p09_a_step"]
"""


SPECS = {
    "abstract_activation": FOREIGN,
    "abstract_shape": SHAPE,
    "abstract_scaled": SCALED,
    "polygon": POLYGON,
}


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {f"specs/{name}.toml": text for name, text in SPECS.items()}
    folder = write_tree(tmp_path_factory.mktemp("shapes"), files)
    result = scaffold(folder, "new-module", "--spec", *(f"specs/{name}.toml" for name in SPECS))
    assert result.returncode == 0, result.stderr
    return folder


def test_a_final_class_has_what_its_bases_make(shapes: Path) -> None:
    text = (shapes / "polygon.py").read_text()
    assert "\nclass Polygon(AbstractScaled):" in text and "__call__" not in text
    scaled = (shapes / "tests/test_abstract_scaled.py").read_text()
    assert 'fields = ("corners", "centre", "scale")\n    methods = ()' in scaled
    assert "instance(x)" in (shapes / "tests/test_polygon.py").read_text()
    assert passed(forked_pytest(shapes)) > 50


@pytest.mark.slow
def test_a_final_class_and_its_bases_are_typed(shapes: Path) -> None:
    modules = [f"{name}.py" for name in SPECS]
    for command in ("pyright", "mypy"):
        checked = run(checker(command, *modules), shapes)
        assert checked.returncode == 0, checked.stdout


@pytest.mark.slow
def test_a_base_that_can_be_built_is_found(tmp_path: Path) -> None:
    project = copy_example("abstract_norm", tmp_path)
    module = project / "abstract_norm.py"
    made = module.read_text().replace("    @abc.abstractmethod\n", "")
    module.write_text(made)
    assert failed_tests(forked_pytest(project)) == {"test_a_subclass_without_one_member_cannot_be"}
    module.write_text(re.sub(r"eqx\.AbstractVar\[(.*)\]\n", r"\1 | None = None\n", made))
    assert "test_it_cannot_be_instantiated" in failed_tests(forked_pytest(project))
