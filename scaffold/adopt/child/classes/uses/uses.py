"""What names stand for by their use in code: matrices, with `@`, `.T` and the like, and flags, with logical functions alone."""

import ast
import functools
import inspect
import re
import sys
from collections.abc import Iterable, Iterator

from ..class_sources import sources_of
from ..methods import is_base

LETTER = re.compile(r"(^|_)[A-Z]$")
"""Names of which nothing but their use says what they are: `R` is a radius, a rotation or a covariance."""
WORDS = re.compile(r"\bmatri(x|ces)\b|\brotations?\b|\bcovariances?\b", re.IGNORECASE)
"""Words by which a docstring says of an argument that it is a matrix."""
FUNCTIONS = re.compile(r"linalg|einsum|\bdiag|trace|cholesky|transpose")


def matrices_in(cls: type) -> frozenset[str]:
    """The names of one letter that the modules of a class and its own bases use as matrices."""
    modules = dict.fromkeys(owner.__module__ for owner in cls.__mro__ if not is_base(owner))
    return frozenset(name for module in modules for name in matrices_of_module(module))


@functools.cache
def matrices_of_module(module: str) -> frozenset[str]:
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError, ValueError, SyntaxError):
        return frozenset()
    used = (ast.unparse(part) for node in ast.walk(tree) for part in operands(node))
    last = (text.rpartition(".")[2] for text in used)
    return frozenset(name for name in last if LETTER.search(name))


def operands(node: ast.AST) -> Iterator[ast.expr]:
    """What an expression takes for a matrix."""
    match node:
        case ast.BinOp(op=ast.MatMult(), left=left, right=right):
            yield from (left, right)
        case ast.Attribute(value=value, attr="T" | "mT"):
            yield value
        case ast.Subscript(value=value, slice=ast.Tuple()):
            yield value
        case ast.Call(func=function, args=given) if FUNCTIONS.search(ast.unparse(function)):
            yield from (each for each in given if isinstance(each, ast.Name | ast.Attribute))
        case _:
            pass


WEIGHT = re.compile(r"(^|_)(weights?|kernels?)(_|$)")
"""Names of what is multiplied with inputs: a matrix where `@` does it."""


@functools.cache
def weights_in(cls: type) -> frozenset[str]:
    """The attributes of a class that are weights by their names, and that `@` multiplies with something else."""
    used = set[str]()
    for node in (node for tree in sources_of(cls) for node in ast.walk(tree)):
        match node:
            case ast.BinOp(op=ast.MatMult(), left=left, right=right):
                texts = ast.unparse(left), ast.unparse(right)
                used.update(text.removeprefix("self.") for text in texts if text.startswith("self."))
            case _:
                pass
    return frozenset(filter(WEIGHT.search, used))


LOGICAL = re.compile(r"^logical_(and|or|not|xor)$")


def flags_in(cls: type) -> frozenset[str]:
    """The fields and arguments that the code of a class gives to logical functions, and never calculates with."""
    flags, numbers = set[str](), set[str]()
    for node in (node for tree in sources_of(cls) for node in ast.walk(tree)):
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=given) if LOGICAL.match(name):
                flags.update(names_among(given))
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), left=left, right=right):
                numbers.update(names_among((left, right)))
            case ast.Compare(left=left, comparators=others):
                numbers.update(names_among((left, *others)))
            case _:
                pass
    return frozenset(flags - numbers)


def names_among(nodes: Iterable[ast.expr]) -> Iterator[str]:
    """The names among expressions, and those of attributes."""
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute):
            yield ast.unparse(node).removeprefix("self.")
