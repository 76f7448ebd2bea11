"""Dims that are arithmetic over others, as `3*channels`."""

import re
from collections.abc import Mapping

_NAME = r"[A-Za-z_]\w*"


def names_in(dim: str) -> set[str]:
    """The names that a dim reads."""
    return {*re.findall(_NAME, dim)}


def substituted(dim: str, sizes: Mapping[str, str]) -> str:
    """A dim with sizes for its names; empty where one of these is not known, itself where it reads none of them."""
    if dim in sizes:
        return sizes[dim]
    names = names_in(dim) & sizes.keys()
    if not names or not all(sizes[name] for name in names):
        return "" if names else dim
    return re.sub(_NAME, lambda name: _in_brackets(sizes.get(name[0], name[0])), dim)


def _in_brackets(size: str) -> str:
    return size if re.fullmatch(r"\w+", size) else f"({size})"
