"""Matrices and flags, known by their use in code, such as `@`, `.T` or logical functions."""

import ast
import functools
import inspect
import re
import sys
from collections.abc import Iterable, Iterator

from ..class_sources import sources_of
from ..methods import is_base

LETTER = re.compile(r"(^|_)[A-Z]$")
"""Matches names that only their use explains, since `R` may be a radius, a rotation or a covariance."""
WORDS = re.compile(r"\bmatri(x|ces)\b|\brotations?\b|\bcovariances?\b", re.IGNORECASE)
"""Matches words in a docstring that mean a matrix."""
FUNCTIONS = re.compile(r"linalg|einsum|\bdiag|trace|cholesky|transpose")


def matrices_in(cls: type) -> frozenset[str]:
    """Return the one-letter names that modules of a class and its own bases use as matrices."""
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
    """Yield the operands that an expression uses as matrices."""
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
"""Matches names of weights, which are matrices if `@` multiplies them."""


@functools.cache
def weights_in(cls: type) -> frozenset[str]:
    """Return the attributes of a class that are weights by name, and that `@` multiplies."""
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
    """Return fields and arguments that a class only uses in logical functions, never as numbers."""
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
    """Yield the names among expressions, and attributes without their `self.`."""
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute):
            yield ast.unparse(node).removeprefix("self.")
