"""The fields of a class as tables: from its statement, and from what an instance holds."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from scaffold.adopt.as_spec.built import assigned_in
from scaffold.adopt.as_spec.source import ClassSource
from scaffold.adopt.as_spec.types import Types
from scaffold.spec.skeletons.fields import doc_below
from scaffold.spec.skeletons.values import raw_value
from scaffold.spec.type_parser import parse_type
from scaffold.spec.types import (
    ArrayType,
    CallableType,
    ClassType,
    ScalarType,
    TreeType,
    Type,
    UnionType,
    walk,
)

_MAKERS = ("equinox.field", "dataclasses.field", "flax.struct.field")


class Declared(Struct, frozen=True):
    """A field as the class declares it."""

    name: str
    annotation: ast.expr
    keys: Mapping[str, ast.expr]
    """What `field(...)` is given; of a plain value, `default`."""
    doc: str = ""
    comment: str = ""

    @property
    def is_static(self) -> bool:
        """Whether it says that the field belongs to the treedef."""
        said = self.keys.get("static")
        node = self.keys.get("pytree_node")
        return _is(said, True) or _is(node, False)


def _is(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def declared_fields(source: ClassSource) -> Iterator[Declared]:
    """The annotated names of the class, in order, without those that belong to the class alone."""
    body, end = source.node.body, source.node.lineno
    for place, one in enumerate(body):
        if (
            isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and not of_class(one.annotation)
        ):
            doc = doc_below(body[place + 1]) if place + 1 < len(body) else None
            comment = (source.notes.comment_of(one, end), source.notes.comment_behind(one))
            told = "\n".join(filter(None, comment))
            yield Declared(one.target.id, one.annotation, _keys(one.value, source), doc or "", told)
        end = one.end_lineno or end


def assigned_fields(source: ClassSource) -> Iterator[Declared]:
    """What `__init__` assigns, as the fields of a class that annotates none; of an argument, with its annotation."""
    node = source.functions.get("__init__")
    if node is None or source.kind not in ("registered", "nnx"):
        return
    arguments = {one.arg: one.annotation for one in (*node.args.args, *node.args.kwonlyargs)}
    made = {} if source.kind != "nnx" else _classes_made(node, source.variables)
    for name in assigned_in(node.body):
        annotation = arguments.get(name) or made.get(name) or ast.Name("Any", ast.Load())
        keys = {"static": ast.Constant(True)} if source.children and name not in source.children else {}
        yield Declared(name, annotation, keys)


def _classes_made(node: ast.FunctionDef, variables: Mapping[str, str]) -> dict[str, ast.expr]:
    """The classes of what `__init__` makes by calling them, by attribute; of a list that of its items."""
    found: dict[str, ast.expr] = {}
    for one in ast.walk(node):
        match one:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Call(func=maker)):
                found[name] = maker
            case ast.Assign(
                targets=[ast.Attribute(attr=name)],
                value=ast.ListComp(elt=ast.Call(func=maker)) | ast.List(elts=[ast.Call(func=maker), *_]),
            ):
                found[name] = ast.Constant(f"list[{ast.unparse(maker)}]")
            case _:
                pass
    return {name: maker for name, maker in found.items() if name not in variables}


def of_class(annotation: ast.expr) -> bool:
    """Whether it is `ClassVar[...]`, which no instance holds."""
    return any(
        "ClassVar" in ast.unparse(one)
        for one in ast.walk(annotation)
        if isinstance(one, ast.Name | ast.Attribute)
    )


def _keys(value: ast.expr | None, source: ClassSource) -> dict[str, ast.expr]:
    match value:
        case None:
            return {}
        case ast.Call(func=maker, keywords=keywords) if source.names.of(maker) in _MAKERS:
            return {one.arg or "**": one.value for one in keywords}
        case _:
            return {"default": value}


def field_table(one: Declared, init: str | None, source: ClassSource, types: Types) -> dict[str, Any]:
    """The table of a field. Without a type where nobody knows it, which is told as a fault of the spec."""
    text = types.of_field(one.name, one.annotation)
    text = text if one.is_static else as_list(text)
    table: dict[str, Any] = {"type": text or ast.unparse(one.annotation)}
    if text and types.source.kind == "nnx":
        table |= of_variable(one.name, parse_type(text), types)
    elif role := role_of(one, parse_type(text), types) if text else "":
        table["role"] = role
    if init is not None:
        table["init"] = f"={_of_index(init, one.annotation)}"
    elif "default" in one.keys:
        table["default"] = raw_value(one.keys["default"], source.notes)
    if "converter" in one.keys and init is None:
        table["converter"] = source.notes.segment(one.keys["converter"])
    return {**table, **{key: told for key, told in (("doc", one.doc), ("comment", one.comment)) if told}}


def _of_index(init: str, annotation: ast.expr) -> str:
    """What a place in the state begins with: a spec says the array, and its role."""
    match ast.parse(init, mode="eval").body:
        case ast.Call(func=maker, args=[value]) if "StateIndex" in ast.unparse(maker):
            return ast.unparse(value) if "StateIndex" in ast.unparse(annotation) else init
        case _:
            return init


def as_list(text: str) -> str:
    """A tuple of any length whose items are leaves, or hold some, as the list that a spec has for it."""
    found = re.fullmatch(r"tuple\[(.*), \.\.\.\]", text)
    kinds = walk(parse_type(found[1])) if found is not None else ()
    holds = any(isinstance(part, ArrayType | ClassType | TreeType) for part in kinds)
    return f"list[{found[1]}]" if found is not None and holds else text


def of_variable(name: str, kind: Type, types: Types) -> dict[str, str]:
    """The role that a field of NNX has by the Variable that holds it, and the type of that one."""
    found = [held for path, held in types.source.variables.items() if path.partition(".")[0] == name]
    holds_arrays = any(isinstance(part, ArrayType | TreeType) for part in walk(kind))
    if not (found and holds_arrays):
        return {"role": "static"} if isinstance(kind, ScalarType) else {}
    last = found[0].rpartition(".")[2]
    if last == "Param":
        return {}
    return {"role": "state", **({"variable": last} if last != "Variable" else {})}


def role_of(one: Declared, kind: Type, types: Types) -> str:
    """The role that the class gives the field, by its statement and by the leaves that were found."""
    parts = [*walk(kind)]
    if any(isinstance(part, CallableType) for part in parts):
        return "callable" if one.is_static else "module"
    if one.is_static and not any(isinstance(part, ArrayType | TreeType) for part in parts):
        return "static"
    if any(isinstance(part, ArrayType | TreeType) for part in parts):
        return _of_arrays(one, parts, types)
    is_number = isinstance(kind, ScalarType | UnionType) and all(_is_number(part) for part in parts)
    if types.source.kind == "registered" and (one.name in types.seen.static or not types.seen.leaves):
        return "static"
    return "buffer" if is_number and types.source.kind != "nnx" else ""


def _is_number(part: Type) -> bool:
    return isinstance(part, UnionType) or (
        isinstance(part, ScalarType) and part.name in ("int", "bool", "float")
    )


def _of_arrays(one: Declared, parts: list[Type], types: Types) -> str:
    if "StateIndex" in ast.unparse(one.annotation):
        return "state"
    held, _ = types.held(types.seen, one.name)
    role = held.role if held is not None else ""
    if one.is_static or any(part.dtype == "key" for part in parts if isinstance(part, ArrayType)):
        return "buffer"
    if any(not part.inexact for part in parts if isinstance(part, ArrayType)):
        return role if role in ("data", "buffer") else "buffer"
    return role if role in ("param", "data", "buffer", "state") else "param"
