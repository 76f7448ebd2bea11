"""The values that are drawn for arguments: of a domain that a class allows, and none twice."""

import re
from collections.abc import Mapping, Sequence

from . import names
from .sources import Source

DRAWN = re.compile(
    r"(?<!exp\()(?<!moid\()(?<!max\()(sample\(seed[^()=\"]*(?:\([^()]*\))?)(?:, positive=True)?\)"
)
"""An array of floats as it is written: what a function has put into a domain stays there."""
DRAWS = re.compile(
    r"(?:sample|jax\.random\.\w+|nnx\.Rngs)\(seed[^()]*(?:\([^()]*\))?[^()]*\)|\bseed=seed[^,()]*"
)
"""What is drawn, as it is written."""
ONE_SIGN = ", positive=True"
"""How a draw is written whose numbers are between 0 and 1."""
WHOLE = re.compile(r'"int", 0, (\d+)\)')
"""How whole numbers from 0 on are drawn."""
SHARES, SIGNED, COUNTS = "shares", "signed", "counts"
DOMAINS = (SHARES, "jnp.exp", "-jnp.exp", SIGNED, COUNTS)
"""Numbers between 0 and 1, positive ones, negative ones, such of both signs, and whole ones from 1 on."""


def within(domain: str, arguments: Mapping[str, Source]) -> dict[str, Source]:
    """The arguments with numbers of a domain in place of those that are drawn."""
    if domain == COUNTS:
        return {name: source.but(WHOLE.sub(from_one, source.text)) for name, source in arguments.items()}
    written = {SHARES: rf"\1{ONE_SIGN})", SIGNED: r"\1)"}.get(domain, rf"{domain}(\1))")
    return {name: source.but(DRAWN.sub(written, source.text)) for name, source in arguments.items()}


def from_one(drawn: re.Match[str]) -> str:
    """As many whole numbers, from 1 on."""
    return f'"int", 1, {int(drawn[1]) + 1})'


def drawn_in(text: str) -> list[str]:
    """What is drawn in an expression: numbers of one sign are the same draws as those of both."""
    return DRAWS.findall(text.replace(ONE_SIGN, ""))


def shapes_drawn(sources: Sequence[Source]) -> list[list[str]]:
    """What is drawn in each value: arguments with these alike take the same shapes, of whichever domain they are."""
    return [drawn_in(source.text) or [source.text] for source in sources]


def between(low: float, high: float, drawn: str) -> str:
    """Numbers within the limits of a class: as they are drawn where these leave room, or else as near to 0 and 1 as they let them be."""
    low = max(low, 0.0) if high > 0 else low
    width = min(high - low, 1.0)
    scaled = drawn if width == 1.0 else f"{width:g} * {drawn}"
    return f"{low:g} + {scaled}" if low else scaled


def apart(arguments: Mapping[str, Source]) -> dict[str, Source]:
    """The arguments, each with draws, a function and a word of its own: an exchange of two would not be seen.

    What an instance of the suite gives, `self.make(seed).init(...)`, is made of the same draws as the others.
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
    """The text of a value with another function or word for one that stands for any, where an argument has that value already."""
    if text not in others:
        return text
    pairs = ((kind, each) for kind in names.ANY for each in kind if each in text)
    changed = (text.replace(each, candidate) for kind, each in pairs for candidate in kind)
    return next((candidate for candidate in changed if candidate not in others), text)
