"""Fields of a skeleton, `weight: Float[Array, " n"] = param("zeros")`, as tables of a spec."""

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scaffold.errors import nearest, suggestion
from scaffold.source.expressions import expression_or_none
from scaffold.spec.grammar.kept_annotations import is_of_words, without_none
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import (
    ClassType,
    OpaqueType,
    TupleType,
    Type,
    arrays,
    as_stored,
    is_traced,
    walk,
)
from scaffold.spec.grammar.types import without_none as without_none_type
from scaffold.spec.names import OF_TYPES
from scaffold.spec.reading.roles import legal_roles
from scaffold.spec.skeletons.words.annotations import ALIKE, is_of_grammar, meant_type, misspelt_word, type_of
from scaffold.spec.skeletons.words.names import VOCABULARY, Names
from scaffold.spec.skeletons.words.notes import Notes, Path, expression, raw_value, table
from scaffold.spec.tables.key import ROLES
from scaffold.spec.tables.keys import FIELD_KEYS

WORDS = ("field", *(role for role in ROLES if role != "callable"))
"""Words of `scaffold.skeleton` that make a field. A word `callable` would hide the builtin."""
UNDERSTOOD = ("static", "default", "converter")
"""Keywords of `eqx.field(...)` that are read, beside `default_factory`."""
FIRST = {"static": "default", "shared": "of"}
"""Key of a word's positional argument, if the key is not `init`."""


def read_field(
    node: ast.AnnAssign, class_name: str, names: Names, notes: Notes
) -> tuple[str, dict[str, Any]]:
    """Return the name and the table of a field of the class `class_name`."""
    name = node.target.id if isinstance(node.target, ast.Name) else ast.unparse(node.target)
    path = ("fields", name)
    notes.note(path, node.target)
    if (misspelt := misspelt_word(node.annotation, names)) is not None:
        message, fix = f"the name `{misspelt}` is not known here", suggestion(misspelt, OF_TYPES, "import it")
        notes.refuse(node.annotation, (*path, "type"), message, fix)
        return name, {"type": "=Any", "role": "data"}  # so that nothing else is said of it
    keys = _keys(node.value, path, names, notes) if node.value is not None else {}
    annotation = without_none(node.annotation) if "optional" in keys else node.annotation
    notes.keep((*path, "type"), node.annotation)
    text = _as_static(type_of(annotation, names, notes), keys)
    is_known = is_of_grammar(text, names) and not _is_of_another_role(text, keys)
    # The tests cannot build an instance of the class before its first instance.
    is_known = is_known and ClassType(class_name) not in walk(parse_type(text))
    meant = "" if is_known else meant_type(annotation, names)
    if meant and "init" in keys:  # which makes an array of a shape that is known
        text, is_known = meant, True
    example = {"example": meant} if meant and not is_known else {}
    return name, {"type": text if is_known else f"={_kept(annotation, notes)}", **example, **keys}


def stored_type(table: Mapping[str, Any]) -> Type:
    """Return the type that a field stores, without None."""
    return without_none_type(as_stored(parse_type(str(table.get("example", table["type"])))))


def _as_static(text: str, keys: Mapping[str, Any]) -> str:
    """Return the type text of a field. A static set becomes a frozenset, which cannot change."""
    return re.sub(r"^([\w.]+\.)?[Ss]et\[", "frozenset[", text) if keys.get("role") == "static" else text


def _kept(annotation: ast.expr, notes: Notes) -> str:
    """Return the source of an annotation, without needless quotes as in `"jax.Array | None"`."""
    match annotation:
        case ast.Constant(value=str(text)) if (inner := expression_or_none(text.strip())) and is_of_words(
            [inner]
        ):
            return text.strip()
        case _:
            return notes.segment(annotation)


def is_without_annotation(statement: ast.stmt, names: Names) -> bool:
    """Whether a word is assigned without an annotation, `x = param()`, which makes no dataclass field."""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=function)):
            return names.word(function) in WORDS
        case _:
            return False


def _is_of_another_role(text: str, keys: dict[str, Any]) -> bool:
    """Whether a field must stay opaque: a tuple of arrays, or a role that its type does not allow."""
    kind, role = as_stored(without_none_type(parse_type(text))), keys.get("role")
    if isinstance(kind, TupleType) and is_traced(kind) and "module" not in legal_roles(kind):
        return True
    is_known = role is None or role in legal_roles(kind) or role not in legal_roles(OpaqueType(text))
    return not is_known and not arrays(kind)


