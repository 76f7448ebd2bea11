"""`save` and `load` of a class that asks for them, and the modules that do their work."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scaffold.emit.members import BODY, METHOD
from scaffold.emit.text import block, docstring
from scaffold.errors import Fault
from scaffold.kinds import kind_of
from scaffold.layout import Layout
from scaffold.places import read_regular
from scaffold.spec.model import ModuleSpec

MODULES = {
    "leaves": ("serialisation",),
    "safetensors": ("serialisation", "safetensors_serialisation"),
}
"""For each format the modules that it needs beside the class; the last one has its two functions."""
METHODS = ("save", "load")

_WRITTEN = {
    "leaves": "a line of JSON, and then each leaf as `numpy.save` writes it",
    "safetensors": "a safetensors file, with each leaf under its path",
}
_SAVE_DOC = """
Write the leaves to a file, with their paths and the static configuration: {written}.

A file that is there is replaced, whole or not at all.
"""
_LOAD_DOC = """
Read what `save` wrote.

**Arguments:**

- `path`: the file.
- `like`: an instance of the same configuration, which stays as it is; or what `{abstract}` makes of the constructor.

**Returns:**

A new instance, with the values of the file.

**Raises:**

- `ValueError` if the file is damaged, or if paths, shapes, dtypes or the configuration differ; it names all that differs.
"""
_LOAD_NNX = """
values, static = _described(like)
graphdef, state = nnx.split(like)
return nnx.merge(graphdef, _replaced(state, {load}(path, values, static)))
"""


def save_context(spec: ModuleSpec) -> dict[str, Any]:
    """The two methods, as members of the class; none where the spec does not ask for them."""
    return {"save_members": [_save(spec), _load(spec)] if spec.save else [], "is_saved": bool(spec.save)}


def _save(spec: ModuleSpec) -> str:
    save, _ = functions(spec)
    doc = docstring(_SAVE_DOC.format(written=_WRITTEN[spec.save or ""]), BODY)
    body = f"{save}(path, *_described(self))" if kind_of(spec.kind).variables else f"{save}(path, self)"
    return _method("def save(self, path: str | PathLike[str]) -> None:", doc, body)


def _load(spec: ModuleSpec) -> str:
    _, load = functions(spec)
    doc = docstring(_LOAD_DOC.format(abstract=kind_of(spec.kind).abstracted_by), BODY)
    body = _LOAD_NNX.format(load=load) if kind_of(spec.kind).variables else f"return {load}(path, like)"
    head = f'@classmethod\ndef load(cls, path: str | PathLike[str], like: "{spec.name}") -> "{spec.name}":'
    return _method(head, doc, body)


def _method(head: str, doc: str, body: str) -> str:
    return block(f"{head}\n{METHOD}{doc}\n{block(body, METHOD)}", METHOD)


def functions(spec: ModuleSpec) -> tuple[str, str]:
    """The names of the two functions that the methods call."""
    return f"save_{spec.save}", f"load_{spec.save}"


def save_imports(spec: ModuleSpec, layout: Layout) -> dict[str, str]:
    """The names that the methods need, with the line that imports each."""
    if not spec.save:
        return {}
    own = layout.module(MODULES[spec.save][-1])
    lines = {name: f"from {own} import {name}" for name in functions(spec)}
    return {**lines, "PathLike": "from os import PathLike"}


def save_modules(spec: ModuleSpec) -> tuple[str, ...]:
    """The modules beside the class that it imports."""
    return MODULES[spec.save] if spec.save else ()


def save_faults(spec: ModuleSpec, layout: Layout) -> Iterator[Fault]:
    """What stands in the way of the methods, and of the modules that they need."""
    for one in spec.fields if spec.save else ():
        if one.name in METHODS:
            what = f"`{one.name}` is a method of a class with `save`"
            yield Fault(
                f"{spec.where}: fields.{one.name}", what, f"rename it, to `my_{one.name}` for example"
            )
    for module in save_modules(spec):
        path = layout.source_file(module)
        if (layout.root / path).is_file() and not _has_functions(layout.root / path):
            fix = "rename that module, or remove `save`"
            yield Fault(f"{spec.where}: save", f"`{path}` is there already, and is another module", fix)


def _has_functions(path: Path) -> bool:
    try:
        text = read_regular(path)
    except OSError:
        return False
    return b"def save_" in text and b"def load_" in text
