"""Conversion of static values to immutable, hashable forms with equality by value."""

import ast
from typing import Any, cast

from scaffold.source.expressions import dedented, is_identity_test
from scaffold.source.instance import attributes_stored
from scaffold.source.rewriting import read_as
from scaffold.spec.grammar.types import DictType, ListType, ScalarType, SetType, TupleType, Type, UnionType
from scaffold.spec.grammar.values import as_float
from scaffold.spec.model import Field, ModuleSpec

DTYPE, SLICE, FLOAT = ScalarType("dtype"), ScalarType("slice"), ScalarType("float")
_PARTS = "start", "stop", "step"


def stored_source(kind: Type, source: str, name: str = "item") -> str:
    """Return source for the stored form of `source`. `name` is the variable for items of a container."""
    match kind:
        case ScalarType(name="dtype"):
            return f"np.dtype({source})"
        case ScalarType(name="slice"):
            return _slice_source(source)
        case ScalarType(name="float"):
            taken = f"float({source}) if type({source}) is int else {source}"
            return taken if is_simple(source) else as_float(kind, source)
        case SetType(item=item):
            stored = stored_source(item, name, f"{name}_")
            if stored == name and source.startswith("frozenset("):
                return source
            return f"frozenset({source})" if stored == name else f"frozenset({stored} for {name} in {source})"
        case TupleType(items=items, variadic=variadic) if parts := _shown_parts(source):
            kinds = items * len(parts) if variadic else items
            stored = [stored_source(*pair, name) for pair in zip(kinds, parts, strict=False)]
            return source if stored == parts else f"({', '.join(stored)},)"
        case TupleType(items=(item,), variadic=True):
            stored = stored_source(item, name, f"{name}_")
            return source if stored == name else f"tuple({stored} for {name} in {source})"
        case TupleType(items=items) if is_simple(source):
            stored = [stored_source(item, f"{source}[{index}]", name) for index, item in enumerate(items)]
            changed = any(stored_item != f"{source}[{index}]" for index, stored_item in enumerate(stored))
            return (
                f"({', '.join(stored)},) if len({source}) == {len(items)} else {source}"
                if changed
                else source
            )
        case DictType(item=item):
            return _pairs_source(item, source, name)
        case UnionType() if is_simple(source):
            return _stored_member(kind, source)
        case _:
            return source


def _pairs_source(item: Type, source: str, name: str) -> str:
    """Return source for the sorted pairs of a dict as a tuple."""
    pairs = f"{source if is_simple(source) else f'({source})'}.items()"
    stored = stored_source(item, name, f"{name}_")
    return f"tuple(sorted({pairs if stored == name else f'(name, {stored}) for name, {name} in {pairs}'}))"


def _stored_member(kind: UnionType, source: str) -> str:
    """Return source for the stored form of a union, in which None, and ints among its types, stay."""
    match kind.members:
        case (DictType() as only,):
            return f"{stored_source(only, source, 'value')} if isinstance({source}, Mapping) else {source}"
        case (ListType(item=item),):
            stored = stored_source(TupleType((item,), variadic=True), source)
            stored = f"tuple({source})" if stored == source else stored
            return f"{stored} if isinstance({source}, list) else {source}"
        case _:
            pass
    if FLOAT in kind.members and ScalarType("int") not in kind.members:
        return stored_source(FLOAT, source)
    if SLICE in kind.members:
        return stored_source(SLICE, source)
    if DTYPE in kind.members and len(kind.members) == 1:
        return f"None if {source} is None else np.dtype({source})"
    return source


def _shown_parts(source: str) -> list[str]:
    """Return the sources of a tuple display's items, or nothing for other source."""
    node = ast.parse(source, mode="eval").body
    items = node.elts if isinstance(node, ast.Tuple) else []
    return [ast.get_source_segment(source, item) or "" for item in items if not isinstance(item, ast.Starred)]


def is_simple(source: str) -> bool:
    """Whether the source may be repeated: a name, with attributes and constant indices."""
    node: ast.AST = ast.parse(source, mode="eval").body
    while isinstance(node, ast.Attribute) or (
        isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    ):
        node = node.value
    return isinstance(node, ast.Name)


