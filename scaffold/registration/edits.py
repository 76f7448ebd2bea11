"""Byte-exact edits that add re-exports to a package's `__init__.py`, and remove them again.

`unregister` tries each text that `register` may have started from. It takes the text that `register` turns
into the present bytes.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.pysource import Chunk, Source, is_future
from scaffold.registration.export_list import add_entry, export_list, without_entry
from scaffold.registration.hooks import Region, find_region
from scaffold.registration.insertion import import_key, index_for, sort_key
from scaffold.registration.removal import inverse

WIDTH = 88
"""Line length for projects that state none."""


class _Module(Struct, frozen=True):
    """Module to import from, its package if known, and the line length."""

    stem: str
    package: str | None
    width: int


def register(
    source: bytes,
    stem: str,
    names: Sequence[str],
    *,
    package: str | None = None,
    where: str = "__init__.py",
    width: int = WIDTH,
) -> bytes:
    """Add `from .STEM import NAME as NAME` for each of `names`, and each name to a literal `__all__`.

    With such an `__all__`, the import omits `as NAME`. If a hook checks imports, the new import goes below
    it. A name already imported from the module in any form changes nothing. An absolute import counts if it
    is from `package`, or from any package if that is None. `where` names the file in errors. A line longer
    than `width` is broken as ruff does.

    Raises `ScaffoldError` (exit code 1) if the file is invalid Python, or gives a name another meaning.
    """
    text, module = Source.of(source, where), _Module(stem, package, width)
    missing = [name for name in sorted(set(names)) if not _imports(text, module, name)]
    faults = [fault for name in missing for fault in _other_meanings(text, module, name)]
    if faults:
        raise ScaffoldError.of(faults, exit_code=1)
    for name in missing:
        text = _add(text, module, name)
    return text.source


def register_all(
    source: bytes,
    exports: Sequence[tuple[str, str]],
    *,
    package: str | None = None,
    where: str = "__init__.py",
    width: int = WIDTH,
) -> bytes:
    """Register pairs of module and name. In a file of plain imports, all lines are inserted at once."""
    text = Source.of(source, where)
    pairs = [(_Module(stem, package, width), name) for stem, name in exports]
    missing = [(module, name) for module, name in pairs if not _imports(text, module, name)]
    faults = [fault for module, name in missing for fault in _other_meanings(text, module, name)]
    if faults:
        raise ScaffoldError.of(faults, exit_code=1)
    for number, (module, name) in enumerate(missing):
        is_sorted_in = any(_is_relative(node) for chunk in text.chunks for node in chunk.nodes)
        if is_sorted_in and export_list(text) is None and find_region(text, package) is None:
            return _with_all(text, missing[number:])
        text = text if _imports(text, module, name) else _add(text, module, name)
    return text.source


def _with_all(text: Source, missing: Iterable[tuple[_Module, str]]) -> bytes:
    """Insert a line for each name among the relative imports."""
    ordered = sorted(dict.fromkeys(missing), key=lambda pair: import_key(1, pair[0].stem, pair[1]))
    lines = {pair: _import_lines(text, pair[0], [pair[1]], aliased=True) for pair in ordered}
    places = [(_placed(text, *pair, lines[pair])[0], pair) for pair in ordered]
    body = text.body
    for at in sorted({at for at, _ in places}, reverse=True):
        new = [line for place, pair in places if place == at for line in lines[pair]]
        body = text.with_body(body).body_with(at, at, new)
    return text.with_body(body).source


def unregister(
    source: bytes,
    stem: str,
    names: Sequence[str],
    *,
    package: str | None = None,
    where: str = "__init__.py",
    width: int = WIDTH,
) -> bytes:
    """Remove what `register` wrote for `names`. Text in any other form stays.

    Raises `ScaffoldError` (exit code 1) if the file is invalid Python.
    """
    text, module = Source.of(source, where), _Module(stem, package, width)
    for name in sorted(set(names), reverse=True):
        text = _remove(text, module, name)
    return text.source


# -- what is there -----------------------------------------------------------------------------------------------------


def _statements(text: Source) -> Iterator[ast.stmt]:
    """Yield the statements at the top level, and statements below a `with`, which run at import too."""
    for node in text.tree.body:
        yield from node.body if isinstance(node, ast.With) else [node]


def _imports(text: Source, module: _Module, name: str) -> bool:
    """Whether a statement imports `name` from the module, in any form."""
    for node in _statements(text):
        if not isinstance(node, ast.ImportFrom):
            continue
        imported, stem, package = node.module or "", module.stem, module.package
        absolute = imported == f"{package}.{stem}" if package else imported.endswith(f".{stem}")
        ours = imported == stem if node.level == 1 else not node.level and absolute
        if ours and any(alias.name in (name, "*") for alias in node.names):
            return True
    return False


def _other_meanings(text: Source, module: _Module, name: str) -> Iterator[Fault]:
    for node in _statements(text):
        if name in _bound_by(node):
            message = f"`{name}` means something else there, and would now come from `.{module.stem}`"
            fix = "rename one of the two, or leave this one unregistered (`--no-register`)"
            yield Fault(f"{text.where}:{node.lineno}", message, fix)


def stem_faults(source: bytes, stem: str, names: Sequence[str], *, where: str) -> Iterator[Fault]:
    """Find another meaning of the new module's name in its package.

    The first import of a submodule binds its name in the package, and so would replace that meaning.
    """
    for line in _meanings(source, where).get(stem, ()) if stem not in names else ():
        message = f"`{stem}` means something else there, whose place the new module `{stem}` would take"
        fix = "choose another name for the class, or rename what is there"
        yield Fault(f"{where}:{line}", message, fix)


@lru_cache(maxsize=1)
def _meanings(source: bytes, where: str) -> dict[str, list[int]]:
    """Map each name to the lines that bind it to anything but a submodule. Cached for several classes."""
    lines_by_name: dict[str, list[int]] = {}
    for node in _statements(Source.of(source, where)):
        if not (isinstance(node, ast.ImportFrom) and node.level == 1 and not node.module):
            for name in _bound_by(node):
                lines_by_name.setdefault(name, []).append(node.lineno)
    return lines_by_name


def _bound_by(node: ast.stmt) -> set[str]:
    match node:
        case ast.ImportFrom(names=aliases) | ast.Import(names=aliases):
            return {alias.asname or alias.name.partition(".")[0] for alias in aliases}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return {name}
        case _:
            return set()


class _OwnLine(Struct, frozen=True):
    """Import in exactly the form that `register` writes."""

    index: int
    end: int
    names: tuple[str, ...]
    aliased: bool


def _own_lines(text: Source, module: _Module) -> Iterator[_OwnLine]:
    for chunk in text.chunks:
        match chunk.nodes:
            case [
                ast.ImportFrom(level=1, module=found, names=aliases, lineno=number, end_lineno=int(end))
            ] if found == module.stem:
                names = tuple(alias.name for alias in aliases)
                aliased = aliases[0].asname is not None
                line = _import_lines(text, module, names, aliased=aliased)
                there = [each.rstrip(b"\r\n") for each in text.lines[number - 1 : end]]
                if there == line and not (aliased and len(names) > 1):
                    yield _OwnLine(number - 1, end, names, aliased)
            case _:
                pass


def _import_lines(text: Source, module: _Module, names: Sequence[str], *, aliased: bool) -> list[bytes]:
    imported = [f"{name} as {name}" if aliased else name for name in names]
    line = f"from .{module.stem} import {', '.join(imported)}"
    if len(line) <= module.width:
        return [text.encoded(line)]
    lines = [f"from .{module.stem} import (", *(f"    {name}," for name in imported), ")"]
    return [text.encoded(each) for each in lines]


# -- adding and removing -----------------------------------------------------------------------------------------------


def _add(text: Source, module: _Module, name: str) -> Source:
    listed = export_list(text)
    # Only an entry of ours lets the import do without its alias: by this `unregister` knows whose the entry is.
    if listed is None or name in listed.names:
        return _add_import(text, module, name, aliased=True)
    return add_entry(_add_import(text, module, name, aliased=False), name)


def _remove(text: Source, module: _Module, name: str) -> Source:
    region = find_region(text, module.package)
    inner = region.inner if region else text
    own_line = next((line for line in _own_lines(inner, module) if name in line.names), None)
    listed = export_list(text)
    if own_line is None or (not own_line.aliased and (listed is None or name not in listed.names)):
        return text
    aliased = own_line.aliased
    if not aliased:
        text = inverse(text, without_entry(text, name), lambda before: add_entry(before, name))
    bodies = _without_import(text, module, name)
    return inverse(text, bodies, lambda before: _add_import(before, module, name, aliased=aliased))


def _add_import(text: Source, module: _Module, name: str, *, aliased: bool) -> Source:
    region = find_region(text, module.package)
    if region is None:
        return text.with_body(_with_import(text, module, name, aliased=aliased))
    inner = region.inner
    return text.with_body(region.body(_with_import(inner, _inside(region, module), name, aliased=aliased)))


def _inside(region: Region, module: _Module) -> _Module:
    return _Module(module.stem, module.package, module.width - len(region.indent))


def _with_import(text: Source, module: _Module, name: str, *, aliased: bool) -> bytes:
    plain = next((line for line in _own_lines(text, module) if not line.aliased), None)
    if plain and not aliased:
        names = list(plain.names)
        names.insert(index_for(names, name), name)
        return text.body_with(plain.index, plain.end, _import_lines(text, module, names, aliased=False))
    index, lines = _placed(text, module, name, _import_lines(text, module, [name], aliased=aliased))
    return text.body_with(index, index, lines)


def _without_import(text: Source, module: _Module, name: str) -> Iterator[bytes]:
    region = find_region(text, module.package)
    if region is None:
        yield from _without_lines(text, module, name)
        return
    for body in _without_lines(region.inner, _inside(region, module), name):
        yield region.body(body)


def _without_lines(text: Source, module: _Module, name: str) -> Iterator[bytes]:
    own_line = next(line for line in _own_lines(text, module) if name in line.names)
    at, end, rest = own_line.index, own_line.end, [other for other in own_line.names if other != name]
    if rest:
        yield text.body_with(at, end, _import_lines(text, module, rest, aliased=False))
        return
    above = bool(at) and not text.lines[at - 1].strip()
    below = next((n for n, line in enumerate(text.lines[end:]) if line.strip()), len(text.lines) - end)
    for before in range(above + 1):
        for after in range(min(below, 2) + 1):
            yield text.body_with(at - before, end + after, [])


def _placed(text: Source, module: _Module, name: str, new: list[bytes]) -> tuple[int, list[bytes]]:
    """Return the line of the new import, and the text with an empty line where other code is adjacent."""
    empty = text.newline
    if relative := [chunk for chunk in text.chunks if any(map(_is_relative, chunk.nodes))]:
        later = (chunk for chunk in relative if sort_key(chunk) > import_key(1, module.stem, name))
        # A file may end in a backslash, which would join our line to its last.
        last = relative[-1] if text.continues(relative[-1].end - 1) else None
        chunk = next(later, last)
        return (_above(text, chunk) if chunk else relative[-1].end), new
    if imports := [chunk for chunk in text.chunks if any(map(_is_import, chunk.nodes))]:
        return imports[-1].end, [empty, *new]
    if text.preamble:
        return text.preamble, [empty, *new]
    # Each form comes from one file alone, so that `unregister` finds the way back.
    below = [empty] * _empty_lines_below(text)
    if text.header and text.lines[text.header : text.header + 1] and text.lines[text.header].strip():
        return text.header, [*new, *below]
    return (text.header, [empty, *new]) if text.header else (0, [*new, *below] if text.lines else new)


def _empty_lines_below(text: Source) -> int:
    """Return the number of empty lines that the formatter wants below an import at the top."""
    is_block = text.tree.body and isinstance(
        text.tree.body[0], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    )
    return 2 if is_block else 1


def _above(text: Source, chunk: Chunk) -> int:
    """Return the line at which to insert above `chunk` and its comment, but below the header."""
    floor = max([text.header, *(other.end for other in text.chunks if other.start < chunk.start)])
    start = max(chunk.start, floor)
    while start > floor and text.lines[start - 1].startswith(b"#"):
        start -= 1
    return start


def _is_relative(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.level > 0


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom) and not is_future(node)
