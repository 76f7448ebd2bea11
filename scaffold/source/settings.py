"""Classes of settings in a file, such as dataclasses of plain values, with an example of each."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from scaffold.source.definitions import annotated_names
from scaffold.source.expressions import nodes_of, whole_number
from scaffold.source.instance import attribute_of_self, last_name, made_attributes

_ENUMS = ("Enum", "IntEnum", "StrEnum")
_PLAIN = {"int": "3", "float": "0.5", "bool": "True", "str": '"name"', "tuple[int, ...]": "(3, 2)"}
"""Example values for fields without a default, by type."""


_LARGE = 16
"""Number above which a size needs no multiple to be distinct."""


class Settings(Struct, frozen=True):
    """Example of a class, and its numbers, which serve as sizes of dims of the same name."""

    source: str
    counts: tuple[tuple[str, int], ...] = ()


def settings_of(body: Iterable[ast.stmt]) -> dict[str, Settings]:
    """Return examples for enumerations, and for dataclasses of plain values, by class name."""
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
    sources = {
        name: given.get(name) or ast.unparse(field.value or ast.Constant(None)) for name, field in fields
    }
    counts = {name: whole_number(ast.parse(source, mode="eval").body) for name, source in sources.items()}
    known = {name: count for name, count in counts.items() if count is not None and count > 0}
    multiples = {name: size for name, size in _multiples(node, known) if name in given}
    arguments = ", ".join(f"{name}={multiples.get(name, source)}" for name, source in given.items())
    return Settings(f"{node.name}({arguments})", tuple({**known, **multiples}.items()))


def _multiples(node: ast.ClassDef, counts: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield sizes for fields that the class divides by others, as in `self.width % self.heads`."""
    made = dict(made_attributes(node))
    for division in nodes_of(ast.BinOp, node):
        divided, by = map(attribute_of_self, (division.left, division.right))
        if isinstance(division.op, ast.Mod | ast.FloorDiv) and divided and by is not None and by in counts:
            factors = map(attribute_of_self, nodes_of(ast.Attribute, made.get(divided, division.left)))
            size = counts[by] * (2 if counts[by] < _LARGE else 1)
            yield from ((factor, size) for factor in factors if factor is not None and factor in counts)
