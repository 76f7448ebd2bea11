"""Templates of a project's own: for classes that no kind lays out, and in the place of a kind's."""

import json
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scaffold.cli import main
from scaffold.kind import NAMES
from scaffold.rendering import apart, own_templates
from tests.support.forking import forked_pytest
from tests.support.projects import REPOSITORY, passed
from tests.support.systems import NEEDS_LINKS
from tests.support.trees import read_tree, replace_in, write_tree

PAGE = (REPOSITORY / "docs/templates.md").read_text(encoding="utf-8")
[SETTINGS] = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
[STRUCT] = re.findall(r"^```jinja\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
[COMMAND] = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PYPROJECT = '[project]\nname = "shapes"\ndependencies = ["flax", "jax", "numpy"]\n[dependency-groups]\ndev = ["pytest"]\n'
CLASS = "templates/struct/{{ source_folder }}/{{ stem }}.py.jinja"


def in_project(folder: Path, files: Mapping[str, str], settings: str = SETTINGS) -> Path:
    write_tree(folder, {"pyproject.toml": PYPROJECT + settings, "shapes/__init__.py": "", **files})
    return folder


def run_in(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--folder", str(folder)])


def documented(folder: Path) -> Result:
    return run_in(folder, *shlex.split(COMMAND.replace("\\\n", ""))[1:])


@pytest.mark.slow  # its neighbours are tried in every run
def test_a_class_is_laid_out_as_the_project_says(tmp_path: Path) -> None:
    project = in_project(tmp_path, {CLASS: STRUCT})
    result = documented(project)
    assert result.exit_code == 0, result.output
    text = (project / "shapes/ray.py").read_text()
    assert (
        "class Ray(struct.PyTreeNode, eq=False):" in text
        and "return self.origin + t * self.direction" in text
    )
    assert 'template = "struct"' in (project / "specs/ray.toml").read_text()
    assert passed(forked_pytest(project)) > 60


def test_a_change_of_the_template_reaches_what_it_laid_out(tmp_path: Path) -> None:
    project = in_project(tmp_path, {CLASS: STRUCT})
    documented(project)
    module = project / "shapes/ray.py"
    replace_in(module, "import struct\n", "import struct\n\nFAR = 1000.0\n")
    (project / CLASS).write_text(STRUCT.replace("eq=False", "eq=False, kw_only=True"))
    assert run_in(project, "check").exit_code == 1
    assert run_in(project, "update").exit_code == 0
    assert "kw_only=True" in module.read_text() and "FAR = 1000.0" in module.read_text()
    assert run_in(project, "check").exit_code == 0


def test_a_template_takes_the_place_of_a_kinds(tmp_path: Path) -> None:
    project = in_project(tmp_path, {}, '[tool.scaffold.templates]\nmodule = "ours"\n')
    ejected = run_in(project, "eject", "module", "ours")
    assert ejected.exit_code == 0 and '`[tool.scaffold.templates]` with `module = "ours"`' in ejected.output
    template = project / "ours/{{ source_folder }}/{{ stem }}.py.jinja"
    template.write_text(f"# Copyright of ours.\n{template.read_text()}")
    assert run_in(project, "new-module", "Shift", "by:f[n]=zeros").exit_code == 0
    assert (project / "shapes/shift.py").read_text().startswith("# Copyright of ours.\n")


@pytest.mark.parametrize("kind", NAMES)
def test_what_is_ejected_is_the_template_of_the_kind(kind: str, tmp_path: Path) -> None:
    project = in_project(tmp_path, {}, "")
    assert run_in(project, "eject", kind, "own").exit_code == 0
    there = {path: text for path, text in read_tree(REPOSITORY / "templates" / kind).items()}
    assert read_tree(project / "own") == there
    assert run_in(project, "eject", kind, "own").exit_code == 0


def test_the_context_is_printed(tmp_path: Path) -> None:
    project = in_project(tmp_path, {CLASS: STRUCT})
    documented(project)
    shown = run_in(project, "show", "Ray", "--context")
    context = json.loads(shown.output)
    assert context["format"] == 1
    ray = context["classes"]["Ray"]
    assert ray["name"] == "Ray" and ray["stem"] == "ray" and ray["source_folder"] == "shapes"
    names = set(re.findall(r"{{ (\w+) }}|in (\w+) %}", STRUCT))
    loops = {"line", "field", "statement", "value", "method"}
    assert {one or other for one, other in names} - loops <= set(ray)


@pytest.mark.parametrize(
    ("files", "settings", "told"),
    [
        ({}, SETTINGS, "tool.scaffold.templates.struct: there is no folder `templates/struct`"),
        ({CLASS: STRUCT}, "", "template: `struct` is no template"),
        ({CLASS: STRUCT}, SETTINGS.replace("struct =", "strict ="), "did you mean `strict`?"),
        ({"templates/struct/x.jinja": ""}, SETTINGS, "has 0 files called `{{ stem }}.py.jinja`"),
        (
            {CLASS: STRUCT, "templates/struct/copier.yml": "_tasks:\n  - echo\n"},
            SETTINGS,
            "`templates/struct/copier.yml` asks for `_tasks`, which runs code",
        ),
        ({CLASS: "{% if %}\n"}, SETTINGS, "struct/{{ source_folder }}/{{ stem }}.py.jinja:1: "),
        ({CLASS: "\n\n{{ nothing }}\n"}, SETTINGS, "{{ stem }}.py.jinja:3: 'nothing' is undefined"),
        ({CLASS: "{{ name.__class__.__mro__ }}\n"}, SETTINGS, "is unsafe"),
        ({CLASS: "{{ fields.append(1) }}\n"}, SETTINGS, "access to attribute 'append'"),
        ({CLASS: "class {{ name }}(:\n"}, SETTINGS, "what the template lays out as `shapes/ray.py` is not Python: invalid syntax, in `class Ray(:`"),
        (
            {CLASS: STRUCT, "templates/struct/{{ '..' }}/x.jinja": ""},
            SETTINGS,
            "is not a path inside the project",
        ),
        ({CLASS: STRUCT, "templates/struct/{{ evil }}/x.jinja": ""}, SETTINGS, "'evil' is undefined"),
        ({CLASS: STRUCT}, '[tool.scaffold.templates]\nstruct = "../elsewhere"\n', "is not a path below the project's root"),
        ({CLASS: STRUCT}, "[tool.scaffold.templates]\nstruct = 1\n", "is an integer, and should be a string"),
        ({CLASS: STRUCT}, '[tool.scaffold]\ntemplates = "x"\n', "is a string, and should be a table"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_template_is_told_and_nothing_is_written(
    files: Mapping[str, str], settings: str, told: str, tmp_path: Path
) -> None:
    project = in_project(tmp_path, files, settings)
    before = read_tree(project)
    result = documented(project)
    assert result.exit_code == 2 and told in result.output, result.output
    assert read_tree(project) == before


OTHER = "templates/struct/{{ source_folder }}/other.txt.jinja"
HUGE, ENDLESS = 10**10, "{% for i in range(99999) %}{% for j in range(99999) %}{% for k in range(99999) %}"


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{ENDLESS}{'{% endfor %}' * 3}", "laying it out takes more than 2 seconds"),
        ("{{ 9 ** 999999999 }}", "laying it out takes more than 2 seconds"),
        (f"{{{{ 'x' * {HUGE} }}}}", "what it lays out is too large"),
        (f"{{{{ '%{HUGE}d' % 1 }}}}", "what it lays out is too large"),
        ("{{ 'x' * 5_000_000 }}", "what it lays out is too large"),
        (f"{{% for i in range({HUGE}) %}}x{{% endfor %}}", "Range too big"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "maximum recursion depth exceeded"),
    ],
    ids=["loops", "power", "product", "width", "five megabytes", "range", "recursion"],
)
def test_laying_out_has_an_end(text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "SECONDS", 2)
    project = in_project(tmp_path, {CLASS: STRUCT, OTHER: text})
    before = read_tree(project)
    result = documented(project)
    assert result.exit_code == 2 and told in result.output, result.output
    assert "struct" in result.output and read_tree(project) == before
    (project / OTHER).unlink()
    assert documented(project).exit_code == 0


@pytest.mark.parametrize("path", [CLASS, OTHER, "templates/struct/copier.yml"])
def test_a_template_that_is_not_utf_8_is_told(path: str, tmp_path: Path) -> None:
    project = in_project(tmp_path, {CLASS: STRUCT})
    (project / path).write_bytes(b"one\ntwo \xff\n")
    result = documented(project)
    assert (result.exit_code, result.output) == (
        2,
        f"error: {path}:2: is not UTF-8\n  fix: save it as UTF-8\n",
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes")
@pytest.mark.parametrize("path", [OTHER, "templates/struct/copier.yml"])
def test_a_template_that_is_a_pipe_is_told(path: str, tmp_path: Path) -> None:
    project = in_project(tmp_path, {CLASS: STRUCT})
    (project / path).unlink(missing_ok=True)
    os.mkfifo(project / path)
    result = documented(project)
    assert result.exit_code == 2
    assert f"error: {path}: cannot be read: it is a pipe, not a regular file" in result.output


def test_links_in_a_circle_are_told(tmp_path: Path) -> None:
    project = in_project(tmp_path, {CLASS: STRUCT})
    folder = project / "templates/struct"
    (folder / "one.jinja").symlink_to("two.jinja")
    (folder / "two.jinja").symlink_to("one.jinja")
    (folder / "again").symlink_to(".")
    result = documented(project)
    assert result.exit_code == 2
    for name in ("one.jinja", "two.jinja"):
        assert f"`{name}` is a link that leads nowhere, or in a circle" in result.output


def test_a_folder_that_is_no_template_is_not_searched_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_templates, "MOST_FILES", 20)
    project = in_project(tmp_path, {CLASS: STRUCT, **{f"templates/struct/{n}.txt": "" for n in range(30)}})
    result = documented(project)
    assert result.exit_code == 2 and "`templates/struct` has 20 files or more" in result.output


@pytest.mark.parametrize(
    ("path", "closed"),
    [
        (".git/hooks/pre-commit", ".git"),
        ("{{ '.sca' ~ 'ffold' }}/Ray.txt", ".scaffold"),
        ("a/.GIT/x", ".git"),
    ],
)
def test_nothing_is_laid_out_into_folders_of_tools(path: str, closed: str, tmp_path: Path) -> None:
    project = in_project(tmp_path, {CLASS: STRUCT, f"templates/struct/{path}.jinja": "x\n"})
    before = read_tree(project)
    result = documented(project)
    assert result.exit_code == 2 and f"nothing goes into `{closed}`" in result.output, result.output
    assert read_tree(project) == before


@NEEDS_LINKS
def test_a_link_out_of_the_template_is_refused(tmp_path: Path) -> None:
    project = in_project(tmp_path / "project", {CLASS: STRUCT})
    write_tree(tmp_path, {"secret.jinja": "secret"})
    (project / "templates/struct/notes.txt.jinja").symlink_to(tmp_path / "secret.jinja")
    result = documented(project)
    assert result.exit_code == 2 and "is a link that leads out of the template" in result.output
