"""Renewed generation of classes, with their edits kept, as `scaffold update` does it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from scaffold.comments import notes_of_skeletons
from scaffold.files.fileset import Action, File, Plan
from scaffold.files.places import read_regular
from scaffold.fit.fit import Wishes
from scaffold.generate import plan_classes
from scaffold.history.records import Generated, Record
from scaffold.in_project.layout import Layout
from scaffold.in_project.spec_files import file_of
from scaffold.lifecycle.adopted import adopted_files, class_of
from scaffold.lifecycle.gone import check_gone
from scaffold.lifecycle.project_specs import ProjectSpecs, check_renames
from scaffold.render_class import conftest_file
from scaffold.spec.model import ModuleSpec

_NOTHING: Mapping[str, str] = {}


def plan_update(
    names: Sequence[str], layout: Layout, *, force: bool = False, rename: Mapping[str, str] = _NOTHING
) -> Plan:
    """Plan the update of these classes, or of all, to their specs and templates.

    `rename` maps former to new names, of classes or of fields as `Class.field`. Raises `ScaffoldError` as
    planning does.
    """
    return plan_update_of(ProjectSpecs(layout), names, force=force, rename=rename)


def plan_update_of(
    project_specs: ProjectSpecs,
    names: Sequence[str] = (),
    *,
    force: bool = False,
    rename: Mapping[str, str] = _NOTHING,
) -> Plan:
    """Plan an update for specs and records that the caller has read."""
    fields = {old: now for old, now in rename.items() if "." in old}
    rename = {old: now for old, now in rename.items() if old not in fields}
    if not names:
        project_specs.check_any()
    check_renames(rename, project_specs)
    renamed = project_specs.renamed(rename)
    specs = project_specs.specs(names)
    check_gone(specs, project_specs, {old: name for name, old in renamed.items()})
    now = {spec.name for spec in specs}
    renamed = {name: old for name, old in renamed.items() if name in now}
    wishes = Wishes(register=None, force=force, renamed=renamed, renamed_fields=fields)
    tests = [] if names else [*project_specs.adopted.beside(project_specs.records.values())]
    files = _adopted_files(tests, project_specs)
    classes = [
        adopted_files(record.module, class_of(record), project_specs.adopted.path(test))
        for record, test in tests
    ]
    plan = plan_classes(specs, project_specs.layout, files, wishes, classes)
    called = [f"`{old}` is called `{name}` now" for name, old in renamed.items()]
    leftover = _leftover_notes(project_specs, renamed) if not names else ()
    comments = notes_of_skeletons(_changed(specs, plan, project_specs.layout), plan)
    twins = _twins(specs, plan, project_specs.layout)
    return replace(plan, notes=(*plan.notes, *called, *leftover, *twins, *comments))


def _twins(specs: Sequence[ModuleSpec], plan: Plan, layout: Layout) -> Iterator[str]:
    """Yield notes on files of the same name and class elsewhere, possibly moved there by a user."""
    created = {step.path for step in plan.steps if step.action is Action.CREATE}
    for spec in (spec for spec in specs if layout.package and layout.source_file(spec.stem) in created):
        path = layout.root / layout.source_file(spec.stem)
        for other in sorted(path.parent.rglob(path.name)):
            is_there = other != path and re.search(
                rf"(?m)^class {spec.name}\b", read_regular(other).decode("utf-8", "replace")
            )
            if is_there:
                place, own = other.relative_to(layout.root).as_posix(), layout.source_file(spec.stem)
                yield f"{place}: has a class `{spec.name}` too; classes are generated in {own.parent}/ alone: move it back to {own}, or remove its spec and keep it as your own"


def _changed(specs: Sequence[ModuleSpec], plan: Plan, layout: Layout) -> Iterable[Path]:
    """Return the specs whose modules are written, because only their comments can get lost."""
    written = {step.path for step in plan.writes}
    changed = (spec for spec in specs if layout.source_file(spec.stem) in written)
    return dict.fromkeys(layout.root / file_of(spec.where) for spec in changed)


def _adopted_files(tests: Sequence[tuple[Record, Generated]], project_specs: ProjectSpecs) -> list[File]:
    """Return the recorded tests of adopted classes, and the conftest that they share."""
    if not tests:
        return []
    return [
        *(File(project_specs.adopted.path(test), test.text) for _, test in tests),
        conftest_file(project_specs.layout),
    ]


def _leftover_notes(project_specs: ProjectSpecs, renamed: Mapping[str, str]) -> Iterator[str]:
    for record in project_specs.orphans.values():
        if not {*record.names} & {*renamed.values()}:
            hint = f"`scaffold destroy {record.title}` removes what was generated"
            yield f"{record.spec}: describes `{record.title}` no more; {hint}"
