"""What was written before of the classes, by the records: under which names, what was accepted, and what was edited since."""

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
"""A module, and the name of a class in it."""
_SKIPPED = re.compile(r'^        # .*\n        "([^"\n]+)",$', re.MULTILINE)


class Edited(Struct, frozen=True):
    """What becomes of a test file that is there: the text that is held to the laws, and why it stays, where it does."""

    text: str
    keeps: bool = False
    """Whether something of the user's is in it."""
    why: str = ""


class Written(Struct, frozen=True, dict=True):
    """The records, beside the classes that are adopted now."""

    layout: Layout
    classes: Sequence[Named]
    moved: Mapping[Named, Record] = field(default_factory=dict[Named, Record])
    """The record of a class that lay in another module, which has it no more."""

    @cached_property
    def stems(self) -> dict[Named, str]:
        """The names of the test files: as they were, and those of others so that they differ from these."""
        records = Records(self.layout.root)
        generated = (records.sound(name) for name in records.names())
        there = stems_by_class([*filter(None, generated), *AdoptedTests(self.layout).records])
        there = {**there, **{now: there[_named(record)] for now, record in self.moved.items()}}
        new = stems_of([cls for cls in self.classes if cls not in there], there.values())
        beside = {name: f"{stem}_laws" if self._is_of_user(stem) else stem for name, stem in new.items()}
        return {**there, **beside}

    def _is_of_user(self, stem: str) -> bool:
        """Whether a file of tests is there by this name that has nothing to do with the laws."""
        content = self._read(self.layout.test_file(stem))
        return content is not None and b"Laws" not in content

    @property
    def renamed(self) -> dict[str, str]:
        """The former name of the record of each class that has moved."""
        return {adopted_key(*now): record.name for now, record in self.moved.items()}

    def accepted(self, adopted: Adopted) -> tuple[str, ...]:
        """The parts of the names of tests that were left out before."""
        record = self._record(adopted)
        test = record.of(TEST) if isinstance(record, Record) else None
        return tuple(_SKIPPED.findall(test.text)) if test is not None else ()

    def edited(self, adopted: Adopted, path: PurePosixPath, new: str) -> Edited | None:
        """What becomes of the file where `new` is to be written; None where there is none."""
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
    """What the records say of these classes."""
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
    """The classes of a package, each under the module of its record, and without those that are generated, whose tests are there."""
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
    """Whether the package of the project, in which the class lay, does not name it there any more."""
    above = layout.root / layout.import_root
    parts = record.module.split(".")
    if not (above / parts[0]).is_dir() or len(parts) == 1:
        return False
    module = above.joinpath(*parts)
    places = [path for path in (module.with_suffix(".py"), module / "__init__.py") if path.is_file()]
    name = re.compile(rf"\b{class_of(record).partition('.')[0]}\b")
    return not any(name.search(read_regular(path).decode("utf-8", "replace")) for path in places)
