"""`save`, `load` and `partition_specs` of a class that asks for them."""

from collections.abc import Iterator
from typing import Any

from scaffold.emit.members import BODY, METHOD
from scaffold.emit.sharding import sharding_members
from scaffold.emit.text import block, docstring
from scaffold.errors import Fault
from scaffold.kinds import kind_of
from scaffold.spec.model import ModuleSpec

METHODS = ("save", "load")

_SAVE_DOC = "Write the leaves to a safetensors file, with their paths and the static configuration."
_LOAD_DOC = """
Read what `save` wrote into a new instance.

`like` is an instance of the same configuration, which stays as it is, or what `{abstract}` makes of the constructor.
Raises `ValueError` where the file is damaged, or does not fit `like`.
"""


def save_context(spec: ModuleSpec) -> dict[str, Any]:
    """The methods, as members of the class; none where the spec does not ask for them."""
    saving = [_save(spec), _load(spec)] if spec.save else []
    return {"save_members": [*saving, *sharding_members(spec)]}


def _save(spec: ModuleSpec) -> str:
    head = "def save(self, path: str | PathLike[str]) -> None:"
    return _method(head, docstring(_SAVE_DOC, BODY), f"save_{_what(spec)}(path, self)")


def _load(spec: ModuleSpec) -> str:
    doc = docstring(_LOAD_DOC.format(abstract=kind_of(spec.kind).abstracted_by), BODY)
    head = f'@classmethod\ndef load(cls, path: str | PathLike[str], like: "{spec.name}") -> "{spec.name}":'
    return _method(head, doc, f"return load_{_what(spec)}(path, like)")


def _what(spec: ModuleSpec) -> str:
    return "module" if kind_of(spec.kind).variables else "tree"


def _method(head: str, doc: str, body: str) -> str:
    return block(f"{head}\n{METHOD}{doc}\n{block(body, METHOD)}", METHOD)


def save_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Fields that have the names of the methods."""
    for one in spec.fields if spec.save else ():
        if one.name in METHODS:
            what = f"`{one.name}` is a method of a class with `save`"
            fix = f"rename it, to `my_{one.name}` for example"
            yield Fault(f"{spec.where}: fields.{one.name}", what, fix)
