"""The parameters of a class that other classes of its file alone read: the first carry of a cell, with which a scan begins."""

import ast
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from scaffold.spec.construction.divisions import class_sources
from scaffold.spec.model import ModuleSpec
from scaffold.spec.source.expressions import nodes_of, parsed
from scaffold.spec.unit import siblings


def with_read_elsewhere(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """The spec, in which such parameters are unused: no call of the class alone depends on them."""
    held = {field.name for field in spec.dynamic if field.role == "param"}
    others = [known[name] for name in siblings(spec) if name in known] if held else []
    elsewhere = held.intersection(name for other in others for name in _reads(other)) - {*_reads(spec)}
    unused = (*spec.test.unused, *sorted(elsewhere - {*spec.test.unused}))
    return replace(spec, test=replace(spec.test, unused=unused)) if elsewhere else spec


def _reads(spec: ModuleSpec) -> Iterator[str]:
    """The attributes that the code of a class reads, of whatever object."""
    for source in class_sources(spec):
        attributes = nodes_of(ast.Attribute, parsed(source))
        yield from (part.attr for part in attributes if isinstance(part.ctx, ast.Load))
