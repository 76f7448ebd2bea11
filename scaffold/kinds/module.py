"""Kind `module`: an Equinox Module with a factory, or with an `__init__` as in `equinox.nn`."""

from collections.abc import Iterator
from typing import Any

from scaffold.emit.annotations import Scope
from scaffold.emit.bases import base_names, without_inherited
from scaffold.emit.constructor.checks import check_statements, own_checks
from scaffold.emit.constructor.construct import constructor, copy_source
from scaffold.emit.docs import BODY, class_doc, constructor_doc, init_returns, with_docs
from scaffold.emit.members.groups import group_context
from scaffold.emit.members.members import call_context, properties, readable
from scaffold.emit.members.saving import save_context
from scaffold.emit.members.trainable import decayed_body, trainable_body
from scaffold.emit.nesting import grouped, small_classes, with_groups_as_fields
from scaffold.errors import Fault
from scaffold.kind import Kind
from scaffold.passes.compute import compute_faults, with_compute
from scaffold.passes.stacked.faults import stacked_faults
from scaffold.passes.stacked.layers import with_stacked
from scaffold.passes.states import state_faults, with_state
from scaffold.passes.static_storage import is_converted
from scaffold.source.text import block
from scaffold.spec.construction.class_calls import is_called_with_fields, kept_defaults
from scaffold.spec.construction.constructor import has_factory
from scaffold.spec.fields.training import undecayed
from scaffold.spec.grammar.types import CallableType, ClassType, walk
from scaffold.spec.model import Field, ModuleSpec

TESTS = ("eqx.is_inexact_array(leaf)",)
"""Conditions that a trained leaf must meet."""
CHECKS = "__check_init__"
"""Hook of Equinox that checks a new instance."""


def module_context(spec: ModuleSpec) -> dict[str, Any]:
    """Return the context of `templates/module`."""
    built = constructor(spec)
    outer = with_groups_as_fields(spec, needs_trainable)
    own = without_inherited(outer)
    is_init = spec.constructor == "init"
    inherits = spec.inherits_constructor
    is_made_here = not (spec.own_constructor or inherits or spec.is_open)
    stated = check_statements if spec.own_constructor is None else own_checks
    checks = () if KIND.checked_by_author(spec) else stated(without_inherited(spec))
    return {
        "name": spec.name,
        "bases": base_names(spec),
        "doc": class_doc(outer),
        "small_classes": [_small_class(small_class) for small_class in small_classes(spec)],
        "fields": field_lines(own),
        "is_init": is_init and is_made_here,
        "has_create": has_factory(spec) and is_made_here,
        "constructor_signature": f"{'self' if is_init else 'cls'}, {built.signature}".removesuffix(", "),
        "init_returns": init_returns(spec, ""),
        "constructor_doc": constructor_doc(spec),
        "statements": [block(statement, BODY) for statement in built.statements],
        "values": [list(pair) for pair in grouped(spec, built.values)],
        "has_checks": bool(checks),
        "checks": [block(check, BODY) for check in checks],
        "properties": [list(member) for member in (*readable(spec), *properties(spec))],
        "has_trainable": needs_trainable(outer) and not (inherits or spec.defines("trainable")),
        "trainable_body": block(_trainable(outer), BODY),
        "has_decayed": bool(undecayed(spec)) and not (inherits or spec.defines("decayed")),
        "decayed_body": block(decayed_body(outer, _untrained(outer), TESTS), BODY),
        **group_context(spec),
        **call_context(spec),
        **save_context(spec),
    }


def field_lines(spec: ModuleSpec) -> list[str]:
    """Return the declaration of each stored field."""
    scope, kept = Scope.of(spec), kept_defaults(spec)
    converts = is_called_with_fields(spec)
    lines = {
        field.name: _field(
            spec,
            field,
            scope,
            has_default=field.name in kept or (field.built and not field.nullable),
            converts=converts,
        )
        for field in spec.stored
    }
    return with_docs(spec, lines)


def _held_default(spec: ModuleSpec, field: Field) -> str | None:
    """Return the default in the class statement, converted as instances store it."""
    if field.default is None or not is_converted(spec, field):
        return field.default
    return copy_source(field.type, field.default, static=True)


def _field(spec: ModuleSpec, field: Field, scope: Scope, *, has_default: bool, converts: bool) -> str:
    default = _held_default(spec, field) if has_default else None
    arguments = ["static=True"] * (not field.dynamic) + [f"default={default}"] * (default is not None)
    if converts and field.converter is not None:
        arguments.append(f"converter={field.converter.removeprefix('=').strip()}")
    if arguments and arguments == [f"default={default}"]:
        return f"{field.name}: {scope.held(field)} = {default}"
    return f"{field.name}: {scope.held(field)}" + (
        f" = eqx.field({', '.join(arguments)})" if arguments else ""
    )


def _small_class(spec: ModuleSpec) -> list[Any]:
    """Return name, docstring, fields and filter spec of a group's class."""
    masks = needs_trainable(spec)
    return [spec.name, class_doc(spec), field_lines(spec), masks, block(_trainable(spec), BODY)]


def needs_trainable(spec: ModuleSpec) -> bool:
    """Whether the class needs its own filter, since `eqx.is_inexact_array` would train too much.

    That holds for frozen leaves, data, and parts with such leaves. `decayed()` also needs the filter if there
    are parts.
    """
    is_masked = any(
        bool(field.frozen) or _may_hold_untrained(field) or _stays(field) for field in spec.dynamic
    )
    has_parts = any(field.role == "module" for field in spec.dynamic)
    return is_masked or (has_parts and bool(undecayed(spec)))


def _may_hold_untrained(field: Field) -> bool:
    """Whether a part may have its own filter. Layers of Equinox and functions have none."""
    parts = [*walk(field.example or field.type)]
    classes = [part for part in parts if isinstance(part, ClassType)]
    is_known = bool(classes) or any(isinstance(part, CallableType) for part in parts)
    are_layers = all((part.module or "").startswith("equinox.") for part in classes)
    return field.role == "module" and not (is_known and are_layers)


def _stays(field: Field) -> bool:
    return field.role == "state" or (field.role in ("data", "buffer") and not field.python_leaf)


def _trainable(spec: ModuleSpec) -> str:
    return trainable_body(spec, _untrained(spec), TESTS)


def _untrained(spec: ModuleSpec) -> tuple[str, ...]:
    return tuple(field.name for field in spec.dynamic if _stays(field))


class ModuleKind(Kind):
    """Kind `module`."""

    summary = (
        "an equinox.Module: fields with shapes, a factory or __init__, a filter spec where not all is trained"
    )
    varies = True
    adds = ("bases", "generic", "layout", "compute", "decay", "stacked", "remat", "axis_name", "state")

    def context(self, spec: ModuleSpec) -> dict[str, Any]:
        """Return the context of `templates/module`."""
        return module_context(spec)

    def checked_by_author(self, spec: ModuleSpec) -> str | None:
        """Return `__check_init__` if the author defines it. The tool adds it beside any other constructor."""
        return CHECKS if spec.defines(CHECKS) else None

    def faults(self, spec: ModuleSpec) -> Iterator[Fault]:
        """Find fields that cannot be state, stacked, or computed in another dtype."""
        yield from (*state_faults(spec), *stacked_faults(spec), *compute_faults(spec))

    def complete(self, spec: ModuleSpec) -> ModuleSpec:
        """Add the state argument of the call, scans over stacked layers, and casts to the compute dtype."""
        return with_compute(with_stacked(with_state(spec)))


KIND = ModuleKind()
