"""Fields of a skeleton, `weight: Float[Array, " n"] = param("zeros")`, to their tables."""

import ast
import inspect
from collections.abc import Callable
from typing import Any

from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.grammar.types import ClassType, OpaqueType, arrays, walk
from scaffold.spec.grammar.types import without_none as without_none_type
from scaffold.spec.reading.roles import legal_roles
from scaffold.spec.skeletons.words.annotations import is_of_grammar, type_of, without_none
from scaffold.spec.skeletons.words.names import VOCABULARY, Names
from scaffold.spec.skeletons.words.notes import Notes, Path
from scaffold.spec.skeletons.words.values import expression, raw_value, table
from scaffold.spec.tables.keys import FIELD_KEYS, ROLES

WORDS = ("field", *(role for role in ROLES if role != "callable"))
"""The words of the vocabulary that make a field: `callable` would hide the builtin."""
FIRST = {"static": "default", "shared": "of"}
"""The key that the one positional argument is, where that is not `init`."""


def read_field(
    node: ast.AnnAssign, own: str, names: Names, notes: Notes
) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """Name and table of a field of the class `own`, and the classes of other modules that its type names."""
    name = node.target.id if isinstance(node.target, ast.Name) else ast.unparse(node.target)
    path = ("fields", name)
    notes.note(path, node.target)
    keys = _keys(node.value, path, names, notes) if node.value is not None else {}
    annotation = without_none(node.annotation) if "optional" in keys else node.annotation
    notes.note((*path, "type"), node.annotation)
    text, foreign = type_of(annotation, names, notes)
    if not is_of_grammar(text, names) or _is_of_another_role(text, keys) or _holds(text, own):
        return name, {"type": f"={notes.segment(annotation)}", **keys}, ()
    return name, {"type": text, **keys}, foreign


def _holds(text: str, own: str) -> bool:
    """Whether a type names the class itself, of which the tests cannot build another first."""
    return ClassType(own) in walk(parse_type(text))


def _is_of_another_role(text: str, keys: dict[str, Any]) -> bool:
    """Whether the author gives a value that is no array another role than its type has: it is stored as it is."""
    kind, role = without_none_type(parse_type(text)), keys.get("role")
    is_known = role is None or role in legal_roles(kind) or role not in legal_roles(OpaqueType(text))
    return not is_known and not arrays(kind)


def _keys(value: ast.expr, path: Path, names: Names, notes: Notes) -> dict[str, Any]:
    word = names.word(value.func) if isinstance(value, ast.Call) else ""
    called = names.of(value.func) if isinstance(value, ast.Call) else ""
    if isinstance(value, ast.Call) and not word and called in WORDS and called not in names.bound:
        told = ast.unparse(value.func)
        notes.refuse(value, path, f"`{told}` is not imported", f"write `from {VOCABULARY} import {told}`")
        return {}
    if not isinstance(value, ast.Call) or not word:
        notes.note((*path, "default"), value)
        return {"default": _default(value, notes)}
    if word not in WORDS:
        notes.refuse(value, path, f"`{word}` makes no field", "write a word that does", WORDS)
        return {}
    role = {} if word == "field" else {"role": word}
    return {**role, **_said(value, word, path, notes)}


def _said(call: ast.Call, word: str, path: Path, notes: Notes) -> dict[str, Any]:
    pairs = [(keyword.arg or "**", keyword.value) for keyword in call.keywords]
    first = FIRST.get(word, "init")
    if (word == "field" and call.args) or len(call.args) > 1:
        notes.refuse(
            call.args[-1], path, f"`{word}` takes it by name", "write `KEY=VALUE`", tuple(FIELD_KEYS)
        )
    pairs = [*((first, one) for one in call.args[: word != "field"]), *pairs]
    return keys_of(pairs, path, notes, _FORMS.get)


Form = Callable[[ast.expr, Notes], Any]


def keys_of(
    pairs: list[tuple[str, ast.expr]], path: Path, notes: Notes, form: Callable[[str], Form | None]
) -> dict[str, Any]:
    """The table of arguments by keyword."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found or key == "**":
            what = f"`{key}` is there twice" if key in found else "`**` hides which keys are given"
            notes.refuse(value, path, what, "write each key once, as `KEY=VALUE`")
            continue
        notes.note((*path, key), value)
        found[key] = (form(key) or raw_value)(value, notes)
    return found


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _plain(node: ast.expr, notes: Notes) -> Any:
    """A text as it is, a number as it is, and the source of another expression."""
    return node.value if isinstance(node, ast.Constant) and not _is_none(node) else expression(node, notes)


def _is_none(node: ast.Constant) -> bool:
    return node.value is None or node.value is Ellipsis


def _equated(node: ast.expr, notes: Notes) -> Any:
    """A text as it is; another expression behind `=`."""
    return node.value if isinstance(node, ast.Constant) and _is_text(node) else f"={expression(node, notes)}"


def _function(node: ast.expr, notes: Notes) -> Any:
    """A text as it is; the name of a function, or the body of a lambda behind `=`."""
    return _equated(node, notes) if isinstance(node, ast.Lambda) else _plain(node, notes)


def _default(node: ast.expr, notes: Notes) -> Any:
    """The value of a default; a lambda that takes arguments is the value itself."""
    is_value = isinstance(node, ast.Lambda) and bool(node.args.args or node.args.vararg or node.args.kwarg)
    is_empty = isinstance(node, ast.List) and not node.elts
    if is_value or is_empty or isinstance(node, ast.Dict):
        return f"=({notes.segment(node)})"
    return raw_value(node, notes)


_FORMS: dict[str, Form] = {
    "default": _default,
    "init": _equated,
    "std": _plain,
    "of": _plain,
    "preprocess": _plain,
    "check": _plain,
    "converter": _function,
    "preset": table,
    "doc": _plain,
}


def doc_below(statement: ast.stmt) -> str | None:
    """The text of a string that stands alone, as it stands below a field."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        value = statement.value.value
        return inspect.cleandoc(value) if isinstance(value, str) else None
    return None
