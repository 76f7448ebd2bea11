"""A project made with `--sharding`: a decoder of its own that trains on many devices."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.project.starters import TEMPLATE
from tests.project.test_project import made
from tests.support.projects import EXAMPLES, checker, passed, pytest_command, run, scaffold
from tests.support.trees import write_tree

SPEC = TEMPLATE / "specs/{% if has_sharding %}decoder.py{% endif %}"
METADATA = "Metadata-Version: 2.1\nName: study\nVersion: 0.1.0\n"
SCRIPT = TEMPLATE / "examples/{% if has_sharding %}train_decoder.py{% endif %}.jinja"


@pytest.mark.slow
def test_the_flag_answers_the_question(tmp_path: Path) -> None:
    plan = scaffold(tmp_path, "new-project", "study", "--sharding", "--dry-run", "--json")
    paths = {file["path"] for file in json.loads(plan.stdout)["files"]}
    assert {"study/decoder.py", "study/sharding.py", "examples/train_decoder.py", "docs/cluster.md"} <= paths
    plain = scaffold(tmp_path, "new-project", "study", "--dry-run", "--json").stdout
    assert "decoder" not in plain and "cluster" not in plain


def test_another_answer_is_refused_with_the_legal_ones(tmp_path: Path) -> None:
    ran = scaffold(tmp_path, "new-project", "study", "--data", "sharding=perhaps")
    assert ran.returncode == 2
    assert "`perhaps` is not legal" in ran.stderr and "false, true" in ran.stderr


def test_the_decoder_and_its_script_are_those_of_the_examples() -> None:
    spec = SPEC.read_text().replace("from .sharding", "from sharding")
    assert spec == (EXAMPLES / "specs/decoder.py").read_text()
    script = SCRIPT.read_text().replace("from {{ package }}.", "from ")
    script = script.replace("uv run examples/train_decoder.py", "python train_decoder.py")
    assert script == (EXAMPLES / "train_decoder.py").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("style", ["kidger", "scientific-python"])
def test_its_suite_holds_on_one_device_and_on_eight(style: str, tmp_path: Path) -> None:
    project = made(tmp_path / "study", "sharding=true", f"style={style}")
    write_tree(tmp_path, {"site/study-0.1.0.dist-info/METADATA": METADATA})  # as if it were installed
    source = project / "src" if style == "scientific-python" else project
    path = {"PYTHONPATH": os.pathsep.join(map(str, (tmp_path / "site", source)))}
    assert passed(run(pytest_command("tests/test_decoder.py"), project, env=path)) > 300
    on_eight = pytest_command("tests/test_decoder.py", "--mesh", "8", "-k", "p21")
    assert passed(run(on_eight, project, env=path)) >= 12
    options = ("--data", "2", "--model", "4", "--virtual", "8", "--steps", "2")
    ran = run([sys.executable, "examples/train_decoder.py", *options], project, env=path)
    first, second = map(float, ran.stdout.split())
    assert second < first, ran.stderr
    types = "pyright" if style == "kidger" else "mypy"
    assert run(checker(types), project).returncode == 0
