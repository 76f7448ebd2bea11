"""Projects of all kinds hold together: a sample here, every pair of answers with `pytest -m slow`."""

import os
import re
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import _project_ci, _project_outputs
from benchmarks import combinations as tried
from benchmarks._project_checks import REFUSED_BY_KIDGER, STEPS, lowered
from benchmarks._project_commands import Check, Failure, command, own_wheel_at_hand
from benchmarks._project_hooks import hooks
from benchmarks._project_outputs import build, described, strict
from tests.project.test_project import made
from tests.support.projects import REPOSITORY
from tests.support.trees import replace_in

DOCUMENTED = (REPOSITORY / "docs/project.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("style", ["kidger", "scientific-python"])
def test_one_project_of_each_style_holds_together(style: str) -> None:
    rows = [row for row in tried.quick_rows() if row["style"] == style]
    results = tried.measure(rows, quick=True)
    assert results.failures == []
    assert [row["style"] for row, _ in results.rows] == [style]
    fast = {name for name, check in STEPS.items() if not check.slow}
    assert set(STEPS) - fast == {"oldest", "newest"}
    assert all(set(outcomes) == fast for _, outcomes in results.rows)


@pytest.mark.slow
def test_every_pair_of_answers_holds_together() -> None:
    assert tried.measure(tried.all_rows()).failures == []


def documented() -> Iterator[list[str]]:
    """The cells of each row of the table in the documentation."""
    table = DOCUMENTED[DOCUMENTED.index(f"| {' | '.join(tried.VALUES)} |") :].split("\n\n")[0]
    for line in table.splitlines()[2:]:
        yield line.strip("| ").split(" | ")


def test_the_documentation_has_a_row_of_each_style_and_no_failure() -> None:
    results = tried.Results()
    for row, cells in zip(tried.quick_rows(), documented(), strict=True):
        outcomes = zip(STEPS, cells[len(tried.VALUES) :], strict=True)
        results.rows.append((row, {step: outcome for step, outcome in outcomes if outcome != "-"}))
    assert {outcome for _, outcomes in results.rows for outcome in outcomes.values()} == {"ok"}
    assert tried.table(results) in DOCUMENTED


def test_every_pair_of_answers_occurs() -> None:
    rows = tried.all_rows()
    for one, other in [*combinations(set(tried.VALUES) - {"laws"}, 2), ("style", "laws"), ("layout", "laws")]:
        pairs = {(row[one], row[other]) for row in rows}
        assert pairs == set(product(tried.VALUES[one], tried.VALUES[other]))


def test_the_short_run_has_each_style_and_the_laws_in_both_forms() -> None:
    rows = tried.quick_rows()
    for question in ("style", "layout", "text", "laws"):
        assert {row[question] for row in rows} == set(tried.VALUES[question])


@pytest.mark.slow
def test_uv_finds_the_wheel_of_this_checkout_and_then_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UV_FIND_LINKS", raising=False)
    with own_wheel_at_hand():
        names = sorted(path.name.split("-")[0] for path in Path(os.environ["UV_FIND_LINKS"]).iterdir())
        assert names == ["jax_scaffold", "pytree_laws"]
    assert "UV_FIND_LINKS" not in os.environ
    monkeypatch.setenv("UV_FIND_LINKS", "elsewhere")
    with own_wheel_at_hand():
        assert os.environ["UV_FIND_LINKS"].startswith("elsewhere,")
    assert os.environ["UV_FIND_LINKS"] == "elsewhere"


@pytest.mark.slow
def test_the_table_shows_what_failed_and_what_was_not_run_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(_: Path) -> None:
        raise Failure("it does not work")

    steps = {"good": Check(lambda _: None, lambda _: iter(["same"])), "bad": Check(fail)}
    monkeypatch.setattr(tried, "STEPS", steps)
    rows = tried.quick_rows()
    results = tried.measure(rows)
    assert [list(outcomes.values()) for _, outcomes in results.rows] == [["ok", "FAILED"], ["=", "FAILED"]]
    assert "it does not work" in results.failures[0]
    assert "| ok | FAILED |\n" in tried.table(results) and "| = | FAILED |\n" in tried.table(results)
    assert tried.totals(results) == "2 projects, 4 steps: 1 passed, 1 were the same as above, 2 failed."


def test_the_documentation_has_the_reason_of_each_refusal() -> None:
    for check, reason in REFUSED_BY_KIDGER.items():
        assert f"| {check} | {reason} |" in DOCUMENTED


# -- the steps can fail ------------------------------------------------------------------------------------------------


def in_git(project: Path) -> Path:
    command(project, "git", "init", "--quiet")
    command(project, "git", "add", "--all")
    return project


@pytest.mark.slow
def test_the_hooks_refuse_what_is_neither_ignored_nor_part_of_the_project(tmp_path: Path) -> None:
    project = in_git(made(tmp_path / "study"))
    (project / "uv.lock").touch()
    (project / "loss.png").touch()
    with pytest.raises(Failure, match=r"\['loss.png', 'uv.lock'\] is neither ignored"):
        hooks(project)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        pytest.param("README.md", "# study\n\n* a\n", r"the hooks change \['\* a'\]", marks=pytest.mark.slow),
        ("study/late.py", 'x = eval("1")\n', "python-no-eval: study/late.py"),
        pytest.param("study/late.py", "x  =  0\n", r"the hooks change \['x  =  0'\]", marks=pytest.mark.slow),
        pytest.param("CHANGELOG.md", "teh\n", "teh ==> the", marks=pytest.mark.slow),
        pytest.param("mkdocs.yml", "a: [\n", "check-yaml", marks=pytest.mark.slow),
    ],
)
def test_the_hooks_see_a_fault(name: str, text: str, told: str, tmp_path: Path) -> None:
    project = made(tmp_path / "study", "style=scientific-python", "layout=flat")
    config = project / ".pre-commit-config.yaml"  # mypy needs the environment of the project
    config.write_text(re.sub(r"  - repo: \S+mirrors-mypy\n(    .*\n|\n)+", "", config.read_text()))
    (project / name).write_text(f"# study\n\nA text.\n{text}" if name == "README.md" else text)
    in_git(project)
    (project / "uv.lock").touch()
    with pytest.raises(Failure, match=told):
        hooks(project)


