"""A class with `@as_written`: it is carried whole, and read for what its tests can know."""

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from scaffold.spec.expressions import Function
from scaffold.spec.skeletons.carried import argument_text, carried, is_carried, source_of
from scaffold.spec.skeletons.class_statements import KINDS_ELSEWHERE
from scaffold.spec.skeletons.fields import keys_of
from scaffold.spec.skeletons.names import Names
from scaffold.spec.skeletons.notes import Notes
from scaffold.spec.skeletons.values import table

AS_WRITTEN = "as_written"
_FIELD_MAKERS = ("equinox.field", "dataclasses.field", "flax.struct.field")


def is_as_written(node: ast.ClassDef, names: Names) -> bool:
    """Whether the author asks for the class to be emitted word for word."""
    return any(names.word(_called(one)) == AS_WRITTEN for one in node.decorator_list)


def read_as_written(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """The tables of its spec."""
    names = replace(names, stands_alone=True)
    notes.note(("source",), node)
    ours = [one for one in node.decorator_list if names.word(_called(one))]
    raw: dict[str, Any] = {"name": node.name, "kind": "as-written"}
    raw["source"] = source_of([node], notes, leaving=ours)
    raw |= _options(node, ours, names, notes)
    raw |= _test(ours, names, notes)
    raw |= _methods(node, names, notes)
    arguments = [] if "__init__" in raw.get("methods", {}) else list(_fields(node, names, notes))
    return raw | ({"arguments": arguments} if arguments else {})


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _options(node: ast.ClassDef, ours: Iterable[ast.expr], names: Names, notes: Notes) -> dict[str, Any]:
    """The laws that hold for it: as `@as_written(laws=...)` says, or as its base does."""
    said: dict[str, Any] = {}
    for one in ours:
        if isinstance(one, ast.Call) and names.word(one.func) == AS_WRITTEN:
            pairs = [(keyword.arg or "**", keyword.value) for keyword in one.keywords]
            said = keys_of(pairs, ("options",), notes, lambda _: None)
    is_nnx = any(KINDS_ELSEWHERE.get(names.of(base)) == "nnx" for base in node.bases)
    said = {**({"laws": "nnx"} if is_nnx else {}), **said}
    return {"options": said} if said else {}


def _test(ours: Iterable[ast.expr], names: Names, notes: Notes) -> dict[str, Any]:
    """What `@test(...)` says; any other word has nothing to say of such a class."""
    raw: dict[str, Any] = {}
    for one in ours:
        word = names.word(_called(one))
        if word == "test" and isinstance(one, ast.Call):
            notes.note(("test",), one)
            pairs = [(keyword.arg or "**", keyword.value) for keyword in one.keywords]
            raw["test"] = keys_of(pairs, ("test",), notes, lambda _: table)
        elif word != AS_WRITTEN:
            what = f"`@{ast.unparse(one)}` says nothing of a class that is emitted as written"
            notes.refuse(one, (), what, "remove it, or remove `@as_written`")
    return raw


def _methods(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, Any]:
    """The methods, of which the tests call those that they have examples for."""
    functions = {one.name: one for one in node.body if isinstance(one, Function)}
    tables = {name: carried(one, ("methods", name), names, notes) for name, one in functions.items()}
    return {"methods": tables} if tables else {}


def _fields(node: ast.ClassDef, names: Names, notes: Notes) -> Iterator[str]:
    """What a class without an `__init__` is built with: its annotated names that have no default, as arguments."""
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            if is_carried(one, names) or _has_default(one.value, names):
                continue
            text = argument_text(ast.arg(one.target.id, one.annotation), names, notes)
            yield one.target.id if text is None else f"{one.target.id}: {text}"


def _has_default(value: ast.expr | None, names: Names) -> bool:
    """Whether a field may be left out: what `field(...)` says, or a plain value."""
    if isinstance(value, ast.Call) and names.of(value.func) in _FIELD_MAKERS:
        given = {one.arg: one.value for one in value.keywords}
        made = given.get("init")
        is_made = isinstance(made, ast.Constant) and made.value is False
        return is_made or not {"default", "default_factory"}.isdisjoint(given)
    return value is not None
