"""Sharding from the names of dims: what a spec or a project says, what is refused, and what a class then has."""

from pathlib import Path

import pytest

from scaffold import ScaffoldError, find_layout, plan
from scaffold.generate import load_specs
from scaffold.in_project.settings import Settings
from scaffold.spec.reading.read import read_spec
from tests.support.trees import write_tree

LAYER = {
    "name": "Layer",
    "fields": {
        "up": "f[4*hidden,size]=zeros",
        "down": "f[size,4*hidden]=zeros",
        "table": "f[hidden,size]=zeros",
    },
    "call": {"args": "x: f[size]", "returns": "f[4*hidden]", "body": "return self.up @ x"},
}


def emitted(folder: Path, spec: str, settings: str = "") -> dict[str, str]:
    files = {"pyproject.toml": settings, "specs/layer.toml": spec}
    write_tree(folder, files)
    specs = load_specs([folder / "specs/layer.toml"])
    steps = plan(specs, find_layout(folder)).steps
    return {str(step.path): (step.after or b"").decode() for step in steps}


TOML = """\
name = "Layer"
{}
[fields]
up = "f[4*hidden,size]=zeros"
down = "f[size,4*hidden]=zeros"
"""


def refused(sharding: object) -> list[str]:
    with pytest.raises(ScaffoldError) as caught:
        read_spec({**LAYER, "sharding": sharding}, "layer.toml")
    return [f"{one.where}: {one.what} | {one.fix}" for one in caught.value.faults]


@pytest.mark.parametrize(
    ("sharding", "told"),
    [
        ({"hiden": "model"}, "layer.toml: sharding.hiden: `hiden` is no dim | did you mean `hidden`?"),
        (
            {"hidden": 3},
            'layer.toml: sharding.hidden: `3` is no mesh axis | write `hidden = "model"`, several axes as a list, or `[]` for none',
        ),
        (
            {"hidden": "model", "size": ["data", "model"]},
            "layer.toml: sharding: `4*hidden` and `size` of `up` both lie on `model`, and an array has an axis once "
            "| map one of them to another axis, or to none: `size = []`",
        ),
        ("model", "layer.toml: sharding: 'model' is not a table | write `sharding = { ... }`"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_fix(sharding: object, told: str) -> None:
    assert any(one.startswith(told) for one in refused(sharding)), refused(sharding)


def test_all_faults_are_told_at_once() -> None:
    assert len(refused({"hiden": "model", "hidden": "model", "size": "model"})) == 4


def test_a_kind_without_instances_is_refused() -> None:
    with pytest.raises(ScaffoldError, match="kind `abstract` has no `sharding`"):
        read_spec({**LAYER, "kind": "abstract", "sharding": {"hidden": "model"}}, "s")


def test_a_class_that_does_not_ask_has_nothing_of_it(tmp_path: Path) -> None:
    files = emitted(tmp_path, TOML.format(""))
    assert "sharding.py" not in files
    assert not any("partition_specs" in text or "sharding" in text for text in files.values())


def test_a_class_that_asks_names_the_dims_of_its_arrays(tmp_path: Path) -> None:
    files = emitted(tmp_path, TOML.format('sharding = { hidden = "model", size = [] }'))
    assert '{"up": ("4*hidden", "size"), "down": ("size", "4*hidden")}' in files["layer.py"]
    assert '{"hidden": "model", "size": None}' in files["layer.py"]
    assert "sharding.py" in files and "from sharding import field_specs" in files["layer.py"]
    assert 'sharding: ClassVar = {"hidden": "model", "size": None}' in files["tests/test_layer.py"]


def test_a_dim_with_a_mesh_axis_has_a_size_that_eight_devices_divide(tmp_path: Path) -> None:
    files = emitted(tmp_path, TOML.format('sharding = { hidden = "model" }'))
    assert '"hidden": 16' in files["tests/test_layer.py"]


def test_the_rules_of_a_project_are_those_of_each_class_with_such_a_dim(tmp_path: Path) -> None:
    settings = '[tool.scaffold.sharding]\nhidden = ["data", "model"]\nother = "model"\n'
    files = emitted(tmp_path / "one", TOML.format(""), settings)
    assert '{"hidden": ("data", "model")}' in files["layer.py"]
    files = emitted(tmp_path / "two", TOML.format('sharding = { hidden = "model" }'), settings)
    assert '{"hidden": "model"}' in files["layer.py"]
    files = emitted(tmp_path / "three", TOML.replace("hidden", "width").format(""), settings)
    assert "partition_specs" not in files["layer.py"]


def test_rules_of_a_project_that_put_an_axis_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError, match="both lie on `model`"):
        emitted(tmp_path, TOML.format(""), '[tool.scaffold.sharding]\nhidden = "model"\nsize = "model"\n')


def test_a_rule_of_a_project_that_is_no_axis_is_refused() -> None:
    with pytest.raises(ScaffoldError) as caught:
        Settings.of({"sharding": {"hidden": 3}})
    assert "pyproject.toml: tool.scaffold.sharding.hidden: `3` is no mesh axis" in str(caught.value)
