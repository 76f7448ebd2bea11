"""Literal `__all__` of a file, and edits of its names."""

import ast
from collections.abc import Iterator

from msgspec import Struct

from scaffold.errors import ScaffoldError
from scaffold.files.pysource import Source
from scaffold.registration.insertion import index_for
from scaffold.registration.removal import spliced, without_item


class ExportList(Struct, frozen=True):
    """Literal `__all__` and its names."""

    node: ast.List | ast.Tuple
    names: tuple[str, ...]


def export_list(text: Source) -> ExportList | None:
    """Return the last top-level `__all__` if it is a literal list or tuple of strings."""
    for node in reversed(text.tree.body):
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return _literal(value)
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                return _literal(value)
            case _:
                pass
    return None


def _literal(value: ast.expr) -> ExportList | None:
    if not isinstance(value, ast.List | ast.Tuple):
        return None
    names = tuple(
        each.value for each in value.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )
    return ExportList(value, names) if len(names) == len(value.elts) else None


def add_entry(text: Source, name: str) -> Source:
    listed = export_list(text)
    if listed is not None:
        index = index_for(listed.names, name)
        after = text.with_body(spliced(text.body, _entry_splices(text, listed, index, name)))
        updated = export_list(after)
        if updated and updated.names == (*listed.names[:index], name, *listed.names[index:]):
            return after
    message = "`__all__` is written in a way that cannot be edited safely"
    raise ScaffoldError(message, where=text.where, fix=f'add "{name}" to it by hand', exit_code=1)


def _entry_splices(text: Source, listed: ExportList, index: int, name: str) -> list[tuple[int, int, bytes]]:
    elements = listed.node.elts
    quote = "'" if elements and text.body[text.span(elements[0])[0] :].startswith(b"'") else '"'
    item = text.encoded(f"{quote}{name}{quote}")
    if not elements:
        inside = text.span(listed.node)[0] + 1
        return [(inside, inside, item + b"," * isinstance(listed.node, ast.Tuple))]
    if index == len(elements):
        return _appended(text, listed, item)
    start, indent = text.span(elements[index])[0], text.indent(elements[index])
    gap = b" " if indent is None else text.newline + indent
    return [(start, start, item + b"," + gap)]


def _appended(text: Source, listed: ExportList, item: bytes) -> list[tuple[int, int, bytes]]:
    last = listed.node.elts[-1]
    end, indent = text.span(last)[1], text.indent(last)
    rest = text.body[end : text.span(listed.node)[1]].splitlines(keepends=True)
    if indent is None:
        return [(end, end, b", " + item)]
    if len(rest) < 2:  # the bracket closes on the same line
        return [(end, end, b"," + text.newline + indent + item)]
    below = end + len(rest[0])
    if rest[0].lstrip().startswith(b","):
        return [(below, below, indent + item + b"," + text.newline)]
    return [(end, end, b","), (below, below, indent + item + text.newline)]


def without_entry(text: Source, name: str) -> Iterator[bytes]:
    listed = export_list(text)
    if listed is None or listed.names.count(name) != 1:
        return
    items = [(each, each) for each in listed.node.elts]
    yield from without_item(text, items, listed.names.index(name))
