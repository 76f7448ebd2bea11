"""Kind `nnx`: a Flax NNX module. Arrays are Variables typed by role, and settings plain attributes."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from scaffold.emit.annotations import Scope
from scaffold.emit.bases import base_names
from scaffold.emit.constructor.checks import check_statements
from scaffold.emit.constructor.construct import constructor, copy_source
from scaffold.emit.constructor.given import asked_dtype
from scaffold.emit.constructor.made import is_new
from scaffold.emit.constructor.source import operand, parsed
from scaffold.emit.docs import BODY, class_doc, constructor_doc, init_returns, with_docs
from scaffold.emit.members.members import call_context, properties
from scaffold.emit.members.saving import save_context
from scaffold.emit.members.sharding import variable_metadata
from scaffold.errors import Fault
from scaffold.kind import Kind
from scaffold.passes.variables import (
    STATE_METHODS,
    item_of,
    own_variables,
    read_values,
    updated,
    variable_faults,
    variable_of,
)
from scaffold.source.definitions import class_statement
from scaffold.source.rewriting import rename
from scaffold.source.text import block, docstring
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.types import ArrayType, ClassType, DictType, ListType, OpaqueType, Type
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.reading.made_variables import VARIABLES
from scaffold.spec.unit import siblings
from scaffold.suite.declarations.leaves import entries
from scaffold.suite.examples.declared import spread_of, value_of
from scaffold.suite.examples.examples import Examples
from scaffold.suite.examples.subject import Subject
from scaffold.suite.reads.example_branches import as_in_example

DRAW = "rngs.params()"


def _annotation(field: Field, scope: Scope) -> str:
    annotation = _held_annotation(field, field.type, scope)
    return f"{annotation} | None" if field.optional or field.nullable else annotation


def _held_annotation(field: Field, kind: Type, scope: Scope) -> str:
    """Return the annotation of the stored value, with containers and Variables of NNX."""
    if not field.dynamic:
        return scope.stored(kind, static=True)
    match kind:
        case ListType(item=item):
            return f"nnx.List[{_held_annotation(field, item, scope)}]"
        case DictType(item=item):
            return f"nnx.Dict[{_held_annotation(field, item, scope)}]"
        case ClassType(name=name, module="flax.nnx"):
            return f"nnx.{name}"
        case _ if field.role == "module" or isinstance(kind, OpaqueType):
            return scope.plain(kind)
        case _:
            return f"{variable_of(field)}[{scope.plain(kind)}]"


def _values(spec: ModuleSpec) -> list[list[str]]:
    """Return name and value of each attribute, wrapped in Variables, `nnx.List` and `nnx.Dict`."""
    fields = tuple(replace(field, optional=None, nullable=False) for field in spec.fields)
    made = dict(constructor(replace(spec, fields=fields), DRAW).values)
    return [[field.name, _value(spec, field, made[field.name])] for field in spec.stored]


def _value(spec: ModuleSpec, field: Field, made: str) -> str:
    if item_of(field) is not None:
        value = _in_variables(spec, field, made)
    elif field.role == "module":
        value = _in_container(field)
    else:
        return made
    if field.nullable:
        value = f"None if {_given(field)} is None else {value}"
    return f"{operand(value)} if {field.optional} else None" if field.optional else value


def _given(field: Field) -> str:
    """Return the value to compare with None: the argument, or an expression bound to the field's name."""
    return field.name if field.given else f"({field.name} := {_expression(field)})"


def _in_variables(spec: ModuleSpec, field: Field, made: str) -> str:
    asked = asked_dtype(spec)

    def held(value: str) -> str:
        return f"{variable_of(field)}({', '.join([value, *variable_metadata(spec, field)])})"

    match field.type:
        case ListType(item=item) if field.given and not field.preprocess:
            return f"nnx.List([{held(copy_source(item, 'value', asked=asked))} for value in {field.name}])"
        case ListType():
            return f"nnx.List([{held('value')} for value in {made}])"
        case DictType(item=item) if field.given and not (field.preprocess or field.preset):
            copied = held(copy_source(item, "value", asked=asked))
            return f"nnx.Dict({{name: {copied} for name, value in {field.name}.items()}})"
        case DictType():
            return f"nnx.Dict({{name: {held('value')} for name, value in {operand(made)}.items()}})"
        case _:
            return held(_of_walrus(field) if field.nullable and not field.given else made)


def _of_walrus(field: Field) -> str:
    """Return a copy, in the declared dtype, of the value that an expression bound to the field's name."""
    maker = "jnp.asarray" if is_new(parsed(_expression(field))) else "jnp.array"
    return copy_source(field.type, field.name, maker=maker)


def _in_container(field: Field) -> str:
    source = field.name if field.given else _expression(field)
    match field.type:
        case ListType():
            return f"nnx.List({source})"
        case DictType():
            return f"nnx.Dict({source})"
        case _:
            return source


def _expression(field: Field) -> str:
    return rename(field.expression or "None", {"key": DRAW})


def _rows(subject: Subject, field: Field) -> list[str]:
    """Return the declarations of a field in the tests, a row for each Variable in the example."""
    if field.built:  # which Variables the author makes of the others is his choice
        held = field.variable or {"param": "Param", "module": "Module"}.get(field.role)
        if not held:
            return []
        # Its dtype and its shape are his choice, too.
        is_open = held != "Module" and (field.role == "state" or not field.annotated)
        # Whether gradients end at it, its author says by `stop_gradient`, and nobody else.
        may_flow = held not in ("Param", "Module") and field.role != "buffer"
        # A class of the file has its name for itself.
        is_of_flax = held in (*VARIABLES, "Module") and class_statement(subject.spec.helpers, held) is None
        held_type = f"nnx.{held}" if is_of_flax else held
        parts = [repr(field.name), held_type, *["below=True"] * is_open, *["flows=True"] * may_flow]
        parts += _unused(subject.spec, field)
        return [f"Var({', '.join(parts)})"]
    if item_of(field) is None:
        return [f"Var({field.name!r}, nnx.Module)"]
    return [_row(subject.examples, field, path, kind) for path, kind in entries(subject, field)]


