"""Variables of an NNX module: the type for each field, and updates by the call."""

import ast
from collections.abc import Iterator, Mapping

from scaffold.errors import Fault
from scaffold.passes.reached import bodies_used
from scaffold.source.expressions import dedented, is_identity_test
from scaffold.source.instance import (
    attribute_of_self,
    calls,
    is_whole,
    updated_attribute,
    updated_below,
    updated_entry,
    variable_read,
    variable_set,
)
from scaffold.source.rewriting import rewrite
from scaffold.spec.construction.dtypes import is_part
from scaffold.spec.fields.training import FILTER
from scaffold.spec.grammar.types import ArrayType, DictType, ListType, OpaqueType, walk
from scaffold.spec.helpers import helper_names
from scaffold.spec.model import Call, Field, ModuleSpec
from scaffold.spec.names import class_name_faults
from scaffold.spec.reading.made_variables import FLAX

_OF_VARIABLES = (
    "value",
    "raw_value",
    "get_value",
    "set_value",
    "get_metadata",
    "set_metadata",
    "copy_from",
    "type",
)
"""Attributes of Variables that arrays lack."""
UNTRAINED = ("data", "buffer", "state")
"""Roles of arrays whose Variable type the author may choose."""
_DEFAULTS = {"param": "Param", "data": "Data"}
_OF_FLAX = ("eval", "iter_children", "iter_modules", "perturb", "set_attributes", "sow", "train")
STATE_METHODS = ("snapshot", "restore")
"""Methods of a module whose Variables the tool creates."""
_OWN = frozenset((*_OF_FLAX, "rngs", *STATE_METHODS))


def variable_of(field: Field) -> str:
    """Return source for the Variable type of an array field."""
    name = _type_of(field)
    if field.built and name not in FLAX:  # the author's constructor chooses it
        name = "Param" if field.role == "param" else "Variable"
    return f"nnx.{name}" if name in (*FLAX, "Param") else name


def _type_of(field: Field) -> str:
    usual = "Frozen" if field.frozen else _DEFAULTS.get(field.role, "Variable")
    return field.variable or usual


