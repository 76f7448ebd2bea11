"""The rules that the Python in a spec obeys: syntax, statements, and the names it may use."""

import ast
import builtins
import io
import tokenize
from collections.abc import Callable, Collection, Iterable, Iterator

from scaffold.errors import Fault, nearest, suggestion
from scaffold.kind import kind_of
from scaffold.spec.bodies.helpers import helper_names
from scaffold.spec.bodies.pieces import (
    EMPTY,
    Piece,
    claims_of,
    is_broken,
    pieces,
    pieces_of_tests,
    readable,
    syntax_fault_of,
)
from scaffold.spec.bodies.states import ARGUMENT as STATE_ARGUMENT
from scaffold.spec.bodies.states import state_fields
from scaffold.spec.bodies.variables import updated_attribute
from scaffold.spec.construction.cases import claimed_arguments
from scaffold.spec.construction.constructor import constructor_names, converter_expression, readable_above
from scaffold.spec.grammar.types import OpaqueType
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import IMPORTS
from scaffold.spec.source.definitions import bound_by
from scaffold.spec.source.expressions import (
    assigned_names,
    count_name,
    dedented,
    free_names,
    own_nodes,
)
from scaffold.spec.source.rewriting import self_attributes
from scaffold.spec.unit import siblings

_BUILTINS = frozenset(dir(builtins)) | {"__class__", "__file__"}
_METHODS = frozenset(("create", "trainable", "__call__", "__dict__", *dir(object)))


def source_faults(piece: Piece) -> Iterator[Fault]:
    """What is wrong with one piece by itself."""
    what = syntax_fault_of(piece)
    if what is not None:
        fix = "mend the statement" if not piece.expression else "write an expression"
        yield Fault(piece.place, what, f"{fix}, or remove it" if what == EMPTY else fix)
        return
    if piece.expression and "#" in piece.text and _has_comment(piece.text):
        yield Fault(piece.place, "an expression holds no comment", "put it into `doc`")
    tree = ast.parse(piece.text.strip() if piece.expression else dedented(piece.text))
    if not piece.is_method and any(
        isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(tree.body)
    ):
        yield Fault(piece.place, "`yield` makes a generator of the constructor", "collect the values")
    if piece.builds:
        return
    yield from _statement_faults(piece.place, tree, updates=piece.updates)


def _has_comment(text: str) -> bool:
    # In parentheses, as the tokenizer wants to see the end of every line.
    tokens = tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline)
    return any(token.type == tokenize.COMMENT for token in tokens)


def _statement_faults(place: str, tree: ast.Module, *, updates: bool) -> Iterator[Fault]:
    nodes = (node for node in _outside_classes(tree) if not (updates and updated_attribute(node)))
    for name in sorted({name for node in nodes for name in _changed_self(node)}):
        fix = "bind a local name, or return the new value: instances are immutable"
        yield Fault(place, f"assigns `{name}`", fix)


def _outside_classes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree, without the classes in it, whose methods have a `self` of their own."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, ast.ClassDef):
            yield from _outside_classes(child)


def _changed_self(node: ast.AST) -> tuple[str, ...]:
    """What a node stores in or deletes from `self`: `self.x`, or `self.x[...]`."""
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            root: ast.AST = node
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            return (ast.unparse(node),) if isinstance(root, ast.Name) and root.id == "self" else ()
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[ast.Name(id="self"), *_]):
            return ("self",)
        case _:
            return ()


def imported_names(spec: ModuleSpec) -> frozenset[str]:
    """The names that the spec's imports, the classes of its fields and its helpers bring in."""
    named = (line for line in spec.imports if not line.endswith(" import *"))
    lines = frozenset(assigned_names("\n".join(named)))
    types = {one.name for one in (*spec.classes, *spec.generic)}
    shared = spec.unit.bound if spec.unit is not None else ()
    return lines | types | {*helper_names(spec), *shared}


def has_star(spec: ModuleSpec) -> bool:
    """Whether an import may bring any name."""
    return any(line.endswith("import *") for line in spec.imports)


def classes_used(spec: ModuleSpec, is_class: Callable[[str], bool]) -> tuple[str, ...]:
    """The generated classes that the Python of the spec names, beside those of its types."""
    taken = {*IMPORTS, *imported_names(spec), *_BUILTINS, spec.name, *(field.name for field in spec.fields)}
    named = sorted(names_read(spec) - taken)
    return tuple(name for name in named if name.lstrip("_")[:1].isupper() and is_class(name))


def names_read(spec: ModuleSpec) -> set[str]:
    """The names that the Python of the spec reads and does not bind, as far as it parses."""
    return {
        name
        for piece in pieces(readable(spec)[0])
        if not is_broken(piece.text, expression=piece.expression)
        for name in free_names(piece.text, expression=piece.expression)
    }


