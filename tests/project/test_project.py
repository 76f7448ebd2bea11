"""`scaffold new-project`, and plain Copier on the same template."""

import html
import json
import keyword
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import copier
import pytest
import yaml

from scaffold import ScaffoldError, find_layout, publish
from scaffold.lifecycle.update import plan_update
from scaffold.project import parse_answers, plan_project
from tests.cli.test_prompts import dialogue
from tests.project.starters import TEMPLATE
from tests.support.projects import REPOSITORY, run, scaffold
from tests.support.systems import NEEDS_TERMINAL
from tests.support.trees import read_tree, replace_in, write_tree

EVERY_KIND = "kinds=closure,module,nnx,pytree,train-state"
HOSTILE = """1. "Fünf" it's {{ 7 * 7 }} {% raw %} \\n #x: [a](b) <c> &lt; ~e~ ${d} \u4e2d 😀"""
CONFIG = yaml.safe_load((TEMPLATE / "copier.yml").read_text())


def made(folder: Path, *answers: str) -> Path:
    """A project made by the tool, once for all tests that ask for the same."""
    return write_tree(folder, _files(folder.name, answers))


@cache
def _files(name: str, answers: tuple[str, ...]) -> dict[str, bytes]:
    with TemporaryDirectory() as temporary:
        publish(plan_project(Path(temporary, name), parse_answers(answers)))
        return read_tree(Path(temporary, name))


def test_a_project_is_made_and_made_again(tmp_path: Path) -> None:
    first = scaffold(tmp_path, "new-project", "my-study")
    assert first.returncode == 0, first.stderr
    assert "create     my_study/affine.py" in first.stdout.splitlines()
    again = scaffold(tmp_path, "new-project", "my-study")
    assert again.returncode == 0
    actions = {line.split()[0] for line in again.stdout.splitlines()}
    assert actions == {"identical", "keep"}


@pytest.mark.parametrize(
    ("folder", "package"), [("My Study 3!", "my_study_3"), ("naïve étude", "naive_etude")]
)
def test_it_is_called_after_its_folder(folder: str, package: str, tmp_path: Path) -> None:
    plan = scaffold(tmp_path, "new-project", folder, "--dry-run", "--json")
    assert f"{package}/affine.py" in {file["path"] for file in json.loads(plan.stdout)["files"]}
    assert read_tree(tmp_path) == {}


@pytest.mark.slow
def test_json_gives_the_plan(tmp_path: Path) -> None:
    result = scaffold(tmp_path, "new-project", "study", "--json")
    report = json.loads(result.stdout)
    assert report["ok"] and report["written"]
    assert {"path": "pyproject.toml", "action": "create"} in report["files"]


@pytest.mark.slow
def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study/README.md").write_text("mine")
    result = scaffold(tmp_path, "new-project", "study")
    assert result.returncode == 1 and "README.md: exists, and differs" in result.stderr
    assert read_tree(tmp_path) == {"study/README.md": b"mine"}


TAKEN = "choose another name: Python, Windows, or the project itself has a use of its own for that one"
ADDRESS = "write an address such as https://github.com/ada/my-study, or nothing"
FAULTS = """\
error: --data: there is no question `licence`
  legal: license, backend, name, description, author, email, repository, style, and 4 more, which `--json` lists
  fix: did you mean `license`?
error: --data email: 'nobody' will not do
  fix: write one address, or nothing
error: --data kinds: `modul` is not legal
  legal: closure, module, nnx, pytree, train-state
  fix: did you mean `module`?
error: --data name: 'types' will not do
  fix: choose another name: Python, Windows, or the project itself has a use of its own for that one
"""


