"""From targets to specs: each class in turn, as it was named; nothing is written, and no test is run."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from scaffold.adopt.as_spec.say import Said, said
from scaffold.adopt.inquiry import Inquiry, each_class, label_of
from scaffold.adopt.process import Child
from scaffold.adopt.report import LeftOut
from scaffold.adopt.wanted import Wanted
from scaffold.in_project.layout import Layout

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


def specs(wanted: Wanted, layout: Layout, here: Path, progress: Progress) -> SpecReport:
    """The specs of the classes. Raises `ScaffoldError` for targets that cannot be used, all of them at once."""
    told, left_out = each_class(
        wanted,
        layout,
        here,
        lambda run, child, one: _one(one, run, child, layout),
        lambda one, why: Said(label_of(one), why=why),
        progress,
        prepared=_with_abstract,
    )
    return SpecReport(tuple(told), left_out)


def _with_abstract(one: Mapping[str, Any]) -> dict[str, Any]:
    """An abstract class gets no suite of its own, and a spec as any other."""
    return {**one, "why": ""} if one["kind"] == "abstract" else dict(one)


def _one(one: Mapping[str, Any], run: Inquiry, child: Child, layout: Layout) -> Said:
    if one["kind"] == "transformation":
        return Said(label_of(one), why=FUNCTION)
    placed = run.ask(child, "locate", one)
    if "error" in placed:
        return Said(label_of(one), why=str(placed["error"]))
    found = run.ask_said(child, "adopt", one) if one["kind"] != "abstract" else {}
    return said(label_of(one), placed, found, layout)
