"""Keys of a spec: their meaning, and the forms of their values."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

ROLES = ("param", "data", "buffer", "static", "callable", "module", "state", "derived", "shared")


class Form(Struct, frozen=True):
    """The form of a value: an example, its Python types, and its JSON Schema."""

    example: str
    types: tuple[type, ...]
    schema: Mapping[str, Any]
    item: type | None = None
    """The type of the parts of an array."""


_TEXT = {"type": "string"}
_ANY = ["string", "integer", "number", "boolean", "array"]
FORMS = {
    "string": Form('{} = "..."', (str,), _TEXT),
    "boolean": Form("{} = true", (bool,), {"type": "boolean"}),
    "number": Form("{} = 0.5", (int, float), {"type": "number"}),
    "array of strings": Form('{} = ["..."]', (list,), {"type": "array", "items": _TEXT}, str),
    "array of tables": Form(
        "{} = [{{ ... }}]", (list,), {"type": "array", "items": {"type": "object"}}, dict
    ),
    "table": Form("{} = {{ ... }}", (dict,), {"type": "object"}),
    "value": Form("{} = 3", (object,), {"type": _ANY, "items": {"type": _ANY}}),
    "boolean or a name": Form("{} = true", (bool, str), {"type": ["boolean", "string"]}),
    "number or a table": Form(
        "{} = 1e-4",
        (int, float, dict),
        {"type": ["number", "object"], "additionalProperties": {"type": "number"}},
    ),
}


class Key(Struct, frozen=True):
    """A key: its meaning, and the form of its value."""

    doc: str
    form: str = "string"
    legal: tuple[str, ...] = ()
    required: bool = False
    roles: tuple[str, ...] = ROLES
    """The roles of the fields of which the key says something."""
