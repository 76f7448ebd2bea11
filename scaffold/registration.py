"""Re-export generated names from a package's `__init__.py`, and take them out again, byte for byte.

`unregister` tries the ways in which `register` could have written what is there, and takes the one that `register`
would turn into the very same bytes.
"""

import ast
import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from scaffold.errors import Fault, ScaffoldError
from scaffold.pysource import Chunk, Source, is_future


def register(
    source: bytes, stem: str, names: Sequence[str], *, package: str | None = None, where: str = "__init__.py"
) -> bytes:
    """`source` with `from .STEM import NAME as NAME` for each of `names`, and with each in a literal `__all__`.

    Where there is such an `__all__`, it marks the re-export, and the import does without `as NAME`. A name that is
    imported from the module already, in whatever form, changes nothing. An absolute import counts where it is from
    `package`, or from any package where that is None. `where` names the file in errors.

    Raises `ScaffoldError` (exit code 1) where the file does not parse, or means something else by a name.
    """
    text = Source.of(source, where)
    missing = [name for name in sorted(set(names)) if not _imports(text, stem, name, package)]
    faults = [fault for name in missing for fault in _other_meanings(text, stem, name)]
    if faults:
        raise ScaffoldError.of(faults, exit_code=1)
    for name in missing:
        text = _add(text, stem, name)
    return text.source


def unregister(source: bytes, stem: str, names: Sequence[str], *, where: str = "__init__.py") -> bytes:
    """`source` without what `register` wrote for `names`; what someone wrote in another form stays.

    Raises `ScaffoldError` (exit code 1) where the file does not parse.
    """
    text = Source.of(source, where)
    for name in sorted(set(names), reverse=True):
        text = _remove(text, stem, name)
    return text.source


# -- what is there -----------------------------------------------------------------------------------------------------


def _imports(text: Source, stem: str, name: str, package: str | None) -> bool:
    """Whether a top-level statement imports `name` from the module, in whatever form."""
    for node in text.tree.body:
        if not isinstance(node, ast.ImportFrom):
            continue
        module = node.module or ""
        absolute = module == f"{package}.{stem}" if package else module.endswith(f".{stem}")
        ours = module == stem if node.level == 1 else not node.level and absolute
        if ours and any(alias.name in (name, "*") for alias in node.names):
            return True
    return False


def _other_meanings(text: Source, stem: str, name: str) -> Iterator[Fault]:
    for node in text.tree.body:
        if name in _bound_by(node):
            what = f"`{name}` means something else there, and would now come from `.{stem}`"
            fix = "rename one of the two, or leave this one unregistered"
            yield Fault(f"{text.where}:{node.lineno}", what, fix)


def _bound_by(node: ast.stmt) -> set[str]:
    """The names a top-level statement gives a meaning to."""
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


@dataclass(frozen=True)
class _OwnLine:
    """A line that reads exactly as `register` writes it."""

    index: int
    names: tuple[str, ...]
    aliased: bool


def _own_lines(text: Source, stem: str) -> Iterator[_OwnLine]:
    for chunk in text.chunks:
        match chunk.nodes:
            case [ast.ImportFrom(level=1, module=module, names=aliases, lineno=number)] if module == stem:
                names = tuple(alias.name for alias in aliases)
                aliased = aliases[0].asname is not None
                line = _import_line(text, stem, names, aliased=aliased)
                if text.lines[number - 1].rstrip(b"\r\n") == line and not (aliased and len(names) > 1):
                    yield _OwnLine(number - 1, names, aliased)
            case _:
                pass


def _import_line(text: Source, stem: str, names: Sequence[str], *, aliased: bool) -> bytes:
    imported = [f"{name} as {name}" if aliased else name for name in names]
    return text.encoded(f"from .{stem} import {', '.join(imported)}")


# -- adding and removing -----------------------------------------------------------------------------------------------


def _add(text: Source, stem: str, name: str) -> Source:
    listed = _export_list(text)
    # Only an entry of ours lets the import do without its alias: by this `unregister` knows whose the entry is.
    if listed is None or name in listed.names:
        return _add_import(text, stem, name, aliased=True)
    return _add_entry(_add_import(text, stem, name, aliased=False), name)


def _remove(text: Source, stem: str, name: str) -> Source:
    own = next((line for line in _own_lines(text, stem) if name in line.names), None)
    listed = _export_list(text)
    if own is None or (not own.aliased and (listed is None or name not in listed.names)):
        return text
    aliased = own.aliased
    if not aliased:
        text = _inverse(text, _without_entry(text, name), lambda before: _add_entry(before, name))
    bodies = _without_import(text, stem, name)
    return _inverse(text, bodies, lambda before: _add_import(before, stem, name, aliased=aliased))


def _inverse(text: Source, bodies: Iterable[bytes], forward: Callable[[Source], Source]) -> Source:
    """The body that `forward` turns into `text`; where the user has edited since, the first that is sound."""
    sound: list[Source] = []
    for body in bodies:
        try:
            before = text.with_body(body)
            after = forward(before)
        except ScaffoldError:
            continue
        if after.source == text.source:
            return before
        sound.append(before)
    return sound[0] if sound else text


def _add_import(text: Source, stem: str, name: str, *, aliased: bool) -> Source:
    plain = next((own for own in _own_lines(text, stem) if not own.aliased), None)
    if plain and not aliased:
        names = list(plain.names)
        names.insert(_index_for(names, name), name)
        line = _import_line(text, stem, names, aliased=False)
        return text.with_body(text.body_with(plain.index, plain.index + 1, [line]))
    index, lines = _placed(text, stem, name, _import_line(text, stem, [name], aliased=aliased))
    return text.with_body(text.body_with(index, index, lines))


