"""The changes that classes with `migrate` list: those of the class that was generated last, and the one since."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.history.records import MODULE, Record, Records
from scaffold.in_project.layout import Layout
from scaffold.passes.migrations import Migration, read_class, with_migrations
from scaffold.spec.model import ModuleSpec

Paths = Mapping[str, str]
"""What fields are called now, by `Class.field` as it was."""


def listing_changes(
    specs: Sequence[ModuleSpec], layout: Layout, classes: Mapping[str, str], fields: Paths
) -> list[ModuleSpec]:
    """The specs, with the changes of each class that asks for them.

    `classes` has former names of classes by what they are called now. Raises `ScaffoldError` for a field in `fields` that no
    class had.
    """
    _check_classes(specs, fields)
    records = Records(layout.root)
    return [
        with_migrations(spec, _changes(spec, records, layout, classes, fields)) if spec.migrate else spec
        for spec in specs
    ]


def _changes(
    spec: ModuleSpec, records: Records, layout: Layout, classes: Mapping[str, str], fields: Paths
) -> tuple[Migration, ...]:
    former = classes.get(spec.name, spec.name)
    record = records.of_class(former)
    module = record.of(MODULE) if record is not None else None
    before, listed = read_class(module.text, former) if module is not None else ((), ())
    renames = {
        name.partition(".")[2]: now for name, now in fields.items() if name.partition(".")[0] == spec.name
    }
    _check_fields(spec, renames, before)
    if record is None or not before:
        return listed
    named = _qualified(record, former)
    change = _change(before, [field.name for field in spec.stored], renames)
    is_moved = named != ".".join((*_public(layout.module(spec.stem)), spec.name))
    change = Migration(change.added, change.dropped, change.renamed, named if is_moved else "")
    return listed if change == Migration() else (*listed, change)


def _change(before: Sequence[str], now: Sequence[str], renamed: Paths) -> Migration:
    """What differs between the fields that were and those that are."""
    moved = {name.partition(".")[0] for name in renamed.values() if "." not in name}
    return Migration(
        tuple(name for name in now if name not in before and name not in moved),
        tuple(name for name in before if name not in now and name not in renamed),
        tuple(renamed.items()),
    )


def _qualified(record: Record, name: str) -> str:
    """A class as files tell of it: without modules that are private."""
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
        yield Fault("--rename", f"`{spec.name}` had no field `{was}` that is gone", fix, gone)
    if now.partition(".")[0] not in names:
        yield Fault(
            "--rename", f"`{spec.name}` has no field `{now}`", suggestion(now, names, "write a field"), names
        )
