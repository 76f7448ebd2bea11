"""What a suite needs to know of a class that is emitted, as data: it looks into no emission itself."""

from msgspec import Struct

from scaffold.emit.nesting import placed, selected
from scaffold.spec.fields.shared import shared_fields, tie
from scaffold.spec.model import Field, ModuleSpec


class Facts(Struct, frozen=True):
    """The names that an emitted class has, and where its fields lie."""

    placed: tuple[tuple[str, Field], ...]
    """The stored fields in the order of the leaves, each with the path of what holds it: `shape.`, or nothing."""
    filters: tuple[tuple[str, tuple[str, ...]], ...]
    """Each method that makes a filter spec, and the paths that it selects."""
    ties: tuple[tuple[str, str], ...]
    """Each property that reads the array of another field, and the path of that leaf."""
    paths: dict[str, str]
    """The path of each stored field, by name."""


def facts(spec: ModuleSpec) -> Facts:
    """What is to be told of the class that `spec` gives."""
    members = tuple(placed(spec))
    places = {field.name: place for place, field in members}
    return Facts(
        placed=members,
        filters=tuple((f"select_{group.name}", selected(spec, group)) for group in spec.groups),
        ties=tuple(
            (shared_field.name, _tied_leaf(spec, shared_field, places))
            for shared_field in shared_fields(spec)
        ),
        paths={name: place + name for name, place in places.items()},
    )


def _tied_leaf(spec: ModuleSpec, field: Field, places: dict[str, str]) -> str:
    """The path of the leaf that a shared field reads, from the class down."""
    path = tie(spec, field)
    return places.get(path.partition(".")[0], "") + path
