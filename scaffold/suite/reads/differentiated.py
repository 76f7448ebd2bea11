"""Functions as examples. A function that the class differentiates must return a number, and no array."""

import ast
from collections.abc import Iterator

from scaffold.source.expressions import nodes_of, parsed
from scaffold.spec.grammar.types import CallableType
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once
from scaffold.suite.reads.positive import named_value

_GRADIENTS = ("grad", "value_and_grad", "filter_grad", "filter_value_and_grad", "hessian", "filter_hessian")


def example_function(spec: ModuleSpec, kind: CallableType, name: str) -> str:
    """Return a function as an example for an argument.

    It takes two arrays if the annotation or the code says so. It returns a number if a method differentiates
    it.
    """
    taken = count_taken(kind)
    if taken == 2 or (taken is None and counts_given(spec, name) == {2}):
        return "jnp.logaddexp"
    return "jax.nn.logsumexp" if name in differentiated(spec) else "jnp.tanh"


def count_taken(kind: CallableType) -> int | None:
    """Return the number of arguments in an annotation such as `Callable[[Array, Any], Array]`, or None."""
    match ast.parse(kind.text, mode="eval").body:
        case ast.Subscript(slice=ast.Tuple(elts=[ast.List(elts=taken), _])):
            return len(taken)
        case _:
            return None


def counts_given(spec: ModuleSpec, name: str) -> set[int]:
    """Return the numbers of arguments with which methods call a function: two in `field(t, y)`."""
    trees = [parsed(method.call.text) for _, method in spec.functions if method.is_function]
    calls = (call for call in nodes_of(ast.Call, *trees) if named_value(call.func) == name)
    return {len(call.args) for call in calls if not call.keywords}


@once
def differentiated(spec: ModuleSpec) -> frozenset[str]:
    """Return the fields and arguments that methods pass to `jax.grad` or a similar transformation."""
    trees = (parsed(method.call.text) for _, method in spec.functions if method.is_function)
    return frozenset(name for tree in trees for name in _handed_to_gradients(tree))


def _handed_to_gradients(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=function) | ast.Name(id=function), args=[first, *_]) if (
                function in _GRADIENTS and (name := named_value(first))
            ):
                yield name
            case _:
                pass
