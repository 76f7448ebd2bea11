"""Moves to fields that named initialisers draw, and that flags leave out."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.adopt.as_spec.tables import Change, Raw, There, updated
from scaffold.spec.initialisers import INITIALISERS

_SPLITS = tuple(f"jax.random.split(key{by})" for by in ("", *(f", {count}" for count in range(2, 10))))


def named(raw: Raw, there: There) -> Iterator[Change]:
    """Fields that named initialisers draw: all at once without what is set up for them, and each by itself."""
    found = {name: [*_initialisers(table)] for name, table in raw["fields"].items()}

    def all_of(depth: int, setup: str) -> Change:
        def change(raw: Raw) -> None:
            for name, ways in found.items():
                raw["fields"][name] |= ways[min(depth, len(ways) - 1)] if ways else {}
            raw["setup"] = setup

        return change

    setups = dict.fromkeys(("", _without_draws(str(raw.get("setup", "")))))
    depths = range(max(map(len, found.values()), default=0))
    yield from (all_of(depth, setup) for depth in depths for setup in setups)
    for name, ways in found.items():
        yield from (updated(name, way) for way in ways)


def _without_draws(setup: str) -> str:
    """What is set up without what the tool writes to draw: the splits of the key, and functions."""
    kept = [
        one
        for one in ast.parse(setup).body
        if not isinstance(one, ast.FunctionDef) and not ast.unparse(one).endswith(_SPLITS)
    ]
    lines = setup.split("\n")
    return "\n".join("\n".join(lines[one.lineno - 1 : one.end_lineno]) for one in kept)


def _initialisers(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The named initialisers whose name stands in what makes a field, with the measure that it is given."""
    text = str(table.get("init", ""))
    if not text.startswith("="):
        return
    node = ast.parse(text[1:].strip(), mode="eval").body
    optional: dict[str, Any] = {}
    if isinstance(node, ast.IfExp) and isinstance(node.test, ast.Name) and ast.unparse(node.orelse) == "None":
        optional, node = {"optional": node.test.id, "type": _without_none(str(table["type"]))}, node.body
    node = node.body if isinstance(node, ast.IfExp) else node
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    words = [ast.unparse(one.func) for one in calls]
    for name in INITIALISERS:
        if any(name == word.rpartition(".")[2] or f".{name}(" in word for word in words):
            yield {"init": name, **optional}
            measured = _measures(node, calls) if INITIALISERS[name].measured else ()
            yield from ({"init": f"{name}({one})", **optional} for one in measured)


def _measures(node: ast.expr, calls: list[ast.Call]) -> list[str]:
    """What a named initialiser may be given: what multiplies the draw, and the last arguments of the calls."""
    factors = [node.left] if isinstance(node, ast.BinOp) else []
    given = [one for call in calls for one in (*call.args, *(each.value for each in call.keywords))]
    return list(dict.fromkeys(ast.unparse(one) for one in (*factors, *given[::-1][:4])))


def _without_none(text: str) -> str:
    return text.removesuffix("| None").strip()


def optional(raw: Raw, there: There) -> Iterator[Change]:
    """A field that a flag leaves out."""
    for name, table in raw["fields"].items():
        text = str(table.get("init", ""))
        node = ast.parse(text[1:].strip(), mode="eval").body if text.startswith("=") else None
        if (
            isinstance(node, ast.IfExp)
            and isinstance(node.test, ast.Name)
            and ast.unparse(node.orelse) == "None"
        ):
            way = {"init": f"={ast.unparse(node.body)}", "optional": node.test.id}
            yield updated(name, {**way, "type": _without_none(str(table["type"]))})
