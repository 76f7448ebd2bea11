"""What makes a class a pytree beside the tool: a base, a decorator, or a call below it that registers it with jax."""

import ast
from collections.abc import Iterable, Iterator

from scaffold.spec.skeletons.words.names import Names

_REGISTERS = ("jax.tree_util.register", "jax.tree.register")
_OF_PYTHON = ("dataclasses.dataclass", "attr.", "attrs.")
"""Decorators that make a class of which jax knows nothing."""
_WITHOUT_FIELDS = ("typing.Generic", "typing.Protocol", "abc.ABC")
"""Bases that add nothing to the leaves of a class."""
_NODES = ("flax.struct.PyTreeNode", "typing.NamedTuple")
"""Bases whose subclasses are pytrees: jax takes a tuple of Python apart as it is."""
_OBJECTS = tuple(
    f"flax.nnx.{name}"
    for name in ("Pytree", "Optimizer", "Metric", "Average", "Accuracy", "Welford", "MultiMetric")
)
"""Classes of NNX that hold Variables and change in place, and are no modules."""


def is_node(node: ast.ClassDef, names: Names) -> bool:
    """Whether jax knows a class by one of its bases, or as it is registered: by a decorator, or a call below it."""
    return _inherits(node, names, (*_NODES, *_OBJECTS)) or is_registered(node, names)


def is_registered(node: ast.ClassDef, names: Names) -> bool:
    """Whether the file registers a class with jax, by a decorator or by a call below it."""
    decorators = (name.startswith(_REGISTERS) for name in _decorators(node, names))
    return node.name in names.registered or any(decorators)


def is_object(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class is one of NNX that changes in place, as a metric does, and no module."""
    return _inherits(node, names, _OBJECTS)


def _inherits(node: ast.ClassDef, names: Names, bases: tuple[str, ...]) -> bool:
    """Whether one of these is among the bases of a class, by way of other classes of the file too."""
    whole = (names.of(base).replace("flax.nnx.metrics.", "flax.nnx.") for base in node.bases)
    owners = (names.classes.get(ast.unparse(base)) for base in node.bases)
    return any(name in bases for name in whole) or any(
        owner is not None and owner is not node and _inherits(owner, names, bases) for owner in owners
    )


def is_dataclass(node: ast.ClassDef, names: Names) -> bool:
    """Whether a decorator writes the constructor: `dataclass` of Python, `flax.struct`, chex and others, and those of attrs."""
    return any(name.endswith("dataclass") or name.startswith(_OF_PYTHON) for name in _decorators(node, names))


def is_plain_dataclass(node: ast.ClassDef, names: Names) -> bool:
    """Whether a class is a dataclass, and nothing of it says that jax knows its leaves."""
    makers = [*_decorators(node, names)]
    return bool(makers) and not (
        node.bases
        or is_node(node, names)
        or any(not (name.startswith(_OF_PYTHON) or names.is_word(name)) for name in makers)
    )


def makes_pytree(node: ast.ClassDef, names: Names) -> bool:
    """Whether jax knows a class that no kind stands for: it is registered, of a library that registers it, or a tuple of Python."""
    is_made = is_dataclass(node, names) and not is_plain_dataclass(node, names)
    bases = (names.of(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases)
    return is_node(node, names) or (is_made and all(base in _WITHOUT_FIELDS for base in bases))


def registered_below(body: Iterable[ast.stmt], names: Names) -> Iterator[str]:
    """The classes that a call in the body of a file registers: `jax.tree_util.register_dataclass(State, ...)`."""
    for statement in body:
        match statement:
            case ast.Expr(value=ast.Call(func=function, args=[ast.Name(id=name), *_])) if names.of(
                function
            ).startswith(_REGISTERS):
                yield name
            case _:
                pass


def _decorators(node: ast.ClassDef, names: Names) -> Iterator[str]:
    """The whole names of the decorators; of `partial(register, ...)` that of the function."""
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(func=partial, args=[function, *_]) if names.of(partial) == "functools.partial":
                yield names.of(function)
            case ast.Call(func=function):
                yield names.of(function)
            case _:
                yield names.of(decorator)
