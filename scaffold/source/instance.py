"""Uses of `self` in the author's Python: attributes read, assigned and tested. Also other instances."""

import ast
from collections.abc import Collection, Iterable, Iterator

from scaffold.source.expressions import Function, free_names, nodes_of, parsed, tree_of


def attribute_of_self(node: ast.AST, context: type[ast.expr_context] = ast.expr_context) -> str | None:
    """Return the attribute of `self` that a node is, or None. `ast.Load` restricts it to reads."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=used) if isinstance(used, context):
            return name
        case _:
            return None


def named_value(node: ast.AST) -> str | None:
    """Return the name of an argument or field: `heads` for `heads` and for `self.heads`, or None."""
    return node.id if isinstance(node, ast.Name) else attribute_of_self(node)


def self_attributes(source: str) -> tuple[str, ...]:
    """Return the attributes of `self` that the source reads, sorted."""
    nodes = ast.walk(parsed(source))
    return tuple(sorted({name for node in nodes if (name := attribute_of_self(node, ast.Load)) is not None}))


_ASK = ("isinstance", "hasattr", "getattr")
SETTERS = ("setattr", "__setattr__")


def asks_what_it_is(source: str) -> bool:
    """Whether the source tests the class or the attributes of `self`, as by `isinstance`."""
    asked = (call for call in nodes_of(ast.Call, parsed(source)) if last_name(call) in _ASK)
    return any(ast.unparse(call.args[0]) == "self" for call in asked if call.args)


def names_read(source: str) -> frozenset[str]:
    """Return the free names that an expression reads, and the attributes of `self`."""
    return frozenset((*free_names(source, expression=True), *self_attributes(source)))


def is_whole(node: ast.AST) -> bool:
    """Whether a node is `something[...]`."""
    return isinstance(node, ast.Subscript) and getattr(node.slice, "value", None) is Ellipsis


def variable_read(node: ast.AST) -> ast.expr | None:
    """Return the Flax Variable that a node reads, or None.

    This is `self.mean` for `self.mean.value` and for `self.mean.get_value()`.
    """
    match node:
        case (
            ast.Attribute(value=variable, attr="value" | "raw_value")
            | ast.Call(func=ast.Attribute(value=variable, attr="get_value"), args=[], keywords=[])
        ):
            return variable
        case _:
            return None


def variable_set(node: ast.AST) -> ast.expr | None:
    """Return the Flax Variable that a node sets, or None.

    This is `self.mean` for `self.mean.value = mean` and for `self.mean.set_value(mean)`.
    """
    match node:
        case (
            ast.Attribute(value=variable, attr="value" | "raw_value", ctx=ast.Store())
            | ast.Call(func=ast.Attribute(value=variable, attr="set_value"))
        ):
            return variable
        case _:
            return None


def updated_attribute(node: ast.AST) -> str | None:
    """Return the attribute that a node assigns, as `self.mean` or `self.mean[...]`, or None."""
    if not isinstance(getattr(node, "ctx", None), ast.Store):
        return None
    return attribute_of_self(node.value if isinstance(node, ast.Subscript) and is_whole(node) else node)


def updated_entry(node: ast.AST) -> str | None:
    """Return the attribute of which a node assigns an entry, such as `self.counts[0]`, or None."""
    is_set = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    return attribute_of_self(node.value) if isinstance(node, ast.Subscript) and is_set else None


def updated_below(node: ast.AST) -> str | None:
    """Return the path that a node updates in a part: `base.kernel` for `self.base.kernel[...]`, or None."""
    is_set = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    place = node.value if isinstance(node, ast.Subscript) and is_set else variable_set(node)
    if place is None:
        return None
    first, *names = ast.unparse(place).split(".")
    return (
        ".".join(names) if first == "self" and len(names) > 1 and all(map(str.isidentifier, names)) else None
    )


def assigned_pairs(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """Return the targets of an assignment with their values, also for `self.a, self.b = a, b`."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return list(zip(targets, values, strict=False))
        case (
            ast.Assign(targets=[target], value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
        ):
            return [(target, value)]
        case _:
            return []


def made_attributes(code: str | ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes of `self` that statements assign, with their values."""
    pairs = (pair for node in ast.walk(tree_of(code)) for pair in assigned_pairs(node))
    return ((name, value) for target, value in pairs if (name := attribute_of_self(target)))


def kept_arguments(code: str | ast.AST, through: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield the constructor's arguments that it stores, with their attributes.

    An argument may pass through a function in `through`.
    """
    for name, value in made_attributes(code):
        is_through = isinstance(value, ast.Call) and last_name(value) in through
        kept = value.args[0] if isinstance(value, ast.Call) and is_through and value.args else value
        if isinstance(kept, ast.Name):
            yield kept.id, name


def attributes_set(node: ast.AST) -> Iterator[str]:
    """Yield the attributes that calls such as `object.__setattr__(self, "mean", mean)` set."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and last_name(call) in SETTERS:
            names = (part.value for part in call.args[:2] if isinstance(part, ast.Constant))
            yield from (name for name in names if isinstance(name, str))


def attributes_stored(node: ast.AST) -> Iterator[str]:
    """Yield the attributes of `self` that code assigns anywhere, even in a chain or a loop."""
    stores = (part for part in ast.walk(node) if isinstance(part, ast.Attribute))
    return (
        part.attr for part in stores if isinstance(part.ctx, ast.Store) and ast.unparse(part.value) == "self"
    )


def last_name(node: ast.expr) -> str:
    """Return the last name that an expression calls or reads: `zeros` for `jnp.zeros(3)`."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node).rpartition(".")[2]


def names_array(annotation: ast.expr) -> bool:
    """Whether an annotation is an array type without a shape, such as `jax.Array`."""
    return last_name(annotation) in ("Array", "ArrayLike", "ndarray")


def given_as(call: ast.Call, *names: str) -> list[ast.expr]:
    """Return the values that a call passes under any of the names."""
    return [keyword.value for keyword in call.keywords if keyword.arg in names]


def arguments_by_name(call: ast.Call, parameters: Iterable[str]) -> list[tuple[str, ast.expr]]:
    """Return the values that a call passes by place or by name, each with its parameter."""
    by_name = ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)
    return [*zip(parameters, call.args, strict=False), *by_name]


def calls(node: ast.AST, function: str) -> bool:
    """Whether a node calls a function or method of this name."""
    return isinstance(node, ast.Call) and last_name(node) == function


_OPERATORS = tuple(f"__{name}__" for name in ("add", "sub", "mul", "truediv", "matmul", "mod", "floordiv"))
"""Operators between two instances. `__radd__` is excluded, as its argument is no instance."""


def is_any(annotation: ast.expr) -> bool:
    """Whether an annotation is `Any` or `object`."""
    return last_name(annotation) in ("Any", "object")


def is_used_as_instance(node: Function, name: str, owner: ast.ClassDef) -> bool:
    """Whether a method treats the argument `name` as an instance of its class.

    It may test this by `isinstance`. An operator may also read attributes that the class has, or map over
    both instances.
    """
    for call in nodes_of(ast.Call, node):
        given = [ast.unparse(argument) for argument in call.args]
        if last_name(call) == "isinstance" and given == [name, owner.name]:
            return True
        if node.name in _OPERATORS and last_name(call) in ("map", "tree_map") and {"self", name} <= {*given}:
            return True
    return node.name in _OPERATORS and bool(_read_of(node, name) & _read_of(owner, "self"))


def _read_of(tree: ast.AST, name: str) -> set[str]:
    """Return the attributes that code reads or stores on a name."""
    attributes = nodes_of(ast.Attribute, tree)
    return {each.attr for each in attributes if isinstance(each.value, ast.Name) and each.value.id == name}


def unassigned(constructor: ast.FunctionDef, fields: Collection[str]) -> list[str]:
    """Return the fields that an `__init__` leaves unassigned, or nothing if other code may assign them."""
    of_self = [part for part in nodes_of(ast.Attribute, constructor) if attribute_of_self(part)]
    reads = [part for part in nodes_of(ast.Name, constructor) if part.id in ("self", "super")]
    attributes = [part.value for part in nodes_of(ast.Attribute, constructor)]
    is_handed_on = any(part not in attributes or part.id == "super" for part in reads)
    if constructor.name != "__init__" or is_handed_on or not {part.attr for part in of_self} <= {*fields}:
        return []
    assigned = {part.attr for part in of_self if not isinstance(part.ctx, ast.Load)}
    return [name for name in fields if name not in assigned]
