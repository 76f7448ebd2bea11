"""What a fault says to write, as a skeleton says it: the pieces of TOML in a fix become Python."""

import builtins
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from scaffold.kind import NAMES, kind_of
from scaffold.spec.grammar.synonyms import DTYPES, TypeSyntaxError
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import IMPORTS
from scaffold.spec.reading.signature import SignatureSyntaxError, parse_argument, parse_returns, split_top
from scaffold.spec.skeletons.classes.class_statements import KINDS
from scaffold.spec.skeletons.classes.class_tables import ClassTables
from scaffold.spec.skeletons.classes.fields import WORDS
from scaffold.spec.skeletons.words.annotated import annotation, result
from scaffold.spec.skeletons.words.literals import Texts
from scaffold.spec.skeletons.writing.fields import field_lines
from scaffold.spec.tables.keys import CALL_KEYS, FIELD_KEYS, METHOD_KEYS, SPEC_KEYS, TEST_KEYS
from scaffold.spec.tables.raw import as_list, as_table

_QUOTED = r"`([^`]+)`"
_TABLE = r"(?s)\[(call|(?:methods|constructors)\.(\w+)|groups|test)\]\s*(.*)"
_KNOWN = frozenset((*SPEC_KEYS, *FIELD_KEYS, *CALL_KEYS, *METHOD_KEYS, *TEST_KEYS)) | {
    option for name in NAMES for option in kind_of(name).options
}
_TYPE = rf"(?:(\w+): )?((?:{'|'.join(DTYPES)})\[[^\[\]]*\])"
_NOWHERE = ModuleSpec(name="", kind="module", fields=(), doc="")


def legal_in_python(legal: tuple[str, ...]) -> tuple[str, ...]:
    """The legal values, with kinds as a skeleton writes them."""
    words = {kind: word for word, kind in KINDS.items()}
    return tuple(words[one] for one in legal) if legal and set(legal) <= set(words) else legal


def in_python(fix: str, key: str) -> str:
    """The fix of a fault at `key`, with each piece of TOML in backticks as Python; others stay."""
    fix = fix.replace("`=` and an expression", "an expression")
    return re.sub(_QUOTED, lambda found: f"`{_piece(found[1], key)}`", fix)


def _piece(text: str, key: str) -> str:
    typed = re.fullmatch(_TYPE, text)
    if typed is not None:
        said = _annotation(typed[2])
        return said if typed[1] is None else f"{typed[1]}: {said}"
    table = re.fullmatch(_TABLE, text)
    if table is not None and not table[3]:
        return _HEADS.get(table[1], f"def {table[2]}")
    inner = text if table is None else table[3]
    try:
        entries = tomllib.loads(inner.replace(", ... }", " }"))
        told = [_entry(name, value, key) for name, value in entries.items()]
    except (tomllib.TOMLDecodeError, TypeSyntaxError, SignatureSyntaxError, SyntaxError):
        return text
    if not told or None in told:
        return text
    said = ", ".join(filter(None, told))
    if ", ... }" in inner and said.endswith(")"):
        said = f"{said[:-1].rstrip('(')}{'(' if said.endswith('()') else ', '}...)"
    return _quoted(said if table is None else f"@{table[1]}({said})")


def _annotation(text: str) -> str:
    try:
        return annotation(parse_type(text))
    except TypeSyntaxError:
        return text


def _quoted(text: str) -> str:
    """The text in the quotes of the formatter, where it can have them."""
    return text if '"' in text else text.replace("'", '"')


_HEADS = {"call": "__call__", "groups": "@groups(...)", "test": "@test(...)"}


def _entry(name: str, value: Any, key: str) -> str | None:
    """One entry; None of what is no entry of a spec."""
    if isinstance(value, Mapping) and "type" in value:
        return _field(name, dict(as_table(value)))
    if key.startswith(("test.sizes", "test.values")) and name not in _KNOWN:
        return f"{name!r}: {_value(value)}"
    if name not in _KNOWN:
        return None
    form = _FORMS.get(name)
    return form(value) if form is not None and isinstance(value, str | list) else f"{name}={_value(value)}"


def _value(value: Any) -> str:
    texts = Texts()
    return texts.shown(texts.value(value, _words(value)))


def _words(value: Any) -> list[str]:
    """All that an expression may read is an argument of its lambda."""
    words = re.findall(r"[A-Za-z_]\w*", value) if isinstance(value, str) else []
    return [word for word in words if word not in (*IMPORTS, *dir(builtins))]


def _field(name: str, table: dict[str, Any]) -> str:
    texts = Texts()
    lines = field_lines(ClassTables({}, _NOWHERE, "", texts), name, table)
    return texts.shown(next(iter(lines))).strip()


def _role(role: str) -> str:
    return f"{role}(...)" if role in WORDS else f"field(role={role!r}, ...)"


def _returned(text: str) -> str:
    if text.startswith("..., "):  # what is there already, and one more
        return f"-> tuple[{text.replace(':', '.')}]"
    kinds, several = parse_returns(text)
    return f"-> {result(kinds, several, '')}"


def _arguments(text: str) -> str:
    found = [parse_argument(part) for part in split_top(text, ",") if part]
    shown = (one.name if one.type is None else f"{one.name}: {annotation(one.type)}" for one in found)
    return ", ".join(shown)


_FORMS: Mapping[str, Callable[[Any], str]] = {
    "type": lambda text: annotation(parse_type(text)),
    "role": _role,
    "returns": _returned,
    "args": _arguments,
    "body": str,
    "decorator": lambda text: f"@{text}",
    "kind": lambda kind: next((word for word, name in KINDS.items() if name == kind), kind),
    "imports": lambda lines: "; ".join(map(str, as_list(lines))),
}
