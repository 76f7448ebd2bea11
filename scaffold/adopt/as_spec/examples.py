"""How an instance was built and called, as what `@test(...)` says."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from scaffold.adopt.emit import told_of
from scaffold.import_lines import imported
from scaffold.spec.names import IMPORTS
from scaffold.spec.source.expressions import free_names

Found = Mapping[str, Any]


class Examples(Struct, frozen=True):
    """The keys of `@test(...)`, and the imports that they need."""

    keys: Mapping[str, Any]
    imports: tuple[str, ...] = ()


def examples_of(found: Found, own: str) -> Examples:
    """What was found; nothing where no instance was built, or where it needs functions beside the class `own`."""
    if not found.get("built") or told_of(found, "helpers") or found.get("has_state"):
        return Examples({})
    build = _build(found, own)
    values = [*(() if build else found["inputs"]), *_values_of_methods(found)]
    texts = [build, *(text for _, text in values)]
    sampled = any("sample" in free_names(text, expression=True) for text in texts if text)
    lines = dict.fromkeys(line for _, line in told_of(found, "imports") if own not in imported(line))
    keys: dict[str, Any] = {"build": build} if build else {}
    keys |= {"values": dict(values)} if values else {}
    return Examples(keys, (*lines, *([IMPORTS["sample"]] if sampled else [])))


def _build(found: Found, own: str) -> str:
    """The expression that builds the class, by its own name; empty where its constructor takes the arguments by name."""
    given = ", ".join(f"{name}={text}" for name, text in found["inputs"])
    text = str(found["build"]) or f"{found['maker']}({given})"
    whole = re.compile(rf"(?:\w+\.)*\b{re.escape(own)}\b(?=[.(])")
    # Without an argument to name, nothing but the expression says that the constructor takes none.
    is_usual = bool(found["inputs"]) and str(found["maker"]).rpartition(".")[2] == own
    return "" if is_usual else whole.sub(own, text)


def _values_of_methods(found: Found) -> Iterable[tuple[str, str]]:
    """The arguments of each method, behind its name."""
    called = [[found["method"] or "__call__", found["arguments"]]] if found["called"] else []
    for method, arguments in (*called, *found["extra"]):
        yield from ((f"{method}.{name}", text) for name, text, _ in arguments)
