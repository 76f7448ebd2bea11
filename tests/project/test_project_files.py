"""What a new project says of itself: versions in one place, texts that survive, commands and examples that work."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from scaffold.in_project.layout import find_layout
from scaffold.law_wheel import law_wheel
from scaffold.lifecycle.check import check
from tests.project.starters import TEMPLATE
from tests.project.test_project import CONFIG, EVERY_KIND, HOSTILE, copied, made
from tests.support.projects import REPOSITORY, run
from tests.support.trees import replace_in

STYLES = ("kidger", "scientific-python")
VERSION = re.compile(r"\d+\.\d+|[0-9a-f]{40}")
OWN = {"0.1.0", "1.2.0"}  # the project's own first version, and the format of CITATION.cff


# -- versions ----------------------------------------------------------------------------------------------------------


def versions(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w.]+", text) if VERSION.search(word)} - OWN


def configuration() -> list[Path]:
    """The template's files that settle how the project is built and checked."""
    code = {"specs", "tests", "examples", "{{ source_folder }}"}
    files = [path for path in TEMPLATE.rglob("*") if path.is_file()]
    inner = [path.relative_to(TEMPLATE) for path in files]
    return [
        path
        for path in inner
        if path.parts[0] not in {*code, "LICENSE.jinja", "README.md.jinja", "copier.yml"}
    ]


def test_every_version_is_in_one_place() -> None:
    assert len(configuration()) >= 15
    found = {path.as_posix(): versions((TEMPLATE / path).read_text()) for path in configuration()}
    assert {path: numbers for path, numbers in found.items() if numbers} == {}
    assert versions('rev: v6.0.0, "matplotlib>=3.10"') == {"v6.0.0", "3.10"}


@pytest.mark.parametrize("tool", ["ruff", "mypy", "pyright", "zizmor"])
def test_the_checkers_have_the_versions_that_this_project_tests_with(tool: str) -> None:
    groups = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["dependency-groups"]
    [pinned] = [name for name in groups["dev"] if re.split(r"[\[=]", name)[0] == tool]
    assert pinned.endswith(f"=={CONFIG[f'{tool}_version']['default']}")


def test_hooks_and_groups_have_one_version_of_a_tool(tmp_path: Path) -> None:
    project = made(tmp_path / "study", "style=scientific-python")
    hooks = yaml.safe_load((project / ".pre-commit-config.yaml").read_text())
    revisions = {repo["repo"].split("/")[-1]: repo["rev"] for repo in hooks["repos"]}
    groups = tomllib.loads((project / "pyproject.toml").read_text())["dependency-groups"]
    assert f"mypy=={revisions['mirrors-mypy'].removeprefix('v')}" in groups["lint"]
    assert all(re.fullmatch(r"v?\d+\.\d+\.\d+", revision) for revision in revisions.values())


@pytest.mark.spread(2)
@pytest.mark.parametrize("style", STYLES)
def test_uv_installs_the_laws_from_the_wheel_in_the_project(style: str, tmp_path: Path) -> None:
    project = made(tmp_path / "study", f"style={style}")
    settings = tomllib.loads((project / "pyproject.toml").read_text())
    source = settings["tool"]["uv"]["sources"]["pytree-laws"]
    assert (project / source["path"]).read_bytes() == law_wheel().content
    version = ".".join(map(str, law_wheel().version))
    assert f"pytree-laws>={version}" in settings["dependency-groups"]["test"]
    without = made(tmp_path / "other", f"style={style}", "laws=installed")
    assert not list(without.rglob("*.whl")) and "sources" not in (without / "pyproject.toml").read_text()


@pytest.mark.spread(2)
@pytest.mark.parametrize("style", STYLES)
def test_the_newest_jax_is_not_the_one_that_is_locked(style: str, tmp_path: Path) -> None:
    project = made(tmp_path / "study", f"style={style}")
    workflow = yaml.safe_load((project / ".github/workflows/ci.yml").read_text())
    assert " --upgrade " in workflow["jobs"]["tests"]["steps"][-1]["run"]


