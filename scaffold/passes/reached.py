"""Bodies that a call or a method reaches through other methods of its class."""

import ast
from collections.abc import Iterable, Iterator

from scaffold.source.expressions import assigned_names, dedented, nodes_of
from scaffold.source.instance import attribute_of_self, calls, self_attributes
from scaffold.spec.model import Field, ModuleSpec


def bodies_used(spec: ModuleSpec, body: str) -> list[str]:
    """Return a body and the bodies of all methods that it uses, directly or not, with the instance's call."""
    methods = {method.name: method.call.body for method in spec.methods}
    bodies = [body]
    for source in bodies:
        used = [methods.get(name, "") for name in self_attributes(source)]
        used += [spec.call.body] if spec.call is not None and _calls_the_instance(source) else []
        bodies += [other for other in used if other and other not in bodies]
    return bodies


def _calls_the_instance(source: str) -> bool:
    nodes = ast.walk(ast.parse(dedented(source)))
    return any(isinstance(node, ast.Call) and ast.unparse(node.func) == "self" for node in nodes)


def stops_a_value(spec: ModuleSpec, body: str) -> bool:
    """Whether a body, or a body that it uses, applies `stop_gradient` to anything but a field."""
    sources = map(dedented, bodies_used(spec, body))
    return any(_is_stopped(node) for source in sources for node in ast.walk(ast.parse(source)))


def stops_field(spec: ModuleSpec, body: str, name: str) -> bool:
    """Whether the bodies compute with a field only behind `stop_gradient`, apart from comparisons."""
    places = [
        place for source in bodies_used(spec, body) for place in _places(ast.parse(dedented(source)), name)
    ]
    return "stopped" in places and "used" not in places


def stops_what_is_made_of(spec: ModuleSpec, body: str, name: str) -> bool:
    """Whether a body, or a body that it uses, applies `stop_gradient` to a local computed from a field.

    Finite differences in the field then differ from its gradient, which may still flow elsewhere.
    """
    trees = [ast.parse(dedented(source)) for source in bodies_used(spec, body)]
    return any(_stops_one_of(tree, _made_of(tree, name)) for tree in trees)


def _made_of(tree: ast.AST, name: str) -> frozenset[str]:
    """Return the locals computed from a field, directly or through other such locals."""
    assigned = [node for node in nodes_of(ast.Assign, tree) if not calls(node.value, "set")]  # of a state
    made = frozenset[str]()
    for _ in assigned:  # a chain of them is no longer
        for node in assigned:
            if name in self_attributes(ast.unparse(node.value)) or _names(node.value) & made:
                made |= frozenset(assigned_names(ast.unparse(node)))
    return made


def _names(*trees: ast.AST) -> frozenset[str]:
    return frozenset(node.id for node in nodes_of(ast.Name, *trees))


def _stops_one_of(tree: ast.AST, names: frozenset[str]) -> bool:
    stops = (node for node in nodes_of(ast.Call, tree) if calls(node, "stop_gradient"))
    return any(_names(stop) & names for stop in stops)


def may_stop(spec: ModuleSpec, body: str, field: Field, anything: bool) -> bool:
    """Whether a body stops the gradient of a trained field, or reads the field while it stops `anything`."""
    sources = bodies_used(spec, body) if field.role in ("param", "data", "state", "module") else []
    places = [place for source in sources for place in _places(ast.parse(dedented(source)), field.name)]
    return "stopped" in places or (anything and "used" in places)


def _places(node: ast.AST, name: str, place: str = "used") -> Iterator[str]:
    """Yield how a field is used at each read: `stopped`, `asked` or `used`."""
    if attribute_of_self(node, ast.Load) == name:
        yield place
    if calls(node, "stop_gradient"):
        place = "stopped"
    elif isinstance(node, ast.Compare) or calls(node, "isinstance"):
        place = "asked"
    match node:
        case ast.Call(func=ast.Attribute(attr="set") as function, args=[_, _], keywords=[]):
            children: Iterable[ast.AST] = (function, node.args[1])  # what a state is assigned is not read
        case _:
            children = ast.iter_child_nodes(node)
    for child in children:
        yield from _places(child, name, place)


def _is_stopped(node: ast.AST) -> bool:
    if not calls(node, "stop_gradient"):
        return False
    arguments = node.args if isinstance(node, ast.Call) else []
    return not all(attribute_of_self(argument) for argument in arguments)
