"""Checks of keys: each must be known, of use to the kind, and hold a value of the right form."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from scaffold.errors import Fault, shortened, suggestion
from scaffold.kind import NAMES as KINDS
from scaffold.kind import RARE, kind_of, kinds_that_take
from scaffold.spec.grammar.initialisers import INITIALISERS
from scaffold.spec.raw import as_list
from scaffold.spec.tables.key import FORMS, Key
from scaffold.spec.tables.keys import FIELD_KEYS, STORED


def sound_table(
    raw: Mapping[str, Any], keys: Mapping[str, Key], where: str, kind: str = ""
) -> tuple[dict[str, Any], list[Fault]]:
    """Return the known entries of the right form, and the faults of the whole table.

    Faults also cover missing keys, illegal values, and keys that the kind has no use for.
    """
    sound: dict[str, Any] = {}
    faults = [
        Fault(where, f"`{name}` is missing", f"write `{name} = ...`: {key.doc}")
        for name, key in keys.items()
        if key.required and name not in raw
    ]
    for name, value in raw.items():
        place = f"{where}.{name}" if where else name
        if name not in keys:
            fix = suggestion(name, keys, _in_parentheses(raw, value) or "remove it")
            faults.append(Fault(where, f"unknown key `{name}`", fix, tuple(keys)))
        elif not _has_form(value, keys[name].form):
            faults.append(_misformed(name, value, keys[name], place))
        else:
            sound[name] = value
            faults += _illegal(value, keys[name], place)
        if name in keys and kind in KINDS and not kind_of(kind).takes(name):
            faults.append(untaken(kind, name, place))
    return sound, faults


def _in_parentheses(raw: Mapping[str, Any], value: Any) -> str:
    """Suggest `uniform(0.1)` for a number beside an initialiser, or return an empty text.

    jax takes such a number as the argument `scale`.
    """
    init = raw.get("init")
    initialiser = INITIALISERS.get(init) if isinstance(init, str) else None
    takes = initialiser is not None and initialiser.measured and type(value) in (int, float)
    return f"write `{init}({value})`, or remove it" if takes else ""


def sound_options(raw: Mapping[str, Any], kind: str) -> tuple[dict[str, Any], list[Fault]]:
    """Check the table `[options]` of a spec of this kind as `sound_table` does."""
    keys = kind_of(kind).options
    if raw and not keys:
        having = {name: tuple(kind_of(name).options) for name in KINDS}
        legal = tuple(f"{name}: {', '.join(options)}" for name, options in having.items() if options)
        fix = "remove them, or choose a kind that has them"
        return {}, [Fault("options", f"kind `{kind}` has no options", fix, legal)]
    return sound_table(raw, keys, "options")


def untaken(kind: str, name: str, where: str) -> Fault:
    """Return the fault of a key or a role that classes of this kind have no use for."""
    legal = kinds_that_take(name)
    if not legal:  # what is carried alone has it
        fix = "remove it, and give `values` to the arguments; or have the class emitted word for word, with `@as_written`"
        return Fault(where, f"a class of kind `{kind}` has no `{name}`", fix)
    usual = "module" if "module" in legal else legal[0]
    fix = f'remove it, or write `kind = "{usual}"`' if name in RARE else "remove it"
    return Fault(where, f"a class of kind `{kind}` has no `{name}`", fix, legal)


def needless_keys(table: Mapping[str, Any], name: str, role: str, kind: str) -> Iterator[Fault]:
    """Find keys that say nothing of a field with this role, or of any field of this kind."""
    for key in table.keys() & FIELD_KEYS.keys():
        if role not in FIELD_KEYS[key].roles:
            fix = "remove it, or write another role"
            message = f"`{key}` says nothing of a {role} field"
            yield Fault(f"fields.{name}.{key}", message, fix, FIELD_KEYS[key].roles)
        elif kind in KINDS and role in STORED and not kind_of(kind).takes(key):
            yield untaken(kind, key, f"fields.{name}.{key}")


def _misformed(name: str, value: Any, key: Key, where: str) -> Fault:
    article = "an" if key.form[0] == "a" else "a"
    fix = f"write `{FORMS[key.form].example.format(name)}`: {key.doc}"
    return Fault(where, f"{shortened(repr(value))} is not {article} {key.form}", fix, key.legal)


def _illegal(value: Any, key: Key, where: str) -> Iterator[Fault]:
    listed = as_list(value) if isinstance(value, list) else [value]
    illegal = [choice for choice in listed if key.legal and choice not in (True, False, *key.legal)]
    for choice in illegal:
        fix = suggestion(choice.lower(), key.legal, f"write one of the legal values: {key.doc}")
        yield Fault(where, f"`{choice}` is not legal", fix, key.legal)


def is_value(value: Any, *, tables: bool = False) -> bool:
    """Whether Python source can express a TOML value.

    Text, numbers, booleans and arrays can, and with `tables` also tables.
    """
    if isinstance(value, list):
        return all(is_value(item, tables=tables) for item in as_list(value))
    if tables and isinstance(value, Mapping):
        parts = cast("Mapping[Any, Any]", value).items()
        return all(isinstance(name, str) and is_value(part, tables=True) for name, part in parts)
    return isinstance(value, str | int | float)


def _has_form(value: Any, name: str) -> bool:
    form = FORMS[name]
    if name == "value":
        return is_value(value)
    if not isinstance(value, form.types) or (isinstance(value, bool) and bool not in form.types):
        return False
    return form.item is None or all(isinstance(part, form.item) for part in as_list(value))
