"""Records that a method maps over: `jax.vmap(self.error)(batch)` takes rows, and `error` takes one record."""

import ast
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from scaffold.kind import kind_of
from scaffold.source.expressions import nodes_of, parsed
from scaffold.source.instance import attribute_of_self, last_name
from scaffold.spec.grammar.named_dims import ROWS
from scaffold.spec.grammar.types import ClassType
from scaffold.spec.model import ModuleSpec
from scaffold.spec.skeletons.shapes.algebra.functions import MAPS
from scaffold.spec.skeletons.shapes.applied import axes_of_vmap
from scaffold.suite.examples.mapped import batched

_MAKERS = {"__init__", "__new__", "__post_init__"}


def with_rows(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Mapping[str, ModuleSpec]:
    """Add an axis to each array of the known records that the call maps over."""
    records = {name: known[name] for name in {*_mapped(spec)} if name in known and _is_record(known[name])}
    return {**known, **{name: _in_rows(record) for name, record in records.items()}} if records else known


def _mapped(spec: ModuleSpec) -> Iterator[str]:
    """Yield the classes of arguments that the call maps over, with a method that takes one instance."""
    if spec.call is None or "vmap" not in spec.call.text:
        return
    given = {argument.name: argument.type for argument in spec.call.args}
    methods = {method.name: method.call for method in spec.methods}
    for node in nodes_of(ast.Call, parsed(spec.call.text)):
        match node:
            case ast.Call(func=ast.Call(args=[function, *_]) as mapper) if last_name(mapper) in MAPS:
                method = methods.get(attribute_of_self(function) or "")
                taken = method.args if method is not None else ()
                axes = axes_of_vmap(mapper, len(node.args))
                for part, argument, axis in zip(node.args, taken, axes, strict=False):
                    kind = given.get(part.id) if isinstance(part, ast.Name) else None
                    if axis == 0 and isinstance(kind, ClassType) and kind == argument.type:
                        yield kind.name
            case _:
                pass


def _is_record(spec: ModuleSpec) -> bool:
    """Whether a carried class is built of its fields alone."""
    return kind_of(spec.kind).is_carried and _MAKERS.isdisjoint(method.name for method in spec.methods)


def _in_rows(spec: ModuleSpec) -> ModuleSpec:
    given = (replace(each, type=each.type and batched(each.type, ROWS)) for each in spec.arguments)
    return replace(spec, arguments=tuple(given))
