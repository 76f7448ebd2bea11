"""An update after a change of the templates: 50 modules with tests, ten of them edited, beside `copier update` of the same files; and 1,000 classes.

Copier's template lies in a git repository with a tag for each version, and so does each of its projects, which is committed before.
"""

import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import copier

from benchmarks._timing import Budget, Case, Measured, Table, interleave, main
from scaffold import find_layout, render_class
from scaffold.generate import load_specs, plan_modules
from scaffold.in_project.spec_files import spec_files
from scaffold.lifecycle.check import check
from scaffold.lifecycle.update import plan_update
from scaffold.publish import publish

MODULES, EDITED, MANY = 50, 10, 1000
UPDATE, COPIER = "scaffold update", "copier update"
RENDER = render_class.render
EDIT = "\n    def norm(self):\n        return jnp.linalg.norm(self.weight)\n"
SPEC = """name = "{name}"
[fields]
weight = {{ type = "f[out_size,in_size]", init = "lecun_normal" }}
bias = {{ type = "f[out_size]", init = "zeros" }}
[call]
args = "x: f[in_size]"
returns = "f[out_size]"
body = "return self.weight @ x + self.bias"
"""
PYPROJECT = '[project]\nname = "lib"\ndependencies = ["equinox", "pytree-laws"]\n\n[tool.scaffold]\nlaws = "installed"\n'
ANSWERS = "{{ _copier_answers|to_nice_yaml -}}\n"


def measure(runs: int) -> Measured:
    """The seconds in process, and those for each class of many."""
    with TemporaryDirectory(prefix="scaffold-benchmark-") as temporary:
        folder = Path(temporary)
        project, many = _project(folder / "project", MODULES), _project(folder / "many", MANY)
        before = _generated(project)
        cases = {UPDATE: _updates(project, before), COPIER: _copier(folder, before, _later(project))}
        few = interleave(cases, runs)
        classes = {
            "check": _timed(lambda: check(find_layout(many))),
            UPDATE: _updates(many, _generated(many)),
        }
        all_of_many = {
            name: seconds / MANY for name, seconds in interleave(classes, max(1, runs // 3)).items()
        }
    title = f"{MODULES} modules with tests, {EDITED} edited, in process"
    tables = [
        Table(title, {"wall": few}, [("wall", UPDATE)]),
        Table(f"each of {MANY:,} modules with tests", {"wall": all_of_many}, [("wall", UPDATE)]),
    ]
    return tables, [Budget(f"{COPIER} / {UPDATE}", tables[0].ratio("wall", COPIER, UPDATE), 1, "at least")]


def _project(folder: Path, number: int) -> Path:
    (folder / "specs").mkdir(parents=True)
    (folder / "lib").mkdir()
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "lib/__init__.py").touch()
    for index in range(number):
        name = f"Layer{index:04}"
        (folder / f"specs/{name.lower()}.toml").write_text(SPEC.format(name=name))
    return folder


def _generated(project: Path) -> Path:
    """The project as it was generated, with edits; a copy to begin from."""
    specs = load_specs(spec_files(project / "specs"))
    publish(plan_modules(specs, find_layout(project), register=False))
    for path in sorted((project / "lib").glob("layer*.py"))[:EDITED]:
        path.write_text(path.read_text() + EDIT)
    return Path(shutil.copytree(project, project.with_name(f"{project.name}-before")))


def _rendered_later(
    name: str, context: Mapping[str, Any], *own: Path | None
) -> Iterator[tuple[PurePosixPath, str]]:
    """What a later version of the templates would lay out."""
    for path, text in RENDER(name, context, *own):
        yield path, _changed(text)


def _changed(text: str) -> str:
    return text.replace("Build an instance", "Make an instance").replace(
        "The pytree laws on", "What holds of"
    )


def _updates(project: Path, before: Path) -> Case:
    def update() -> None:
        with mock.patch.object(render_class, "render", _rendered_later):
            done = publish(plan_update((), find_layout(project)))
        assert len(done.writes) > 2 * EDITED and not done.collisions

    return _from(project, before, update)


def _later(project: Path) -> Path:
    """The files of the later version, without the edits."""
    later = project.with_name("later")
    for path in [*project.glob("lib/layer*.py"), *project.glob("tests/test_*.py")]:
        target = later / path.relative_to(project)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_changed(path.read_text().replace(EDIT, "")))
    return later


def _copier(folder: Path, generated: Path, later: Path) -> Case:
    """The same files as a template with two versions, and a project of the first with the same edits, both in git."""
    template, project = folder / "template", folder / "copied"
    _version(template, generated, "v1", clean=True)
    copier.run_copy(str(template), project, vcs_ref="v1", defaults=True, quiet=True)
    for path in sorted((project / "lib").glob("layer*.py"))[:EDITED]:
        path.write_text(path.read_text() + EDIT)
    _commit(project)
    before = Path(shutil.copytree(project, folder / "copied-before"))
    _version(template, later, "v2")

    def update() -> None:
        copier.run_update(project, vcs_ref="v2", defaults=True, overwrite=True, quiet=True)

    return _from(project, before, update)


def _version(template: Path, files: Path, tag: str, *, clean: bool = False) -> None:
    """A commit of the template, with a tag."""
    for path in [*files.glob("lib/layer*.py"), *files.glob("tests/test_*.py")]:
        target = template / path.relative_to(files)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text().replace(EDIT, "") if clean else path.read_text())
    (template / "copier.yml").touch()
    (template / "{{ _copier_conf.answers_file }}.jinja").write_text(ANSWERS)
    _commit(template)
    _git(template, "tag", tag)


def _commit(folder: Path) -> None:
    _git(folder, "init", "-q")
    _git(folder, "add", "-A")
    _git(folder, "-c", "user.name=a", "-c", "user.email=a@b.org", "commit", "-q", "-m", "a version")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def _from(project: Path, before: Path, action: Any) -> Case:
    """A case that begins with a fresh copy of `before`."""

    def run() -> float:
        shutil.rmtree(project)
        shutil.copytree(before, project, symlinks=True)
        return _timed(action)()

    return run


def _timed(action: Any) -> Case:
    def run() -> float:
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return run


if __name__ == "__main__":
    main("update", __doc__, 5, ("jinja2", "ruff", "copier"), measure)
