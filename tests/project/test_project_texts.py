"""The answers in what a project says: quoted as TOML, YAML and HTML read them, with addresses, and true on every system."""

import html
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from scaffold.project import next_steps, plan_project
from scaffold.rendering.render import OPTIONS
from tests.project.starters import TEMPLATE
from tests.project.test_project import CONFIG, EVERY_KIND, HOSTILE, made
from tests.support.projects import REPOSITORY, run

ENVIRONMENT = Environment(
    autoescape=False, extensions=["jinja2_ansible_filters.AnsibleCoreFiltersExtension"], **OPTIONS
)
STYLES = ("kidger", "scientific-python")
GITHUB = "https://github.com/ada/my-study"


def laid_out(template: str, **context: object) -> str:
    """As Copier computes an answer, or what a validator says."""
    return ENVIRONMENT.from_string(template).render(context).strip()


# -- quotes ------------------------------------------------------------------------------------------------------------

MARKS = st.sampled_from(["'", '"', "\\", "#", "{{ 7 * 7 }}", "{% raw %}", "%}", "\\u0041", "\n", "\x7f", "\u2028", "\ufeff", "😀"])  # fmt: skip
TEXTS = st.lists(MARKS | st.characters(), max_size=12).map("".join)


@given(text=TEXTS)
@pytest.mark.parametrize("question", ["description", "author"])
def test_every_text_that_is_taken_reads_back(question: str, text: str) -> None:
    if laid_out(CONFIG[question]["validator"], **{question: text}):
        assert not text.strip() or any(not letter.isprintable() for letter in text)
        return
    quoted = laid_out(CONFIG[f"{question}_quoted"]["default"], **{question: text})
    assert tomllib.loads(f"value = {{ name = {quoted} }}") == {"value": {"name": text}}
    assert yaml.safe_load(f"value: {quoted}\nother: 1\n") == {"value": text, "other": 1}


@given(text=TEXTS)
def test_every_description_is_html_in_the_head_of_the_pages(text: str) -> None:
    if not laid_out(CONFIG["description"]["validator"], description=text):
        quoted = laid_out(CONFIG["description_in_html"]["default"], description=text)
        value = yaml.safe_load(f"value: {quoted}\n")["value"]
        assert '"' not in value and "<" not in value and html.unescape(value) == text


@pytest.mark.spread(2)
@pytest.mark.parametrize("style", STYLES)
def test_hostile_answers_leave_every_file_readable(style: str, tmp_path: Path) -> None:
    answers = (f"description={HOSTILE}", f"author={HOSTILE}", "email=o+x@a.org", f"repository={GITHUB}")
    project = made(tmp_path / "study", f"style={style}", EVERY_KIND, *answers)
    for path in (path for path in project.rglob("*") if path.is_file() and path.suffix != ".whl"):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            tomllib.loads(text)
        elif path.suffix in (".yml", ".yaml", ".cff"):
            yaml.safe_load(text)
        elif path.suffix == ".py":
            compile(text, str(path), "exec")


# -- addresses ---------------------------------------------------------------------------------------------------------


def metadata(project: Path) -> dict[str, Any]:
    return tomllib.loads((project / "pyproject.toml").read_text())["project"]


@pytest.mark.spread(2)
@pytest.mark.parametrize("style", STYLES)
def test_the_address_of_the_repository_is_where_it_belongs(style: str, tmp_path: Path) -> None:
    project = made(tmp_path / "my-study", f"style={style}", f"repository={GITHUB}")
    assert metadata(project)["urls"] == {
        "Repository": GITHUB,
        "Changelog": f"{GITHUB}/blob/main/CHANGELOG.md",
        "Issues": f"{GITHUB}/issues",
    }
    assert yaml.safe_load((project / "CITATION.cff").read_text())["repository-code"] == GITHUB
    if style == "kidger":
        assert yaml.safe_load((project / "mkdocs.yml").read_text())["repo_url"] == GITHUB
    assert "[project.urls]" not in (project / "CONTRIBUTING.md").read_text()


@pytest.mark.slow
def test_an_address_elsewhere_says_nothing_of_its_pages(tmp_path: Path) -> None:
    project = made(tmp_path / "study", "repository=https://git.example.org/~ada/a.b/study")
    assert metadata(project)["urls"] == {"Repository": "https://git.example.org/~ada/a.b/study"}


def test_without_an_address_contributing_says_where_to_put_it(tmp_path: Path) -> None:
    project = made(tmp_path / "study")
    assert "urls" not in metadata(project)
    assert "under `[project.urls]` in `pyproject.toml`" in (project / "CONTRIBUTING.md").read_text()


# -- what it says to do ------------------------------------------------------------------------------------------------


def commands(project: Path) -> Iterator[list[str]]:
    """The commands in the blocks of the Markdown files."""
    for path in sorted(project.rglob("*.md")):
        for block in re.findall(r"^```sh\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL):
            yield from (shlex.split(line) for line in block.replace("\\\n", "").splitlines())


@pytest.mark.spread(3)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("repository", ["", GITHUB])
def test_no_command_installs_by_a_name_that_may_be_someone_elses(
    style: str, repository: str, tmp_path: Path
) -> None:
    project = made(tmp_path / "my-study", f"style={style}", f"repository={repository}")
    found = list(commands(project))
    installed = {command[-1] for command in found if command[:2] == ["pip", "install"]}
    source = f" @ git+{GITHUB}"
    expected = {f"my-study{source}", f"my-study[cuda13]{source}"} if repository else {".", ".[cuda13]"}
    assert installed == expected
    assert {command[0] for command in found} == {"pip", "uv", "scaffold"}
    for path in (path for path in project.rglob("*") if path.is_file() and path.suffix != ".whl"):
        assert "jax-scaffold" not in path.read_text() and "--from" not in path.read_text()


@pytest.mark.slow
def test_the_next_steps_go_by_the_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "my study"
    plan = plan_project(folder, {"backend": "cuda13"})
    enter = f"cd '{folder}'"
    assert next_steps(plan) == (enter, "git init", "uv sync --extra cuda13", "uv run pytest")
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert next_steps(plan_project(Path(), {})) == ("uv sync", "uv run pytest")


@pytest.mark.slow
def test_plain_copier_says_the_next_steps_too(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "copier",
        "copy",
        "--defaults",
        "--data",
        "backend=tpu",
        str(REPOSITORY),
        "study",
    ]
    result = run(command, tmp_path)
    assert result.returncode == 0
    told = "Next, in study:\n  git init\n  uv sync --extra tpu\n  uv run pytest\n"
    assert result.stderr.rstrip("\n").endswith(told.rstrip("\n")), result.stderr


# -- Windows -----------------------------------------------------------------------------------------------------------

DEVICES = {"aux", "con", "nul", "prn", *(f"{name}{digit}" for name in ("com", "lpt") for digit in range(10))}


def test_a_clone_with_the_template_holds_on_windows() -> None:
    for path in TEMPLATE.rglob("*"):
        relative = PurePosixPath(path.relative_to(TEMPLATE).as_posix())
        assert not set(str(relative)) & set('\\:*?"<>|') and len(str(relative)) < 120
        assert all(part == part.rstrip(" .") for part in relative.parts)


def test_devices_of_windows_are_no_names() -> None:
    assert set(CONFIG["reserved_names"]["default"]) >= DEVICES


@pytest.mark.spread(2)
@pytest.mark.parametrize("style", STYLES)
def test_what_is_emitted_holds_on_windows(style: str, tmp_path: Path) -> None:
    project = made(tmp_path / "study", f"style={style}", EVERY_KIND)
    assert "* text=auto eol=lf" in (project / ".gitattributes").read_text().splitlines()
    workflow = yaml.safe_load((project / ".github/workflows/ci.yml").read_text())
    job = workflow["jobs"]["tests"]
    assert "$RESOLUTION" in job["steps"][-1]["run"] and job["defaults"]["run"]["shell"] == "bash"
    assert all(
        b"\r" not in path.read_bytes()
        for path in project.rglob("*")
        if path.is_file() and path.suffix != ".whl"
    )


# -- what it ignores, and measures -------------------------------------------------------------------------------------


def test_what_a_killed_run_leaves_is_ignored(tmp_path: Path) -> None:
    project = made(tmp_path / "study")
    assert run(["git", "init", "--quiet"], project).returncode == 0
    for name in (
        "study/.scaffold-0a1b.new",
        ".scaffold-0a1b",
        ".coverage",
        ".coverage.host.1",
        "coverage.xml",
    ):
        assert run(["git", "check-ignore", "--quiet", name], project).returncode == 0, name
    assert run(["git", "check-ignore", "--quiet", "study/scaffold-a.py"], project).returncode == 1


@pytest.mark.parametrize("layout", ["flat", "src"])
def test_coverage_measures_the_package(layout: str, tmp_path: Path) -> None:
    project = made(tmp_path / "my-study", f"layout={layout}")
    document = tomllib.loads((project / "pyproject.toml").read_text())
    assert document["tool"]["coverage"]["run"] == {"branch": True, "source": ["my_study"]}
    assert any(name.startswith("pytest-cov>=") for name in document["dependency-groups"]["test"])
    workflow = yaml.safe_load((project / ".github/workflows/ci.yml").read_text())
    assert workflow["jobs"]["tests"]["steps"][-1]["run"].endswith(" pytest --cov")
