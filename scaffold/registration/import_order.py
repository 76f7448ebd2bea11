"""The order of imports, as ruff and isort have it."""

import ast
import re
from bisect import bisect
from collections.abc import Sequence

from scaffold.files.pysource import Chunk


def sort_key(chunk: Chunk) -> tuple[object, ...]:
    node = next(node for node in chunk.nodes if isinstance(node, ast.ImportFrom) and node.level)
    return import_key(node.level, node.module or "", node.names[0].name)


def import_key(level: int, module: str, name: str) -> tuple[object, ...]:
    return -level, _natural(module).casefold(), _natural(module), _member_key(name)


def _member_key(name: str) -> tuple[int, str, str]:
    """CONSTANTS, then Classes, then the rest."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, _natural(name).casefold(), _natural(name)


def _natural(name: str) -> str:
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), name)


def index_for(names: Sequence[str], new: str) -> int:
    """Where `new` goes among `names`: in order where they are in one, else at the end."""
    for key in (_member_key, str.casefold, str):
        keys = [key(name) for name in names]
        if keys == sorted(keys):
            return bisect(keys, key(new))
    return len(names)
