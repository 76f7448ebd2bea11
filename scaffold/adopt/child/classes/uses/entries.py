"""Uses of fields in the source of a class: dict entries such as `self.params["f"]`, and calls."""

import ast
from collections.abc import Iterator

from ..class_sources import sources_of


def entries_read(cls: type) -> dict[str, tuple[str, ...]]:
    """Map each argument or field to the dict entries that the class reads and does not store."""
    uses = {use for tree in sources_of(cls) for use in uses_of_entries(tree)}
    stored = {(name, entry) for name, entry, is_read in uses if not is_read}
    pairs = sorted({(name, entry) for name, entry, _ in uses} - stored)
    return {name: tuple(entry for owner, entry in pairs if owner == name) for name, _ in pairs}


def arguments_given(cls: type) -> dict[str, int]:
    """Map each field to the number of arguments in its calls, such as `self.rate(time, state)`.

    Fields that are called with several numbers of arguments are left out.
    """
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
    """Yield owner, entry and read flag of each subscript with a string, such as `params["f"]`."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=owner, slice=ast.Constant(value=str(entry)), ctx=context):
                yield ast.unparse(owner).removeprefix("self."), entry, isinstance(context, ast.Load)
            case _:
                pass
