"""Tied arrays: fields that read an array stored by another field, so that the pytree has one leaf."""

import ast
import re
from collections.abc import Iterator, Mapping

from scaffold.errors import Fault, unknown
from scaffold.source.expressions import nodes_of
from scaffold.source.instance import names_read
from scaffold.spec.grammar.types import ArrayType, ClassType
from scaffold.spec.model import Field, ModuleSpec

_PATH = r"\w+(\.\w+|\[(\d+|'\w+')\])*"
_TRANSFORMS = {"T", "mT"}


def shared_fields(spec: ModuleSpec) -> tuple[Field, ...]:
    """Return the fields that are tied to an array of another field."""
    return tuple(field for field in spec.fields if field.role == "shared")


def tie(spec: ModuleSpec, field: Field) -> str:
    """Return the path of the leaf that a shared field reads: `layers.0.weight` of `layers[0].weight.T`."""
    path = _path(tied_source(spec, field))
    root = spec.field(path.partition(".")[0])
    return root.name if root is not None and root.array is not None else path


def tied_source(spec: ModuleSpec, field: Field) -> str:
    """Return the leaf that a shared field reads, as Python: `layers[0].weight` of `layers[0].weight.T`."""
    tree = ast.parse(field.of or "None", mode="eval")
    called = [node.func for node in nodes_of(ast.Call, tree)]
    sources = [ast.unparse(node) for node in nodes_of(ast.expr, tree) if node not in called]
    targets = {target.name for target in _targets(spec, field)}
    reading = (source for source in sources if _path(source).partition(".")[0] in targets)
    return max(reading, key=lambda source: len(_path(source)), default="").removeprefix("self.")


def _path(source: str) -> str:
    """Return an expression as a dotted path, or empty if it is none.

    A path has names, constant indices, and attributes other than transposes.
    """
    source = source.removeprefix("self.")
    words = re.findall(r"\w+", source) if re.fullmatch(_PATH, source) else []
    return "" if _TRANSFORMS.intersection(words) else ".".join(words)


def _targets(spec: ModuleSpec, field: Field) -> list[Field]:
    """Return the fields that `of` names."""
    names = names_read(field.of or "None")
    return [target for target in spec.fields if target.name in names]


def shared_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find fields that cannot be tied as `of` says. Unknown names are reported elsewhere."""
    arrays = (field for field in spec.dynamic if field.role != "state" and not field.python_leaf)
    legal = tuple(field.name for field in arrays if not (field.optional or field.nullable))
    for field in (field for field in shared_fields(spec) if field.of != ""):
        targets, place = _targets(spec, field), f"fields.{field.name}.of"
        if field.of is None:
            fix = f'write `of = "{legal[0] if legal else "weight"}"`: the array that stores it'
            yield Fault(place, "a shared field is an array of another field", fix, legal)
        elif len(targets) > 1:
            listed = " and ".join(f"`{target.name}`" for target in targets)
            fix = 'tie it to one of them, or write `role = "derived"` and `init`'
            yield Fault(place, f"reads {listed}, and a shared field is one array", fix, legal)
        elif targets and (targets[0].name not in legal or targets[0] is field):
            message = f"`{targets[0].name}` {_why_not_tied(field, targets[0])}"
            yield Fault(place, message, "name a field that always stores arrays", legal)
        elif targets:
            yield from _type_faults(field, targets[0])


def _why_not_tied(field: Field, target: Field) -> str:
    if target is field:
        return "is the field itself"
    if target.stored and (target.optional or target.nullable):
        return "may be None, and then there is nothing to read"
    return f"is {target.role}, and {'no array that can be tied' if target.stored else 'stores nothing'}"


def _type_faults(field: Field, target: Field) -> Iterator[Fault]:
    """Check that a tied array has the type of its target, with dims reversed for `.T`."""
    source, stored = (field.of or "").removeprefix("self."), target.array
    if stored is None or source not in (target.name, f"{target.name}.T"):
        return
    dims = stored.dims if source == target.name else stored.dims[::-1]
    if field.type != ArrayType(stored.dtype, dims):
        text = f"{stored.dtype}[{','.join(dims)}]"
        fix = f'write `type = "{text}"`'
        yield Fault(f"fields.{field.name}.type", f"`{field.of}` is of type `{text}`", fix)


def tie_faults(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """Find ties to arrays that a sub-module with a known spec does not store."""
    for field in shared_fields(spec):
        first, *rest = tie(spec, field).split(".")
        target = spec.field(first)
        inner = known.get(target.type.name) if target and isinstance(target.type, ClassType) else None
        legal = tuple(field.name for field in inner.dynamic) if inner else ()
        if inner is not None and rest and rest[0] not in legal:
            message, fix = f"`{inner.name}` stores no `{rest[0]}`", "name a field that it stores"
            yield unknown(f"fields.{field.name}.of", rest[0], legal, message, fix)
