"""Suites of further configurations. Each inherits from the first suite and overrides what differs."""

from collections.abc import Callable, Iterator
from typing import Any

from scaffold.emit.docs import METHOD
from scaffold.kind import Context
from scaffold.source.text import docstring
from scaffold.spec.construction.cases import case_specs
from scaffold.spec.model import ModuleSpec
from scaffold.spec.rules.claims import slug
from scaffold.spec.test_plan import Case

Table = list[Any]
"""The head of an attribute, its rows, and its end."""


def case_contexts(spec: ModuleSpec, base: Context, whole: Callable[[ModuleSpec], Context]) -> list[list[Any]]:
    """Return the values for `templates/tests` of each case.

    `whole` returns such values for any class, and `base` holds them for this class.
    """
    return [_case(case, spec.name, base, whole(changed)) for case, changed in case_specs(spec)]


def widened(cases: list[list[Any]], base: Context) -> Context:
    """Return types for attributes that a case overrides, since mypy infers the length of a tuple."""
    heads = {table[0].split()[0].rstrip(":") for case in cases for table in case[2]}
    elements = "Sequence[Var]" if base["manifest"] == "variables" else "Sequence[Leaf] | None"
    return {
        "manifest_type": f": ClassVar[{elements}]" if base["manifest"] in heads else "",
        "static_type": "[dict[str, Any]]" if "static" in heads else "",
    }


def _case(case: Case, name: str, base: Context, context: Context) -> list[Any]:
    words = "".join(part.capitalize() for part in slug(case.name).split("_"))
    return [
        f"Test{name}{words}",
        docstring(f"`{name}`: {case.name}.", METHOD),
        list(_tables(base, context)),
        _attributes(base, context),
        *_inputs(base, context),
        context["arguments"] if context["arguments"] != base["arguments"] else [],
    ]


def _tables(base: Context, context: Context) -> Iterator[Table]:
    """Yield the attributes whose rows differ from the example."""
    manifest = base["manifest"]
    pairs = {
        manifest: context["leaves"],
        "states": context["states"],
        "returns": context["returns"],
        "methods": context["method_rows"],
    }
    values = {
        manifest: base["leaves"],
        "states": base["states"],
        "returns": base["returns"],
        "methods": base["method_rows"],
    }
    for name, rows in pairs.items():
        if rows != values[name]:
            yield [f"{name} = (", rows, ")"] if rows else [f"{name} = ()", [], ""]
    if context["static"] != base["static"]:
        rows = [f'"{path}": {value}' for path, value in context["static"]]
        yield ["static: ClassVar = {", rows, "}"]


def _attributes(base: Context, context: Context) -> list[str]:
    """Return the lines of a kind that differ from the example."""
    return [line for line in context["attributes"] if line not in base["attributes"]]


def _inputs(base: Context, context: Context) -> list[Any]:
    """Return whether the inputs extend the inputs of the example, and the rows to write."""
    before, now = dict(base["inputs"]), dict(context["inputs"])
    extends = before.keys() <= now.keys()
    rows = [[name, value] for name, value in now.items() if not extends or before.get(name) != value]
    return [extends, rows]
