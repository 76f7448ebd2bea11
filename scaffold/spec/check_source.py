"""The rules that the Python in a spec obeys: syntax, statements, and the names it may use."""

import ast
import builtins
import io
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from scaffold.errors import Fault, nearest, suggestion
from scaffold.kinds import kind_of
from scaffold.spec.cases import claimed_arguments
from scaffold.spec.constructor import constructor_names, converter_expression, readable_above
from scaffold.spec.expressions import (
    assigned_names,
    count_name,
    dedented,
    free_names,
    own_nodes,
    syntax_fault,
)
from scaffold.spec.helpers import helper_names
from scaffold.spec.model import Call, Field, Method, ModuleSpec
from scaffold.spec.names import IMPORTS, class_name_fault
from scaffold.spec.rewriting import self_attributes
from scaffold.spec.states import ARGUMENT as STATE_ARGUMENT
from scaffold.spec.states import state_fields
from scaffold.spec.variables import may_update, updated_attribute

_BUILTINS = frozenset(dir(builtins)) | {"__class__"}
_METHODS = frozenset(("create", "trainable", "__class__", "__call__"))


@dataclass(frozen=True)
class Piece:
    """A piece of Python: its place in the spec, its text, whether it is an expression, and may update fields."""

    place: str
    text: str
    expression: bool = True
    updates: bool = False


def pieces(spec: ModuleSpec) -> Iterator[Piece]:
    """Every piece of Python in the spec, but for what was not written."""
    for field in spec.fields:
        yield from _pieces_of(field, f"{spec.where}: fields.{field.name}")
    for argument in spec.arguments:
        if argument.default is not None:
            yield Piece(f"{spec.where}: arguments", argument.default)
    if spec.helpers:
        yield Piece(f"{spec.where}: helpers", spec.helpers, expression=False)
    if spec.setup:
        yield Piece(f"{spec.where}: setup", spec.setup, expression=False)
    for key, function in spec.functions:
        for argument in function.call.args:
            if argument.default is not None:
                yield Piece(f"{spec.where}: {key}.args", argument.default)
        yield from (Piece(f"{spec.where}: {key}.decorator", one) for one in function.decorators)
        if function.call.body:
            body = f"{spec.where}: {key}.body"
            yield Piece(body, function.call.body, expression=False, updates=may_update(spec))
    yield from _pieces_of_tests(spec)
    yield from _claims(spec)


def _pieces_of(field: Field, place: str) -> Iterator[Piece]:
    named = {
        field.expression_key: field.source,
        "preprocess": field.preprocess,
        "check": field.check,
        "converter": converter_expression(field),
        "default": field.default,
    }
    yield from (Piece(f"{place}.{key}", text) for key, text in named.items() if text is not None)
    yield from (Piece(f"{place}.preset.{name}", text) for name, text in field.preset)


def _pieces_of_tests(spec: ModuleSpec) -> Iterator[Piece]:
    place = f"{spec.where}: test"
    yield from (Piece(f"{place}.values.{name}", text) for name, text in spec.test.values)
    yield from (Piece(f"{place}.other.{name}", text) for name, text in spec.test.other)
    yield from (Piece(f"{place}.rejected.{name}", text) for row in spec.test.rejected for name, text in row)
    for index, case in enumerate(spec.test.cases):
        yield from (Piece(f"{place}.cases.{index}.values.{name}", text) for name, text in case.values)


def _claims(spec: ModuleSpec) -> Iterator[Piece]:
    """What the tests say of the fields and the arguments of the call."""
    place = f"{spec.where}: test"
    yield from (Piece(f"{place}.holds.{i}.that", one.that) for i, one in enumerate(spec.test.holds))
    if spec.test.reference:
        yield Piece(f"{place}.reference", spec.test.reference, expression=False)


