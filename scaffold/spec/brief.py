"""Faults as they are told: short, and without letters that a terminal acts on, whatever the author wrote."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from scaffold.errors import Fault

MOST = 50
"""How many faults are told at once."""
_LONGEST = 500
_QUOTED = re.compile(r"`([^`]{61})[^`]{40,}`")
_ODD = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def brief(faults: Iterable[Fault]) -> list[Fault]:
    """The faults, each once and short; a last one counts those that are too many to tell."""
    every = sorted(set(map(_brief, faults)))
    if len(every) <= MOST:
        return every
    file = every[0].where.partition(": ")[0]
    return [*every[:MOST], Fault(file, f"there are {len(every) - MOST} faults more", "mend these first")]


def _brief(fault: Fault) -> Fault:
    return replace(
        fault,
        where=_shortened(fault.where, 160),
        what=_shortened(fault.what),
        fix=_shortened(fault.fix),
        legal=tuple(_listed(fault.legal)),
    )


def _shortened(text: str, longest: int = _LONGEST) -> str:
    """The text with long quotations cut, and escapes for what is no letter."""
    text = _QUOTED.sub(r"`\1...`", text) if len(text) > 100 else text
    text = text if len(text) <= longest else f"{text[: longest - 3]}..."
    return _ODD.sub(lambda odd: ascii(odd[0])[1:-1], text)


def _listed(legal: tuple[str, ...]) -> Iterator[str]:
    yield from (_shortened(one, 200) for one in legal[:MOST])
    if len(legal) > MOST:
        yield f"and {len(legal) - MOST} more"
