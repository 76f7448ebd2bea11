"""Docstrings of a class, its fields and its constructor, by the author or from the spec."""

import re
from collections.abc import Mapping
from inspect import cleandoc
from textwrap import indent

from scaffold.emit.as_spelled import BODY, METHOD, documented
from scaffold.kind import kind_of
from scaffold.source.text import docstring, listed
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.model import ModuleSpec


def constructor_doc(spec: ModuleSpec) -> str:
    """Return the docstring of the constructor as source."""
    return documented(spec, ("constructor_doc",), _constructor_text(spec), BODY)


def init_returns(spec: ModuleSpec, usual: str) -> str:
    """Return the result annotation of `__init__`: the author's own, or `usual`."""
    written = dict(spec.written).get(("constructor_returns",))
    return usual if written is None else f" -> {written}" * bool(written)


def _constructor_text(spec: ModuleSpec) -> str:
    """Return the author's docstring of the constructor, or the documented arguments and invariants.

    Without either, the docstring is empty, because the signature suffices.
    """
    if spec.constructor_doc.strip():
        return spec.constructor_doc
    docs = (
        (parameter, parameter.field.doc if parameter.field and parameter.source == "field" else parameter.doc)
        for parameter in parameters(spec)
    )
    listed = "\n".join(
        f"- `{parameter.name}`: {_as_item(doc).rstrip('.')}." for parameter, doc in docs if doc.strip()
    )
    raised = "\n".join(f"- `ValueError` unless `{field.check}`." for field in spec.fields if field.check)
    parts = (
        f"**Arguments:**\n\n{listed}" if listed else "",
        f"**Raises:**\n\n{raised}" if raised else "",
    )
    return "\n\n".join(["Build an instance.", *filter(None, parts)]) if any(parts) else ""


def _as_item(doc: str) -> str:
    """Format a text as a list item: the first paragraph in a line, and the others indented below."""
    first, *others = re.split(r"\n\s*\n", cleandoc(doc).strip())
    return "\n\n".join([" ".join(first.split()), *(indent(paragraph, METHOD) for paragraph in others)])


def with_docs(spec: ModuleSpec, declarations: Mapping[str, str]) -> list[str]:
    """Add docstrings to the declarations of fields, unless the constructor's docstring lists them."""
    is_written = bool(spec.constructor_doc.strip() or spec.own_constructor or spec.is_open)
    is_listed = kind_of(spec.kind).has_instances and not is_written
    named = {parameter.name for parameter in parameters(spec)} if is_listed else set[str]()
    shown = {
        field.name: documented(spec, ("fields", field.name, "doc"), field.doc, METHOD)
        for field in spec.stored
        if field.name not in named
    }
    return [
        f"{line}\n{METHOD}{doc}" if (doc := shown.get(name)) else line for name, line in declarations.items()
    ]


def class_doc(spec: ModuleSpec) -> str:
    """Return the author's docstring of the class, or a list of its fields if its body would be empty."""
    if spec.doc.strip():
        return documented(spec, ("doc",), spec.doc, METHOD)
    if any(field.annotated for field in spec.stored) or spec.functions:
        return ""
    names = [f"`{field.name}`" for field in spec.stored]
    return docstring(f"Holds {listed(names)}." if names else "Holds nothing.", METHOD)
