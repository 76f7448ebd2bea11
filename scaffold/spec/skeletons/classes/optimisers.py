"""Optimisers of optax that a class takes: an example for the tests, and the trees passed to optimisers."""

import ast
from collections.abc import Iterator

from scaffold.source.definitions import annotated_names, arguments_of
from scaffold.source.expressions import Function, nodes_of
from scaffold.source.instance import last_name
from scaffold.source.settings import Settings
from scaffold.spec.grammar.kept_annotations import without_none

EXAMPLE = Settings("optax.adam(1e-3, eps_root=1e-8)")
"""Optimiser with a state: a count and two moments. `eps_root` gives the root a slope at zero too."""
_CLASSES = ("GradientTransformation", "GradientTransformationExtraArgs")


def is_optimiser(annotation: ast.expr) -> bool:
    """Whether an annotation names an optimiser of optax, with or without `| None`."""
    return last_name(without_none(annotation)) in _CLASSES


def trees_of_arguments(node: Function, owner: ast.ClassDef) -> set[str]:
    """Return the arguments that a method passes to an optimiser as trees: `params` of `tx.init(params)`."""
    return {*_handed_over(node, owner)} & {argument.arg for argument in arguments_of(node)}


def is_tree_of_optimiser(name: str, owner: ast.ClassDef) -> bool:
    """Whether a method passes a field, or a constructor the argument of that name, to an optimiser."""
    methods = [*nodes_of(ast.FunctionDef, *owner.body)]
    makers = (method for method in methods if method.name in ("__init__", "create"))
    return any(f"self.{name}" in _handed_over(method, owner) for method in methods) or any(
        name in trees_of_arguments(maker, owner) for maker in makers
    )


def _handed_over(node: Function, owner: ast.ClassDef) -> Iterator[str]:
    """Yield the trees that calls of optimisers take: all arguments but the second of `update`, the state."""
    fields = {name for name, field in annotated_names(owner.body) if is_optimiser(field.annotation)}
    annotated = {each.arg for each in arguments_of(node) if each.annotation and is_optimiser(each.annotation)}
    optimisers = {*fields, *annotated, *(f"self.{name}" for name in fields)}
    for call in nodes_of(ast.Call, *node.body):
        match call.func:
            case ast.Attribute(value=made, attr="init" | "update") if ast.unparse(made) in optimisers:
                trees = (call.args[:1], call.args[2:3], [keyword.value for keyword in call.keywords])
                yield from (ast.unparse(each) for part in trees for each in part)
            case _:
                pass
