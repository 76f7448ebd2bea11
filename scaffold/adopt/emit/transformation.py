"""Test file of an optax transformation: suites on its state, whose call is the update.

The first suite has the usual parameters, and each further suite has others, such as bfloat16.
"""

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
    """Return the part of the context that only a transformation needs."""
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
    """Return the arguments of the update that are passed by name."""
    return [f"{name}={text}" for name, text, _ in description["arguments"]]


def case_of(case: Found) -> list[Any]:
    """Return the suite for other parameters: suffix of its name, description, declarations, parameters."""
    of = case["of"]
    return [_SUFFIXES[of], _OF[of], declarations(case, whole=True), case["params"]]


def declarations(description: Found, *, whole: bool = False) -> list[str]:
    """Declare leaves, static values and outputs. With `whole`, declare empty leaves and outputs too."""
    static = [f'"{path}": {value}' for path, value in description["static"]]
    blocks = [
        block("leaves", description["leaves"], whole=whole),
        block("static: ClassVar", static, "{}"),
        block("returns", description["outputs"], whole=whole),
    ]
    return [declaration for declaration in blocks if declaration]


def block(name: str, entries: Sequence[str], brackets: str = "()", *, whole: bool = False) -> str:
    """Return a declaration with each entry on its own line."""
    if not entries:
        return f"    {name} = {brackets}" if whole else ""
    lines = [f"        {text}," for text in entries]
    return "\n".join([f"    {name} = {brackets[0]}", *lines, f"    {brackets[1]}"])


def in_capitals(name: str) -> str:
    """Turn a function's name into a class name, such as `clip_by_block_rms` into `ClipByBlockRms`."""
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"_+", name.rpartition(".")[2]))
