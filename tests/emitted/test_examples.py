"""The examples are what the tool writes, byte for byte; `--refresh-examples` rewrites them."""

import shutil
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace

from scaffold import find_layout, load_spec, plan, publish
from scaffold.files.fileset import Action
from scaffold.in_project.spec_files import spec_files
from scaffold.project import plan_project
from scaffold.spec.files import read_spec_files
from tests.project.starters import TEMPLATE, starter_files
from tests.support.projects import EXAMPLES
from tests.support.trees import read_tree, replace_in, write_tree

REFRESH = "run `pytest tests/emitted/test_examples.py --refresh-examples` and read the difference"
PROJECT = EXAMPLES / "project"
BY_HAND = ("padding.py", "train_decoder.py")
"""What the examples import and nobody generates."""
CACHES = {"__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache"}
LEFT_OUT = (".", "project/", "tests/numbers/")
"""What is no class of a spec: `pytest generated_examples/tests --numbers=update` writes the numbers."""
SPECS = spec_files(EXAMPLES / "specs")
FOUNDING = {
    *("affine", "affine_init", "table_bypass", "table_flag", "table_factory", "table_static"),
    *("whiten", "positive_scale", "leaky_cell", "stack"),
}


def planned(folder: Path, *, force: bool = False):
    """The plan for all examples, without the records: what was generated is here once."""
    layout = find_layout(folder)
    paths = [folder / "specs" / path.name for path in SPECS]
    specs = read_spec_files(paths, lambda path: f"specs/{path.name}")
    found = plan(specs, layout, force=force)
    return replace(found, steps=tuple(step for step in found.steps if step.path.parts[0] != ".scaffold"))


def test_every_example_is_what_the_tool_writes(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--refresh-examples"):
        publish(planned(EXAMPLES, force=True))
    drifted = [
        str(step.path)
        for step in planned(EXAMPLES).steps
        if step.action not in (Action.IDENTICAL, Action.KEEP)
    ]
    assert drifted == [], REFRESH
    assert {path.stem for path in SPECS} >= FOUNDING


def test_a_long_body_stands_in_a_skeleton() -> None:
    bodies = {
        f"{path.name}: {key}": function.call.body.count("\n") + 1
        for path in SPECS
        if path.suffix == ".toml"
        for key, function in load_spec(path).functions
    }
    assert len(bodies) > 20
    assert {place: lines for place, lines in bodies.items() if lines > 10} == {}


@pytest.mark.slow
def test_the_examples_come_out_of_their_specs_alone(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "specs", tmp_path / "specs")
    for name in ("pyproject.toml", *BY_HAND):
        shutil.copy(EXAMPLES / name, tmp_path)
    publish(planned(tmp_path))
    expected = {path: data for path, data in read_tree(EXAMPLES).items() if "__pycache__" not in path}
    expected = {path: data for path, data in expected.items() if not path.startswith(LEFT_OUT)}
    assert read_tree(tmp_path) == expected


def test_an_edited_example_is_drift(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "project")
    module = tmp_path / "project" / "affine.py"
    replace_in(module, "y + self.bias", "y - self.bias")
    assert [str(step.path) for step in planned(tmp_path / "project").conflicts] == ["affine.py"]


def test_the_classes_of_the_project_template_are_what_the_tool_writes(request: pytest.FixtureRequest) -> None:
    wanted = starter_files()
    if request.config.getoption("--refresh-examples"):
        for path, text in wanted.items():
            (TEMPLATE / path).write_text(text)
    there = {path for path in wanted if (TEMPLATE / path).is_file()}
    drifted = sorted(
        path for path in wanted if path not in there or (TEMPLATE / path).read_text() != wanted[path]
    )
    assert drifted == [], REFRESH


@pytest.mark.slow
def test_the_example_project_is_what_new_project_writes(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    remembered = yaml.safe_load((PROJECT / ".copier-answers.yml").read_text())
    answers = {
        key: ",".join(value) if isinstance(value, list) else str(value) for key, value in remembered.items()
    }
    publish(plan_project(tmp_path / "fresh", answers))
    # The wheel of the laws is left out: this repository builds it.
    written = read_tree(tmp_path / "fresh").items()
    fresh = {path: data for path, data in written if not path.endswith(".whl")}
    if request.config.getoption("--refresh-examples"):
        write_tree(PROJECT, fresh)
    drifted = [path for path, data in fresh.items() if not _holds(PROJECT / path, data)]
    assert drifted == [], REFRESH
    files = {path.relative_to(PROJECT) for path in PROJECT.rglob("*") if path.is_file()}
    kept = {path.as_posix() for path in files if not CACHES & set(path.parts)}
    assert kept == set(fresh)


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data