def _keys(value: ast.expr, path: Path, names: Names, notes: Notes) -> dict[str, Any]:
    if not isinstance(value, ast.Call):
        notes.note((*path, "default"), value)
        return {"default": _default(value, notes)}
    word, called = names.word(value), names.of(value.func)
    if called == "equinox.field":
        return _of_equinox(value, path, notes)
    if not word and called in WORDS and called not in names.bound:
        name = ast.unparse(value.func)
        notes.refuse(value, path, f"`{name}` is not imported", f"write `from {VOCABULARY} import {name}`")
        word = called
    elif not word and (meant := _misspelt(value.func, names)):
        notes.refuse(value, path, f"the name `{called}` is not known here", f"did you mean `{meant}`?")
        word = meant  # it is read as it is meant, so that nothing follows from it
    if not word:
        notes.note((*path, "default"), value)
        return {"default": _default(value, notes)}
    if word not in WORDS:
        fix = suggestion(word, WORDS, "write a word that does")
        notes.refuse(value, path, f"`{word}` makes no field", fix, WORDS)
        return {"role": "data"}  # whatever is meant, so that nothing else is said of it
    role = {} if word == "field" else {"role": word}
    return {**role, **_said(value, word, path, notes)}


def _of_equinox(call: ast.Call, path: Path, notes: Notes) -> dict[str, Any]:
    """Read `eqx.field(...)`: `static`, a default or its factory, and a converter."""
    said = {keyword.arg or "**": keyword.value for keyword in call.keywords}
    is_static = ast.unparse(said.pop("static", ast.Constant(value=False))) == "True"
    factory = said.pop("default_factory", None)
    for key in (key for key in said if key not in UNDERSTOOD):
        fix = "write a word, as `static(...)` or `data(...)`, or the constructor"
        notes.refuse(said[key], path, f"`{key}` of `eqx.field` is not understood", fix, UNDERSTOOD)
    keys = {key: _FORMS[key](said[key], notes) for key in ("default", "converter") if key in said}
    keys |= {"default": _made_by(factory, notes)} if factory is not None else {}
    return {**({"role": "static"} if is_static else {}), **keys}


def _made_by(factory: ast.expr, notes: Notes) -> str:
    """Return the source of what a default factory makes: the body of a lambda, or a call."""
    source = expression(factory, notes)
    return f"={source}" if isinstance(factory, ast.Lambda) else f"={source}()"


def _misspelt(function: ast.expr, names: Names) -> str | None:
    """Return the word that an unbound name is close to, or None."""
    match function:
        case ast.Name(id=name) if not names.brings(name):
            return nearest(name, WORDS, ALIKE)
        case _:
            return None


def _said(call: ast.Call, word: str, path: Path, notes: Notes) -> dict[str, Any]:
    if len(call.args) > 1:
        message = f"`{word}` takes it by name"
        notes.refuse(call.args[-1], path, message, "write `KEY=VALUE`", tuple(FIELD_KEYS))
    first = [(FIRST.get(word, "init"), argument) for argument in call.args[:1]]
    return keys_of(call, path, notes, _FORMS, first)


Form = Callable[[ast.expr, Notes], Any]
Pair = tuple[str, ast.expr]


def keys_of(
    call: ast.Call, path: Path, notes: Notes, forms: Mapping[str, Form], first: Iterable[Pair] = ()
) -> dict[str, Any]:
    """Read the keywords of a call, after the pairs in `first`. `forms` has the readers of some keys."""
    keys: dict[str, Any] = {}
    for key, value in (*first, *((keyword.arg or "**", keyword.value) for keyword in call.keywords)):
        if key in keys or key == "**":
            message = f"`{key}` is there twice" if key in keys else "`**` hides which keys are given"
            notes.refuse(value, path, message, "write each key once, as `KEY=VALUE`")
            continue
        notes.note((*path, key), value)
        keys[key] = forms.get(key, raw_value)(value, notes)
    return keys


def _plain(node: ast.expr, notes: Notes) -> Any:
    """Return a text or a number as is, and any other expression as its source."""
    is_value = isinstance(node, ast.Constant) and node.value not in (None, ...)
    return node.value if is_value and isinstance(node, ast.Constant) else expression(node, notes)


def _equated(node: ast.expr, notes: Notes) -> Any:
    """Return a text as is, and any other expression as its source behind `=`."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return _plain(node, notes) if is_text else f"={expression(node, notes)}"


def _function(node: ast.expr, notes: Notes) -> Any:
    """Return a text as is, a function as its source, and a lambda as its body behind `=`."""
    return (_equated if isinstance(node, ast.Lambda) else _plain)(node, notes)


def _default(node: ast.expr, notes: Notes) -> Any:
    """Return the value of a default. A lambda with arguments is the value itself, and no expression."""
    is_value = isinstance(node, ast.Lambda) and ast.unparse(node.args) != ""
    is_kept = is_value or isinstance(node, ast.Dict) or (isinstance(node, ast.List) and not node.elts)
    return f"=({notes.segment(node)})" if is_kept else raw_value(node, notes)


_FORMS: dict[str, Form] = {
    **{key: _plain for key in ("std", "of", "preprocess", "check", "doc")},
    **{"default": _default, "init": _equated, "converter": _function, "preset": table},
}


def doc_below(statement: ast.stmt) -> str | None:
    """Return the text of a string that stands alone, such as the docstring of a field, or None."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        value = statement.value.value
        return inspect.cleandoc(value) if isinstance(value, str) else None
    return None
