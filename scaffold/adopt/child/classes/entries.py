"""The entries of a dict that the source of a class reads by name: `self.params["f"]`."""

import ast
import inspect
import textwrap
from collections.abc import Collection, Iterator

from .methods import is_base


def entries_read(cls: type, names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """For each of these arguments and fields the entries that are read of it, by name."""
    pairs = sorted({pair for tree in sources_of(cls) for pair in reads(tree) if pair[0] in names})
    return {name: tuple(entry for owner, entry in pairs if owner == name) for name, _ in pairs}


def sources_of(cls: type) -> Iterator[ast.AST]:
    for owner in (owner for owner in cls.__mro__ if not is_base(owner)):
        try:
            yield ast.parse(textwrap.dedent(inspect.getsource(owner)))
        except (OSError, TypeError, SyntaxError):  # it has none
            continue


def reads(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What is read of a name, or of an attribute of `self`, by a text in brackets."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=value, slice=ast.Constant(value=str(entry)), ctx=ast.Load()):
                match value:
                    case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
                        yield name, entry
                    case _:
                        pass
            case _:
                pass
