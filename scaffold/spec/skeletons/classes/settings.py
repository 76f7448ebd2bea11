"""Settings that a class takes. The tests pass them, and their numbers are the sizes of equally named dims."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.source.definitions import (
    annotated_names,
    arguments_of,
    arguments_with_defaults,
    dims_written,
    method_of,
    owner_of,
)
from scaffold.source.settings import Settings
from scaffold.spec.grammar.kept_annotations import without_none
from scaffold.spec.raw import as_table
from scaffold.spec.skeletons.classes.as_written import has_default, is_as_written
from scaffold.spec.skeletons.classes.inferred import constructor_of
from scaffold.spec.skeletons.classes.optimisers import EXAMPLE, is_optimiser
from scaffold.spec.skeletons.words.names import Names

_MAKERS = ("__init__", "create", "__call__")
"""Methods whose arguments the tests name without the method: `mask`, not `loss.mask`."""


def tests_with_settings(
    test: Mapping[str, Any], node: ast.ClassDef, known: Mapping[str, Settings], names: Names
) -> dict[str, Any]:
    """Add the settings that a class takes to its test table, and their numbers as sizes of dims.

    The dims may also be those of classes of the file that its methods take.
    """
    taken = [*_taken(node, known, names)]
    values = {key: f"={settings.source}" for key, settings, is_needed in taken if is_needed}
    counts = {name: count for key, settings, _ in taken if "." not in key for name, count in settings.counts}
    annotations = _annotations(node) if counts else set[str]()
    nodes = (node, *(each for name, each in names.classes.items() if name in annotations))
    sizes = {name: counts[name] for each in nodes for name in dims_written(each) if name in counts}
    read = {"values": values, "sizes": sizes}
    said = {key: _with(entries, test.get(key, {})) for key, entries in read.items()}
    return {**test, **{key: entries for key, entries in said.items() if entries}}


def _with(entries: Mapping[str, Any], said: Any) -> Any:
    """Add entries below the author's. A value that is no table stays, and is refused later."""
    return {**entries, **as_table(said)} if isinstance(said, Mapping) else said


def _taken(
    node: ast.ClassDef, known: Mapping[str, Settings], names: Names
) -> Iterator[tuple[str, Settings, bool]]:
    """Yield each settings argument of a class: its name in the tests, the settings, whether required.

    An argument without an annotation takes the annotation of the field with its name.
    """
    own = method_of(node, "__init__") if is_as_written(node, names) else constructor_of(node)
    fields = dict(annotated_names(node.body))
    given = fields if own is None else {}
    places = [(name, field.annotation, not has_default(field.value, names)) for name, field in given.items()]
    for function in (part for part in node.body if isinstance(part, ast.FunctionDef) and owner_of(part)):
        prefix = "" if function.name in _MAKERS else f"{function.name}."
        for argument, default in arguments_with_defaults(function):
            field = fields.get(argument.arg) if argument.annotation is None else argument
            if field is not None and field.annotation is not None:
                places.append((f"{prefix}{argument.arg}", field.annotation, default is None))
    for key, annotation, is_needed in places:
        settings = EXAMPLE if is_optimiser(annotation) else known.get(_class_named(annotation))
        if settings is not None:
            yield key, settings, is_needed


def _annotations(node: ast.ClassDef) -> set[str]:
    """Return the names that the annotations of method arguments name."""
    functions = (part for part in node.body if isinstance(part, ast.FunctionDef))
    arguments = (argument for function in functions for argument in arguments_of(function))
    return {_class_named(argument.annotation) for argument in arguments if argument.annotation is not None}


def _class_named(annotation: ast.expr) -> str:
    """Return the name that an annotation is, without quotes and `| None`."""
    return ast.unparse(without_none(annotation)).strip("'\"")
