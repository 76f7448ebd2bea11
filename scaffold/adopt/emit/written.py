"""Earlier test files by their records: their names, accepted findings, and edits by the user."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.emit.class_suite import Adopted, stems_of
from scaffold.files.fileset import Action
from scaffold.files.places import read_below, read_regular
from scaffold.files.texts import Text
from scaffold.history.records import TEST, DamagedError, Record, Records, record_path
from scaffold.history.states import outcome
from scaffold.in_project.layout import Layout
from scaffold.lifecycle.adopted import (
    AdoptedTests,
    adopted_key,
    class_of,
    stems_by_class,
)

Named = tuple[str, str]
"""Name of a module, and of a class in it."""
_SKIPPED = re.compile(r'^        # .*\n        "([^"\n]+)",$', re.MULTILINE)


class Edited(Struct, frozen=True):
    """Fate of an existing test file: the text to hold to the laws, and the reason if the file stays."""

    text: str
    keeps: bool = False
    """True if the text has edits of the user."""
    why: str = ""


class Written(Struct, frozen=True, dict=True):
    """Records of earlier runs for the classes that are adopted now."""

    layout: Layout
    classes: Sequence[Named]
    moved: Mapping[Named, Record] = field(default_factory=dict[Named, Record])
    """Record of each class that lay in another module before."""

    @cached_property
    def stems(self) -> dict[Named, str]:
        """Stem of each test file: the recorded stem, or a new stem that differs from all others."""
        records = Records(self.layout.root)
        generated = (records.sound(name) for name in records.names())
        there = stems_by_class([*filter(None, generated), *AdoptedTests(self.layout).records])
        there = {**there, **{now: there[_named(record)] for now, record in self.moved.items()}}
        new = stems_of([cls for cls in self.classes if cls not in there], there.values())
        beside = {name: f"{stem}_laws" if self._is_of_user(stem) else stem for name, stem in new.items()}
        return {**there, **beside}

    def _is_of_user(self, stem: str) -> bool:
        """Whether a test file of this name exists that does not mention the laws."""
        content = self._read(self.layout.test_file(stem))
        return content is not None and b"Laws" not in content

    @property
    def renamed(self) -> dict[str, str]:
        """Former record name of each class that has moved."""
        return {adopted_key(*now): record.name for now, record in self.moved.items()}

    def accepted(self, adopted: Adopted) -> tuple[str, ...]:
        """Return the parts of test names that the recorded test file skips."""
        record = self._record(adopted)
        test = record.of(TEST) if isinstance(record, Record) else None
        return tuple(_SKIPPED.findall(test.text)) if test is not None else ()

    def edited(self, adopted: Adopted, path: PurePosixPath, new: str) -> Edited | None:
        """Decide how the existing file and `new` combine, or return None if no file exists."""
        record = self._record(adopted)
        before = record.of(TEST) if isinstance(record, Record) else None
        content = self._read(path) or (self._read(before.path) if before is not None else None)
        if content is None:
            return None
        lost = f"{record}; --force replaces it" if isinstance(record, str) else _DIFFERS
        base = before.text if before is not None else None
        decision = outcome(base, content, new, self.layout.root / path, lost=lost)
        text = Text.of(content)
        there = text.text if text is not None else content.decode("utf-8", "replace")
        match decision.action:
            case Action.CONFLICT:
                return Edited(there, keeps=True, why=decision.why)
            case Action.COLLIDE | Action.KEEP:
                return Edited(there, keeps=True)
            case Action.MERGE:
                merged = Text.of(decision.after or b"")
                return Edited(merged.text if merged is not None else there, keeps=True)
            case _:
                return Edited(new)

    def _record(self, adopted: Adopted) -> Record | str | None:
        moved = self.moved.get((adopted.module, adopted.name))
        name = moved.name if moved is not None else adopted_key(adopted.module, adopted.name)
        try:
            return Records(self.layout.root).find(name)
        except DamagedError as error:
            return f"differs from what would be written, and stays, since {record_path(name)} is damaged: {error}"

    def _read(self, path: PurePosixPath) -> bytes | None:
        return read_below(self.layout.real_root, path)


_DIFFERS = "differs from what would be written, and stays; --force replaces it"


def written_before(layout: Layout, classes: Iterable[Named]) -> Written:
    """Read the records of these classes, and match classes that have moved to another module."""
    classes = tuple(classes)
    records = AdoptedTests(layout).records
    known = {_named(record) for record in records}
    gone = [record for record in records if _named(record) not in classes and _has_gone(record, layout)]
    moved: dict[Named, Record] = {}
    for name in dict.fromkeys(class_of(record) for record in gone):
        new = [cls for cls in classes if cls[1] == name and cls not in known]
        old = [record for record in gone if class_of(record) == name]
        if len(new) == len(old) == 1:
            moved[new[0]] = old[0]
    return Written(layout, classes, moved)


def as_recorded(listed: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
    """Map listed classes to the modules of their records, and leave out generated classes with tests."""
    records = Records(layout.root)
    suites = {
        (record.module, name): str(test.path)
        for record in filter(None, map(records.sound, records.names()))
        for name in record.names
        if (test := record.of(TEST)) is not None
    }
    adopted = {_named(record) for record in AdoptedTests(layout).records}
    classes: list[dict[str, Any]] = []
    for cls in listed["classes"]:
        home = (cls["home"], cls["name"])
        if home in adopted:
            cls = {**cls, "module": cls["home"]}
        elif home in suites and not cls["named"]:
            cls = {**cls, "why": f"it is generated, and {suites[home]} has its tests"}
        classes.append(cls)
    return {**listed, "classes": classes}


def _named(record: Record) -> Named:
    return record.module, class_of(record)


def _has_gone(record: Record, layout: Layout) -> bool:
    """Whether the recorded module in the project's package no longer mentions the class."""
    above = layout.root / layout.import_root
    parts = record.module.split(".")
    if not (above / parts[0]).is_dir() or len(parts) == 1:
        return False
    module = above.joinpath(*parts)
    places = [path for path in (module.with_suffix(".py"), module / "__init__.py") if path.is_file()]
    name = re.compile(rf"\b{class_of(record).partition('.')[0]}\b")
    return not any(name.search(read_regular(path).decode("utf-8", "replace")) for path in places)
