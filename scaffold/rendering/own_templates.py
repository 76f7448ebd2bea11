"""Templates of a project: folders in the form of Copier that `[tool.scaffold.templates]` names.

Copier would run tasks and load extensions on request of such a folder. Here, a template only renders its
context, in a sandbox.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.files.fileset import File
from scaffold.in_project.layout import Layout
from scaffold.in_project.settings import where_of
from scaffold.kind import NAMES
from scaffold.rendering.template_files import CLASS_FILE, SUFFIX, read_text, templates_folder
from scaffold.spec.model import ModuleSpec

MOST_FILES = 2_000
"""Limit of files in a template, above which the setting must mean another folder."""
FORMAT = 1
"""Version of the context, which increases when a name changes its meaning or is dropped."""
_RUNS = r"(?m)^_(tasks|migrations|jinja_extensions)\s*:"
_SETTINGS = ("copier.yml", "copier.yaml")


def own_template(spec: ModuleSpec, layout: Layout) -> Path | None:
    """Return the project's folder of templates for a class, or None. `check_templates` must have passed."""
    folder = dict(layout.settings.templates).get(spec.template or spec.kind)
    return layout.root / folder if folder is not None else None


def check_templates(specs: Sequence[ModuleSpec], layout: Layout) -> None:
    """Raise `ScaffoldError` if a spec names an unknown template, or its folder is no template."""
    folders = dict(layout.settings.templates)
    names = sorted({spec.template or spec.kind for spec in specs} & folders.keys())
    faults = [fault for spec in specs for fault in _unknown(spec, tuple(folders))]
    for name in names:
        faults += _faults(layout.root / folders[name], where_of(f"templates.{name}"), folders[name])
    if faults:
        raise ScaffoldError.of(faults)


def _unknown(spec: ModuleSpec, legal: tuple[str, ...]) -> Iterator[Fault]:
    if spec.template and spec.template not in legal:
        fix = suggestion(
            spec.template, legal, "name its folder in `[tool.scaffold.templates]` of pyproject.toml"
        )
        yield Fault(f"{spec.where}: template", f"`{spec.template}` is no template", fix, legal)


def _faults(folder: Path, where: str, shown: str) -> Iterator[Fault]:
    if not folder.is_dir():
        yield Fault(
            where,
            f"there is no folder `{shown}`",
            f"`scaffold eject module {shown}` writes one to begin from",
        )
        return
    every = sorted(islice(folder.rglob("*"), MOST_FILES))
    if len(every) == MOST_FILES:
        yield Fault(
            where, f"`{shown}` has {MOST_FILES:,} files or more", "name a folder with the template alone"
        )
        return
    yield from _link_faults(every, folder, where)
    yield from _text_faults(every, folder, shown)
    of_class = [path for path in every if path.name == CLASS_FILE]
    if len(of_class) != 1:
        what = f"`{shown}` has {len(of_class)} files called `{CLASS_FILE}`, and one lays out the class"
        yield Fault(where, what, f"add `{{{{ source_folder }}}}/{CLASS_FILE}`, and no second one")
    for name in _SETTINGS:
        yield from _setting_faults(folder / name, where, f"{shown}/{name}")


def _link_faults(every: Sequence[Path], folder: Path, where: str) -> Iterator[Fault]:
    inside = os.path.realpath(folder)
    for path in every:
        name = path.relative_to(folder)
        if not os.path.exists(path):
            yield Fault(where, f"`{name}` is a link that leads nowhere, or in a circle", "put the file there")
        elif not Path(os.path.realpath(path)).is_relative_to(inside):
            what = f"`{name}` is a link that leads out of the template"
            yield Fault(where, what, "put the file there")


def _text_faults(every: Sequence[Path], folder: Path, shown: str) -> Iterator[Fault]:
    """Find templates that are not text, before anything blocks on reading them."""
    for path in every:
        is_template = path.name.endswith(SUFFIX) or path.name in _SETTINGS
        if is_template and os.path.exists(path) and not path.is_dir():
            try:
                read_text(path, f"{shown}/{path.relative_to(folder).as_posix()}")
            except ScaffoldError as error:
                yield from error.faults


def _setting_faults(path: Path, where: str, shown: str) -> Iterator[Fault]:
    """Find settings of Copier that run code, before anything is rendered."""
    try:
        text = read_text(path, shown) if path.is_file() else ""
    except ScaffoldError:  # which is told with those of the other texts
        return
    for found in re.finditer(_RUNS, text):
        what = f"`{shown}` asks for `_{found[1]}`, which runs code, and a template only lays out"
        yield Fault(where, what, "remove it, and do that after `scaffold` has run")


def ejected(kind: str, folder: str, layout: Layout) -> tuple[File, ...]:
    """Return a copy of a kind's templates for the user to adapt.

    Raises `ScaffoldError` for an unknown kind.
    """
    if kind not in NAMES:
        fix = suggestion(kind, NAMES, "name a kind")
        raise ScaffoldError(f"`{kind}` is no kind", where="KIND", fix=fix, legal=NAMES)
    source = templates_folder() / kind
    paths = [
        path for path in sorted(source.rglob("*")) if path.name.endswith(SUFFIX) or path.name in _SETTINGS
    ]
    return tuple(
        File(PurePosixPath(folder) / path.relative_to(source).as_posix(), path.read_text(encoding="utf-8"))
        for path in paths
    )


def described(contexts: Mapping[str, object]) -> dict[str, object]:
    """Return the output of `scaffold show NAME --context`."""
    return {"format": FORMAT, "classes": dict(contexts)}
