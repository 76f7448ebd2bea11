"""Removal of an item from a list, table or call, such that adding it again restores the same bytes."""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence

from scaffold.errors import ScaffoldError
from scaffold.files.pysource import Source

Item = tuple[ast.expr | ast.keyword, ast.expr]
"""First and last node of an item: a key and its value, or an element twice."""


def spliced(body: bytes, splices: Iterable[tuple[int, int, bytes]]) -> bytes:
    """Replace the text between each pair of offsets."""
    for start, end, new in sorted(splices, reverse=True):
        body = body[:start] + new + body[end:]
    return body


def without_item(text: Source, items: Sequence[Item], index: int) -> Iterator[bytes]:
    """Yield bodies without an item and its comma, in each possible form. Some may not parse."""
    spans = [(_start(text, first), text.span(last)[1]) for first, last in items]
    (first, last), (start, end) = items[index], spans[index]
    below = last.end_lineno or last.lineno
    lines = (text.offset(first.lineno, 0), text.offset(below, 0) + len(text.lines[below - 1]))
    before = spans[index - 1][1] if index else None
    cuts = [[lines]] if not text.body[lines[0] : start].strip() else []
    if index + 1 < len(spans):
        cuts.append([(start, spans[index + 1][0])])
    if before is not None:
        cuts += [[(before, end)], [(before, before + 1), lines]]
    cuts += [[(start, end)], [(start, end + 1)]]
    for cut in cuts:
        if all(_is_ours(text.body, bounds, (start, end)) for bounds in cut):
            yield spliced(text.body, [(*bounds, b"") for bounds in cut])


def _is_ours(body: bytes, cut: tuple[int, int], item: tuple[int, int]) -> bool:
    """Whether a cut removes only the item, commas, and a comment on the item's line."""
    before = body[cut[0] : max(cut[0], min(cut[1], item[0]))]
    _, *below = body[max(cut[0], item[1]) : cut[1]].splitlines() or [b""]
    return not (before + b"".join(below)).strip(b", \t\r\n\f")


def _start(text: Source, node: ast.expr | ast.keyword) -> int:
    return text.offset(node.lineno, node.col_offset)


def inverse(text: Source, bodies: Iterable[bytes], forward: Callable[[Source], Source]) -> Source:
    """Return the body that `forward` turns into `text`, or else the first valid body."""
    sound: list[Source] = []
    for body in bodies:
        try:
            before = text.with_body(body)
            after = forward(before)
        except ScaffoldError:
            continue
        if after.source == text.source:
            return before
        sound.append(before)
    return sound[0] if sound else text