def _said(spec: ModuleSpec, field: Field, item: ArrayType) -> list[str]:
    """Return flags for an untrained array with gradients, and for an array that the call need not read."""
    flows = (field.role in ("data", "state") or bool(field.frozen)) and item.inexact
    return [*["flows=True"] * flows, *_unused(spec, field)]


def _unused(spec: ModuleSpec, field: Field) -> list[str]:
    return ["unused=True"] if field.name in spec.test.unused else []


def _row(examples: Examples, field: Field, path: str, kind: Type) -> str:
    """Return the declaration of a Variable, or of all Variables below a path."""
    item = item_of(field)
    assert item is not None
    dtype = DTYPES[item.dtype][1]
    parts = [repr(path), variable_of(field)]
    if not isinstance(kind, ArrayType):
        parts += [] if dtype == "float" else [f'dtype="{dtype}"']
        parts += ["below=True", *_said(examples.spec, field, item)]
        return f"Var({', '.join(parts)})"
    value = value_of(field, path)
    spread = spread_of(examples, field) if field.array is not None else None
    parts += [repr(examples.shape(kind))]
    parts += [] if dtype == "float" else [f'"{dtype}"']
    parts += [] if value is None else [f"value={value}"]
    parts += [] if spread is None else [f"std={float(f'{spread:.4g}')}"]
    parts += _said(examples.spec, field, item)
    return f"Var({', '.join(parts)})"


def _has_state_methods(spec: ModuleSpec) -> bool:
    """Whether the class gets `snapshot` and `restore`.

    It must have Variables that the tool creates. Neither its author nor a base in the file may define the
    constructor or these methods.
    """
    is_authors = spec.own_constructor is not None or any(map(spec.defines, STATE_METHODS))
    return (
        bool(spec.dynamic)
        and not is_authors
        and not {b.name for b in spec.bases}.intersection(siblings(spec))
    )


class NnxKind(Kind):
    """Kind `nnx`."""

    summary = "a flax nnx.Module: Variables by role, static attributes, snapshot and restore"
    laws = ("nnx",)
    without: ClassVar[Mapping[str, str]] = {
        "P4": "Flax names the paths of its modules, and `restore` goes by them (P14).",
        "P22": "Its layers are stacked by `nnx.vmap` and `nnx.scan`, in Flax's own way.",
    }
    constructors = ("init",)
    adds = ("variable", "state", "bases")
    lacks = ("groups", "migrate")
    abstracted_by = "nnx.eval_shape"

    def context(self, spec: ModuleSpec) -> dict[str, Any]:
        """Return the context of `templates/nnx`."""
        built = constructor(spec, DRAW)
        scope, values = Scope.of(spec), _values(spec)
        checks = [block(read_values(spec, check), BODY) for check in check_statements(spec)]
        is_made_elsewhere = spec.own_constructor or spec.inherits_constructor or spec.is_open
        return {
            "name": spec.name,
            "bases": base_names(spec, "nnx.Module"),
            "doc": class_doc(spec),
            "variables": list(own_variables(spec)),
            "has_variables": bool(own_variables(spec)),
            "fields": with_docs(
                spec,
                {
                    f.name: f"{f.name}: {scope.spelled(('fields', f.name, 'type'), _annotation(f, scope))}"
                    for f in spec.stored
                    if f.annotated
                },
            ),
            "has_init": not is_made_elsewhere and bool(built.statements or values or checks),
            "constructor_signature": f"self, {built.signature}".removesuffix(", "),
            "init_returns": init_returns(spec, ""),
            "constructor_doc": constructor_doc(spec),
            "statements": [block(statement, BODY) for statement in built.statements],
            "values": values,
            "checks": checks,
            "has_state_methods": _has_state_methods(spec),
            "properties": [list(member) for member in properties(spec)],
            **call_context(spec),
            **save_context(spec),
        }

    def read(self, spec: ModuleSpec, source: str) -> str:
        """Rewrite the author's Python to read the value of each Variable."""
        return read_values(spec, source)

    def checked_by_author(self, spec: ModuleSpec) -> str | None:
        """Return the constructor that the author or a base defines, or None."""
        return "__init__" if spec.inherits_constructor else super().checked_by_author(spec)

    def faults(self, spec: ModuleSpec) -> Iterator[Fault]:
        """Find faults of Variables."""
        return variable_faults(spec)

    def tests(self, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
        """Return the context of `templates/tests`: declared Variables, and helpers of the module."""
        subject = Subject(spec, known)
        updates = updated(spec, as_in_example(spec, spec.call)) if spec.call is not None else ()
        return {
            "suite": "NnxLaws",
            "suite_doc": docstring(f"The laws of NNX modules on `{spec.name}`.", "    "),
            "manifest": "variables",
            "leaves": [
                row for field in spec.dynamic if not subject.is_absent(field) for row in _rows(subject, field)
            ],
            "attributes": [
                *([f"updates = {updates!r}"] if updates else []),
                *(["map_variables = staticmethod(map_variables)"] if _has_state_methods(spec) else []),
                *(["saves_whole = True"] if spec.save else []),
            ],
            "defines": list(own_variables(spec)),
        }


KIND = NnxKind()