def source_faults(piece: Piece) -> Iterator[Fault]:
    """What is wrong with one piece by itself."""
    what = _fault_of(piece)
    if what is not None:
        fix = "mend the statement" if not piece.expression else "write an expression"
        yield Fault(piece.place, what, f"{fix}, or remove it" if what == _EMPTY else fix)
        return
    if piece.expression and "#" in piece.text and _has_comment(piece.text):
        yield Fault(piece.place, "an expression holds no comment", "put it into `doc`")
    tree = ast.parse(piece.text.strip() if piece.expression else dedented(piece.text))
    yield from _statement_faults(piece.place, tree, updates=piece.updates)


_EMPTY = "is empty"


def _fault_of(piece: Piece) -> str | None:
    if not piece.text.strip() or all(line.strip()[:1] in ("", "#") for line in piece.text.split("\n")):
        return _EMPTY
    what = syntax_fault(piece.text, expression=piece.expression)
    return None if what is None else f"not Python: {what}"


def is_broken(text: str | None, *, expression: bool = True) -> bool:
    """Whether a piece is there and cannot be parsed."""
    return text is not None and _fault_of(Piece("", text, expression)) is not None


def _has_comment(text: str) -> bool:
    # In parentheses, as the tokenizer wants to see the end of every line.
    tokens = tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline)
    return any(token.type == tokenize.COMMENT for token in tokens)


def _statement_faults(place: str, tree: ast.Module, *, updates: bool) -> Iterator[Fault]:
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(tree.body)):
        yield Fault(place, "`yield` makes a generator of it", "collect the values and return them")
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            names = ", ".join(node.names)
            yield Fault(place, f"`global {names}` writes outside the instance", "return the new value")
    nodes = (node for node in ast.walk(tree) if not (updates and updated_attribute(node)))
    for name in sorted({name for node in nodes for name in _changed_self(node)}):
        fix = "bind a local name, or return the new value: instances are immutable"
        yield Fault(place, f"assigns `{name}`", fix)


def _changed_self(node: ast.AST) -> tuple[str, ...]:
    """What a node stores in or deletes from `self`: `self`, `self.x`, or `self.x[...]`."""
    match node:
        case ast.Name(id="self", ctx=ast.Store() | ast.Del()):
            return ("self",)
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            root: ast.AST = node
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            return (ast.unparse(node),) if isinstance(root, ast.Name) and root.id == "self" else ()
        case ast.Call(func=function, args=[ast.Name(id="self"), *_]) if _is_setter(function):
            return ("self",)
        case _:
            return ()


def _is_setter(function: ast.expr) -> bool:
    return ast.unparse(function) in ("setattr", "delattr", "object.__setattr__", "object.__delattr__", "vars")


def readable(spec: ModuleSpec) -> tuple[ModuleSpec, str]:
    """The spec with harmless pieces in place of those that cannot be parsed, and the text of these."""
    broken = [one.text for one in pieces(spec) if is_broken(one.text, expression=one.expression)]
    if not broken:
        return spec, ""
    call = None if spec.call is None else _readable_call(spec.call)
    methods = tuple(map(_readable_method, spec.methods))
    setup = "" if is_broken(spec.setup or None, expression=False) else spec.setup
    rows = tuple(_parsed(row) for row in spec.test.rejected)
    test = replace(spec.test, values=_parsed(spec.test.values), other=_parsed(spec.test.other), rejected=rows)
    test = replace(
        test,
        cases=tuple(replace(one, values=_parsed(one.values)) for one in test.cases),
        holds=tuple(replace(one, that="None") if is_broken(one.that) else one for one in test.holds),
        reference="" if is_broken(test.reference or None, expression=False) else test.reference,
    )
    fields = tuple(map(_readable_field, spec.fields))
    helpers = "" if is_broken(spec.helpers or None, expression=False) else spec.helpers
    sound = replace(spec, fields=fields, helpers=helpers, setup=setup, call=call, methods=methods, test=test)
    return sound, "\n".join(broken)


def _readable_call(call: Call) -> Call:
    return replace(call, body="") if is_broken(call.body or None, expression=False) else call


