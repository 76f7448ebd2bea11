"""Source of a class and of its own bases, as text and parsed, and docstrings of fields."""

import ast
import contextlib
import functools
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ..values.annotations import source_of
from .methods import is_base


def source_text(owner: Any) -> str:
    """Return the source of a class or method, or an empty text if Python has none."""
    return class_source(owner) if isinstance(owner, type) else source_of(owner)


@functools.cache
def class_source(cls: type) -> str:
    """Return the source of a class, cached since `inspect` parses the whole file each time."""
    return source_of(cls)


def sources_of(cls: type) -> Iterator[ast.Module]:
    """Yield the parsed source of a class, then of each of its own bases."""
    for owner in (owner for owner in cls.__mro__ if not is_base(owner)):
        yield from _parsed(owner)


@functools.cache
def _parsed(cls: type) -> tuple[ast.Module, ...]:
    """Parse the source of a class. Return () for a class within a longer statement."""
    with contextlib.suppress(SyntaxError):
        return (ast.parse(textwrap.dedent(class_source(cls))),)
    return ()


@functools.cache
def attributes_used(cls: type) -> tuple[set[str], set[str], set[str]]:
    """Return the attributes of `self` that a class reads, the attributes it stores, and its strings."""
    read, stored, texts = set[str](), set[str](), set[str]()
    for node in (node for tree in sources_of(cls) for node in ast.walk(tree)):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=context):
                (read if isinstance(context, ast.Load) else stored).add(name)
            case ast.Constant(value=str(text)):
                texts.add(text)
            case _:
                pass
    return read, stored, texts


def field_docstrings(cls: type) -> dict[str, str]:
    """Map annotated fields to the strings below them, as in `pose: Array` above `"Shape (7,)."`."""
    found: dict[str, str] = {}
    for tree in sources_of(cls):
        bodies = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
        for field, below in (pair for body in bodies for pair in pairwise(body)):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found.setdefault(name, text)
                case _:
                    pass
    return found