@pytest.mark.parametrize("layout", ["flat", "src"])
def test_building_warns_of_nothing(layout: str, tmp_path: Path) -> None:
    project = made(tmp_path / "study", "style=scientific-python", f"layout={layout}")
    built = run(["uv", "build", "--sdist"], project)
    assert built.returncode == 0 and "warning" not in built.stderr.lower()
    settings = project / "pyproject.toml"
    settings.write_text(re.sub(r"(uv_build>=[\d.]+),<[\d.]+", r"\1", settings.read_text()))
    assert "is missing an upper bound" in run(["uv", "build", "--sdist"], project).stderr


# -- texts -------------------------------------------------------------------------------------------------------------

STARTS = ("- a", "1) a", "(a)=", "    a")
FURTHER = ("+ a", "# a", "> a", "2. a", "% a", "::: a", "=== a", "*** a", "[^1]: a", "a & b")


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    "description",
    [HOSTILE, *STARTS, *(pytest.param(one, marks=pytest.mark.slow) for one in FURTHER)],
)
def test_the_readme_shows_the_description_as_it_stands(description: str, tmp_path: Path) -> None:
    project = copied(tmp_path / "study", {"name": "study", "description": description})
    for name in ("README.md", "docs/index.md"):
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse((project / name).read_text())
        kinds = [token.type for token in tokens[3:6]]
        assert kinds == ["paragraph_open", "inline", "paragraph_close"]
        shown = "".join(part.content for part in tokens[4].children or ())
        assert shown == description.strip()


def test_a_text_that_is_not_escaped_would_be_read_as_markdown() -> None:
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(f"# study\n\n{HOSTILE}\n")
    assert tokens[3].type == "ordered_list_open"


# -- what the README says to do ----------------------------------------------------------------------------------------


def python_of(readme: Path) -> str:
    [block] = re.findall(r"^```python\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)
    return block


@pytest.mark.spread(3)
@pytest.mark.parametrize("kind", CONFIG["kinds"]["choices"])
def test_the_readme_shows_a_class_that_is_there(kind: str, tmp_path: Path) -> None:
    project = copied(tmp_path / "study", {"name": "study", "kinds": [kind]})
    [imported] = re.findall(r"^from study import (\w+)$", python_of(project / "README.md"), re.MULTILINE)
    assert f" as {imported}\n" in (project / "study/__init__.py").read_text()


@pytest.mark.slow
def test_the_examples_of_the_readmes_run(tmp_path: Path) -> None:
    project = made(tmp_path / "study", EVERY_KIND)
    metadata = project / "study-0.1.0.dist-info/METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.4\nName: study\nVersion: 0.1.0\n")
    kinds = ("closure", "module", "nnx", "pytree")
    others = [copied(tmp_path / kind, {"name": "study", "kinds": [kind]}) for kind in kinds]
    blocks = {python_of(other / "README.md") for other in others}
    result = run([sys.executable, "-c", "".join(blocks)], project)
    assert len(blocks) == 4 and result.returncode == 0, result.stderr


@pytest.mark.spread(2)
@pytest.mark.parametrize("style", STYLES)
def test_the_first_classes_have_records_and_a_hook_checks_them(style: str, tmp_path: Path) -> None:
    project = made(tmp_path / "study", f"style={style}", "laws=installed", EVERY_KIND)
    config = yaml.safe_load((project / ".pre-commit-config.yaml").read_text())
    [hook] = [hook for repo in config["repos"] for hook in repo["hooks"] if hook["id"] == "scaffold-check"]
    assert hook["entry"].removeprefix("uv run ") == "scaffold check"
    found = check(find_layout(project))
    assert found.is_clean and len(found.rows) > 10
    workflow = yaml.safe_load((project / ".github/workflows/ci.yml").read_text())
    assert workflow["jobs"]["lint"]["steps"][-1]["run"] == "uv run prek run --all-files"
    spec = project / "specs/affine.toml"
    replace_in(spec, "zeros", "ones")
    assert {row.path for row in check(find_layout(project)).rows if row.state == "stale"} >= {
        "tests/test_affine.py"
    }


@pytest.mark.spread(2)
@pytest.mark.parametrize("style", STYLES)
def test_without_the_tool_in_its_environment_a_project_has_no_such_hook(style: str, tmp_path: Path) -> None:
    project = made(tmp_path / "study", f"style={style}")
    assert "scaffold-check" not in (project / ".pre-commit-config.yaml").read_text()
    assert check(find_layout(project)).is_clean
