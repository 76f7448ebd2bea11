"""What the author's Python does with `self`: which attributes nodes read, assign and ask about; and other instances."""

import ast
from collections.abc import Collection, Iterator

from scaffold.source.expressions import Function, free_names, nodes_of, parsed, tree_of


def attribute_of_self(node: ast.AST, context: type[ast.expr_context] = ast.expr_context) -> str | None:
    """The name of the attribute of `self` that a node is, or None; `ast.Load` asks for one that is read."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=used) if isinstance(used, context):
            return name
        case _:
            return None


def named_value(node: ast.AST) -> str | None:
    """The name of the argument, or of the field, that an expression is: `heads` of `heads` and of `self.heads`; or None."""
    return node.id if isinstance(node, ast.Name) else attribute_of_self(node)


def self_attributes(source: str) -> tuple[str, ...]:
    """The attributes of `self` that a source reads, sorted."""
    nodes = ast.walk(parsed(source))
    return tuple(sorted({name for node in nodes if (name := attribute_of_self(node, ast.Load)) is not None}))


_ASK = ("isinstance", "hasattr", "getattr")


def asks_what_it_is(source: str) -> bool:
    """Whether a source asks which class `self` is of, or what it has."""
    asked = (call for call in nodes_of(ast.Call, parsed(source)) if last_name(call) in _ASK)
    return any(ast.unparse(call.args[0]) == "self" for call in asked if call.args)


def names_read(source: str) -> frozenset[str]:
    """The names that an expression reads, as they are and from `self`."""
    return frozenset((*free_names(source, expression=True), *self_attributes(source)))


def is_whole(node: ast.AST) -> bool:
    """Whether a node is `something[...]`."""
    return isinstance(node, ast.Subscript) and getattr(node.slice, "value", None) is Ellipsis


def variable_read(node: ast.AST) -> ast.expr | None:
    """The Variable of Flax of which a node is the value: `self.mean` of `self.mean.value` and of `self.mean.get_value()`, or None."""
    match node:
        case (
            ast.Attribute(value=variable, attr="value" | "raw_value")
            | ast.Call(func=ast.Attribute(value=variable, attr="get_value"), args=[], keywords=[])
        ):
            return variable
        case _:
            return None


def variable_set(node: ast.AST) -> ast.expr | None:
    """The Variable of Flax of which a node sets the value: `self.mean.value = mean`, and `self.mean.set_value(mean)`; or None."""
    match node:
        case (
            ast.Attribute(value=variable, attr="value" | "raw_value", ctx=ast.Store())
            | ast.Call(func=ast.Attribute(value=variable, attr="set_value"))
        ):
            return variable
        case _:
            return None


def updated_attribute(node: ast.AST) -> str | None:
    """The attribute that a node assigns, as `self.mean` or `self.mean[...]`, or None."""
    if not isinstance(getattr(node, "ctx", None), ast.Store):
        return None
    return attribute_of_self(node.value if isinstance(node, ast.Subscript) and is_whole(node) else node)


def updated_entry(node: ast.AST) -> str | None:
    """The attribute of which a node sets an entry, as `self.counts[0]`, or None."""
    is_set = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    return attribute_of_self(node.value) if isinstance(node, ast.Subscript) and is_set else None


def updated_below(node: ast.AST) -> str | None:
    """The path of what a node updates in a part, as `base.kernel` of `self.base.kernel[...]`, or None."""
    is_set = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    place = node.value if isinstance(node, ast.Subscript) and is_set else variable_set(node)
    if place is None:
        return None
    first, *names = ast.unparse(place).split(".")
    return (
        ".".join(names) if first == "self" and len(names) > 1 and all(map(str.isidentifier, names)) else None
    )


def assigned_pairs(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment binds, each with its value: one target, or several at once as `self.a, self.b = a, b`."""
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
    """The attributes of `self` that statements assign, each with its value."""
    pairs = (pair for node in ast.walk(tree_of(code)) for pair in assigned_pairs(node))
    return ((name, value) for target, value in pairs if (name := attribute_of_self(target)))


