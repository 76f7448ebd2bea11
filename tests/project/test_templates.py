"""Templates lay out and decide nothing; Copier renders from them what the tool does."""

import json
import subprocess
from pathlib import Path, PurePosixPath
from typing import Any

import copier
import pytest
import yaml
from jinja2 import UndefinedError

from scaffold import find_layout, load_spec
from scaffold.emit.helpers import helpers_of
from scaffold.files.fileset import File
from scaffold.history.migrations import listing_changes
from scaffold.render_class import module_context, module_files
from scaffold.rendering.render import OPTIONS, render
from scaffold.rendering.template_files import templates_folder
from scaffold.tidy import tidy
from tests.project.template_rule import violations
from tests.support.projects import EXAMPLES
from tests.support.trees import read_tree

TEMPLATES = sorted(
    path.relative_to(templates_folder()).as_posix() for path in templates_folder().rglob("*.jinja")
)
SPECS = sorted(path.name for path in (EXAMPLES / "specs").glob("*.toml"))


@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_decide_nothing(template: str) -> None:
    assert violations((templates_folder() / template).read_text(encoding="utf-8")) == []
    assert violations(template) == []


@pytest.mark.parametrize(
    ("planted", "what"),
    [
        ("{{ name | upper }}", "Filter"),
        ("{{ field.name }}", "Getattr"),
        ("{{ fields[0] }}", "Getitem"),
        ("{{ call() }}", "Call"),
        ("{{ a + b }}", "Add"),
        ("{% if a == b %}{% endif %}", "name of a flag"),
        ("{% if not a %}{% endif %}", "name of a flag"),
        ("{% if a %}{% elif b %}{% endif %}", "elif"),
        ("{% for a in range(3) %}{% endfor %}", "by its name"),
        ("{% for a in b if a %}{% endfor %}", "no condition"),
        ("{% set a = b %}", "Assign"),
        ("{% for a in b %}{% if a %}{{ a ~ 'x' }}{% endif %}{% endfor %}", "Concat"),
    ],
)
def test_a_planted_decision_is_refused(planted: str, what: str) -> None:
    [violation] = violations(planted)
    assert what in violation


def test_a_name_that_nobody_gives_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="is undefined"):
        list(render("module", {"stem": "affine", "source_folder": "."}))


@pytest.mark.parametrize("kind", sorted({template.split("/")[0] for template in TEMPLATES}))
def test_copier_is_told_what_the_tool_tells_jinja(kind: str) -> None:
    settings = yaml.safe_load((templates_folder() / kind / "copier.yml").read_text())
    undefined = OPTIONS["undefined"]
    assert settings["_envops"] == {**OPTIONS, "undefined": f"jinja2.{undefined.__name__}"}


def context_of(name: str) -> dict[str, Any]:
    [spec] = listing_changes([load_spec(EXAMPLES / "specs" / name)], find_layout(EXAMPLES), {}, {})
    known = {one.name: one for one in (load_spec(EXAMPLES / "specs" / other) for other in SPECS)}
    return {**module_context(spec, find_layout(EXAMPLES), known), "kind": spec.kind}


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", SPECS)
def test_the_context_is_plain_json(name: str) -> None:
    context = context_of(name)
    assert json.loads(json.dumps(context)) == context


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", SPECS)
def test_copier_renders_the_same_bytes(name: str, tmp_path: Path) -> None:
    context = context_of(name)
    helpers = helpers_of(context, find_layout(EXAMPLES))
    used = (context["kind"], "tests", *(module.replace("_", "-") for module in helpers))
    for folder in used:
        copier.run_copy(
            str(templates_folder() / folder),
            tmp_path,
            data=context,
            quiet=True,
            defaults=True,
            overwrite=True,
        )
    files = [File(PurePosixPath(path), data.decode()) for path, data in read_tree(tmp_path).items()]
    written = {str(file.path): file.text for file in tidy(files)}
    assert written == {path: (EXAMPLES / path).read_text() for path in written}
    folders = (templates_folder() / folder for folder in used)
    assert len(written) == sum(len(list(folder.rglob("*.jinja"))) for folder in folders)


def test_formatting_is_what_ruff_says_of_the_whole_folder(tmp_path: Path) -> None:
    layout = find_layout(tmp_path)
    spec = load_spec(EXAMPLES / "specs/affine.toml")
    for file in tidy(module_files(spec, layout, {})):
        (tmp_path / file.path.name).write_text(file.text)
    result = subprocess.run(
        ["ruff", "format", "--isolated", "--check", str(tmp_path)], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout
