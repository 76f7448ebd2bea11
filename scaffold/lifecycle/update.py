"""What `scaffold update` does: the classes are generated anew, and what was edited in them stays."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from scaffold.files.fileset import File, Plan
from scaffold.fit.fit import Wishes
from scaffold.generate import plan_classes
from scaffold.history.records import Generated, Record
from scaffold.in_project.layout import Layout
from scaffold.lifecycle.adopted import adopted_files, class_of
from scaffold.lifecycle.project_specs import ProjectSpecs, check_renames
from scaffold.render_class import conftest_file

_NOTHING: Mapping[str, str] = {}


def plan_update(
    names: Sequence[str], layout: Layout, *, force: bool = False, rename: Mapping[str, str] = _NOTHING
) -> Plan:
    """The plan that brings these classes, or all, to what their specs and the templates say now.

    `rename` has new names by former ones, where the specs do not tell: of classes, and of fields as `Class.field`. Raises `ScaffoldError` as planning does.
    """
    return plan_update_of(ProjectSpecs(layout), names, force=force, rename=rename)


def plan_update_of(
    found: ProjectSpecs,
    names: Sequence[str] = (),
    *,
    force: bool = False,
    rename: Mapping[str, str] = _NOTHING,
) -> Plan:
    """The same plan for specs and records that somebody else looks at too."""
    fields = {old: now for old, now in rename.items() if "." in old}
    rename = {old: now for old, now in rename.items() if old not in fields}
    check_renames(rename, found)
    renamed = found.renamed(rename)
    specs = found.specs(names)
    now = {spec.name for spec in specs}
    renamed = {name: old for name, old in renamed.items() if name in now}
    wishes = Wishes(register=None, force=force, renamed=renamed, renamed_fields=fields)
    tests = [] if names else [*found.adopted.beside(found.records.values())]
    files = _adopted_files(tests, found)
    classes = [adopted_files(one.module, class_of(one), found.adopted.path(test)) for one, test in tests]
    plan = plan_classes(specs, found.layout, files, wishes, classes)
    called = [f"`{old}` is called `{name}` now" for name, old in renamed.items()]
    return replace(plan, notes=(*plan.notes, *called, *(_left(found, renamed) if not names else ())))


def _adopted_files(tests: Sequence[tuple[Record, Generated]], found: ProjectSpecs) -> list[File]:
    """The tests of the user's own classes as they were written last, which is all that is known here, and what they share."""
    if not tests:
        return []
    return [*(File(found.adopted.path(test), test.text) for _, test in tests), conftest_file(found.layout)]


def _left(found: ProjectSpecs, renamed: Mapping[str, str]) -> Iterator[str]:
    for record in found.orphans.values():
        if not {*record.names} & {*renamed.values()}:
            told = f"`scaffold destroy {record.title}` removes what was generated"
            yield f"{record.spec}: describes `{record.title}` no more; {told}"
