"""A spec to the class that would be written from it, in memory: the statement and the imports beside it."""

import ast
from collections.abc import Mapping
from typing import Any

from scaffold.adopt.as_spec.unwritten import without_given
from scaffold.emit.generics import generic_context, readable_context
from scaffold.emit.members import with_comments
from scaffold.in_project.layout import Layout
from scaffold.kinds import kind_of
from scaffold.lay_out import module_files
from scaffold.render import render_class
from scaffold.spec import ModuleSpec
from scaffold.spec.read import read_spec


def spec_of(raw: Mapping[str, Any]) -> ModuleSpec:
    """The spec that the tables say. Raises `ScaffoldError` with all faults."""
    return read_spec(raw, str(raw["name"]))


def quick_class(spec: ModuleSpec, layout: Layout) -> ast.ClassDef:
    """The statement of the class, without imports, tests and layout, which many drafts are compared by."""
    emitted = with_comments(spec, kind_of(spec.kind).context(spec))
    emitted = {**emitted, "stem": spec.stem, "source_folder": "", "serialisation_module": "serialisation"}
    emitted |= generic_context(spec, layout, str(emitted.get("bases", "")))
    readable: dict[str, Any] = {**readable_context(spec, emitted), "imports": []}
    return class_in(render_class(spec.kind, readable), spec.name)


def whole_module(spec: ModuleSpec, layout: Layout) -> str:
    """The module as `new-module` lays it out."""
    files = module_files(spec, layout, {spec.name: spec})
    return next(one.text for one in files if one.path == layout.source_file(spec.stem))


def class_in(text: str, name: str) -> ast.ClassDef:
    """The statement of a class in the text of its module."""
    found = (
        one
        for one in ast.parse(without_given(text)).body
        if isinstance(one, ast.ClassDef) and one.name == name
    )
    return next(found)