def test_all_faults_come_in_one_report(tmp_path: Path) -> None:
    given = ("licence=MIT", "name=types", "email=nobody", "kinds=modul,nnx", "style=kidger")
    data = [argument for answer in given for argument in ("--data", answer)]
    result = scaffold(tmp_path, "new-project", "study", *data)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", FAULTS)
    assert read_tree(tmp_path) == {}


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("answer", "fix"),
    [
        ("style", "write KEY=VALUE, as in `--data style=kidger`"),
        ("name=", "write letters and digits of English, and single hyphens between them"),
        ("name=a b", "write letters and digits of English, and single hyphens between them"),
        ("name=../up", "write letters and digits of English, and single hyphens between them"),
        ("name=é", "write letters and digits of English, and single hyphens between them"),
        (f"name={'x' * 37}", "write at most 36 characters, so that imports fit on a line"),
        ("name=Jax", TAKEN),
        ("name=class", TAKEN),
        ("name=Con", TAKEN),
        ("name=lpt1", TAKEN),
        ("description=a\nb", "write one line of printable text"),
        ("description= ", "write one line of printable text"),
        ("author=\x1b[0m", "write one line of printable text"),
        ('email=a"@b.c', "write one address, or nothing"),
        ("repository=github.com/a/b", ADDRESS),
        ("repository=http://github.com/a/b", ADDRESS),
        ("repository=https://github.com", ADDRESS),
        ("repository=https://a.b/c/..", ADDRESS),
        ('repository=https://a.b/c"d', ADDRESS),
        ("repository=https://a.b/c\nd: e", ADDRESS),
        ("repository=https://a.b/{{ name }}", ADDRESS),
        ("repository=https://a.b/c/d.git", "write the address of its page, without `.git`"),
        ("license=GPL", "write one of the legal values"),
        ("layout=", "write one of the legal values"),
        ("kinds=", "choose one at least"),
        ("reserved_names=[]", "leave it out"),
        ("_subdirectory=..", "leave it out"),
    ],
)
def test_a_bad_answer_is_refused_with_its_remedy(answer: str, fix: str, tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError) as caught:
        plan_project(tmp_path / "study", parse_answers([answer]))
    assert caught.value.exit_code == 2
    assert [fault.fix for fault in caught.value.faults] == [fix]


def test_names_that_python_needs_are_reserved() -> None:
    reserved = set(CONFIG["reserved_names"]["default"])
    standard = {name for name in sys.stdlib_module_names if not name.startswith("_")}
    assert {*standard, *(word.lower() for word in keyword.kwlist)} - {"__future__"} <= reserved
    assert all(isinstance(name, str) for name in reserved), "YAML reads yes, no, on and null as other things"


@pytest.mark.slow
@NEEDS_TERMINAL
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # where another test has imported jax
def test_the_terminal_is_asked(tmp_path: Path) -> None:
    with dialogue(tmp_path, "new-project", "study", "--data", "author=A", "--data", "email=") as talk:
        for question in (
            "Name",
            "What it is",
            "Address of its repository",
            "Licence",
            "Style",
            "computes on",
            "package lies",
            "start with",
            "many devices",
            "laws from",
        ):
            talk.answer(question, "")
        assert talk.code() == 0
    assert (tmp_path / "study/study/affine.py").is_file()


# -- plain Copier ------------------------------------------------------------------------------------------------------


def clone(folder: Path) -> Path:
    """The parts of this repository that Copier reads."""
    shutil.copytree(TEMPLATE, folder / "templates/project", symlinks=True)
    shutil.copy(REPOSITORY / "copier.yml", folder)
    return folder


def copied(folder: Path, data: dict[str, Any]) -> Path:
    """A project made by plain Copier."""
    source = clone(folder.with_name(f"{folder.name}-clone"))
    copier.run_copy(str(source), folder, data=data, defaults=True, quiet=True)
    return folder


@pytest.mark.spread(4)
@pytest.mark.parametrize("style", ["kidger", "scientific-python"])
@pytest.mark.parametrize("name", ["a", "x" * 36])
def test_plain_copier_gives_the_same_bytes(style: str, name: str, tmp_path: Path) -> None:
    given = {"style": style, "name": name, "description": HOSTILE}
    tool = made(
        tmp_path / "tool",
        EVERY_KIND,
        "laws=installed",
        "sharding=true",
        *(f"{key}={value}" for key, value in given.items()),
    )
    plain = copied(tmp_path / "plain", {**given, "kinds": CONFIG["kinds"]["choices"], "sharding": True})
    written = read_tree(tool)
    assert read_tree(plain) == {p: data for p, data in written.items() if not p.startswith(".scaffold/")}
    publish(plan_update((), find_layout(plain)))  # which writes the records, where all is as the tool has it
    assert read_tree(plain) == written