def _without_import(text: Source, stem: str, name: str) -> Iterator[bytes]:
    own = next(line for line in _own_lines(text, stem) if name in line.names)
    at, rest = own.index, [other for other in own.names if other != name]
    if rest:
        yield text.body_with(at, at + 1, [_import_line(text, stem, rest, aliased=False)])
        return
    yield text.body_with(at, at + 1, [])
    if at and not text.lines[at - 1].strip():
        yield text.body_with(at - 1, at + 1, [])
    if not b"".join(text.lines[at + 1 : at + 2]).strip():
        yield text.body_with(at, at + 2, [])


def _placed(text: Source, stem: str, name: str, line: bytes) -> tuple[int, list[bytes]]:
    """Where the import goes, and what to write there: an empty line sets it off from what is not its like."""
    empty = text.newline
    if relative := [chunk for chunk in text.chunks if any(map(_is_relative, chunk.nodes))]:
        later = (chunk for chunk in relative if _sort_key(chunk) > _key(1, stem, name))
        # A file may end in a backslash, which would join our line to its last.
        last = relative[-1] if text.continues(relative[-1].end - 1) else None
        chunk = next(later, last)
        return (_above(text, chunk) if chunk else relative[-1].end), [line]
    if imports := [chunk for chunk in text.chunks if any(map(_is_import, chunk.nodes))]:
        return imports[-1].end, [empty, line]
    if text.preamble:
        return text.preamble, [empty, line]
    if text.header:
        return text.header, [empty, line]
    return 0, [line, empty] if text.lines else [line]


def _above(text: Source, chunk: Chunk) -> int:
    """The line to insert at before `chunk`: above the comment that belongs to it, but below the header."""
    floor = max([text.header, *(other.end for other in text.chunks if other.start < chunk.start)])
    start = max(chunk.start, floor)
    while start > floor and text.lines[start - 1].startswith(b"#"):
        start -= 1
    return start


def _is_relative(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.level > 0


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom) and not is_future(node)


# -- order, as ruff and isort have it ----------------------------------------------------------------------------------


def _sort_key(chunk: Chunk) -> tuple[object, ...]:
    node = next(node for node in chunk.nodes if isinstance(node, ast.ImportFrom) and node.level)
    return _key(node.level, node.module or "", node.names[0].name)


def _key(level: int, module: str, name: str) -> tuple[object, ...]:
    return -level, _natural(module).casefold(), _natural(module), _member_key(name)


def _member_key(name: str) -> tuple[int, str, str]:
    """CONSTANTS, then Classes, then the rest."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, _natural(name).casefold(), _natural(name)


def _natural(name: str) -> str:
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), name)


def _index_for(names: Sequence[str], new: str) -> int:
    """Where `new` goes among `names`: in order where they are in one, else at the end."""
    for key in (_member_key, str.casefold, str):
        keys = [key(name) for name in names]
        if keys == sorted(keys):
            return bisect(keys, key(new))
    return len(names)


# -- the literal `__all__` ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ExportList:
    """A literal `__all__`, its names, and where it and each of them stand in the body."""

    node: ast.List | ast.Tuple
    names: tuple[str, ...]


def _export_list(text: Source) -> _ExportList | None:
    """The last top-level `__all__`, where it is a literal list or tuple of strings."""
    for node in reversed(text.tree.body):
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return _literal(value)
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                return _literal(value)
            case _:
                pass
    return None


def _literal(value: ast.expr) -> _ExportList | None:
    if not isinstance(value, ast.List | ast.Tuple):
        return None
    names = tuple(
        each.value for each in value.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )
    return _ExportList(value, names) if len(names) == len(value.elts) else None


def _add_entry(text: Source, name: str) -> Source:
    listed = _export_list(text)
    if listed is not None:
        index = _index_for(listed.names, name)
        after = text.with_body(_spliced(text.body, _entry_splices(text, listed, index, name)))
        found = _export_list(after)
        if found and found.names == (*listed.names[:index], name, *listed.names[index:]):
            return after
    what = "`__all__` is written in a way that cannot be edited safely"
    raise ScaffoldError(what, where=text.where, fix=f'add "{name}" to it by hand', exit_code=1)


def _spliced(body: bytes, splices: Iterable[tuple[int, int, bytes]]) -> bytes:
    for start, end, new in sorted(splices, reverse=True):
        body = body[:start] + new + body[end:]
    return body


def _entry_splices(text: Source, listed: _ExportList, index: int, name: str) -> list[tuple[int, int, bytes]]:
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


def _appended(text: Source, listed: _ExportList, item: bytes) -> list[tuple[int, int, bytes]]:
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


def _without_entry(text: Source, name: str) -> Iterator[bytes]:
    listed = _export_list(text)
    if listed is None or listed.names.count(name) != 1:
        return
    index, spans = listed.names.index(name), [text.span(each) for each in listed.node.elts]
    start, end = spans[index]
    element = listed.node.elts[index]
    line = (
        text.offset(element.lineno, 0),
        text.offset(element.lineno, 0) + len(text.lines[element.lineno - 1]),
    )
    before = spans[index - 1][1] if index else None
    cuts = [[line]] if text.indent(element) is not None else []
    if index + 1 < len(spans):
        cuts.append([(start, spans[index + 1][0])])
    if before is not None:
        cuts += [[(before, end)], [(before, before + 1), line]]
    cuts += [[(start, end)], [(start, end + 1)]]
    for cut in cuts:
        yield _spliced(text.body, [(*bounds, b"") for bounds in cut])
