"""Draws for arguments: moved to a domain that a class allows, and all distinct."""

import re
from collections.abc import Mapping, Sequence

from . import names
from .sources import Source

DRAWN = re.compile(
    r"(?<!exp\()(?<!moid\()(?<!max\()(sample\(seed[^()=\"]*(?:\([^()]*\))?)(?:, positive=True)?\)"
)
"""Draw of a float array, unless a function such as `jnp.exp` has moved it to a domain already."""
DRAWS = re.compile(
    r"(?:sample|jax\.random\.\w+|nnx\.Rngs)\(seed[^()]*(?:\([^()]*\))?[^()]*\)|\bseed=seed[^,()]*"
)
"""Expression that draws values from the seed, such as `sample(seed, (3,))`."""
ONE_SIGN = ", positive=True"
"""Keyword of `sample` that keeps all numbers between 0 and 1."""
WHOLE = re.compile(r'"int", 0, (\d+)\)')
"""End of a draw of integers from 0 on."""
SHARES, SIGNED, COUNTS = "shares", "signed", "counts"
DOMAINS = (SHARES, "jnp.exp", "-jnp.exp", SIGNED, COUNTS)
"""Numbers between 0 and 1, positive, negative, of both signs, and integers from 1 on."""


def within(domain: str, arguments: Mapping[str, Source]) -> dict[str, Source]:
    """Return the arguments with their draws moved to a domain."""
    if domain == COUNTS:
        return {name: source.but(WHOLE.sub(from_one, source.text)) for name, source in arguments.items()}
    written = {SHARES: rf"\1{ONE_SIGN})", SIGNED: r"\1)"}.get(domain, rf"{domain}(\1))")
    return {name: source.but(DRAWN.sub(written, source.text)) for name, source in arguments.items()}


def from_one(drawn: re.Match[str]) -> str:
    """Shift the limits of an integer draw from `0, n` to `1, n + 1`."""
    return f'"int", 1, {int(drawn[1]) + 1})'


def drawn_in(text: str) -> list[str]:
    """Return the draws in an expression, regardless of `positive=True`."""
    return DRAWS.findall(text.replace(ONE_SIGN, ""))


def shapes_drawn(sources: Sequence[Source]) -> list[list[str]]:
    """Return the draws of each value, in any domain. Arguments with equal lists take equal shapes."""
    return [drawn_in(source.text) or [source.text] for source in sources]


def between(low: float, high: float, drawn: str) -> str:
    """Return a draw within the limits of a class, as near to 0 and 1 as the limits allow."""
    low = max(low, 0.0) if high > 0 else low
    width = min(high - low, 1.0)
    scaled = drawn if width == 1.0 else f"{width:g} * {drawn}"
    return f"{low:g} + {scaled}" if low else scaled


def apart(arguments: Mapping[str, Source]) -> dict[str, Source]:
    """Give each argument its own draws, function and word, so that a swap of two arguments shows.

    An expression with `self.`, such as `self.make(seed).init(...)`, keeps its draws.
    """
    seen: set[str] = set()
    sources: dict[str, Source] = {}
    for name, source in arguments.items():
        chosen = source
        for later in range(1, len(arguments) * 4 if "self." not in source.text else 1):
            if seen.isdisjoint(drawn_in(chosen.text)):
                break
            chosen = source.later(later)
        seen.update(drawn_in(chosen.text))
        sources[name] = chosen.but(unlike(chosen.text, [other.text for other in sources.values()]))
    return sources


def unlike(text: str, others: Sequence[str]) -> str:
    """Replace an interchangeable function or word if another argument has the same text."""
    if text not in others:
        return text
    pairs = ((kind, each) for kind in names.ANY for each in kind if each in text)
    changed = (text.replace(each, candidate) for kind, each in pairs for candidate in kind)
    return next((candidate for candidate in changed if candidate not in others), text)