@pytest.mark.slow
def test_any_text_survives(tmp_path: Path) -> None:
    project = made(tmp_path / "study", f"description={HOSTILE}", f"author={HOSTILE}", "email=a@b.org")
    metadata = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    assert (metadata["description"], metadata["authors"][0]["name"]) == (HOSTILE, HOSTILE)
    places = {".copier-answers.yml": "description", "CITATION.cff": "abstract"}
    for name, key in places.items():
        assert yaml.safe_load((project / name).read_text())[key] == HOSTILE
    head = yaml.safe_load((project / "mkdocs.yml").read_text())["site_description"]
    assert '"' not in head and "<" not in head and html.unescape(head) == HOSTILE
    for path in project.rglob("*.py"):
        compile(path.read_text(), str(path), "exec")


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@b.org", "-c", "commit.gpgsign=false")
    result = run(["git", *identity, *arguments], folder)
    assert result.returncode == 0, result.stderr


def tagged(folder: Path, tag: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", tag)
    git(folder, "tag", tag)


@pytest.fixture
def template_repository(tmp_path: Path) -> Path:
    """The parts of this repository that Copier reads, as a git repository with one tag."""
    repository = clone(tmp_path / "template")
    git(repository, "init", "--quiet")
    tagged(repository, "v1")
    return repository


def copier_command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    result = run([sys.executable, "-m", "copier", *arguments], folder)
    assert result.returncode == 0, result.stderr
    return result


def changed_template(repository: Path) -> None:
    readme = repository / "templates/project/CONTRIBUTING.md.jinja"
    readme.write_text(readme.read_text() + "\nA new rule.\n")
    settings = repository / "templates/project/copier.yml"
    replace_in(settings, CONFIG["ruff_version"]["default"], "99.9.9")
    tagged(repository, "v2")


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    ("style", "pinned"),
    [
        ("kidger", ("pyproject.toml", '"ruff==99.9.9"')),
        ("scientific-python", (".pre-commit-config.yaml", "rev: v99.9.9")),
    ],
)
def test_a_project_follows_its_template_in_git(
    style: str, pinned: tuple[str, str], template_repository: Path, tmp_path: Path
) -> None:
    source = f"git+file://{template_repository}"
    answers = ("--data", "name=study", "--data", f"style={style}")
    copier_command(tmp_path, "copy", "--defaults", *answers, source, "study")
    project = tmp_path / "study"
    remembered = (project / ".copier-answers.yml").read_text()
    assert "_commit: v1" in remembered and "`copier update` reads and writes them" in remembered
    git(project, "init", "--quiet")
    (project / "CHANGELOG.md").write_text("# Mine\n")
    (project / "README.md").write_text((project / "README.md").read_text() + "\nMine.\n")
    tagged(project, "begun")
    changed_template(template_repository)
    copier_command(project, "update", "--defaults")
    assert (project / "CONTRIBUTING.md").read_text().endswith("\nA new rule.\n")
    assert (project / "README.md").read_text().endswith("\nMine.\n")
    assert (project / "CHANGELOG.md").read_text() == "# Mine\n"
    assert pinned[1] in (project / pinned[0]).read_text()
    assert "<<<<<<<" not in run(["git", "diff"], project).stdout
    assert "_commit: v2" in (project / ".copier-answers.yml").read_text()


@pytest.mark.slow
def test_a_project_of_the_tool_can_be_tied_to_the_template_later(
    template_repository: Path, tmp_path: Path
) -> None:
    project = made(tmp_path / "study", "style=scientific-python", "kinds=nnx")
    remembered = (project / ".copier-answers.yml").read_text()
    assert "_src_path" not in remembered and "copier update" not in remembered
    git(project, "init", "--quiet")
    tagged(project, "begun")
    source = f"git+file://{template_repository}"
    copier_command(
        project, "copy", "--overwrite", "--defaults", "--data-file", ".copier-answers.yml", source, "."
    )
    changed = run(["git", "status", "--porcelain"], project).stdout.split()
    assert changed == ["M", ".copier-answers.yml"]
