"""From targets to specs: each class in turn, as it was named; nothing is written, and no test is run."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from scaffold.adopt.as_spec.say import Said, said
from scaffold.adopt.flow import GRACE, Children, Wanted, check_listed, left_out_of, listed_by
from scaffold.adopt.process import Child
from scaffold.adopt.report import LeftOut
from scaffold.adopt.targets import folders_of, read_targets
from scaffold.adopt.workers import each
from scaffold.in_project.layout import Layout
from scaffold.interpreter import find_python

FUNCTION = "it is a function, and a spec is of a class"
"""Why a transformation of optax has no spec."""
Progress = Callable[[int, int, str], None]


class SpecReport(Struct, frozen=True):
    """The specs of all classes."""

    specs: tuple[Said, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every class could be said."""
        return not any(one.why for one in self.specs)

    def text(self) -> str:
        """The specs, each below the name of its class where there are several."""
        shown = [one for one in self.specs if one.text]
        if len(self.specs) == 1:
            return "\n".join(one.text.rstrip("\n") for one in shown)
        return "\n\n".join(f"# --- {one.label}\n{one.text.rstrip()}" for one in shown)

    def notes(self) -> str:
        """What the tests of each class leave out, and what stands in the way of those that no spec says."""
        lines = [line for one in self.specs for line in one.lines]
        return "\n".join([*lines, *(one.text for one in self.left_out)])

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        left_out = [one.to_json() for one in self.left_out]
        return {"specs": [one.to_json() for one in self.specs], "left_out": left_out}


class _Run(Struct, frozen=True):
    """What the classes share."""

    wanted: Wanted
    layout: Layout
    folders: tuple[str, ...]

    def asked(self, child: Child, do: str, one: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        seconds = self.wanted.seconds
        request = {"do": do, "module": one["module"], "name": one["name"], "folders": [*self.folders]}
        return child.ask({**request, "seconds": seconds, **more}, seconds + GRACE)

    def found(self, child: Child, one: Mapping[str, Any]) -> dict[str, Any]:
        """What is found of an instance; nothing where none is built."""
        wanted = self.wanted
        more = {"build": wanted.build, "call": wanted.call, "said": dict(wanted.said)}
        return self.asked(child, "adopt", one, **more)


def specs(wanted: Wanted, layout: Layout, here: Path, progress: Progress) -> SpecReport:
    """The specs of the classes. Raises `ScaffoldError` for targets that cannot be used, all of them at once."""
    targets = read_targets(wanted.targets, here)
    command = find_python(wanted.python, layout.root)
    folders = (*folders_of(targets), str((layout.root / layout.import_root).resolve()))
    run = _Run(wanted, layout, folders)
    with Children(command, layout.root, wanted.memory_in_bytes) as children:
        child = children.start()
        listed = listed_by(child, targets, wanted, folders)
        listed = {**listed, "classes": [_with_abstract(one) for one in listed.get("classes", ())]}
        check_listed(listed, targets, wanted)
        classes = [one for one in listed["classes"] if not one["why"]]
        told = each(
            classes,
            lambda child, one: _one(one, run, child),
            lambda one, why: Said(_label(one), why=why),
            _label,
            [child],
            children.start,
            wanted.processes,
            progress,
        )
    return SpecReport(tuple(told), left_out_of(listed))


def _with_abstract(one: Mapping[str, Any]) -> dict[str, Any]:
    """An abstract class gets no suite of its own, and a spec as any other."""
    return {**one, "why": ""} if one["kind"] == "abstract" else dict(one)


def _label(one: Mapping[str, Any]) -> str:
    return f"{one['module']}:{one['name']}"


def _one(one: Mapping[str, Any], run: _Run, child: Child) -> Said:
    if one["kind"] == "transformation":
        return Said(_label(one), why=FUNCTION)
    placed = run.asked(child, "place", one)
    if "error" in placed:
        return Said(_label(one), why=str(placed["error"]))
    found = run.found(child, one) if one["kind"] != "abstract" else {}
    return said(_label(one), placed, found, run.layout)
