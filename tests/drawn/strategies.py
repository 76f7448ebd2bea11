"""Specs at random: raw tables that are valid, whose code is sound, and whose generated tests pass.

`specs()` draws a spec of a kind with any of the options, in any combination that the tool accepts. The body of the
call uses every field, so that each parameter has a gradient and changes the output. What a spec may say and is never
drawn here is a fault of the spec, or a limit that a comment names.
"""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from scaffold.spec import ModuleSpec, read_spec
from scaffold.spec.construction.constructor import dims_of, parameters
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import without_none
from scaffold.spec.reading.roles import UNTOLD, role_of
from tests.drawn.draft_calls import call
from tests.drawn.draft_fields import MEMBERS, preset_dict
from tests.drawn.draft_roles import ROLES
from tests.drawn.draft_variables import NNX_MEMBERS
from tests.drawn.drafts import CLASS_NAMES, COMPLEX, DIM_NAMES, INTEGER, REAL, Draft, Draw, docs


@st.composite
def specs(draw: Draw, names: st.SearchStrategy[str] | None = None) -> dict[str, Any]:
    """The raw tables of a spec, for `read_spec`."""
    kind = draw(st.sampled_from(["module", "module", "pytree", "pytree", "nnx"]))
    name = draw(names if names is not None else st.sampled_from(CLASS_NAMES))
    dims = draw(st.lists(st.sampled_from(DIM_NAMES), min_size=1, max_size=3, unique=True))
    draft = Draft(draw, kind, name, {name, "shape", *DIM_NAMES}, dims)
    raw: dict[str, Any] = {"name": name, **form(draft)}
    if draft.rarely():
        raw["save"] = draft.chance()
    draft.once = raw.get("constructor") != "init" and raw.get("rebuild") != "flag"
    draft.taken |= {"aux"} if raw.get("rebuild") in ("flag", "factory") else set()
    anchor = draft.new_name()
    draft.add(anchor, {"type": "f[]"}, f"self.{anchor}")
    draft.reals.append(anchor)
    if raw.get("rebuild") == "static":
        preset_dict(draft)
    members = NNX_MEMBERS if kind == "nnx" else (*MEMBERS, *ROLES)
    for member in draw(st.lists(st.sampled_from(members), min_size=2, max_size=7)):
        member(draft)
    return {**raw, **rest(draft, raw)}


def form(draft: Draft) -> dict[str, Any]:
    """Kind, constructor and rebuild form, each said or left to its default."""
    raw: dict[str, Any] = {"kind": draft.kind} if draft.kind != "module" or draft.rarely() else {}
    if draft.kind == "pytree" and draft.chance():
        raw["rebuild"] = draft.one("bypass", "flag", "factory", "static", "static", "dataclass")
    if draft.kind == "nnx":
        return {**raw, "constructor": "init"} if draft.chance() else raw
    if raw.get("rebuild") not in ("flag", "factory", "dataclass") and draft.chance():
        raw["constructor"] = draft.one("factory", "init", "init")
    return raw


def say_roles(draft: Draft) -> None:
    """Say `param` of what is given without a role, but in some classes that train nothing: there it stays data."""
    roles = {name: _role(table) for name, table in draft.fields.items()}
    trains = any(role in ("param", "module") for role in roles.values())
    if trains or len(draft.fields) % 3:
        for name in (name for name, role in roles.items() if role == UNTOLD):
            draft.fields[name]["role"] = "param"


def _role(table: Mapping[str, Any]) -> str | None:
    return role_of(without_none(parse_type(table["type"])), table)


