"""Classes of a file that hold settings, as a dataclass whose fields have defaults or are plain values: they are their own example."""

import ast
from collections.abc import Iterable

from msgspec import Struct

from scaffold.spec.source.definitions import annotated_names
from scaffold.spec.source.expressions import whole_number
from scaffold.spec.source.instance import last_name

_ENUMS = ("Enum", "IntEnum", "StrEnum")
_PLAIN = {"int": "3", "float": "0.5", "bool": "True", "str": '"name"', "tuple[int, ...]": "(3, 2)"}
"""Types of fields, and values for those without a default."""


class Settings(Struct, frozen=True):
    """An example of a class, and its numbers, which are sizes where a dim has the name of one."""

    source: str
    counts: tuple[tuple[str, int], ...] = ()


def settings_of(body: Iterable[ast.stmt]) -> dict[str, Settings]:
    """By name, the enumerations of a file, and its dataclasses that need no argument but plain values."""
    found = ((node.name, _settings(node)) for node in body if isinstance(node, ast.ClassDef))
    return {name: settings for name, settings in found if settings is not None}


def _settings(node: ast.ClassDef) -> Settings | None:
    fields = [*annotated_names(node.body)]
    if any(last_name(base) in _ENUMS for base in node.bases):
        members = [part.targets[0] for part in node.body if isinstance(part, ast.Assign)]
        first = next((member.id for member in members if isinstance(member, ast.Name)), "")
        return Settings(f"{node.name}.{first}") if first else None
    is_plain = not node.bases and any(last_name(each) == "dataclass" for each in node.decorator_list)
    given = {
        name: _PLAIN.get(ast.unparse(field.annotation), "") for name, field in fields if field.value is None
    }
    if not (is_plain and fields and all(given.values())):
        return None
    counts = (
        (name, whole_number(field.value or ast.parse(given[name], mode="eval").body))
        for name, field in fields
    )
    arguments = ", ".join(f"{name}={source}" for name, source in given.items())
    return Settings(
        f"{node.name}({arguments})", tuple((name, count) for name, count in counts if count and count > 0)
    )
