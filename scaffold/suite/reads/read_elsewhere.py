"""Fields that the call does not read but other code does, such as the first carry of a cell."""

import ast
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from scaffold.passes.reached import bodies_used
from scaffold.source.expressions import nodes_of, parsed
from scaffold.source.instance import self_attributes
from scaffold.spec.construction.divisions import class_sources
from scaffold.spec.fields.shared import shared_fields
from scaffold.spec.grammar.types import OpaqueType
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.unit import siblings


def with_read_elsewhere(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """Return the spec, with parameters and ties unused that only other classes of the file read.

    Parameters of any type are unused as well, if nothing reads them.
    """
    params = [field for field in spec.dynamic if field.role == "param"]
    held = {field.name for field in params} | _ties(spec)
    others = [known[name] for name in siblings(spec) if name in known] if held else []
    anything = {field.name for field in params if _may_be_anything(field)}
    elsewhere = anything | held.intersection(name for other in others for name in _reads(other))
    elsewhere -= {*_reads(spec)}
    unused = (*spec.test.unused, *sorted(elsewhere - {*spec.test.unused}))
    return replace(spec, test=replace(spec.test, unused=unused)) if elsewhere else spec


def _may_be_anything(field: Field) -> bool:
    """Whether the annotation of a field says nothing, as `Any` and a type variable do."""
    return isinstance(field.type, OpaqueType) and not (field.type.is_array or field.type.holds_arrays)


def _reads(spec: ModuleSpec) -> Iterator[str]:
    """Yield the attributes that the code of a class reads, of any object."""
    for source in class_sources(spec):
        attributes = nodes_of(ast.Attribute, parsed(source))
        yield from (part.attr for part in attributes if isinstance(part.ctx, ast.Load))


def ties_of_methods(spec: ModuleSpec) -> set[str]:
    """Return the ties that methods read, and that the call does not reach.

    For example `logits` reads the head, and the call reads the table.
    """
    if spec.call is None or not (ties := _ties(spec)):
        return set()
    reached = {name for body in bodies_used(spec, spec.call.body) for name in self_attributes(body)}
    derived = {name for field in spec.derived for name in self_attributes(field.expression or "None")}
    return ties.intersection(_reads(spec)) - reached - derived


def _ties(spec: ModuleSpec) -> set[str]:
    return {field.name for field in shared_fields(spec)}
