"""The values that are drawn for arguments: of a domain that a class allows, and none twice."""

import re
from collections.abc import Mapping, Sequence

from . import names
from .sources import Source

DRAWN = re.compile(r"sample\(seed[^()\"]*(?:\([^()]*\))?\)")
"""An array of floats as it is written, of any sign."""
DRAWS = re.compile(r"(?:sample|jax\.random\.\w+)\(seed[^()]*(?:\([^()]*\))?[^()]*\)|\bseed=seed[^,()]*")
"""What is drawn, as it is written."""
DOMAINS = ("jnp.exp", "jax.nn.sigmoid", "-jnp.exp")
"""What makes numbers of any sign positive, puts them between 0 and 1, or makes them negative."""


def within(domain: str, arguments: Mapping[str, Source]) -> dict[str, Source]:
    """The arguments with numbers of a domain in place of those of any sign."""
    return {name: one.but(DRAWN.sub(rf"{domain}(\g<0>)", one.text)) for name, one in arguments.items()}


def apart(arguments: Mapping[str, Source]) -> dict[str, Source]:
    """The arguments, each with draws, a function and a word of its own: an exchange of two would not be seen.

    What an instance of the suite gives, `self.make(seed).init(...)`, is made of the same draws as the others.
    """
    seen: set[str] = set()
    found: dict[str, Source] = {}
    for name, one in arguments.items():
        chosen = one
        for later in range(1, len(arguments) * 4 if "self." not in one.text else 1):
            if seen.isdisjoint(DRAWS.findall(chosen.text)):
                break
            chosen = one.later(later)
        seen.update(DRAWS.findall(chosen.text))
        found[name] = chosen.but(unlike(chosen.text, [one.text for one in found.values()]))
    return found


def unlike(text: str, others: Sequence[str]) -> str:
    """The text of a value that stands for any of its kind, or another such, where an argument has it already."""
    if text not in others:
        return text
    kind = next((one for one in names.ANY if text in one), ())
    return next((one for one in kind if one not in others), text)
