"""Rewrite the TOML pieces of a fault's fix in Python, as a skeleton spells them."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from scaffold.kind import NAMES, kind_of
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.type_parser import TypeSyntaxError, parse_type
from scaffold.spec.grammar.type_texts import annotation, result
from scaffold.spec.raw import as_list, as_table
from scaffold.spec.reading.field_text import SignatureSyntaxError, parse_argument, parse_returns, split_top
from scaffold.spec.skeletons.classes.class_statements import KINDS
from scaffold.spec.skeletons.classes.fields import FIRST, WORDS
from scaffold.spec.tables.keys import CALL_KEYS, FIELD_KEYS, METHOD_KEYS, SPEC_KEYS, TEST_KEYS

_QUOTED = r"`([^`]+)`"
_TABLE = r"(?s)\[(call|(?:methods|constructors)\.(\w+)|groups|test)\]\s*(.*)"
_TYPE = rf"(?:(\w+): )?((?:{'|'.join(DTYPES)})\[[^\[\]]*\])"
_HEADS = {"call": "__call__", "groups": "@groups(...)", "test": "@test(...)"}
_PHRASES = {
    "bind it in `setup`": "assign it in `__init__`",
    "declare it in `arguments`": "take it as an argument of `__init__`",
    "compute it in `setup`": "compute it in `__init__`",
}
"""Phrases of fixes about TOML's `setup` and `arguments`, each with its phrase about `__init__`."""
_KNOWN = frozenset((*SPEC_KEYS, *FIELD_KEYS, *CALL_KEYS, *METHOD_KEYS, *TEST_KEYS)) | {
    option for name in NAMES for option in kind_of(name).options
}
_BASES = {kind: word for word, kind in KINDS.items()}


def legal_in_python(legal: tuple[str, ...]) -> tuple[str, ...]:
    """Return the legal values. Kinds become the names of their bases, such as `TrainState`."""
    return tuple(_BASES[kind] for kind in legal) if legal and set(legal) <= set(_BASES) else legal


def in_python(fix: str, key: str) -> str:
    """Rewrite the fix of a fault at `key` in Python, except for backticked text that is no TOML."""
    expression = "a `lambda` of an expression" if key.startswith("test.") else "an expression without quotes"
    for phrase, python in {"`=` and an expression": expression, **_PHRASES}.items():
        fix = fix.replace(phrase, python)
    return re.sub(_QUOTED, lambda match: f"`{_piece(match[1], key)}`", fix)


def _piece(text: str, key: str) -> str:
    table = re.fullmatch(_TABLE, text)
    if table is not None and not table[3]:
        return _HEADS.get(table[1], f"def {table[2]}")
    try:
        if typed := re.fullmatch(_TYPE, text):
            return f"{typed[1]}: " * bool(typed[1]) + annotation(parse_type(typed[2]))
        inner = (text if table is None else table[3]).replace(", ... }", ", more = 0 }")
        texts = [_entry(name, value, key) for name, value in tomllib.loads(inner).items()]
    except (tomllib.TOMLDecodeError, TypeSyntaxError, SignatureSyntaxError):
        return text
    if not texts or None in texts:
        return text
    said = ", ".join(filter(None, texts))
    said = said if '"' in said else said.replace("'", '"')
    return said if table is None else f"@{table[1]}({said})"


def _entry(name: str, value: Any, key: str) -> str | None:
    """Return one TOML entry as Python, or None if its key belongs to no spec."""
    match name, value:
        case _, {"type": str(text), **rest}:
            return _field(name, text, as_table(rest))
        case _ if name not in _KNOWN:
            return f"{name!r}: {value!r}" if key.startswith(("test.sizes", "test.values")) else None
        case "type", str():
            return annotation(parse_type(value))
        case "role", str():
            return f"{value}(...)" if value in WORDS else f"field(role={value!r}, ...)"
        case "returns", str():
            # `...` stands for the results that the author already declared.
            is_open = value.startswith("..., ")
            inner = f"tuple[{value.replace(':', '.')}]" if is_open else result(*parse_returns(value), "")
            return f"-> {inner}"
        case "args", str():
            pairs = (
                (each.name, each.type) for each in map(parse_argument, filter(None, split_top(value, ",")))
            )
            return ", ".join(name if kind is None else f"{name}: {annotation(kind)}" for name, kind in pairs)
        case "kind", str():
            return _BASES.get(value, value)
        case "values", dict():
            examples = (_example(name, source) for name, source in as_table(value).items())
            return f"values={{{', '.join(examples)}}}"
        case "imports", list():
            return "; ".join(map(str, as_list(value)))
        case "decorator" | "body", str():
            return f"@{value}" if name == "decorator" else value
        case _:
            return f"{name}={value!r}"


def _example(name: str, value: Any) -> str:
    """Return one entry of `values`. An expression becomes a lambda."""
    is_expression = isinstance(value, str) and value.startswith("=")
    return f'"{name}": lambda: {value[1:].strip()}' if is_expression else f'"{name}": {value!r}'


def _field(name: str, text: str, rest: Mapping[str, Any]) -> str:
    """Return a field declaration.

    The key `more` becomes `...`, for arguments that the author already wrote.
    """
    word = rest.get("role", "field")
    keys = {key: value for key, value in rest.items() if key not in ("role", "more")}
    by_place = "" if word == "field" else FIRST.get(word, "init")
    first = repr(keys.pop(by_place)) if by_place in keys else ""
    said = [first, *(f"{key}={value!r}" for key, value in keys.items()), *["..."] * ("more" in rest)]
    head = f"{name}: {annotation(parse_type(text))}"
    if [*rest] == ["default"]:
        return f"{head} = {rest['default']!r}"
    return f"{head} = {word}({', '.join(filter(None, said))})" if rest else head
