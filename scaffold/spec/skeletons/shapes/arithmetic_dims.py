"""Dims that are arithmetic over others, as `3*channels`."""

import re
from collections.abc import Mapping

from scaffold.spec.grammar.types import dim_names


def substituted(dim: str, sizes: Mapping[str, str]) -> str:
    """A dim with sizes for its names; empty where one of these is not known, itself where it reads none of them."""
    if dim in sizes:
        return sizes[dim]
    given = [sizes[name] for name in dim_names(dim) if name in sizes]
    if not all(given) or not given:
        return "" if given else dim
    return re.sub(r"[A-Za-z_]\w*", lambda name: _in_brackets(sizes.get(name[0], name[0])), dim)


def _in_brackets(size: str) -> str:
    return size if re.fullmatch(r"\w+", size) else f"({size})"