def rest(draft: Draft, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The tables beside `raw`, once all fields are drawn."""
    say_roles(draft)
    table: dict[str, Any] = {"fields": draft.fields}
    if draft.chance():
        table["doc"] = draft.draw(docs())
    if draft.setup:
        table["setup"] = "\n".join(draft.setup)
    if draft.imports or draft.rarely():
        table["imports"] = [
            *draft.imports,
            *draft.one([], ["import os.path"], ["from jax import random as jr"]),
        ]
    if draft.declared:
        table["arguments"] = list(draft.declared)
    if not draft.rarely():
        table["call"] = call(draft)
    if draft.unused:
        table["test"] = {"unused": draft.unused}
    if draft.chance():
        table["arguments"] = ordered(draft, {**raw, **table})
    spec = read_spec({**raw, **table}, "drawn")
    test = test_table(draft, spec)
    groups = grouping(draft, spec) if draft.kind != "nnx" and draft.chance() else {}
    if draft.kind == "module" and "layout" not in groups:
        say_decay(draft, spec)
        say_stacked(draft)
    computes = say_compute(draft, table) if draft.kind in ("module", "pytree") and not groups else {}
    return {**table, **({"test": test} if test else {}), **groups, **computes}


def say_compute(draft: Draft, table: Mapping[str, Any]) -> dict[str, Any]:
    """Have every third class that carries nothing compute in bfloat16, without a draw; its first parameter says so too."""
    if len(draft.fields) % 3 or "carry" in table.get("call", {}):
        return {}
    draft.fields[draft.reals[0]]["compute"] = "bfloat16"
    return {"compute": "bfloat16"}


def say_decay(draft: Draft, spec: ModuleSpec) -> None:
    """Have every third trained field of some classes not decay, without a draw."""
    trained = [one.name for one in spec.dynamic if one.role in ("param", "module")]
    for name in trained[2::3] if len(spec.fields) % 2 else ():
        draft.fields[name]["decay"] = False


def say_stacked(draft: Draft) -> None:
    """Have the layers stacked where each is made with a key of its own, without a draw."""
    for name, table in draft.fields.items():
        is_made = str(table.get("init", "")).startswith("=[")
        if is_made and any(f"for {name}_part in self.{name}:" in line for line in draft.lines):
            table |= {"stacked": True, "remat": bool(len(draft.fields) % 2)}


def grouping(draft: Draft, spec: ModuleSpec) -> dict[str, Any]:
    """One group or two of the fields with leaves, and their layout."""
    nests = draft.chance() and not (spec.kind == "pytree" and spec.rebuild in ("flag", "dataclass"))
    # Preset entries of `static` belong to the treedef of the class itself.
    leaves = [one for one in spec.dynamic if one.role != "state"]
    members = [one.name for one in leaves if not (one.preset and spec.rebuild == "static")]
    chosen = draft.draw(st.lists(st.sampled_from(members), min_size=1, max_size=6, unique=True))
    middle = draft.draw(st.integers(0, len(chosen) - 1))
    parts = [part for part in (chosen[:middle], chosen[middle:]) if part]
    groups = {draft.new_name(): part for part in parts}
    if not nests:
        return {"groups": groups}
    told = {
        name: {"fields": part, "class": f"Part{number}", "readable": draft.chance()}
        if len(spec.name) > 30 or draft.chance()
        else part
        for number, (name, part) in enumerate(groups.items())
    }
    return {"layout": "nested", "groups": told}


def ordered(draft: Draft, raw: Mapping[str, Any]) -> list[str]:
    """Arguments of the constructor in an order of their own, some of them by keyword alone."""
    declared = {text.partition(":")[0]: text for text in draft.declared}
    found = list(parameters(read_spec(raw, "drawn")))
    shuffled = draft.draw(st.permutations(found))
    required = [one.name for one in shuffled if one.default is None]
    defaulted = [one.name for one in shuffled if one.default is not None]
    listed = [declared.get(name, name) for name in (*required, *defaulted)]
    if draft.chance():
        listed.insert(draft.draw(st.integers(0, len(listed) - 1)), "*")
    return listed


def test_table(draft: Draft, spec: ModuleSpec) -> dict[str, Any]:
    table: dict[str, Any] = {"unused": draft.unused} if draft.unused else {}
    dims = [name for name in dims_of(spec) if name in DIM_NAMES]
    if dims and draft.rarely():
        table["sizes"] = {draft.one(*dims): 6}
    if draft.rejected:
        table["rejected"] = draft.rejected
    return table


test_table.__test__ = False  # type: ignore[attr-defined]
assert set(DTYPES) == {*REAL, *COMPLEX, *INTEGER, "key"}, "a dtype that is never drawn"
