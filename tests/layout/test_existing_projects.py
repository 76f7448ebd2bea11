"""A class goes into projects that exist: its tests run, theirs do as before, and nothing else is touched."""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from scaffold.generate import plan_new
from scaffold.in_project.law_files import WHEEL
from scaffold.in_project.layout import find_layout
from scaffold.law_wheel import law_wheel
from scaffold.publish import publish
from tests.layout.existing import PROJECTS, STUBS, Existing
from tests.support.projects import passed, run, scaffold
from tests.support.trees import read_tree, write_tree

AFFINE = {"name": "Affine", "fields": {"weight": "f[size]"}}


def environment(root: Path, project: Existing, stubs: Path | None) -> dict[str, str]:
    places = [*([stubs] if stubs else []), *(root / folder for folder in project.path)]
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if stubs else {}
    return {"PYTHONPATH": os.pathsep.join(map(str, places)), **alone}


def outcomes(root: Path, env: Mapping[str, str]) -> dict[str, str]:
    """What became of each test, in a bare run from the root."""
    script = Path(sys.executable).parent / "pytest"  # puts nothing on the path itself
    result = run([str(script), "-p", "no:cacheprovider", "-v"], root, env=env)
    found = re.findall(r"^(\S+::\S+) (PASSED|FAILED|ERROR|SKIPPED)", result.stdout, re.MULTILINE)
    assert result.returncode == 0, result.stdout + result.stderr
    return dict(found)


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", PROJECTS)
def test_a_class_in_a_project_that_exists(name: str, tmp_path: Path) -> None:
    project = PROJECTS[name]
    root, stubs = write_tree(tmp_path / "root", {".git/": "", **project.files}), tmp_path / "stubs"
    write_tree(stubs, STUBS)
    env = environment(root, project, stubs)
    before, theirs = read_tree(root), outcomes(root, env)

    layout = replace(find_layout(root / project.root), laws=WHEEL)
    plan = plan_new(AFFINE, layout)
    publish(plan)
    after = read_tree(root)
    wheel = Path(project.created[1]).with_name(law_wheel().name).as_posix()
    specs = [str(Path(project.root, "specs", file)) for file in ("affine.toml", "scaffold.schema.json")]
    assert {path for path in before if before[path] != after.get(path)} == {
        *project.changed,
        *({".git/"} & (before.keys() - after.keys())),
    }
    new = after.keys() - before.keys()
    conftests = [path for path in project.changed if path.endswith("conftest.py")]
    kept = ["Affine.txt", *(f"shared/{Path(path).stem}.txt" for path in conftests)]
    records = [Path(project.root, ".scaffold", name).as_posix() for name in kept]
    assert new == {*project.created, *project.also, *specs, *records, wheel}
    assert all(any(text in note for note in plan.notes) for text in project.said), plan.notes

    ours = f"{project.created[1]}::TestAffine::test_p01_is_found"
    assert outcomes(root, env) == {**theirs, ours: "PASSED"}
    again = plan_new(AFFINE, layout, force=True)
    written = [step.path for step in again.writes if ".scaffold" not in step.path.parts]
    assert written == []

    imported = run(
        [sys.executable, "-c", f"import {project.package}; print({project.package}.Affine)"], root, env=env
    )
    assert imported.returncode == 0, imported.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", PROJECTS)
def test_the_laws_themselves_pass_there(name: str, tmp_path: Path) -> None:
    project = PROJECTS[name]
    root = write_tree(tmp_path, {".git/": "", **project.files})
    result = scaffold(root / project.root, "new-module", "Affine", "weight:f[size]")
    assert result.returncode == 0, result.stderr
    script = Path(sys.executable).parent / "pytest"
    assert (
        passed(run([str(script), "-p", "no:cacheprovider"], root, env=environment(root, project, None))) > 15
    )
