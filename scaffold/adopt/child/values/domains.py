"""The values that are drawn for arguments: of a domain that a class allows, and none twice."""

import re
from collections.abc import Mapping, Sequence

from . import names
from .sources import Source

DRAWN = re.compile(r"(?<!exp\()(?<!moid\()(?<!max\()sample\(seed[^()\"]*(?:\([^()]*\))?\)")
"""An array of floats as it is written, of any sign: what is of a domain already stays."""
DRAWS = re.compile(
    r"(?:sample|jax\.random\.\w+|nnx\.Rngs)\(seed[^()]*(?:\([^()]*\))?[^()]*\)|\bseed=seed[^,()]*"
)
"""What is drawn, as it is written."""
DOMAINS = ("jnp.exp", "jax.nn.sigmoid", "-jnp.exp")
"""What makes numbers of any sign positive, puts them between 0 and 1, or makes them negative."""


def within(domain: str, arguments: Mapping[str, Source]) -> dict[str, Source]:
    """The arguments with numbers of a domain in place of those of any sign."""
    return {
        name: source.but(DRAWN.sub(rf"{domain}(\g<0>)", source.text)) for name, source in arguments.items()
    }


def apart(arguments: Mapping[str, Source]) -> dict[str, Source]:
    """The arguments, each with draws, a function and a word of its own: an exchange of two would not be seen.

    What an instance of the suite gives, `self.make(seed).init(...)`, is made of the same draws as the others.
    """
    seen: set[str] = set()
    sources: dict[str, Source] = {}
    for name, source in arguments.items():
        chosen = source
        for later in range(1, len(arguments) * 4 if "self." not in source.text else 1):
            if seen.isdisjoint(DRAWS.findall(chosen.text)):
                break
            chosen = source.later(later)
        seen.update(DRAWS.findall(chosen.text))
        sources[name] = chosen.but(unlike(chosen.text, [other.text for other in sources.values()]))
    return sources


def unlike(text: str, others: Sequence[str]) -> str:
    """The text of a value with another function or word for one that stands for any, where an argument has that value already."""
    if text not in others:
        return text
    pairs = ((kind, each) for kind in names.ANY for each in kind if each in text)
    changed = (text.replace(each, candidate) for kind, each in pairs for candidate in kind)
    return next((candidate for candidate in changed if candidate not in others), text)
