"""Shapes of methods without annotations, from the methods of bases that they override."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from scaffold.source.definitions import arguments_of, method_of, without_parameters
from scaffold.source.expressions import Function
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Unknown
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes
from scaffold.spec.skeletons.shapes.layers.layers import dims_of

Classes = Mapping[str, ast.ClassDef]
Overridden = tuple[Function, Function]


def asked_by_bases(owner: ast.ClassDef, classes: Classes) -> Iterator[Overridden]:
    """Yield the methods that override a method of a base in the file, each with the nearest such method."""
    bases = [*bases_of_file(owner, classes)]
    for method in (part for part in owner.body if isinstance(part, Function)):
        asked = next(filter(None, (method_of(base, method.name) for base in bases)), None)
        yield from () if asked is None or method.name.startswith("__init") else ((method, asked),)


def bases_of_file(owner: ast.ClassDef, classes: Classes) -> Iterator[ast.ClassDef]:
    """Yield the classes of a file that a class inherits from, nearest first."""
    for base in owner.bases:
        node = classes.get(ast.unparse(without_parameters(base)))
        if node is not None and node is not owner:
            yield node
            yield from bases_of_file(node, classes)


def inherited(owner: ast.ClassDef, classes: Classes) -> list[Function]:
    """Return the methods that a class inherits from classes of the file, except for constructors."""
    functions: dict[str, Function] = {}
    for part in (part for base in bases_of_file(owner, classes) for part in base.body):
        if isinstance(part, Function) and not part.name.startswith("__init") and part.name != "create":
            functions.setdefault(part.name, part)
    return [function for name, function in functions.items() if method_of(owner, name) is None]


def learn_taken(shapes: Shapes, asked: Iterable[Overridden]) -> None:
    """Learn arguments without an annotation from the methods of bases that their methods override."""
    for method, of_base in asked:
        for own, other in zip(arguments_of(method), arguments_of(of_base), strict=False):
            if own.annotation is None:
                shapes.learn(Unknown(f"{method.name}.{own.arg}"), dims_of(other.annotation))