def _readable_method(method: Method) -> Method:
    decorators = tuple(one for one in method.decorators if not is_broken(one))
    return replace(method, call=_readable_call(method.call), decorators=decorators)


def _parsed(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, text) for name, text in pairs if not is_broken(text))


def _readable_field(field: Field) -> Field:
    return replace(
        field,
        init="=None" if field.init and is_broken(field.init.removeprefix("=").strip()) else field.init,
        of="" if is_broken(field.of) else field.of,
        default="None" if is_broken(field.default) else field.default,
        preprocess=None if is_broken(field.preprocess) else field.preprocess,
        check=None if is_broken(field.check) else field.check,
        converter=None if is_broken(converter_expression(field)) else field.converter,
        preset=_parsed(field.preset),
    )


def imported_names(spec: ModuleSpec) -> frozenset[str]:
    """The names that the spec's imports, the classes of its fields and its helpers bring in."""
    lines = frozenset(assigned_names("\n".join(spec.imports)))
    types = {one.name for one in (*spec.classes, *spec.generic)}
    return lines | types | {*helper_names(spec)}


def classes_used(spec: ModuleSpec, is_class: Callable[[str], bool]) -> tuple[str, ...]:
    """The generated classes that the Python of the spec names, beside those of its types."""
    sound = readable(spec)[0]
    taken = {*IMPORTS, *imported_names(spec), *_BUILTINS, spec.name, *(field.name for field in spec.fields)}
    named = {
        name
        for piece in pieces(sound)
        if not is_broken(piece.text, expression=piece.expression)
        for name in free_names(piece.text, expression=piece.expression)
    }
    return tuple(
        name for name in sorted(named - taken) if class_name_fault(name, "") is None and is_class(name)
    )


def known_names(spec: ModuleSpec, unread: frozenset[str]) -> Iterator[Fault]:
    """Names that stand for nothing where they are used."""
    imports = {*IMPORTS, *kind_of(spec.kind).imports, *imported_names(spec)}
    shared = frozenset({*imports, *_BUILTINS, spec.name, *unread})
    in_constructor = shared | constructor_names(spec)
    in_methods = shared | {field.name for field in spec.fields} | {"self"}
    for field in spec.fields:
        place = f"{spec.where}: fields.{field.name}"
        scope = in_constructor | readable_above(spec, field) if field.stored else in_methods
        made = (
            frozenset(one.name for one in spec.stored if not one.given) if field.stored else frozenset[str]()
        )
        yield from _unknown(field.source, scope, f"{place}.{field.expression_key}", made=made)
        yield from _unknown(field.preprocess, in_constructor | {field.name}, f"{place}.preprocess")
        yield from _unknown(converter_expression(field), in_constructor | {field.name}, f"{place}.converter")
        yield from _unknown(field.check, in_methods, f"{place}.check")
        yield from _unknown(field.default, shared, f"{place}.default")
        for name, source in field.preset:
            yield from _unknown(source, shared, f"{place}.preset.{name}")
    for one in spec.arguments:
        yield from _unknown(one.default, shared, f"{spec.where}: arguments")
    yield from _unknown(spec.helpers, shared, f"{spec.where}: helpers", expression=False)
    yield from _unknown(spec.setup, in_constructor, f"{spec.where}: setup", expression=False)
    yield from _known_in_call(spec, shared)
    for piece in _pieces_of_tests(spec):
        yield from _unknown(piece.text, shared | {"seed", "self"}, piece.place)
    arguments = {argument.name for argument in (spec.call.args if spec.call else ())}
    arguments |= {STATE_ARGUMENT.name} if state_fields(spec) else set[str]()
    for piece in _claims(spec):
        of_condition = {"close", *claimed_arguments(spec)} if piece.expression else set[str]()
        scope = shared | arguments | {"self"} | of_condition
        yield from _unknown(piece.text, scope, piece.place, expression=piece.expression)


