"""What the source of a class does with its fields: the entries of a dict that it reads, `self.params["f"]`, and the arguments that it gives."""

import ast
from collections.abc import Iterator

from ..class_sources import sources_of


def entries_read(cls: type) -> dict[str, tuple[str, ...]]:
    """By the name of an argument or a field the entries that are read of it, and that the class does not store itself."""
    uses = {use for tree in sources_of(cls) for use in uses_of_entries(tree)}
    stored = {(name, entry) for name, entry, is_read in uses if not is_read}
    pairs = sorted({(name, entry) for name, entry, _ in uses} - stored)
    return {name: tuple(entry for owner, entry in pairs if owner == name) for name, _ in pairs}


def arguments_given(cls: type) -> dict[str, int]:
    """By the name of a field how many arguments the source of a class calls it with, `self.rate(time, state)`, where that is one number."""
    found: dict[str, set[int]] = {}
    for tree in sources_of(cls):
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=given, keywords=[]
                ):
                    if not any(isinstance(each, ast.Starred) for each in given):
                        found.setdefault(name, set()).add(len(given))
                case _:
                    pass
    return {name: count for name, counts in found.items() if len(counts) == 1 for count in counts}


def uses_of_entries(tree: ast.AST) -> Iterator[tuple[str, str, bool]]:
    """The entries of a name, or of an attribute of `self`, by a text in brackets, and whether each is read there."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=owner, slice=ast.Constant(value=str(entry)), ctx=context):
                yield ast.unparse(owner).removeprefix("self."), entry, isinstance(context, ast.Load)
            case _:
                pass
