"""One class as a spec: its skeleton, read back and written in memory, and what differs from the class that is there."""

import ast
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.as_spec.choose import Chooser
from scaffold.adopt.as_spec.conditions import conditions
from scaffold.adopt.as_spec.differences import Compared, Difference
from scaffold.adopt.as_spec.draft import Draft, first_draft, told
from scaffold.adopt.as_spec.emitted import class_in, quick_class, spec_of, whole_module
from scaffold.adopt.as_spec.nnx_view import in_arrays
from scaffold.adopt.as_spec.parts import Whole, parts_of
from scaffold.adopt.as_spec.shapes import Dims, Seen
from scaffold.adopt.as_spec.source import ClassSource, NotSaidError, class_source
from scaffold.adopt.as_spec.types import Types
from scaffold.errors import ScaffoldError
from scaffold.in_project.layout import Layout
from scaffold.spec.skeletons.names import Names, read_names
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.spec.skeletons.write import write_skeleton
from scaffold.spec.toml import write_toml

_SCHEMA = "./scaffold.schema.json"


class Said(Struct, frozen=True):
    """A class as a spec, or why there is none."""

    label: str
    text: str = ""
    """The skeleton, or TOML where a skeleton would say something else."""
    form: str = "py"
    differences: tuple[Difference, ...] = field(default=())
    why: str = ""

    @property
    def line(self) -> str:
        """What is said of it in a line."""
        if self.why:
            return f"no spec says it: {self.why}"
        count = len(self.differences)
        return f"{count or 'no'} difference{'s' * (count != 1)}" + (
            ", in TOML" if self.form == "toml" else ""
        )

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        told = [{"place": one.place, "what": one.what, "why": one.why} for one in self.differences]
        return {
            "class": self.label,
            "spec": self.text or None,
            "form": self.form,
            "differences": told,
            "why": self.why or None,
        }


def said(label: str, placed: Mapping[str, Any], seen: Seen, other: Seen | None, layout: Layout) -> Said:
    """The spec of a class at a place, of which one instance was found, and maybe another of other sizes."""
    try:
        there = class_source(placed)
        source = in_arrays(there, placed, seen) if there.kind == "nnx" else there
        types = Types(source, seen, other, Dims.of(seen, other))
        draft = chosen(first_draft(source, types, layout), there, layout)
        text, form = written(draft, layout)
        differences = compared(draft, there, types, layout)
    except NotSaidError as error:
        return Said(label, why=str(error))
    except ScaffoldError as error:
        return Said(label, why="; ".join(told(one) for one in error.faults[:3]))
    return Said(label, text, form, tuple(differences))


def chosen(draft: Draft, source: ClassSource, layout: Layout) -> Draft:
    """The draft whose class differs least."""
    whole = names_of(source.names)
    emitted = Names({**source.names.whole, **_names_in(whole_module(draft.spec, layout)).whole})
    chooser = Chooser(parts_of(source.node, whole), names_of(emitted), layout, conditions(source.node))
    return chooser.best(draft)


def names_of(names: Names) -> Whole:
    """The whole names of a file."""
    return names.of


def _names_in(module: str) -> Names:
    return read_names(ast.parse(module).body)


def written(draft: Draft, layout: Layout) -> tuple[str, str]:
    """The skeleton, if what is read from it gives the same class; TOML otherwise."""
    text = write_skeleton([(draft.raw, draft.spec)])
    [read] = skeletons_of(text, draft.spec.name)
    try:
        again = quick_class(spec_of(read.raw), layout)
    except ScaffoldError:
        again = None
    same = again is not None and ast.dump(again) == ast.dump(quick_class(draft.spec, layout))
    return (text, "py") if same and not read.faults else (write_toml(draft.raw, _SCHEMA), "toml")


def compared(draft: Draft, source: ClassSource, types: Types, layout: Layout) -> list[Difference]:
    """What differs between the class that is there and the one that `new-module` would write."""
    module = whole_module(draft.spec, layout)
    emitted = parts_of(class_in(module, draft.spec.name), names_of(_names_in(module)))
    there = parts_of(source.node, names_of(source.names))
    return Compared(there, emitted, draft.left_out, types.guessed).all()