def known_names(spec: ModuleSpec, unread: frozenset[str]) -> Iterator[Fault]:
    """Names that stand for nothing where they are used."""
    if has_star(spec):
        return
    imports = {*IMPORTS, *kind_of(spec.kind).imports, *imported_names(spec)}
    shared = frozenset({*imports, *_BUILTINS, spec.name, *siblings(spec), *unread})
    in_constructor = shared | constructor_names(spec)
    in_methods = shared | {field.name for field in spec.fields} | {"self"}
    every_made = frozenset(one.name for one in spec.stored if not one.given)
    for field in spec.fields:
        place = f"{spec.where}: fields.{field.name}"
        scope = in_constructor | readable_above(spec, field) if field.stored else in_methods
        made = every_made if field.stored else frozenset[str]()
        if isinstance(field.type, OpaqueType):
            yield from _unknown(field.type.text, shared, f"{place}.type")
        yield from _unknown(field.source, scope, f"{place}.{field.expression_key}", made=made)
        yield from _unknown(field.preprocess, in_constructor | {field.name}, f"{place}.preprocess")
        yield from _unknown(converter_expression(field), in_constructor | {field.name}, f"{place}.converter")
        yield from _unknown(field.check, in_methods, f"{place}.check")
        yield from _unknown(field.default, shared, f"{place}.default")
        for name, source in field.preset:
            yield from _unknown(source, shared, f"{place}.preset.{name}")
    for one in spec.arguments:
        yield from _unknown(one.default, shared, f"{spec.where}: arguments")
    for one in spec.decorators:
        yield from _unknown(one, shared, f"{spec.where}: decorators")
    for name, source in spec.keywords:
        yield from _unknown(source, shared, f"{spec.where}: keywords.{name}")
    yield from _unknown(spec.helpers, shared, f"{spec.where}: helpers", expression=False)
    yield from _unknown(spec.below, shared, f"{spec.where}: below", expression=False)
    yield from _unknown(spec.setup, in_constructor, f"{spec.where}: setup", expression=False)
    yield from _known_in_call(spec, shared)
    for piece in pieces_of_tests(spec):
        yield from _unknown(piece.text, shared | {"seed", "self"}, piece.place)
    arguments = {argument.name for argument in (spec.call.args if spec.call else ())}
    arguments |= {STATE_ARGUMENT.name} if state_fields(spec) else set[str]()
    for piece in claims_of(spec):
        of_condition = {"close", *claimed_arguments(spec)} if piece.expression else set[str]()
        scope = shared | arguments | {"self"} | of_condition
        yield from _unknown(piece.text, scope, piece.place, expression=piece.expression)


def names_of_carried(spec: ModuleSpec, unread: frozenset[str]) -> Iterator[Fault]:
    """Names in a class that is emitted word for word, and beside it, that stand for nothing."""
    imports = {*IMPORTS, *imported_names(spec)}
    shared = frozenset({*imports, *_BUILTINS, spec.name, *unread})
    parts = {"source": spec.source, "helpers": spec.helpers, "below": spec.below}
    if has_star(spec):
        return
    for key, text in parts.items():
        yield from _unknown(text, shared, f"{spec.where}: {key}", expression=False)
    for piece in pieces_of_tests(spec):
        yield from _unknown(piece.text, shared | {"seed", "self"}, piece.place)


def _known_in_call(spec: ModuleSpec, shared: frozenset[str]) -> Iterator[Fault]:
    for key, function in spec.functions:
        for one in function.call.args:
            yield from _unknown(one.default, shared, f"{spec.where}: {key}.args")
        for one in () if function.call.source else function.decorators:
            yield from _unknown(one, shared | class_names(spec), f"{spec.where}: {key}.decorator")
        scope = shared | {function.owner} | {argument.name.lstrip("*") for argument in function.call.args}
        if function.call.source:
            scope = shared | class_names(spec)
        text = function.call.source or function.call.body
        yield from _unknown(text, scope, f"{spec.where}: {key}.body", expression=False)


def class_names(spec: ModuleSpec) -> frozenset[str]:
    """The names that the body of the class binds, which its statements and decorators may read."""
    carried = (bound_by(one.call.source) for one in spec.methods if one.call.source)
    return frozenset(one.name for one in (*spec.fields, *spec.methods)).union(*carried)


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
    legal = dict.fromkeys(sorted({*kind_of(spec.kind).members, *class_names(spec)}))
    for field in spec.fields:
        place = f"{spec.where}: fields.{field.name}"
        yield from _attributes(spec, legal, field.check, f"{place}.check", unread)
        if not field.stored:
            yield from _attributes(spec, legal, field.expression, f"{place}.{field.expression_key}", unread)
    for piece in claims_of(spec):
        yield from _attributes(spec, legal, piece.text, piece.place, unread)
    for key, function in (pair for pair in spec.functions if pair[1].is_function):
        yield from _attributes(spec, legal, function.call.body, f"{spec.where}: {key}.body", unread)


def _attributes(
    spec: ModuleSpec, legal: Collection[str], source: str | None, place: str, unread: frozenset[str]
) -> Iterator[Fault]:
    if "__getattr__" in legal:
        return
    for name in self_attributes(source) if source else ():
        if name not in unread and name not in legal and name not in _METHODS and not spec.bases:
            nested = spec.nests and any(group.name == name for group in spec.groups)
            fix = suggestion(name, tuple(legal), "declare it as a field")
            fix = "name its fields: they are read where they lie" if nested else fix
            yield Fault(place, f"`self.{name}` is no field", fix, tuple(legal))


def keys_used_once(spec: ModuleSpec) -> Iterator[Fault]:
    """Each expression may hand the key to one consumer."""
    for field in spec.stored:
        if field.expression and count_name(field.expression, "key") > 1:
            fix = "split it: `jax.random.split(key, 2)` gives a key to each consumer"
            yield Fault(f"{spec.where}: fields.{field.name}.init", "`key` is used more than once", fix)
