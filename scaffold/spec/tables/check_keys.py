"""Whether what stands under a key is of its form, and every key one that is known."""

from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.errors import Fault, suggestion
from scaffold.kind import NAMES as KINDS
from scaffold.kind import RARE, kind_of, kinds_that_take
from scaffold.spec.tables.keys import FIELD_KEYS, STORED, Key
from scaffold.spec.tables.raw import as_list, as_table

_PYTHON_TYPES = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array of strings": (list,),
    "array of tables": (list,),
    "table": (dict,),
    "boolean or a name": (bool, str),
    "number or a table": (int, float, dict),
}


def key_faults(raw: Mapping[str, Any], keys: Mapping[str, Key], where: str, kind: str = "") -> list[Fault]:
    """Unknown keys, missing keys, values of the wrong form, illegal values, and keys that a kind has no use for: all of them."""
    faults = [_unknown(name, keys, where) for name in raw if name not in keys]
    faults += (
        [
            untaken(kind, name, f"{where}.{name}" if where else name)
            for name in raw
            if name in keys and not kind_of(kind).takes(name)
        ]
        if kind in KINDS
        else []
    )
    faults += [
        Fault(where, f"`{name}` is missing", f"write `{name} = ...`: {key.doc}")
        for name, key in keys.items()
        if key.required and name not in raw
    ]
    for name, key in keys.items():
        if name in raw:
            faults += _value_faults(raw[name], key, f"{where}.{name}" if where else name)
    return faults


def option_faults(kind: str, options: Mapping[str, Any]) -> list[Fault]:
    """What is wrong with the table `[options]` of a spec of this kind."""
    keys = kind_of(kind).options
    if options and not keys:
        having = {name: tuple(kind_of(name).options) for name in KINDS}
        legal = tuple(f"{name}: {', '.join(found)}" for name, found in having.items() if found)
        fix = "remove them, or choose a kind that has them"
        return [Fault("options", f"kind `{kind}` has no options", fix, legal)]
    return key_faults(options, keys, "options")


def untaken(kind: str, name: str, where: str) -> Fault:
    """The fault of a key, or a role, that the classes of a kind have no use for."""
    legal = kinds_that_take(name)
    usual = "module" if "module" in legal else legal[0]
    fix = f'remove it, or write `kind = "{usual}"`' if name in RARE else "remove it"
    return Fault(where, f"a class of kind `{kind}` has no `{name}`", fix, legal)


def needless_keys(table: Mapping[str, Any], name: str, role: str, kind: str) -> Iterator[Fault]:
    """The faults of keys that say nothing of a field with this role, or of any field of this kind."""
    for key in table.keys() & FIELD_KEYS.keys():
        if role not in FIELD_KEYS[key].roles:
            fix = "remove it, or write another role"
            what = f"`{key}` says nothing of a {role} field"
            yield Fault(f"fields.{name}.{key}", what, fix, FIELD_KEYS[key].roles)
        elif kind in KINDS and role in STORED and not kind_of(kind).takes(key):
            yield untaken(kind, key, f"fields.{name}.{key}")


def _unknown(name: str, keys: Mapping[str, Key], where: str) -> Fault:
    return Fault(where, f"unknown key `{name}`", suggestion(name, keys, "remove it"), tuple(keys))


def _value_faults(value: Any, key: Key, where: str) -> list[Fault]:
    name = where.rpartition(".")[2]
    if not _has_form(value, key.form):
        article = "an" if key.form[0] in "ai" else "a"
        fix = f"write `{_EXAMPLES[key.form].format(name)}`: {key.doc}"
        return [Fault(where, f"{_shown(value)} is not {article} {key.form}", fix, key.legal)]
    if not key.legal:
        return []
    return [_illegal(one, key, where) for one in _values(value) if one not in (*_SWITCHES, *key.legal)]


_SWITCHES = (True, False)


def _values(value: Any) -> list[Any]:
    return as_list(value) if isinstance(value, list) else [value]


def _illegal(value: str, key: Key, where: str) -> Fault:
    fix = suggestion(value.lower(), key.legal, f"write one of the legal values: {key.doc}")
    return Fault(where, f"`{value}` is not legal", fix, key.legal)


_EXAMPLES = {
    "string": '{} = "..."',
    "boolean": "{} = true",
    "integer": "{} = 3",
    "number": "{} = 0.5",
    "array of strings": '{} = ["..."]',
    "array of tables": "{} = [{{ ... }}]",
    "table": "{} = {{ ... }}",
    "value": "{} = 3",
    "boolean or a name": "{} = true",
    "number or a table": "{} = 1e-4",
}


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def is_value(value: Any, *, tables: bool = False) -> bool:
    """Whether a TOML value can be written as Python: text, numbers, booleans, arrays of these (and tables)."""
    if isinstance(value, list):
        return all(is_value(item, tables=tables) for item in as_list(value))
    if tables and isinstance(value, Mapping):
        return all(is_value(item, tables=True) for item in as_table(value).values())
    return isinstance(value, str | int | float)


def _has_form(value: Any, form: str) -> bool:
    if form == "value":
        return is_value(value)
    if not isinstance(value, _PYTHON_TYPES[form]) or (
        isinstance(value, bool) and form in ("integer", "number", "number or a table")
    ):
        return False
    item = {"array of strings": str, "array of tables": dict}.get(form)
    return item is None or all(isinstance(part, item) for part in as_list(value))
