"""The questions of `scaffold new-module` without a name, on a terminal."""

from collections.abc import Container, Iterable
from typing import Any

import click

from scaffold.errors import Fault, ScaffoldError
from scaffold.kinds import NAMES, kind_of
from scaffold.spec.check_fields import initialiser_faults
from scaffold.spec.expressions import syntax_fault
from scaffold.spec.keys import CONSTRUCTORS, REBUILDS, Key, option_faults
from scaffold.spec.names import class_name_fault, field_name_fault
from scaffold.spec.pairs import one_option
from scaffold.spec.read import Reader
from scaffold.spec.tokens import call_from_text, parse_field_token


def ask() -> dict[str, Any]:
    """The tables of a spec, from answers; a bad answer is explained and asked again.

    What has its default is left out, so that the spec is the one which the command line would write.
    """
    raw: dict[str, Any] = {"name": click.prompt("Name of the class", value_proc=_class_name)}
    kind = click.prompt("Kind", default="module", type=click.Choice(NAMES))
    doc = click.prompt("Docstring (empty for none)", default="", show_default=False)
    key, legal = ("rebuild", REBUILDS) if kind_of(kind).rebuilds else ("constructor", CONSTRUCTORS)
    form = click.prompt(key.capitalize(), default=legal[0], type=click.Choice(legal))
    answers = {"kind": (kind, "module"), "doc": (doc, ""), key: (form, legal[0])}
    raw |= {name: value for name, (value, default) in answers.items() if value != default}
    options = _ask_options(kind)
    raw |= {"options": options} if options else {}
    raw["fields"] = _ask_fields(raw["name"])
    call = _ask_call()
    return {**raw, "call": call} if call else raw


def _ask_options(kind: str) -> dict[str, Any]:
    """What the kind takes besides fields, by name; what is left empty is left out."""
    keys = kind_of(kind).options
    return {name: value for name, key in keys.items() if (value := _ask_option(kind, name, key)) is not None}


def _ask_option(kind: str, name: str, key: Key) -> Any:
    question = f"Option {name}, a {key.form} (empty for none)"
    click.echo(key.doc)
    while text := click.prompt(question, default="", show_default=False).strip():
        try:
            value = one_option(text)
            faults = option_faults(kind, {name: value})
        except ScaffoldError as error:
            value, faults = None, list(error.faults)
        if not faults:
            return value
        _explain(faults)
    return None


def _class_name(text: str) -> str:
    fault = class_name_fault(text.strip(), "name")
    if fault is not None:
        raise click.UsageError(f"{fault.what}; {fault.fix}")
    return text.strip()


def _ask_fields(class_name: str) -> dict[str, Any]:
    click.echo(
        "Fields, as NAME:TYPE[?FLAG][@ROLE][=INIT]; for example weight:f[out_size,in_size]=lecun_normal"
    )
    fields: dict[str, Any] = {}
    while token := _ask_field(first=not fields):
        faults = _field_faults(token, class_name, fields)
        if faults:
            _explain(faults)
            continue
        name, table = parse_field_token(token)
        fields[name] = table
    return fields


def _ask_field(*, first: bool) -> str:
    if first:
        return click.prompt("Field").strip()
    return click.prompt("Field (empty to finish)", default="", show_default=False).strip()


def _field_faults(token: str, class_name: str, fields: Container[str]) -> list[Fault]:
    """What is wrong with a field by itself; how it goes with the others shows when all are there."""
    try:
        name, table = parse_field_token(token)
    except ScaffoldError as error:
        return list(error.faults)
    reader = Reader("answer")
    field = reader.field(name, table)
    faults = [*reader.faults, field_name_fault(name, f"fields.{name}", class_name)]
    if field is not None:
        faults += initialiser_faults(field, f"fields.{name}")
    if name in fields:
        faults.append(Fault(f"fields.{name}", f"`{name}` is there already", "give each field its own name"))
    return [fault for fault in faults if fault is not None]


def _explain(faults: Iterable[Fault]) -> None:
    for fault in faults:
        legal = f" (legal: {', '.join(fault.legal)})" if fault.legal else ""
        click.echo(f"Error: {fault.what}; {fault.fix}{legal}")


def _ask_call() -> dict[str, Any]:
    question = "Call, as 'x:f[in_size] -> f[out_size]' (empty for none)"
    while call := click.prompt(question, default="", show_default=False).strip():
        faults = _call_faults(call_from_text(call, "return None"))
        if not faults:
            return call_from_text(call, _ask_body())
        _explain(faults)
    return {}


def _ask_body() -> str:
    while True:
        body: str = click.prompt("Body of the call")
        what = syntax_fault(body, expression=False)
        if what is None:
            return body
        click.echo(
            f"Error: not Python: {what}; write statements in one line, such as `return self.weight @ x`"
        )


def _call_faults(table: dict[str, Any]) -> list[Fault]:
    reader = Reader("answer")
    reader.call({"call": table})
    return reader.faults
