"""The entries of a dict that the source of a class reads by name: `self.params["f"]`."""

import ast
import contextlib
import textwrap
from collections.abc import Iterator

from .documented import source_text
from .methods import is_base


def entries_read(cls: type) -> dict[str, tuple[str, ...]]:
    """By the name of an argument or a field the entries that are read of it, and that the class does not store itself."""
    uses = {use for tree in sources_of(cls) for use in uses_of_entries(tree)}
    stored = {(name, entry) for name, entry, is_read in uses if not is_read}
    pairs = sorted({(name, entry) for name, entry, _ in uses} - stored)
    return {name: tuple(entry for owner, entry in pairs if owner == name) for name, _ in pairs}


def sources_of(cls: type) -> Iterator[ast.AST]:
    for owner in (owner for owner in cls.__mro__ if not is_base(owner)):
        with contextlib.suppress(SyntaxError):  # of a class within a longer statement
            yield ast.parse(textwrap.dedent(source_text(owner)))


def uses_of_entries(tree: ast.AST) -> Iterator[tuple[str, str, bool]]:
    """The entries of a name, or of an attribute of `self`, by a text in brackets, and whether each is read there."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=owner, slice=ast.Constant(value=str(entry)), ctx=context):
                yield ast.unparse(owner).removeprefix("self."), entry, isinstance(context, ast.Load)
            case _:
                pass