def _known_in_call(spec: ModuleSpec, shared: frozenset[str]) -> Iterator[Fault]:
    for key, function in spec.functions:
        for one in function.call.args:
            yield from _unknown(one.default, shared, f"{spec.where}: {key}.args")
        for one in function.decorators:
            yield from _unknown(one, shared, f"{spec.where}: {key}.decorator")
        scope = shared | {function.owner} | {argument.name.lstrip("*") for argument in function.call.args}
        yield from _unknown(function.call.body, scope, f"{spec.where}: {key}.body", expression=False)


def _unknown(
    source: str | None,
    scope: Iterable[str],
    place: str,
    *,
    expression: bool = True,
    made: frozenset[str] = frozenset(),
) -> Iterator[Fault]:
    known = frozenset(scope)
    if not source or not source.strip():
        return
    for name in free_names(source, known & {"self"}, expression=expression):
        if name not in known:
            fix = _how_to_know(name, known - _BUILTINS, place.rpartition(".")[2], made)
            legal = tuple(sorted(known - _BUILTINS - {*IMPORTS}))
            yield Fault(place, f"the name `{name}` is not known here", fix, legal)


def _how_to_know(name: str, known: frozenset[str], key: str, made: frozenset[str]) -> str:
    """What to write for a name that is not known at `key`; `made` are fields that the constructor makes itself."""
    if name in made:
        return f'compute it in `setup`, as `{name} = ...`, and write `init = "={name}"` for the field'
    near = nearest(name, known)
    if near:
        return f"did you mean `{near}`?" + (" If not, bind it in `setup`" if key in _IN_CONSTRUCTOR else "")
    if key in _CLAIMED:
        return f'read an argument of the call, a field as `self.{name}`, or write `imports = ["from ... import {name}"]`'
    if key == "helpers":
        return f'write `imports = ["from ... import {name}"]`, or define it there'
    bind = "bind it in `setup`, " if key in _IN_CONSTRUCTOR else ""
    return f'{bind}declare it in `arguments` or as a field, or write `imports = ["from ... import {name}"]`'


_CLAIMED = ("that", "reference")
_IN_CONSTRUCTOR = ("init", "preprocess", "converter")


def known_attributes(spec: ModuleSpec, unread: frozenset[str]) -> Iterator[Fault]:
    """Attributes of `self` that are no field."""
    for field in spec.fields:
        place = f"{spec.where}: fields.{field.name}"
        yield from _attributes(spec, field.check, f"{place}.check", unread)
        if not field.stored:
            yield from _attributes(spec, field.expression, f"{place}.{field.expression_key}", unread)
    for piece in _claims(spec):
        yield from _attributes(spec, piece.text, piece.place, unread)
    for key, function in spec.functions:
        yield from _attributes(spec, function.call.body, f"{spec.where}: {key}.body", unread)


def _attributes(spec: ModuleSpec, source: str | None, place: str, unread: frozenset[str]) -> Iterator[Fault]:
    members = (*kind_of(spec.kind).members, *(one.name for one in (*spec.fields, *spec.methods)))
    legal = tuple(sorted(members))
    for name in self_attributes(source) if source else ():
        if name in ("__dict__", "__setattr__", "__delattr__"):
            yield Fault(place, f"`self.{name}` goes around the fields", "name each field", legal)
        elif name not in unread and name not in (*legal, *_METHODS) and not spec.bases:
            nested = spec.nests and any(group.name == name for group in spec.groups)
            fix = suggestion(name, legal, "declare it as a field")
            fix = "name its fields: they are read where they lie" if nested else fix
            yield Fault(place, f"`self.{name}` is no field", fix, legal)


def keys_used_once(spec: ModuleSpec) -> Iterator[Fault]:
    """Each expression may hand the key to one consumer."""
    for field in spec.stored:
        if field.expression and count_name(field.expression, "key") > 1:
            fix = "split it: `jax.random.split(key, 2)` gives a key to each consumer"
            yield Fault(f"{spec.where}: fields.{field.name}.init", "`key` is used more than once", fix)
