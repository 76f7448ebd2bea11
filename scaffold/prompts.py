"""The questions of `scaffold new-module` without a name, on a terminal."""

from typing import Any

import click

from scaffold.errors import Fault, ScaffoldError
from scaffold.spec.keys import CONSTRUCTORS, REBUILDS
from scaffold.spec.names import class_name_fault, field_name_fault
from scaffold.spec.tokens import call_from_text, parse_field_token
from scaffold.spec.types import TypeSyntaxError, parse_type


def ask() -> dict[str, Any]:
    """The tables of a spec, from answers; a bad answer is explained and asked again."""
    name = click.prompt("Name of the class", value_proc=_class_name)
    kind = click.prompt("Kind", default="module", type=click.Choice(_kinds()))
    raw: dict[str, Any] = {"name": name, "kind": kind}
    doc = click.prompt("Docstring (empty for none)", default="", show_default=False)
    if doc:
        raw["doc"] = doc
    if kind == "pytree":
        raw["rebuild"] = click.prompt("Rebuild", default="bypass", type=click.Choice(REBUILDS))
    else:
        raw["constructor"] = click.prompt("Constructor", default="factory", type=click.Choice(CONSTRUCTORS))
    raw["fields"] = _ask_fields(name)
    call = click.prompt(
        "Call, as 'x:f[in_size] -> f[out_size]' (empty for none)", default="", show_default=False
    )
    if call:
        raw["call"] = call_from_text(call, click.prompt("Body of the call"))
    return raw


def _kinds() -> tuple[str, ...]:
    from scaffold.kinds import NAMES

    return NAMES


def _class_name(text: str) -> str:
    return _refused_or(text, class_name_fault(text, "name"))


def _refused_or(text: str, fault: Fault | None) -> str:
    if fault is not None:
        raise click.UsageError(f"{fault.what}; {fault.fix}")
    return text


def _ask_fields(class_name: str) -> dict[str, Any]:
    click.echo(
        "Fields, as NAME:TYPE[?FLAG][@ROLE][=INIT]; for example weight:f[out_size,in_size]=lecun_normal"
    )
    fields: dict[str, Any] = {}
    while True:
        token = click.prompt(
            "Field (empty to finish)" if fields else "Field",
            default="" if fields else None,
            show_default=False,
        )
        if not token:
            return fields
        try:
            name, table = parse_field_token(token)
            parse_type(table["type"])
            _refused_or(name, field_name_fault(name, "field", class_name))
        except (ScaffoldError, TypeSyntaxError, click.UsageError) as error:
            click.echo(f"Error: {error}")
            continue
        fields[name] = table
