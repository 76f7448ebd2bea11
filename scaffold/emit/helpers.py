"""Helper modules that several classes share. They are written once, and then belong to the user."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from scaffold.errors import Fault
from scaffold.files.places import read_regular
from scaffold.in_project.layout import Layout
from scaffold.kind import Context
from scaffold.spec.model import ModuleSpec


class Helper(Struct, frozen=True):
    """Helper module."""

    functions: tuple[str, ...]
    """Names that classes and tests import from the module."""
    purpose: str
    """Purpose of the module, for the fault of a class with the same name."""
    key: str
    """Key of a spec that makes its class need the module."""
    needs: tuple[str, ...] = ()
    """Helper modules that the module imports."""


HELPERS: Mapping[str, Helper] = {
    "filter_specs": Helper(("trained_fields",), "sub-modules are asked what is trained", "fields"),
    "migrations": Helper(
        ("Migration", "load_migrated"),
        "files of former versions are read",
        "migrate",
        ("serialisation",),
    ),
    "nnx_serialisation": Helper(
        ("load_module", "save_module"), "`save` and `load` do their work", "save", ("serialisation",)
    ),
    "nnx_state": Helper(("map_variables", "restore_state"), "`snapshot` and `restore` do their work", "kind"),
    "serialisation": Helper(("load_tree", "save_tree"), "`save` and `load` do their work", "save"),
    "weight_decay": Helper(("decayed_fields", "decayed"), "sub-modules are asked what decays", "fields"),
    "sharding": Helper(("field_specs", "out_sharding"), "`partition_specs` does its work", "sharding"),
}


def helper_imports(layout: Layout) -> dict[str, str]:
    """Map each function of a helper module to its import line."""
    return {
        function: f"from {layout.module(name)} import {function}"
        for name, helper in HELPERS.items()
        for function in helper.functions
    }


def helpers_of(context: Context, layout: Layout) -> tuple[str, ...]:
    """Return the helper modules that a class imports, and those that these import, from its import block."""
    lines = {line.partition(" import ")[0] for line in context["imports"]}
    named = [name for name in HELPERS if f"from {layout.module(name)}" in lines]
    return tuple(dict.fromkeys([*named, *(inner for name in named for inner in HELPERS[name].needs)]))


def helper_faults(spec: ModuleSpec, names: Iterable[str], layout: Layout) -> Iterator[Fault]:
    """Find files in place of helper modules that lack their functions."""
    for name in names:
        path = layout.source_file(name)
        missing = [
            function for function in HELPERS[name].functions if not _defines(layout.root / path, function)
        ]
        if missing:
            message = f"`{path}` is there already, and has no function `{missing[0]}`"
            fix = f"rename that module: `{path}` is where {HELPERS[name].purpose}"
            yield Fault(f"{spec.where}: {HELPERS[name].key}", message, fix)


def _definition(name: str) -> bytes:
    return f"{'class' if name[0].isupper() else 'def'} {name}(".encode()


def _defines(path: Path, function: str) -> bool:
    """Whether the file defines the function, or does not exist yet."""
    try:
        return not path.is_file() or _definition(function) in read_regular(path)
    except OSError:
        return False
