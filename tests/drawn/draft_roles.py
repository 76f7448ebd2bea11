"""Drawn fields that are no leaves of their own: tied arrays, and state that the call updates."""

from typing import Any

from hypothesis import strategies as st

from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import ArrayType
from tests.drawn.drafts import COMPLEX, INTEGER, REAL, Draft, drawn_array, initialiser, text, total


def shared(draft: Draft) -> None:
    """A parameter that is read by a second name, and perhaps turned."""
    source, name = draft.draw(st.sampled_from(draft.reals)), draft.new_name()
    stored = parse_type(draft.fields[source]["type"])
    assert isinstance(stored, ArrayType)
    turned = draft.chance() and "*" not in "".join(stored.dims)
    array = ArrayType(stored.dtype, stored.dims[::-1] if turned else stored.dims)
    table = {
        "type": text(array),
        "role": "shared",
        "of": f"{draft.one('', 'self.')}{source}{'.T' * turned}",
    }
    draft.add(name, table, total(array, f"self.{name}"))


def state(draft: Draft) -> None:
    if draft.kind != "module":
        return shared(draft)
    array = drawn_array(draft, (*REAL, *COMPLEX, *INTEGER, "key", "f", "f", "i32"))
    table: dict[str, Any] = {"type": text(array), "role": "state"}
    if draft.chance():
        table["init"] = initialiser(draft, array)
    name = draft.new_name()
    draft.add(name, table, total(array, f"self.{name}"))
    if array.dtype not in ("key", "bool"):
        draft.lines.append(draft.one(f"self.{name} += 1", f"self.{name} = self.{name} + self.{name}"))


ROLES = (shared, state)
