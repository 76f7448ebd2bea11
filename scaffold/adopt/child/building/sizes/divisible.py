"""Sizes that errors require to be multiples of other sizes, followed from error to error."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...classes.class_sources import source_text
from ...values.context import Context
from ...values.sources import Source
from ..built import Failure

MULTIPLE = re.compile(r"\b(?:divisible by|multiples? of)\b|%")
"""Words in an error between a number and its divisor, such as `divisible by`."""
DIVIDES = re.compile(r"\b(?:must|should|has to|needs to) (?:evenly )?divide\b")
"""Words in an error between a divisor and its multiple, such as `must divide`."""
PARTS = re.compile(r"\w *(?://|%) *(\d+)\b")
"""Number by which code divides a size, such as 64 in `heads = size // 64`."""
MOST = 4
"""Largest number of errors that are followed, each about another size."""


def with_multiples(chosen: Mapping[str, Source], text: str, failure: Failure) -> Iterator[dict[str, Source]]:
    """Yield the values with one size multiplied by another, as an error requires.

    If the new values raise another error of this form, the next size is multiplied too.
    """
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
    """Return a context with sizes for two parts each, such as 128 for `size // 64`.

    This applies only after a division by zero, which a count of 0 parts causes.
    """
    if not any("by zero" in text for text in failure.messages):
        return context
    parts = (int(found[1]) for found in PARTS.finditer(source_text(getattr(cls, "__init__", None))))
    numbers = (2 * part for part in parts if part > 1)
    return replace(context, numbers=tuple(dict.fromkeys((*context.numbers, *numbers))))


def sizes_asked(text: str, chosen: Mapping[str, Source]) -> tuple[str, str] | None:
    """Return the arguments that an error names as multiple and divisor, by name or by value."""
    sizes = {name: source.text for name, source in chosen.items() if source.text.isdigit()}
    words = {number: name for name, number in sizes.items()} | {name: name for name in sizes}
    for sign, is_multiple in ((MULTIPLE, True), (DIVIDES, False)):
        before, *after = sign.split(text, maxsplit=1)
        left = [words[word] for word in re.findall(r"\w+", before) if word in words]
        right = [words[word] for word in re.findall(r"\w+", " ".join(after)) if word in words]
        if left and right and left[-1] != right[0]:
            return (left[-1], right[0]) if is_multiple else (right[0], left[-1])
    return None
