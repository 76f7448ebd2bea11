"""Commands that list reference material: `kinds`, `schema` and `laws`."""

import click

from scaffold.cli import options
from scaffold.cli.common_options import json_option
from scaffold.cli.terminal import hint, say, say_json


@click.command("kinds")
@json_option
def kinds(as_json: bool) -> None:
    """List the kinds of class, and the options of each."""
    from scaffold.kind import described

    descriptions = described()
    if as_json:
        say_json(descriptions)
        return
    width = max(map(len, descriptions))
    for name, kind in descriptions.items():
        say(f"{name:{width}}  {kind['summary']}")
        for option, explanation in kind["options"].items():
            say(f"{'':{width}}  --option {option}=...  {explanation}")
    hint("next: scaffold new-module NAME FIELD... --kind KIND")


@click.command("schema")
@click.option("--json", "as_json", is_flag=True, help="The schema is JSON in any case.")
def schema(as_json: bool) -> None:
    """Print the JSON Schema of a spec, for editors."""
    from scaffold.spec.tables.schema import json_schema

    say_json(json_schema())


@click.command("laws", short_help="Explain the laws that the tests hold a class to.")
@click.argument("name", required=False, type=options.LAWS)
@json_option
def laws(name: str | None, as_json: bool) -> None:
    """Explain the laws that the tests hold a class to, or the one called NAME (such as P3)."""
    from scaffold.laws import further_laws, law_table

    table, further = law_table(name), further_laws() if name is None else {}
    if as_json:
        say_json({"laws": {number: law.to_json() for number, law in table.items()}, "besides": further})
        return
    parts = [law.text(number) for number, law in table.items()]
    parts += ["\n  ".join([f"{kind}, besides:", *laws]) for kind, laws in further.items()]
    say("\n\n".join(parts))
    first = next(iter(table))
    hint(f"next: `pytest -k p{int(first[1:]):02}` runs the tests of {first}")
