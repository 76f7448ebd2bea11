"""Classes of a file that hold settings, as a dataclass with a default for each field: they are their own example."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from scaffold.spec.skeletons.words.annotations import without_none
from scaffold.spec.source.definitions import annotated_names, arguments_with_defaults, owner_of
from scaffold.spec.source.expressions import nodes_of
from scaffold.spec.source.instance import last_name

_ENUMS = ("Enum", "IntEnum", "StrEnum")
_MAKERS = ("__init__", "create", "__call__")
"""Whose arguments the tests name without the function."""


class Settings(Struct, frozen=True):
    """An example of a class, and its numbers, which are sizes where a dim has the name of one."""

    source: str
    counts: tuple[tuple[str, int], ...] = ()


def settings_of(body: Iterable[ast.stmt]) -> dict[str, Settings]:
    """By name, the enumerations of a file, and its dataclasses that need no argument."""
    found = ((node.name, _settings(node)) for node in body if isinstance(node, ast.ClassDef))
    return {name: settings for name, settings in found if settings is not None}


def _settings(node: ast.ClassDef) -> Settings | None:
    fields = [*annotated_names(node.body)]
    if any(last_name(base) in _ENUMS for base in node.bases):
        members = [part.targets[0] for part in node.body if isinstance(part, ast.Assign)]
        first = next((member.id for member in members if isinstance(member, ast.Name)), "")
        return Settings(f"{node.name}.{first}") if first else None
    heads = [
        decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list
    ]
    is_plain = not node.bases and any(last_name(head) == "dataclass" for head in heads)
    if not (is_plain and fields and all(field.value is not None for _, field in fields)):
        return None
    counts = tuple((name, _count(field.value)) for name, field in fields)
    return Settings(f"{node.name}()", tuple((name, count) for name, count in counts if count > 0))


def _count(value: ast.expr | None) -> int:
    """A whole number; 0 for anything else."""
    match value:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case _:
            return 0


def tests_with_settings(
    raw: Mapping[str, Any], node: ast.ClassDef, known: Mapping[str, Settings]
) -> dict[str, Any]:
    """The table of the tests of a class, which gives the settings that the class takes, and their sizes to dims."""
    taken = [*_taken(node, known)]
    test: dict[str, Any] = {**raw.get("test", {})}
    values = {key: f"={settings.source}" for key, settings, is_needed in taken if is_needed}
    counts = {name: count for key, settings, _ in taken if "." not in key for name, count in settings.counts}
    sizes = {name: counts[name] for name in _dims(node) if name in counts}
    said = {"values": values | test.get("values", {}), "sizes": sizes | test.get("sizes", {})}
    test |= {key: entries for key, entries in said.items() if entries}
    return {"test": test} if test else {}


def _taken(node: ast.ClassDef, known: Mapping[str, Settings]) -> Iterator[tuple[str, Settings, bool]]:
    """What a class takes that is of such a class: its name in the tests, the settings, and whether it has no default."""
    functions = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    is_made = any(function.name in ("__init__", "create") for function in functions)
    fields = () if is_made else annotated_names(node.body)
    places = [(name, field.annotation, not _has_default(field.value)) for name, field in fields]
    for function in functions:
        prefix = "" if function.name in _MAKERS else f"{function.name}."
        for argument, default in arguments_with_defaults(function) if owner_of(function) else ():
            if argument.annotation is not None:
                places.append((f"{prefix}{argument.arg}", argument.annotation, default is None))
    for key, annotation, is_needed in places:
        name = ast.unparse(without_none(annotation)).strip("'\"")
        if name in known:
            yield key, known[name], is_needed


def _has_default(value: ast.expr | None) -> bool:
    """Whether a field has one: as it stands, or as a word has it, `static(Link.EXP)`."""
    match value:
        case ast.Call(args=arguments, keywords=keywords):
            return bool(arguments) or any(word.arg in ("default", "default_factory") for word in keywords)
        case _:
            return value is not None


def _dims(node: ast.ClassDef) -> list[str]:
    """The names of the dims in the annotations of a class."""
    shapes = (
        part.slice.elts[-1] for part in nodes_of(ast.Subscript, node) if isinstance(part.slice, ast.Tuple)
    )
    texts = (shape.value for shape in shapes if isinstance(shape, ast.Constant))
    return [
        *dict.fromkeys(
            word for text in texts if isinstance(text, str) for word in re.findall(r"[A-Za-z_]\w*", text)
        )
    ]
