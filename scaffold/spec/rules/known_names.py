"""Rules for Python in a spec: the names that it may read, and the changes of an instance."""

import ast
from collections.abc import Callable, Iterator

from scaffold.errors import Fault, nearest, suggestion
from scaffold.kind import kind_of
from scaffold.source.definitions import class_of, is_left_open, is_missing
from scaffold.source.expressions import assigned_names, count_name, free_names, parsed
from scaffold.source.instance import (
    asks_what_it_is,
    attributes_set,
    attributes_stored,
    is_whole,
    self_attributes,
    updated_attribute,
    updated_entry,
    variable_set,
)
from scaffold.spec.grammar.types import DictType, ListType, OpaqueType
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import IMPORTS
from scaffold.spec.rules.pieces import BUILTINS, Piece, class_names, imported_names, module_names, pieces

_OF_NNX = frozenset(("eval", "iter_children", "iter_modules", "perturb", "set_attributes", "sow", "train"))
"""Members that a module of Flax has beside its attributes."""
_METHODS = frozenset(("create", "trainable", "__call__", "__dict__", *dir(object)))
_SCALARS = ("bool", "complex", "float", "int", "str")
"""The builtins that are types of the grammar."""


# -- what is done with an instance -------------------------------------------------------------------------------------


def assignment_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find pieces of Python that change an instance."""
    if spec.source and kind_of(spec.kind).variables:
        return  # of what its author holds, nobody knows what is a Variable
    updates = kind_of(spec.kind).variables or any(field.role == "state" for field in spec.fields)
    for piece in (piece for piece in pieces(spec) if "self" in piece.text and not piece.builder):
        is_free = updates and piece.key.endswith(".body")
        nodes = _outside_classes(parsed(piece.text))
        kept = (node for node in nodes if not (is_free and _updates(spec, node)))
        for name in sorted({name for node in kept for name in _changed_self(node)}):
            fix = "bind a local name, or return the new value: " + (
                "it is in no Variable" if kind_of(spec.kind).variables else "instances are immutable"
            )
            yield Fault(piece.key, f"assigns `{name}`", fix)


def _updates(spec: ModuleSpec, node: ast.AST) -> bool:
    """Whether a node sets what an instance may change: a state, or a whole or an entry of a Variable.

    `self.means[name][...] = mean` sets the whole of a Variable in a container, and `self.counts[0] = count`
    an entry.
    """
    has_variables = kind_of(spec.kind).variables
    field = spec.field(updated_entry(node) or "") if has_variables else None
    is_entry = field is not None and not isinstance(field.type, ListType | DictType)
    match node:
        case ast.Subscript(value=ast.Subscript(), ctx=ast.Store()):
            return is_whole(node)
        case _:
            is_value = has_variables and variable_set(node) is not None
            return is_entry or is_value or updated_attribute(node) is not None


def _outside_classes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, except classes in it, whose methods have a `self` of their own."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, ast.ClassDef):
            yield from _outside_classes(child)


def _changed_self(node: ast.AST) -> tuple[str, ...]:
    """Return what a node stores in or deletes from `self`: `self.x`, or `self.x[...]`."""
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


# -- names -------------------------------------------------------------------------------------------------------------


def classes_used(spec: ModuleSpec, is_class: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the generated classes that the Python of the spec names, and its types do not."""
    taken = {*IMPORTS, *imported_names(spec), *BUILTINS, spec.name, *(field.name for field in spec.fields)}
    named = sorted(names_read(spec) - taken)
    return tuple(name for name in named if name.lstrip("_")[:1].isupper() and is_class(name))


def names_read(spec: ModuleSpec) -> set[str]:
    """Return the names that the Python of the spec reads and does not bind."""
    return {name for piece in pieces(spec) for name in free_names(piece.text, expression=piece.expression)}


OF_TESTS = frozenset(name for name, line in IMPORTS.items() if line.startswith("from pytree_laws"))
"""Names that a class does not need, and that are no likely meaning of a misspelt name."""


