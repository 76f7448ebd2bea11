"""Methods `save`, `load` and `partition_specs` of classes that request them."""

from collections.abc import Iterator
from typing import Any

from scaffold.emit.docs import BODY, METHOD
from scaffold.emit.members.sharding import sharding_members
from scaffold.errors import Fault
from scaffold.kind import kind_of
from scaffold.passes.migrations import ATTRIBUTE
from scaffold.source.text import block, docstring
from scaffold.spec.model import ModuleSpec

METHODS = ("save", "load")

_SAVE_DOC = "Write the leaves to a safetensors file, with their paths and the static configuration."
_LOAD_DOC = """
Read what `save` wrote into a new instance.

`like` is an instance of the same configuration, which stays as it is, or what `{abstract}` makes of the constructor.
Raises `ValueError` where the file is damaged, or does not fit `like`.
"""

_MIGRATE_DOC = """
With `migrate` the file may be one of a former version of the class; `migrations` tells what changed since. New fields are
as in `like`, which is an instance then.
"""


def save_context(spec: ModuleSpec) -> dict[str, Any]:
    """Return the methods as members, or none if the spec does not request them."""
    saving = [_save(spec), _load(spec)] if spec.save else []
    return {"save_members": [*saving, *sharding_members(spec)]}


def _save(spec: ModuleSpec) -> str:
    head = "def save(self, path: str | PathLike[str]) -> None:"
    return _method(head, docstring(_SAVE_DOC, BODY), f"save_{_what(spec)}(path, self)")


def _load(spec: ModuleSpec) -> str:
    doc_text = _LOAD_DOC.format(abstract=kind_of(spec.kind).abstracted_by)
    doc = docstring(doc_text + _MIGRATE_DOC * spec.migrate, BODY)
    asked = ", *, migrate: bool = False" * spec.migrate
    head = f'@classmethod\ndef load(cls, path: str | PathLike[str], like: "{spec.name}"{asked}) -> "{spec.name}":'
    loaded = f"load_{_what(spec)}(path, like)"
    return _method(head, doc, f"return {'load_migrated(path, like) if migrate else ' * spec.migrate}{loaded}")


def _what(spec: ModuleSpec) -> str:
    return "module" if kind_of(spec.kind).variables else "tree"


def _method(head: str, doc: str, body: str) -> str:
    return block(f"{head}\n{METHOD}{doc}\n{block(body, METHOD)}", METHOD)


def save_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find fields with the names of these methods, and faults of `migrate`."""
    for field in spec.fields if spec.save else ():
        if field.name in METHODS:
            message = f"`{field.name}` is a method of a class with `save`"
            fix = f"rename it, to `my_{field.name}` for example"
            yield Fault(f"fields.{field.name}", message, fix)
    yield from _migrate_faults(spec) if spec.migrate else ()


def _migrate_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find a class without `load`, and a field with the name of the list of changes."""
    place = "migrate"
    if not spec.save:
        yield Fault(place, "the class has no `load`", "write `save = true`, or remove it")
    if spec.field(ATTRIBUTE) is not None:
        yield Fault(place, f"`{ATTRIBUTE}` is where the class lists its changes", "rename the field")
