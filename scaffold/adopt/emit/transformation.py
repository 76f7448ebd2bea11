"""The test file of a transformation of optax: a suite on its state, whose call is the update, and one for other parameters."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

Found = Mapping[str, Any]
_SUFFIXES = {"one array": "OfOneArray", "no arrays": "OfNoArrays", "bfloat16": "InBfloat16"}
_OF = {
    "one array": "parameters that are one array",
    "no arrays": "parameters without arrays, as a mask may leave them",
    "bfloat16": "parameters in bfloat16",
}


def transformation_context(description: Found, name: str) -> dict[str, Any]:
    """What the template lays out besides what it shares with that of a class."""
    return {
        "name": in_capitals(name),
        "function": name,
        "construct": description["build"],
        "parameters": description["params"],
        "given": ", ".join(["updates", "state", "params", *further(description)]),
        "declarations": declarations(description),
        "is_stepped": description["is_stepped"],
        "cases": [case_of(case) for case in description["cases"]],
    }


def further(description: Found) -> list[str]:
    """What the update is given by name."""
    return [f"{name}={text}" for name, text, _ in description["arguments"]]


def case_of(case: Found) -> list[Any]:
    """A suite for other parameters: how its name ends, what they are, its declarations, and the expression that makes them."""
    of = case["of"]
    return [_SUFFIXES[of], _OF[of], declarations(case, whole=True), case["params"]]


def declarations(description: Found, *, whole: bool = False) -> list[str]:
    """Leaves, static values and outputs as a suite declares them; of a case those without entries too."""
    static = [f'"{path}": {value}' for path, value in description["static"]]
    blocks = [
        block("leaves", description["leaves"], whole=whole),
        block("static: ClassVar", static, "{}"),
        block("returns", description["outputs"], whole=whole),
    ]
    return [declaration for declaration in blocks if declaration]


def block(name: str, entries: Sequence[str], brackets: str = "()", *, whole: bool = False) -> str:
    """A declaration with each entry on a line."""
    if not entries:
        return f"    {name} = {brackets}" if whole else ""
    lines = [f"        {text}," for text in entries]
    return "\n".join([f"    {name} = {brackets[0]}", *lines, f"    {brackets[1]}"])


def in_capitals(name: str) -> str:
    """The name of a function as that of a class: `clip_by_block_rms` has `ClipByBlockRms`."""
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"_+", name.rpartition(".")[2]))