def own_variables(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the Variable types that the module defines, in order."""
    named = (_type_of(field) for field in spec.dynamic if item_of(field) is not None and not field.built)
    return tuple(dict.fromkeys(name for name in named if name not in (*FLAX, "Param")))


def item_of(field: Field) -> ArrayType | None:
    """Return the array type in a field of Variables, alone or in a list or dict, or None."""
    kind = field.type.item if isinstance(field.type, ListType | DictType) else field.type
    return kind if isinstance(kind, ArrayType) and field.role in ("param", *UNTRAINED) else None


def updated(spec: ModuleSpec, call: Call | None) -> tuple[str, ...]:
    """Return the fields that a call updates, directly or by methods, then paths of Variables in parts."""
    bodies = bodies_used(spec, call.body) if call is not None else []
    names = {name for body in bodies for name in assigned_attributes(body)}
    nodes = (node for body in bodies for node in ast.walk(ast.parse(dedented(body))))
    below = sorted({path for node in nodes if (path := updated_below(node)) is not None})
    return (*(field.name for field in spec.dynamic if field.name in names), *below)


def read_values(spec: ModuleSpec, source: str) -> str:
    """Write `self.weight[...]` for `self.weight`, which reads or updates the Variable's value.

    A buffer is read behind `stop_gradient`. A comparison with None stays.
    """
    fields = {field.name: field for field in spec.dynamic if item_of(field) is not None}
    tested = {name for name in fields if _is_tested(source, name)}

    def change(node: ast.AST, ancestors: tuple[ast.AST, ...]) -> str | None:
        entry = _entry(node, fields)
        if entry is not None:
            return entry
        inner = (
            node.value if isinstance(node, ast.Subscript) and is_whole(node) else variable_read(node) or node
        )
        field = fields.get(attribute_of_self(inner) or "")
        parent = ancestors[-1] if ancestors else node
        if field is None or _is_read_as_variable(parent):
            return None
        if isinstance(getattr(node, "ctx", None), ast.Store):
            return f"self.{field.name}[...]"
        return _read(field, tested=field.name in tested, guarded=calls(parent, "stop_gradient"))

    return rewrite(source, change)


def _is_read_as_variable(parent: ast.AST) -> bool:
    """Whether the parent of an attribute takes the Variable itself, not its value."""
    is_asked = isinstance(parent, ast.Attribute) and parent.attr in _OF_VARIABLES
    return is_asked or is_whole(parent) or is_identity_test(parent) or updated_entry(parent) is not None


def _entry(node: ast.AST, fields: Mapping[str, Field]) -> str | None:
    """Return source for the value of an entry, such as `self.layers[0]` or `self.table["a"]`, or None."""
    if not isinstance(node, ast.Subscript) or is_whole(node) or isinstance(node.slice, ast.Slice):
        return None
    field = fields.get(attribute_of_self(node.value) or "")
    if field is None or field.array is not None or not isinstance(node.ctx, ast.Load):
        return None
    return _value(field, f"self.{field.name}[{ast.unparse(node.slice)}]")


def _value(field: Field, variable: str) -> str:
    item = item_of(field)
    is_guarded = field.role == "buffer" and item is not None and item.inexact
    return f"jax.lax.stop_gradient({variable}[...])" if is_guarded else f"{variable}[...]"


def _read(field: Field, *, tested: bool, guarded: bool) -> str:
    name = f"self.{field.name}"
    match field.type:
        case ListType():
            text = f"tuple({_value(field, 'variable')} for variable in {name})"
        case DictType():
            text = f"{{name: {_value(field, 'variable')} for name, variable in {name}.items()}}"
        case _:
            text = f"{name}[...]" if guarded else _value(field, name)
    may_be_none = (field.optional or field.nullable) and not tested
    return f"(None if {name} is None else {text})" if may_be_none else text


def _is_tested(source: str, name: str) -> bool:
    """Whether the source compares the attribute with None."""
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Compare))
    return any(is_identity_test(node) and attribute_of_self(node.left) == name for node in nodes)


def variable_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find faults of Variables: their types, their fields, and illegal updates."""
    for field in spec.fields:
        place = f"fields.{field.name}"
        if field.variable is not None:
            yield from _type_faults(spec, field, field.variable, f"{place}.variable")
        yield from _field_faults(field, place)
        if field.role in ("data", "buffer") and _is_part(spec, field):
            fix = f"leave out the role, and read it behind `stop_gradient`, or give the optimiser a filter: `{FILTER}`"
            yield Fault(f"{place}.role", "the Params of a sub-module are its own", fix)
    for method in spec.methods:
        if method.name in _OWN - {*STATE_METHODS}:  # the author's take the place of those
            message, fix = f"`{method.name}` hides a member of the module", f"write `{method.name}_`"
            yield Fault(f"methods.{method.name}", message, fix)
    yield from _update_faults(spec)


def _type_faults(spec: ModuleSpec, field: Field, variable: str, place: str) -> Iterator[Fault]:
    if variable not in FLAX and variable != "Param":
        yield from class_name_faults(variable, place)
        if variable == spec.name:
            fix = f"write `{variable}Variable`, for example"
            yield Fault(place, f"`{variable}` is the class itself", fix, FLAX)
    elif variable == "Param":
        fix = 'write `role = "param"` for what is trained, or another type'
        yield Fault(place, f"a `Param` is trained, and {field.role} is not", fix, FLAX)


def _field_faults(field: Field, place: str) -> Iterator[Fault]:
    if field.name in _OWN and not (field.built and field.name == "rngs"):
        yield Fault(place, f"`{field.name}` hides a member of the module", f"write `{field.name}_`")
    if field.python_leaf:
        fix = 'write `role = "static"`, or an array such as `f[]`'
        yield Fault(f"{place}.role", "an nnx.Module holds Python values as static attributes", fix)
    elif field.role in ("param", *UNTRAINED) and item_of(field) is None and not field.built:
        fix = "write an array, a `list[...]` or a `dict[str, ...]` of arrays, or another class"
        yield Fault(f"{place}.type", "a Variable holds one array", fix)


def _is_part(spec: ModuleSpec, field: Field) -> bool:
    """Whether a field that the author builds is a submodule, and not a Variable of Flax or of the file."""
    variables = {*FLAX, *helper_names(spec)}
    named = {name for part in walk(field.type) if isinstance(part, OpaqueType) for name in part.names}
    return field.built and is_part(field) and not (field.variable or named & variables)


def _update_faults(spec: ModuleSpec) -> Iterator[Fault]:
    legal = tuple(field.name for field in spec.dynamic if _may_update(field))
    functions = spec.functions if spec.own_constructor is None else ()
    bodies = {key: function.call.body for key, function in functions}
    for key, name in ((key, name) for key, body in bodies.items() for name in assigned_attributes(body)):
        if name not in legal:
            fix = f'write `role = "state"` for `{name}`, or return the new value'
            place_text = "the call" if key == "call" else f"`{key.removeprefix('methods.')}`"
            message = f"{place_text} assigns `self.{name}`, and it may update state alone"
            yield Fault(f"{key}.body", message, fix, legal)


def _may_update(field: Field) -> bool:
    """Whether a call may update the field: state, or a buffer without a gradient."""
    is_plain = field.array is not None and not field.array.inexact
    return field.role == "state" or (field.role == "buffer" and is_plain)


def assigned_attributes(source: str) -> tuple[str, ...]:
    """Return the attributes of `self` that code assigns, whole or by entry or value, sorted."""
    return tuple(
        sorted({name for node in ast.walk(ast.parse(dedented(source))) if (name := _assigned(node))})
    )


def _assigned(node: ast.AST) -> str | None:
    variable = variable_set(node)
    by_value = attribute_of_self(variable) if variable is not None else None
    return updated_attribute(node) or updated_entry(node) or by_value
