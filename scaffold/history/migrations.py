"""Changes of fields that classes with `migrate` list, in the last generated class and since."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.history.records import MODULE, Record, Records
from scaffold.in_project.layout import Layout
from scaffold.passes.migrations import Migration, read_class, with_migrations
from scaffold.source.text import listed
from scaffold.spec.model import ModuleSpec

Paths = Mapping[str, str]
"""New name of each renamed field, by `Class.field` with the former names."""


def listing_changes(
    specs: Sequence[ModuleSpec], layout: Layout, classes: Mapping[str, str], fields: Paths
) -> list[ModuleSpec]:
    """Return the specs with the changes of each class that has `migrate`.

    `classes` maps a class to its former name. Raises `ScaffoldError` for an unknown field in `fields`.
    """
    _check_classes(specs, fields)
    records = Records(layout.root)
    return [
        with_migrations(spec, _changes(spec, records, layout, classes, fields)) if spec.migrate else spec
        for spec in specs
    ]


def change_notes(
    specs: Sequence[ModuleSpec], layout: Layout, classes: Mapping[str, str], fields: Paths
) -> Iterator[str]:
    """Yield a note for fields that went and came together, because one may be a rename of the other."""
    records = Records(layout.root)
    for spec in (spec for spec in specs if spec.migrate):
        _, change = _listed(spec, records, layout, classes, fields)
        if change.dropped and change.added:
            went, came = (listed(f"`{name}`" for name in names) for names in (change.dropped, change.added))
            first = f"{spec.name}.{change.dropped[0]}={change.added[0]}"
            why = "which saved files are to keep"
            yield f"{spec.where}: {went} went, and {came} came: where one is the other, {why}, say `scaffold update --rename {first}`, now or later"


def _changes(
    spec: ModuleSpec, records: Records, layout: Layout, classes: Mapping[str, str], fields: Paths
) -> tuple[Migration, ...]:
    rows, change = _listed(spec, records, layout, classes, fields)
    return rows if change == Migration() else (*rows, change)


def _listed(
    spec: ModuleSpec, records: Records, layout: Layout, classes: Mapping[str, str], fields: Paths
) -> tuple[tuple[Migration, ...], Migration]:
    """Return the changes that the class lists, and the change since."""
    former = classes.get(spec.name, spec.name)
    record = records.of_class(former)
    module = record.of(MODULE) if record is not None else None
    before, rows = read_class(module.text, former) if module is not None else ((), ())
    renames = {
        name.partition(".")[2]: now for name, now in fields.items() if name.partition(".")[0] == spec.name
    }
    late = {was: now for was, now in renames.items() if was not in before}
    amended = tuple(_with_renames(row, late) for row in rows)
    former_names = (was for row in amended for was, _ in row.renamed)
    _check_fields(spec, renames, (*before, *former_names))
    if record is None or not before:
        return amended, Migration()
    named = _qualified(record, former)
    since = {was: now for was, now in renames.items() if was in before}
    change = _change(before, [field.name for field in spec.stored], since)
    is_moved = named != ".".join((*_public(layout.module(spec.stem)), spec.name))
    return amended, replace(change, former=named if is_moved else "")


def _with_renames(row: Migration, renames: Paths) -> Migration:
    """Turn a dropped and an added field of a past change into a rename that the user states later."""
    pairs = {
        was: now for was, now in renames.items() if was in row.dropped and now.partition(".")[0] in row.added
    }
    change = _change(row.dropped, row.added, pairs)
    return replace(change, renamed=(*row.renamed, *change.renamed), former=row.former)


def _change(before: Sequence[str], now: Sequence[str], renamed: Paths) -> Migration:
    moved = {name.partition(".")[0] for name in renamed.values() if "." not in name}
    return Migration(
        tuple(name for name in now if name not in before and name not in moved),
        tuple(name for name in before if name not in now and name not in renamed),
        tuple(renamed.items()),
    )


def _qualified(record: Record, name: str) -> str:
    """Return the class's qualified name without private modules, as saved files state it."""
    return ".".join((*_public(record.module), name))


def _public(module: str) -> Iterable[str]:
    return takewhile(lambda part: not part.startswith("_"), module.split("."))


def _check_classes(specs: Sequence[ModuleSpec], fields: Paths) -> None:
    legal = tuple(spec.name for spec in specs if spec.migrate)
    named = dict.fromkeys(name.partition(".")[0] for name in fields)
    unknown = [name for name in named if name not in legal]
    if unknown:
        raise ScaffoldError.of(
            Fault(
                "--rename",
                f"there is no class `{name}` that lists its changes",
                suggestion(name, legal, "write `migrate = true` in its spec"),
                legal,
            )
            for name in unknown
        )


def _check_fields(spec: ModuleSpec, renamed: Paths, before: Sequence[str]) -> None:
    faults = [fault for was, now in renamed.items() for fault in _rename_faults(spec, was, now, before)]
    if faults:
        raise ScaffoldError.of(faults)


def _rename_faults(spec: ModuleSpec, was: str, now: str, before: Sequence[str]) -> Iterable[Fault]:
    names = tuple(field.name for field in spec.stored)
    gone = tuple(name for name in before if name not in names)
    if was not in gone:
        fix = suggestion(was, gone, "write a field that the class had, and has no more")
        why = f"that is gone, or that went when `{now}` came"
        yield Fault("--rename", f"`{spec.name}` had no field `{was}` {why}", fix, gone)
    if now.partition(".")[0] not in names:
        yield Fault(
            "--rename", f"`{spec.name}` has no field `{now}`", suggestion(now, names, "write a field"), names
        )
