"""Sizes that errors ask to be multiples of others: each is made one, and what the next error asks for after it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...classes.class_sources import source_text
from ...values.context import Context
from ...values.sources import Source
from ..built import Failure

MULTIPLE = re.compile(r"\b(?:divisible by|multiples? of)\b|%")
"""What stands in an error between a number and what it has to be a multiple of."""
DIVIDES = re.compile(r"\b(?:must|should|has to|needs to) (?:evenly )?divide\b")
"""What stands between a number and what it has to divide."""
PARTS = re.compile(r"\w *(?://|%) *(\d+)\b")
"""How code says of how many a size is made up: `heads = size // 64`."""
MOST = 4
"""How many errors are followed, each about another size."""


def with_multiples(chosen: Mapping[str, Source], text: str, failure: Failure) -> Iterator[dict[str, Source]]:
    """The values with the size that an error names as a multiple of the other that it names, and so on with what that raises."""
    for _ in range(MOST):
        pair = sizes_asked(text, chosen)
        if pair is None:
            return
        size, part = pair
        product = int(chosen[size].text) * int(chosen[part].text)
        chosen, count = {**chosen, size: Source(str(product))}, len(failure.messages)
        yield dict(chosen)
        if len(failure.messages) == count:  # it is built
            return
        text = failure.messages[-1]


def with_divisors(context: Context, failure: Failure, cls: type) -> Context:
    """The context with numbers of which there are two of the parts that the constructor divides sizes into, where an error says that there is none."""
    if not any("by zero" in text for text in failure.messages):
        return context
    parts = (int(found[1]) for found in PARTS.finditer(source_text(getattr(cls, "__init__", None))))
    numbers = (2 * part for part in parts if part > 1)
    return replace(context, numbers=tuple(dict.fromkeys((*context.numbers, *numbers))))


def sizes_asked(text: str, chosen: Mapping[str, Source]) -> tuple[str, str] | None:
    """The size that an error asks to be a multiple, and that of which, by their names or by the numbers that were given."""
    sizes = {name: source.text for name, source in chosen.items() if source.text.isdigit()}
    words = {number: name for name, number in sizes.items()} | {name: name for name in sizes}
    for sign, is_multiple in ((MULTIPLE, True), (DIVIDES, False)):
        before, between, after = part_at(sign, text)
        left = [words[word] for word in re.findall(r"\w+", before) if word in words]
        right = [words[word] for word in re.findall(r"\w+", after) if word in words]
        if between and left and right and left[-1] != right[0]:
            return (left[-1], right[0]) if is_multiple else (right[0], left[-1])
    return None


def part_at(sign: re.Pattern[str], text: str) -> tuple[str, str, str]:
    """A text before a sign, the sign, and the text after it."""
    found = sign.search(text)
    return (text[: found.start()], found[0], text[found.end() :]) if found else (text, "", "")
