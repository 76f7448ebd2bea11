"""The bodies that a call or a method reaches through the methods of its class."""

import ast

from scaffold.spec.model import ModuleSpec
from scaffold.spec.source.expressions import dedented
from scaffold.spec.source.instance import attribute_of_self, calls, self_attributes


def bodies_used(spec: ModuleSpec, body: str) -> list[str]:
    """A body, and those of the methods that it uses, and that these use."""
    methods = {method.name: method.call.body for method in spec.methods}
    bodies = [body]
    for source in bodies:
        used = (methods.get(name, "") for name in self_attributes(source))
        bodies += [other for other in used if other and other not in bodies]
    return bodies


def stops_a_value(spec: ModuleSpec, body: str) -> bool:
    """Whether a body, or one that it uses, puts something behind `stop_gradient` that is no field."""
    sources = map(dedented, bodies_used(spec, body))
    return any(_is_stopped(node) for source in sources for node in ast.walk(ast.parse(source)))


def _is_stopped(node: ast.AST) -> bool:
    if not calls(node, "stop_gradient"):
        return False
    arguments = node.args if isinstance(node, ast.Call) else []
    return not all(attribute_of_self(argument) for argument in arguments)
