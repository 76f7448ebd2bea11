"""Facts about an emitted class for its suite, which reads no emitted code."""

from msgspec import Struct

from scaffold.emit.nesting import placed, selected
from scaffold.spec.fields.shared import shared_fields, tie
from scaffold.spec.model import Field, ModuleSpec


class Facts(Struct, frozen=True):
    """Names in an emitted class, and paths of its fields."""

    placed: tuple[tuple[str, Field], ...]
    """Stored fields in the order of the leaves, each with the path of its holder, such as `shape.`."""
    filters: tuple[tuple[str, tuple[str, ...]], ...]
    """Methods that return a filter spec, with the paths that each selects."""
    ties: tuple[tuple[str, str], ...]
    """Properties that read the array of another field, with the path of that leaf."""
    paths: dict[str, str]
    """Path of each stored field, by name."""


def facts(spec: ModuleSpec) -> Facts:
    """Return the facts about the class that `spec` gives."""
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
    """Return the path of the leaf that a shared field reads."""
    path = tie(spec, field)
    return places.get(path.partition(".")[0], "") + path
