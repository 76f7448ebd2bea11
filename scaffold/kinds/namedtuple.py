"""Kind `namedtuple`: a NamedTuple of arrays, for plain data."""

from collections.abc import Iterator
from typing import Any

from scaffold.emit.annotations import Scope
from scaffold.emit.constructor.construct import constructor
from scaffold.emit.docs import BODY, class_doc, constructor_doc, with_docs
from scaffold.emit.members.members import call_context, properties
from scaffold.emit.members.saving import save_context
from scaffold.errors import Fault
from scaffold.kind import Kind
from scaffold.kinds.pytree import trainable
from scaffold.source.text import block
from scaffold.spec.construction.constructor import has_factory
from scaffold.spec.grammar.types import arrays, is_plain
from scaffold.spec.model import Field, ModuleSpec

_METHODS = ("count", "index")
_OF_TUPLE = ("len", "iter", "getitem", "contains", "lt", "le", "gt", "ge")
_ANOTHER = 'write `kind = "pytree"`, or `kind = "module"`'


def _field_faults(field: Field, place: str) -> Iterator[Fault]:
    if field.name.startswith("_"):
        fix = f"write `{field.name.strip('_')}`"
        yield Fault(place, "a NamedTuple has no field that begins with `_`", fix)
    if field.python_leaf and field.role != "data":
        message = f"all that a NamedTuple holds are leaves, and `{field.name}` is {field.role}, no array"
        yield Fault(place, message, _ANOTHER)


def _needs_trainable(spec: ModuleSpec) -> bool:
    """Whether the class needs its own filter, since a filter on inexact arrays would train too much."""
    return any(bool(field.frozen) or field.role == "module" or _stays(field) for field in spec.dynamic)


def _stays(field: Field) -> bool:
    known = arrays(field.type)
    may_be_inexact = any(array.inexact for array in known) if known else not is_plain(field.type)
    return field.role in ("data", "buffer") and may_be_inexact


class NamedtupleKind(Kind):
    """Kind `namedtuple`."""

    summary = "a NamedTuple of arrays: for data alone, without a constructor where nothing is made"
    members = ("_replace", "_asdict", "_fields")
    constructors = ("factory",)
    lacks = ("call", "groups", "check", "static", "callable")
    plain = True
    abstracted_by = "jax.eval_shape"

    def context(self, spec: ModuleSpec) -> dict[str, Any]:
        """Return the context of `templates/namedtuple`."""
        built = constructor(spec)
        scope = Scope.of(spec)
        return {
            "name": spec.name,
            "doc": class_doc(spec),
            "fields": with_docs(
                spec, {field.name: f"{field.name}: {scope.held(field)}" for field in spec.stored}
            ),
            "has_create": has_factory(spec),
            "constructor_signature": f"cls, {built.signature}".removesuffix(", "),
            "constructor_doc": constructor_doc(spec),
            "statements": [block(statement, BODY) for statement in built.statements],
            "values": [list(pair) for pair in built.values],
            "properties": [list(member) for member in properties(spec)],
            "has_trainable": _needs_trainable(spec) and not spec.defines("trainable"),
            "trainable_body": block(trainable(spec), BODY),
            **call_context(spec),
            **save_context(spec),
        }

    def faults(self, spec: ModuleSpec) -> Iterator[Fault]:
        """Find illegal field names, leaves that are no arrays, and overrides of tuple methods."""
        for field in spec.fields:
            yield from _field_faults(field, f"fields.{field.name}")
        for method in spec.methods:
            if method.name in (*_METHODS, *(f"__{name}__" for name in _OF_TUPLE)):
                place = f"{method.table}.{method.name}"
                yield Fault(
                    place, f"`{method.name}` is what makes it a tuple, by which jax takes it apart", _ANOTHER
                )


KIND = NamedtupleKind()
