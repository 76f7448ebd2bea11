"""The roles of the arrays that an instance holds, as words at the fields of its class."""

import ast
import re
from collections.abc import Mapping
from typing import Any

from scaffold.spec.source.definitions import annotated_names
from scaffold.spec.source.rewriting import end_of, spliced

_LEAF = r"""Leaf\(["']([^"']+)["'], ["'](\w+)["']"""
_OF_ARRAYS = ("param", "data", "buffer")


def roles_of(description: Mapping[str, Any]) -> dict[str, str]:
    """The role of each field that holds arrays: that of its one array, or that of a sub-tree."""
    roles: dict[str, str] = {}
    for text in description.get("leaves", ()):
        if match := re.match(_LEAF, str(text)):
            path, role = match.groups()
            is_array = path.isidentifier() and role in _OF_ARRAYS
            roles[re.split(r"[.\[]", path)[0]] = role if is_array else "module"
    return roles


def with_words(text: str, roles: Mapping[str, str], prefix: str) -> str:
    """The class statement with a word at each field that holds arrays; as it is where one of them has a value already."""
    [node] = (statement for statement in ast.parse(text).body if isinstance(statement, ast.ClassDef))
    fields = dict(annotated_names(node.body))
    if not roles or any(name not in fields or fields[name].value is not None for name in roles):
        return text
    ends = ((end_of(fields[name]), role) for name, role in roles.items())
    return spliced(text, ((end, end, f" = {prefix}{role}()") for end, role in ends))
