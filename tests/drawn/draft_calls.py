"""Drawn calls: a map of an array `x` that adds a number for each field."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.drawn.drafts import ARGUMENT_NAMES, Draft, docs

CHECK = 'if x.ndim > 9:\n    raise ValueError(f"`x` has {x.ndim} axes: \\"too\\" many {{ }}")'


@dataclass
class Drawn:
    """A call that is being drawn: its table, and the statements before and after those of the fields."""

    draft: Draft
    x: str
    other: str
    table: dict[str, Any]
    begin: list[str]
    end: list[str]


def several(drawn: Drawn) -> None:
    other = drawn.other
    kind, use = drawn.draft.one(
        ("i32[]", f"y = y + {other}.astype(x.dtype)"),
        ("f[k]", f"y = y + jnp.sum({other})"),
        ("f32[2, 2] | None", f"if {other} is not None:\n    y = y + jnp.sum({other}).astype(x.dtype)"),
        ("list[f[]]", f"y = y + sum({other})"),
        ("dict[str, f[]]", f"y = y + sum({other}.values())"),
        ("int", f"y = y + {other}"),
        ("tree", f"y = y + sum(jnp.sum(leaf) for leaf in jax.tree.leaves({other}))"),
        ("tuple[f[], f[2]]", f"y = y + {other}[0] + jnp.sum({other}[1])"),
    )
    drawn.table["args"] += f", {other}: {kind}"
    drawn.begin.append(use)


def keyword(drawn: Drawn) -> None:
    defaults = ("int = 2", "float = 0.5", "bool = True", "Literal['a', 'b'] = 'a'", "str | None = None")
    drawn.table["args"] += f", *, {drawn.other}: {drawn.draft.one(*defaults)}"
    drawn.begin.append(f"if {drawn.other} in ('a', None, True):\n    y = y + 1")


def key(drawn: Drawn) -> None:
    drawn.table["args"] += ", *, key: key[]" + drawn.draft.one("", " | None = None")
    drawn.begin.append("if key is not None:\n    y = y + 64 * jax.random.uniform(key, x.shape, x.dtype)")


def unused_key(drawn: Drawn) -> None:
    drawn.table["args"] += drawn.draft.one(", *, key: key[] | None = None", ", key: key[] | None = None")
    drawn.draft.unused = ["key"]


def several_results(drawn: Drawn) -> None:
    drawn.table["returns"] = drawn.draft.one(f"{drawn.x}, f[]", f"({drawn.x}, f[])")
    drawn.end = ["return y, jnp.sum(y)"]


def carry(drawn: Drawn) -> None:
    drawn.table |= {"args": f"x: {drawn.x}, {drawn.other}: f[]", "carry": "x"}
    drawn.begin.append(f"y = y + {drawn.other}")


def carry_and_more(drawn: Drawn) -> None:
    args = f"{drawn.other}: f[], x: {drawn.x}"
    drawn.table |= {"args": args, "carry": drawn.other, "returns": f"f[], {drawn.x}"}
    drawn.end = [f"return {drawn.other} + jnp.sum(x), y"]


def no_arguments(drawn: Drawn) -> None:
    drawn.table = {"returns": "f[]"}
    drawn.begin = [f"x = jnp.sum(self.{drawn.draft.reals[0]})", "y = x"]


def any_result(drawn: Drawn) -> None:
    del drawn.table["returns"]


def plain(drawn: Drawn) -> None:
    """One argument, one result."""


FORMS: tuple[Callable[[Drawn], None], ...] = (
    *(plain, plain, several, keyword, key, unused_key, several_results),
    *(carry, carry_and_more, no_arguments, any_result),
)


def call(draft: Draft) -> dict[str, Any]:
    """The `[call]` table of a draft."""
    size = draft.dims[0]
    shapes = [(size,), (size, "3"), (), (f"2*{size}",), ("*batch",), ("4",)]
    x = f"f[{', '.join(draft.draw(st.sampled_from(shapes)))}]"
    form = draft.one(*FORMS)
    other = draft.draw(st.sampled_from([name for name in ARGUMENT_NAMES if name != "x"]))
    drawn = Drawn(draft, x, other, {"args": f"x: {x}", "returns": x}, ["y = x"], ["return y"])
    form(drawn)
    if draft.rarely():
        drawn.table["doc"] = draft.draw(docs())
    if draft.rarely() and form is not no_arguments:
        drawn.begin.insert(0, CHECK)
    if draft.rarely():
        drawn.begin.insert(0, '# {{ jinja }} and a "comment"')
    body = "\n".join([*drawn.begin, *draft.maps, *draft.lines, *drawn.end])
    return {**drawn.table, "body": body}