def kept_arguments(code: str | ast.AST, through: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """The arguments of a constructor that an instance keeps, each with its attribute: as they are, or as a function of these names gives it."""
    for name, value in made_attributes(code):
        is_through = isinstance(value, ast.Call) and last_name(value) in through
        kept = value.args[0] if isinstance(value, ast.Call) and is_through and value.args else value
        if isinstance(kept, ast.Name):
            yield kept.id, name


def attributes_set(node: ast.AST) -> Iterator[str]:
    """The attributes that functions set whose name says so: `object.__setattr__(self, "mean", mean)`."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and last_name(call) in ("setattr", "__setattr__"):
            names = (part.value for part in call.args[:2] if isinstance(part, ast.Constant))
            yield from (name for name in names if isinstance(name, str))


def attributes_stored(node: ast.AST) -> Iterator[str]:
    """The attributes of `self` that code assigns anywhere, in a chain or in a loop too."""
    stores = (part for part in ast.walk(node) if isinstance(part, ast.Attribute))
    return (
        part.attr for part in stores if isinstance(part.ctx, ast.Store) and ast.unparse(part.value) == "self"
    )


def last_name(node: ast.expr) -> str:
    """The last name of what an expression calls, or reads: `zeros` of `jnp.zeros(3)`."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node).rpartition(".")[2]


def names_array(annotation: ast.expr) -> bool:
    """Whether an annotation is the bare name of an array: `jax.Array`, which says no shape."""
    return last_name(annotation) in ("Array", "ArrayLike", "ndarray")


def given_as(call: ast.Call, *names: str) -> list[ast.expr]:
    """What a call gives by one of the names."""
    return [keyword.value for keyword in call.keywords if keyword.arg in names]


def calls(node: ast.AST, function: str) -> bool:
    """Whether a node calls a function, or a method, of this name."""
    return isinstance(node, ast.Call) and last_name(node) == function


_OPERATORS = tuple(f"__{name}__" for name in ("add", "sub", "mul", "truediv", "matmul", "mod", "floordiv"))
"""The operators of two instances; `__radd__` is for what is none."""


def is_any(annotation: ast.expr) -> bool:
    """Whether an annotation says nothing of what is given."""
    return last_name(annotation) in ("Any", "object")


def is_used_as_instance(node: Function, name: str, owner: ast.ClassDef) -> bool:
    """Whether code asks if an argument is of the class; of an operator, also whether it reads what the class has, or maps over both."""
    for call in nodes_of(ast.Call, node):
        given = [ast.unparse(argument) for argument in call.args]
        if last_name(call) == "isinstance" and given == [name, owner.name]:
            return True
        if node.name in _OPERATORS and last_name(call) in ("map", "tree_map") and {"self", name} <= {*given}:
            return True
    return node.name in _OPERATORS and bool(_read_of(node, name) & _read_of(owner, "self"))


def _read_of(tree: ast.AST, name: str) -> set[str]:
    """The attributes that code reads or stores of what it calls by a name."""
    attributes = nodes_of(ast.Attribute, tree)
    return {each.attr for each in attributes if isinstance(each.value, ast.Name) and each.value.id == name}


def unassigned(constructor: ast.FunctionDef, fields: Collection[str]) -> list[str]:
    """The fields that an `__init__` does not assign; none where something else may assign them."""
    of_self = [part for part in nodes_of(ast.Attribute, constructor) if attribute_of_self(part)]
    reads = [part for part in nodes_of(ast.Name, constructor) if part.id in ("self", "super")]
    attributes = [part.value for part in nodes_of(ast.Attribute, constructor)]
    is_handed_on = any(part not in attributes or part.id == "super" for part in reads)
    if constructor.name != "__init__" or is_handed_on or not {part.attr for part in of_self} <= {*fields}:
        return []
    assigned = {part.attr for part in of_self if not isinstance(part.ctx, ast.Load)}
    return [name for name in fields if name not in assigned]