def _slice_source(source: str) -> str:
    """Return source for a slice as a tuple, because slices have no hash before Python 3.12."""
    match ast.parse(source, mode="eval").body:
        case ast.Call(func=ast.Name(id="slice"), args=[*parts], keywords=[]) if 0 < len(parts) < 4:
            parts_text = [ast.get_source_segment(source, part) or "None" for part in parts]
            parts_text = ["None", *parts_text] if len(parts_text) == 1 else parts_text
            return f"({', '.join([*parts_text, 'None'][:3])})"
        case _ if is_simple(source):
            parts = ", ".join(f"{source}.{part}" for part in _PARTS)
            return f"({parts}) if type({source}) is slice else {source}"
        case _:
            return f"operator.attrgetter({', '.join(map(repr, _PARTS))})({source})"


def is_converted(spec: ModuleSpec, field: Field) -> bool:
    """Whether a static value is converted, which an author's constructor that assigns it prevents."""
    if field.dynamic or spec.own_constructor is None:
        return not field.dynamic
    return field.name not in attributes_stored(ast.parse(dedented(spec.own_constructor.call.source)))


def as_given(spec: ModuleSpec, source: str) -> str:
    """Rewrite reads of static values to give the author their original form."""
    held = (field for field in spec.static if is_converted(spec, field))
    reads = {field.name: _given_source(field.type, f"self.{field.name}") for field in held}
    reads = {name: read for name, read in reads.items() if read != f"self.{name}"}
    dicts = {read for name, read in reads.items() if read == f"dict(self.{name})"}
    return read_as(source, reads, lambda node: is_identity_test(node) or ast.unparse(node) in dicts)


def _given_source(kind: Type, source: str, name: str = "item") -> str:
    """Return source that restores the author's form from the stored form."""
    match kind:
        case ScalarType(name="slice"):
            return f"slice(*{source})"
        case TupleType(items=(item,), variadic=True) | ListType(item=item):
            given_items = _given_source(item, name, f"{name}_")
            return source if given_items == name else f"tuple({given_items} for {name} in {source})"
        case TupleType(items=items):
            given_items = [_given_source(item, f"{source}[{index}]") for index, item in enumerate(items)]
            changed = any(given_item != f"{source}[{index}]" for index, given_item in enumerate(given_items))
            return f"({', '.join(given_items)},)" if changed else source
        case DictType(item=item):
            given_items = _given_source(item, name, f"{name}_")
            pairs = f"{{key: {given_items} for key, {name} in {source}}}"
            return f"dict({source})" if given_items == name else pairs
        case UnionType(members=members, optional=True) if SLICE in members:
            return f"({source} and slice(*{source}))"
        case UnionType(members=(DictType() | ListType() as only,), optional=True):
            given = _given_source(only, source, name)
            return source if given == source else f"(None if {source} is None else {given})"
        case _:
            return source


def stored_value(kind: Type, value: Any) -> Any:
    """Return the stored form of a static value: lists as tuples, and dicts as sorted pairs."""
    match kind, value:
        case (ScalarType(name="float"), int()) if type(value) is int:
            return float(value)
        case (SetType(item=item), list() | tuple() | set() | frozenset()):
            return frozenset(stored_value(item, member) for member in cast("list[Any]", value))
        case (ListType(item=item) | TupleType(items=(item,), variadic=True), list() | tuple()):
            return tuple(stored_value(item, member) for member in cast("list[Any]", value))
        case (TupleType(items=items), list() | tuple()):
            return tuple(
                stored_value(item, member)
                for item, member in zip(items, cast("list[Any]", value), strict=False)
            )
        case (DictType(item=item), dict()):
            pairs = cast("dict[str, Any]", value).items()
            return tuple(sorted((name, stored_value(item, pair)) for name, pair in pairs))
        case (UnionType(members=(DictType() | ListType() as only,)), list() | tuple() | dict()):
            return stored_value(only, cast("object", value))
        case (UnionType(members=members), int()) if type(value) is int:
            is_float = FLOAT in members and ScalarType("int") not in members
            return float(value) if is_float else value
        case _:
            return value