@pytest.mark.slow
def test_a_warning_of_the_build_is_a_failure(tmp_path: Path) -> None:
    project = made(tmp_path / "study", "style=scientific-python")
    settings = project / "pyproject.toml"
    settings.write_text(re.sub(r"(uv_build>=[\d.]+),<[\d.]+", r"\1", settings.read_text()))
    with pytest.raises(Failure, match="is missing an upper bound"):
        build(project)


def test_a_wheel_without_the_licence_is_a_failure(tmp_path: Path) -> None:
    project = made(tmp_path / "study", "style=scientific-python")
    settings = project / "pyproject.toml"
    replace_in(settings, 'license-files = ["LICENSE"]\n', "license-files = []\n")
    with pytest.raises(Failure, match=r"the metadata has .*'None'"):
        build(project)


def test_documentation_that_is_not_strict_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project = made(tmp_path / "study")
    before = (project / "docs/index.md").read_bytes()
    monkeypatch.setattr(_project_outputs, "in_project", lambda *_: "")
    with pytest.raises(Failure, match="builds with a link to a page that is not there"):
        strict(project)
    assert (project / "docs/index.md").read_bytes() == before


HEAD = "<head><meta name='description' content='{}'></head>"


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (HEAD.format("a &lt; b") + "<p>a</p>", "the first page does not have 'a < b'"),
        (HEAD.format("a") + "<p>a &lt; b</p>", "the head of the first page has 'a' for 'a < b'"),
    ],
)
def test_a_description_that_does_not_survive_is_a_failure(page: str, told: str, tmp_path: Path) -> None:
    project = made(tmp_path / "study", "description=a < b")
    described(project, HEAD.format("a &lt; b") + "<p>a &lt; b</p>")
    with pytest.raises(Failure, match=told):
        described(project, page)


@pytest.mark.slow
def test_a_call_that_is_lowered_for_no_platform_is_a_failure(tmp_path: Path) -> None:
    project = made(tmp_path / "study", "kinds=module,closure")
    case = '<testcase classname="tests.test_x.Test{}" name="test_p18_the_call_lowers_for_every_platform">{}</testcase>'
    good = case.format("Affine", "") + case.format("ResidualAbove", "")
    lowered(project, ElementTree.ElementTree(ElementTree.fromstring(f"<suite>{good}</suite>")))
    bad = case.format("Affine", "<skipped/>") + case.format("ResidualAbove", "")
    with pytest.raises(Failure, match=r"the calls of \['affine'\] were lowered for no platform"):
        lowered(project, ElementTree.ElementTree(ElementTree.fromstring(f"<suite>{bad}</suite>")))


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("step", "version", "told"),
    [
        ("oldest", "0.9.9", r"the oldest row of the workflow has jax 0.9.9, and no 0\.\d"),
        ("newest", "{floor}", "the newest row of the workflow has the jax of uv.lock"),
    ],
)
def test_a_row_of_the_workflow_with_another_jax_is_a_failure(
    step: str, version: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project = made(tmp_path / "study")
    (project / "uv.lock").touch()
    [floor] = re.findall(r'"jax>=([\d.]+)"', (project / "pyproject.toml").read_text())
    printed = f"jax {version.format(floor=floor)}, TFRT_CPU_0, --seed=0\n"
    monkeypatch.setattr(_project_ci, "command", lambda *_, **__: printed)
    with pytest.raises(Failure, match=told):
        STEPS[step].run(project)
