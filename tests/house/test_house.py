"""This repository keeps the rules that `new-project` gives others: review, workflows, hooks."""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.project.starters import TEMPLATE
from tests.support.library import EMPTY, Library, spec
from tests.support.projects import REPOSITORY, run, scaffold

PYPROJECT_TEXT = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
PYPROJECT = tomllib.loads(PYPROJECT_TEXT)
WORKFLOWS = REPOSITORY / ".github" / "workflows"
USES = re.compile(r"([\w./-]+)@([0-9a-f]{40} # v[\d.]+)")


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_no_check_of_the_review_fails_without_a_reason_beside_it() -> None:
    """Nor is there a reason for a check that passes by now."""
    ignored = PYPROJECT["tool"]["repo-review"]["ignore"]
    reasons = re.findall(
        r'^    "(\w+)", # \S.*$', PYPROJECT_TEXT.partition("[tool.repo-review]")[2], re.MULTILINE
    )
    assert ignored == reasons
    # An `--ignore` takes the place of the settings.
    command = [sys.executable, "-m", "repo_review", "--format", "json", "--ignore", "NONE", "."]
    checks = json.loads(run(command, REPOSITORY).stdout)["checks"]
    assert len(checks) > 50 and checks["GH100"]["result"] is True
    assert sorted(name for name, check in checks.items() if check["result"] is False) == sorted(ignored)


def test_zizmor_accepts_the_workflows() -> None:
    zizmor = Path(sys.executable).parent / "zizmor"
    result = run([str(zizmor), "--offline", "--pedantic", ".github", ".pre-commit-config.yaml"], REPOSITORY)
    assert result.returncode == 0 and "No findings to report" in result.stdout, result.stdout + result.stderr


def test_an_action_has_the_version_that_projects_are_given() -> None:
    versions = dict(USES.findall((TEMPLATE / "copier.yml").read_text(encoding="utf-8")))
    used = [pair for path in WORKFLOWS.iterdir() for pair in USES.findall(path.read_text(encoding="utf-8"))]
    shared = [(name, version) for name, version in used if name in versions]
    assert shared and all(versions[name] == version for name, version in shared)
    assert {name for name, _ in used} - versions.keys() == {
        "actions/setup-python",
        "actions/upload-pages-artifact",
        "actions/deploy-pages",
    }


def test_ci_runs_the_tests_on_each_system_with_the_oldest_and_the_newest_python() -> None:
    job = read_yaml(WORKFLOWS / "ci.yml")["jobs"]["tests"]
    named = re.findall(r"Python :: (3\.\d+)", PYPROJECT_TEXT)
    assert job["strategy"]["matrix"] == {
        "system": ["ubuntu-latest", "macos-latest", "windows-latest"],
        "python": [named[0], named[-1]],
    }
    assert PYPROJECT["project"]["requires-python"] == f">={named[0]}"
    assert job["steps"][-1]["run"] == "python dev.py test"
    [slow] = read_yaml(WORKFLOWS / "slow.yml")["jobs"].values()
    assert slow["steps"][-1]["run"] == 'python dev.py test -m "slow or not slow"'


def test_the_hooks_of_this_repository_are_its_own_tools() -> None:
    """So that their versions are in one place, and the tests that run them here say what the hooks say."""
    [repository] = read_yaml(REPOSITORY / ".pre-commit-config.yaml")["repos"]
    tools = [re.split(r"\s|==|\[", requirement)[0] for requirement in PYPROJECT["dependency-groups"]["dev"]]
    for hook in repository["hooks"]:
        start, verb, tool, *_ = hook["entry"].split()
        assert (start, verb, hook["language"]) == ("uv", "run", "system") and tool in tools
    for kind, name in (("manifest", ".pre-commit-hooks.yaml"), ("config", ".pre-commit-config.yaml")):
        prek = Path(sys.executable).parent / "prek"
        result = run([str(prek), f"validate-{kind}", name], REPOSITORY)
        assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library.at(tmp_path_factory.mktemp("hooks"), EMPTY)
    library.generate(dense=spec("Dense"))
    return library


@pytest.mark.parametrize(("hook", "arguments"), [("scaffold-check", ()), ("scaffold-adopt-check", ("lib",))])
def test_a_hook_for_other_repositories_fails_where_something_is_to_be_done(
    hook: str, arguments: tuple[str, ...], library: Library
) -> None:
    [manifest] = [one for one in read_yaml(REPOSITORY / ".pre-commit-hooks.yaml") if one["id"] == hook]
    name, *words = manifest["entry"].split()
    assert name in PYPROJECT["project"]["scripts"] and manifest["language"] == "python"
    assert scaffold(library.root, *words, *arguments).returncode == 0
    test = library.path("tests/test_dense.py")
    text = test.read_bytes()
    test.unlink()
    try:
        result = scaffold(library.root, *words, *arguments)
    finally:
        test.write_bytes(text)
    assert result.returncode == 1 and "missing" in result.stdout


def test_each_path_on_the_map_for_contributors_is_there() -> None:
    rows = [row for row in (REPOSITORY / "CONTRIBUTING.md").read_text().splitlines() if row.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([\w/.-]+)`", row.split("|")[1])}
    roots = (
        REPOSITORY,
        *(REPOSITORY / root for root in ("scaffold", "pytree_laws/src/pytree_laws", "tests")),
    )
    assert len(named) > 40
    assert [name for name in sorted(named) if not any((root / name).exists() for root in roots)] == []
