"""Defaults that make an array: in the body of the constructor, since a signature would make one array for all, at import."""

import ast

from scaffold.spec.grammar.types import holds_arrays
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.source.expressions import expression_or_none, nodes_of


def makes_default(field: Field) -> bool:
    """Whether the default of a field is an array that an expression makes."""
    if not (field.given and field.dynamic and field.default and holds_arrays(field.type)) or field.nullable:
        return False
    default = expression_or_none(field.default)
    return default is not None and any(nodes_of(ast.Call, default))


def default_statements(spec: ModuleSpec) -> tuple[str, ...]:
    """The statements that make the defaults of what is left out."""
    fields = [field for field in spec.stored if makes_default(field)]
    return tuple(f"if {field.name} is None:\n    {field.name} = {field.default}" for field in fields)
