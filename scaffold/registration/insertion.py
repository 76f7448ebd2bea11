"""Sorted position of a new import or name in an `__init__.py`."""

import ast
from bisect import bisect
from collections.abc import Sequence

from scaffold.files.pysource import Chunk
from scaffold.import_lines import member_key, natural


def sort_key(chunk: Chunk) -> tuple[object, ...]:
    node = next(node for node in chunk.nodes if isinstance(node, ast.ImportFrom) and node.level)
    return import_key(node.level, node.module or "", node.names[0].name)


def import_key(level: int, module: str, name: str) -> tuple[object, ...]:
    return -level, natural(module).casefold(), natural(module), member_key(name)


def index_for(names: Sequence[str], new: str) -> int:
    """Return the sorted index of `new` among `names`, or the end if they are unsorted."""
    for key in (member_key, str.casefold, str):
        keys = [key(name) for name in names]
        if keys == sorted(keys):
            return bisect(keys, key(new))
    return len(names)
