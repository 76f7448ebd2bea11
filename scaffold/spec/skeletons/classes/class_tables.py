"""Tables of a skeleton class, filled while the class is read."""

import ast
from typing import Any

from msgspec import Struct

from scaffold.kind import Kind, kind_of
from scaffold.spec.skeletons.classes.functions import is_left_open
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.skeletons.words.notes import Notes


class ClassTables(Struct):
    """A class with the spec tables that have been read so far."""

    node: ast.ClassDef
    names: Names
    notes: Notes
    raw: dict[str, Any]
    fields: dict[str, dict[str, Any]]
    inits: dict[str, ast.expr]
    """Expressions from which the constructor makes the fields."""
    is_verbatim: bool = False
    """Whether the class stays as written."""

    @property
    def said_kind(self) -> str:
        return self.raw.get("kind", "module")

    @property
    def kind(self) -> Kind:
        return kind_of(self.said_kind)

    @property
    def leaves_open(self) -> bool:
        """Whether a method is left to subclasses."""
        methods = (statement for statement in self.node.body if isinstance(statement, ast.FunctionDef))
        return any(is_left_open(method, self.names) for method in methods)