def known_names(spec: ModuleSpec) -> Iterator[Fault]:
    """Find names that are unknown where they are used."""
    shared = module_names(spec) | spec.unread
    types = ((field.name, field.type.text) for field in spec.fields if isinstance(field.type, OpaqueType))
    annotations = () if kind_of(spec.kind).is_carried else (Piece(f"fields.{n}.type", t) for n, t in types)
    brings_any = any(line.endswith("import *") for line in spec.imports)
    for piece in (*annotations, *pieces(spec)) if not brings_any else ():
        known = shared | piece.names
        for name in free_names(piece.text, expression=piece.expression):
            if name not in known:
                bound = () if piece.expression else assigned_names(piece.text)
                own = known.union(bound) - BUILTINS - spec.unread - OF_TESTS
                fix = _how_to_know(spec, name, own, piece.key.rpartition(".")[2])
                legal = tuple(sorted(own - {*IMPORTS}))
                yield Fault(piece.key, f"the name `{name}` is not known here", fix, legal)


def _how_to_know(spec: ModuleSpec, name: str, known: frozenset[str], key: str) -> str:
    """Return a fix for a name that is not known at `key`."""
    field = spec.field(name)
    if key == "init" and field is not None and field.stored and not field.given:
        return f'compute it in `setup`, as `{name} = ...`, and write `init = "={name}"` for the field'
    if name == "self":
        return "name the first argument of the method `self`"
    is_built = key in ("init", "preprocess", "converter")
    near = (nearest(name, _SCALARS) if key == "type" else None) or nearest(name, known)
    if near:
        return f"did you mean `{near}`?" + " If not, bind it in `setup`" * is_built
    if key in ("that", "reference"):
        return f'read an argument of the call, a field as `self.{name}`, or write `imports = ["from ... import {name}"]`'
    if key == "helpers":
        return f'write `imports = ["from ... import {name}"]`, or define it there'
    bind = "bind it in `setup`, " * is_built
    return f'{bind}declare it in `arguments` or as a field, or write `imports = ["from ... import {name}"]`'


_OF_RECORDS: dict[str, str] = dict.fromkeys(
    ("replace", "_replace"), "import dataclasses, and write `dataclasses.replace(self, ...)`"
)
"""Methods for a changed copy, as `flax.struct`, `chex` and named tuples have them, with a fix."""


def known_attributes(spec: ModuleSpec) -> Iterator[Fault]:
    """Find attributes of `self` that are no field.

    A class that leaves methods to subclasses is skipped, since it may leave attributes to them too. A piece
    is skipped if it asks whether `self` has an attribute or is of another class.
    """
    legal = tuple(sorted({*kind_of(spec.kind).members, *class_names(spec)}))
    is_open = any(is_left_open(call.source) or is_missing(call.body) for call in spec.calls)
    if spec.bases or is_open or "__getattr__" in legal:
        return
    known = spec.unread.union(legal, _METHODS, _OF_NNX if kind_of(spec.kind).variables else ())
    if (stated := class_of(spec.source)) is not None:
        known |= {*attributes_set(stated), *attributes_stored(stated)}
    nested = {group.name for group in (spec.groups if spec.nests else ())}
    for piece in (piece for piece in pieces(spec) if piece.of_instance and not asks_what_it_is(piece.text)):
        unknown = (name for name in self_attributes(piece.text) if name not in known)
        for name in (name for name in unknown if not name.startswith("__")):  # which Python may make
            fix = _OF_RECORDS.get(name) or suggestion(name, legal, "declare it as a field")
            fix = "name its fields: they are read where they lie" if name in nested else fix
            yield Fault(piece.key, f"`self.{name}` is no field", fix, legal)


def keys_used_once(spec: ModuleSpec) -> Iterator[Fault]:
    """Check that each expression passes the key to one consumer at most."""
    for field in spec.stored:
        if field.expression and count_name(field.expression, "key") > 1:
            fix = "split it: `jax.random.split(key, 2)` gives a key to each consumer"
            yield Fault(f"fields.{field.name}.init", "`key` is used more than once", fix)
