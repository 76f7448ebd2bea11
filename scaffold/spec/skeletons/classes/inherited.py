"""The methods that a class has of classes of the file which are carried: mixins, and bases that are no pytrees themselves."""

import ast
from typing import Any

from scaffold.spec.skeletons.classes import functions
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes


def inherited_methods(node: ast.ClassDef, names: Names, notes: Notes) -> dict[str, dict[str, Any]]:
    """The tables of those methods that the class itself does not define, which are tried and not written."""
    of_bases = Notes(notes.text, notes.where)  # what is wrong there is no fault of this class
    tables: dict[str, dict[str, Any]] = {}
    for part in names.plain_functions(node):
        if part.name not in _OF_PYTHON:
            kinds, path = functions.types_by_use(part, node, names), ("methods", part.name)
            table = functions.read_function(part, path, names, of_bases, [part], kinds)
            tables[part.name] = {**table, "inherited": True}
    return tables


_OF_PYTHON = ("__init__", "__new__", "__post_init__", "__init_subclass__", "create")
"""What makes instances: the class says how it is built."""
