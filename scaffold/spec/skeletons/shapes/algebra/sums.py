"""Sums of dims, such as the length of a concatenation, and the share of each term in a size."""

import re
from collections import Counter
from collections.abc import Callable


def shares(total: str, size: str, is_free: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Return the free terms of the sum `total`, each with its share of `size`.

    The share is a term of another sum, the rest of `size` without the other terms, or a half.
    """
    terms, parts = total.split("+"), [*_terms(size).elements()]
    free = [term for term in terms if is_free(term)]
    if not re.fullmatch(r"\w+(\+\w+)+", total) or not free:
        return []
    if len(parts) == len(terms):
        terms, parts = _without(terms, parts), _without(parts, terms)  # what both have, in any order
        return [(term, part) for term, part in zip(terms, parts, strict=True) if term in free]
    if len(free) == 1 and size.isidentifier():
        return [(free[0], "-".join((size, *(term for term in terms if term != free[0]))))]
    is_halved = len({*free}) == len(terms) == 2 and size.isidentifier()
    return [*zip(free, (f"{size}//2", f"{size}-{size}//2"), strict=True)] if is_halved else []


def _without(terms: list[str], others: list[str]) -> list[str]:
    """Return the terms without the others, each as often as there."""
    left = list(terms)
    for other in others:
        left.remove(other) if other in left else None
    return left


def are_equal(left: str, right: str) -> bool:
    """Whether two sizes are the same sum: `size+size+width` and `2*size+width`."""
    return left == right or _terms(left) == _terms(right)


def _terms(size: str) -> Counter[str]:
    """Count the terms of a sum: `2*size+width` has `size` twice."""
    counts = Counter[str]()
    for term in size.split("+"):
        times = re.fullmatch(r"(\d+)\*(\w+)", term)
        counts[times[2] if times else term] += int(times[1]) if times else 1
    return counts
