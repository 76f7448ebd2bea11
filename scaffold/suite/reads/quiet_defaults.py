"""Arguments whose default is a poor example, such as a rate of 0, and arguments that may be None."""

import ast

from scaffold.source.definitions import statements
from scaffold.source.expressions import is_none, nodes_of
from scaffold.source.instance import last_name
from scaffold.spec.construction.arithmetic import measured
from scaffold.spec.construction.constructor import Parameter, parameters, sources_of
from scaffold.spec.construction.made_dims import made_fields
from scaffold.spec.grammar.kept_annotations import members_of
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once

_HALF = "0.5"
"""A probability of one half, which equals the probability of the opposite."""


def is_quiet(spec: ModuleSpec, parameter: Parameter) -> bool:
    """Whether the example gives a number in place of the default of a parameter."""
    if parameter.field is not None and parameter.field.check:
        return False
    return parameter.default == _HALF or (parameter.default in ("0.0", "0.") and _drops(spec, parameter.name))


def says_none(spec: ModuleSpec, name: str) -> bool:
    """Whether the author's annotation of an argument allows None, which then is a last resort."""
    own = spec.own_constructor
    written = statements(own.call.source if own is not None else spec.source)
    arguments = [(node.arg, node.annotation) for node in nodes_of(ast.arg, *written)]
    fields = [(ast.unparse(node.target), node.annotation) for node in nodes_of(ast.AnnAssign, *written)]
    annotations = [annotation for each, annotation in (*arguments, *fields) if each == name and annotation]
    members = [member for annotation in annotations for member in members_of(annotation)]
    return any(map(is_none, members))


def makes_none(spec: ModuleSpec, name: str) -> bool:
    """Whether the constructor may leave a field None, by a branch or by an argument that defaults to None."""
    none = {"None", *(each.name for each in parameters(spec) if each.default == "None")}
    made = [value for field, value in made_fields(spec) if field == name]
    return any(ast.unparse(branch) in none for value in made for branch in _branches(value))


def _branches(value: ast.expr) -> list[ast.expr]:
    """Return what an expression may evaluate to: either branch of `a if c else b`."""
    return [*_branches(value.body), *_branches(value.orelse)] if isinstance(value, ast.IfExp) else [value]


def _drops(spec: ModuleSpec, name: str) -> bool:
    """Whether the constructor passes an argument to a dropout layer: `nnx.Dropout(drop, rngs=rngs)`."""
    own = spec.own_constructor
    texts = (own.call.source,) if own is not None else (spec.setup, *_made(spec))
    calls = (call for text in texts for call in nodes_of(ast.Call, *statements(text)))
    return any(
        last_name(call).endswith("Dropout")
        and any(ast.unparse(given) == name for given in (*call.args, *(each.value for each in call.keywords)))
        for call in calls
    )


def _made(spec: ModuleSpec) -> list[str]:
    """Return the expressions that make the fields."""
    return [source for field in spec.stored for source in sources_of(field)]


@once
def default_numbers(spec: ModuleSpec) -> dict[str, float]:
    """Return the default numbers of the constructor's arguments."""
    pairs = ((each.name, measured(each.default or "", {})) for each in parameters(spec))
    return {name: number for name, number in pairs if number is not None}
