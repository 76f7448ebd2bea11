"""Specs of the classes of the targets. Nothing is written, and no test runs."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from scaffold.adopt.as_spec.say import Said, said
from scaffold.adopt.inquiry import Inquiry, each_class, label_of
from scaffold.adopt.processes.process import Child
from scaffold.adopt.report import LeftOut
from scaffold.adopt.targets.wanted import Wanted
from scaffold.in_project.layout import Layout

FUNCTION = "it is a function, and a spec is of a class"
"""Reason why an optax transformation has no spec."""
Progress = Callable[[int, int, str], None]


class SpecReport(Struct, frozen=True):
    """Specs of all classes, and the classes that are left out."""

    specs: tuple[Said, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every class has a spec."""
        return not any(spec.why for spec in self.specs)

    def text(self) -> str:
        """Join the specs, each below the label of its class if there are several classes."""
        shown = [spec for spec in self.specs if spec.text]
        if len(self.specs) == 1:
            return "\n".join(spec.text.rstrip("\n") for spec in shown)
        return "\n\n".join(f"# --- {spec.label}\n{spec.text.rstrip()}" for spec in shown)

    def notes(self) -> str:
        """List what the tests of each class leave out, and why some classes have no spec."""
        lines = [line for spec in self.specs for line in spec.lines]
        return "\n".join([*lines, *(omission.text for omission in self.left_out)])

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON."""
        left_out = [omission.to_json() for omission in self.left_out]
        return {"specs": [spec.to_json() for spec in self.specs], "left_out": left_out}


def specs(wanted: Wanted, layout: Layout, here: Path, progress: Progress) -> SpecReport:
    """Write the spec of each class of the targets.

    Raises `ScaffoldError` with the faults of all unusable targets.
    """
    skeletons, left_out = each_class(
        wanted,
        layout,
        here,
        lambda run, child, cls: _one(cls, run, child, layout),
        lambda cls, why: Said(label_of(cls), why=why),
        progress,
        prepared=_with_abstract,
    )
    return SpecReport(tuple(skeletons), left_out)


def _with_abstract(cls: Mapping[str, Any]) -> dict[str, Any]:
    """Include an abstract class, which gets no suite but may have a spec."""
    return {**cls, "why": ""} if cls["kind"] == "abstract" else dict(cls)


def _one(cls: Mapping[str, Any], run: Inquiry, child: Child, layout: Layout) -> Said:
    if cls["kind"] == "transformation":
        return Said(label_of(cls), why=FUNCTION)
    placed = run.ask(child, "locate", cls)
    if "error" in placed:
        return Said(label_of(cls), why=str(placed["error"]))
    description = run.ask_said(child, "adopt", cls) if cls["kind"] != "abstract" else {}
    return said(label_of(cls), placed, description, layout)
