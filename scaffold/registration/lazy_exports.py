"""Edits of packages that import names lazily, so that new exports are lazy too.

`lazy_loader` takes a table in a call, or a stub beside `__init__.py`. A package's own `__getattr__` is left
alone.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

from scaffold.errors import ScaffoldError
from scaffold.files.pysource import Source
from scaffold.registration.removal import Item, inverse, spliced, without_item


def find_lazy(text: Source) -> str:
    """Return the form of lazy imports: `attach`, `attach_stub`, `__getattr__`, or "" for eager imports."""
    for node in text.tree.body:
        call = getattr(node, "value", None)
        if isinstance(call, ast.Call) and (form := _last_name(call.func)) in ("attach", "attach_stub"):
            return form
    functions = [n for n in text.tree.body if isinstance(n, ast.FunctionDef) and n.name == "__getattr__"]
    eager = [n for n in text.tree.body if isinstance(n, ast.ImportFrom) and n.level]
    return "__getattr__" if functions and not eager else ""


def stub_of(init_file: PurePosixPath) -> PurePosixPath:
    """Return the stub that `attach_stub` reads."""
    return init_file.with_suffix(".pyi")


def attach(source: bytes, stem: str, name: str, *, where: str) -> bytes:
    """Add the name to the table `submod_attrs` of `attach`.

    Raises `ScaffoldError` (exit code 1) if the table is not literal.
    """
    text = Source.of(source, where)
    call = _call(text)
    table = _table(call)
    if table is None and not _takes_table(call):
        raise _refused(text, call, stem, name)
    if table is None:
        splices = [
            _at_end(
                text, call.args + [k.value for k in call.keywords], f'submod_attrs={{"{stem}": ["{name}"]}}'
            )
        ]
    else:
        entries = _entries(table)
        if entries is None:
            raise _refused(text, call, stem, name)
        if name in entries.get(stem, ()):
            return source
        splices = [*_with_name(text, table, stem, name)]
    return text.with_body(spliced(text.body, splices)).source


def detach(
    source: bytes, stem: str, name: str, *, where: str, cleaned: Callable[[bytes, bytes], bytes]
) -> bytes:
    """Remove the name from the table of `attach`, and restore the text before `attach` if unedited since.

    `cleaned` takes a text and its edited form, and makes the latter as clean as the former.
    """
    text = Source.of(source, where)
    call = _call(text)
    table = _table(call)
    if table is None or name not in (_entries(table) or {}).get(stem, ()):
        return source

    def forward(before: Source) -> Source:
        after = attach(before.source, stem, name, where=where)
        return Source.of(cleaned(before.source, after), where)

    bodies = _without_name(text, call, table, stem, name)
    both = (variant for body in bodies for variant in (cleaned(text.body, body), body))
    return inverse(text, both, forward).source


def _without_name(text: Source, call: ast.Call, table: ast.Dict, stem: str, name: str) -> Iterator[bytes]:
    """Yield bodies without the name, and without its module or the table if that was their only entry."""
    keys = [key.value if isinstance(key, ast.Constant) else None for key in table.keys]
    value = table.values[keys.index(stem)]
    names = value.elts if isinstance(value, ast.List | ast.Tuple) else []
    if len(names) > 1:
        index = next(
            i
            for i, element in enumerate(names)
            if isinstance(element, ast.Constant) and element.value == name
        )
        yield from without_item(text, [(element, element) for element in names], index)
        return
    keywords: list[Item] = [(keyword, keyword.value) for keyword in call.keywords]
    position = next((i for i, (_, argument) in enumerate(keywords) if argument is table), None)
    if len(keys) == 1 and position is not None:
        yield from without_item(
            text, [*((argument, argument) for argument in call.args), *keywords], len(call.args) + position
        )
    entries: list[Item] = [
        (key or name_list, name_list) for key, name_list in zip(table.keys, table.values, strict=True)
    ]
    yield from without_item(text, entries, keys.index(stem))


def _call(text: Source) -> ast.Call:
    return next(
        node.value
        for node in text.tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and _last_name(node.value.func) == "attach"
    )


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _table(call: ast.Call) -> ast.Dict | None:
    tables = [k.value for k in call.keywords if k.arg == "submod_attrs"] or call.args[2:3]
    return tables[0] if tables and isinstance(tables[0], ast.Dict) else None


def _takes_table(call: ast.Call) -> bool:
    """Whether the call omits the table."""
    return len(call.args) < 3 and all(k.arg not in (None, "submod_attrs") for k in call.keywords)


def _entries(table: ast.Dict) -> dict[str, tuple[str, ...]] | None:
    names_by_stem: dict[str, tuple[str, ...]] = {}
    for key, value in zip(table.keys, table.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(value, ast.List | ast.Tuple)):
            return None
        names_by_stem[str(key.value)] = tuple(
            str(each.value) for each in value.elts if isinstance(each, ast.Constant)
        )
    return names_by_stem


def _with_name(text: Source, table: ast.Dict, stem: str, name: str) -> Iterator[tuple[int, int, bytes]]:
    for key, value in zip(table.keys, table.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == stem and isinstance(value, ast.List | ast.Tuple):
            yield _at_end(text, value.elts, f'"{name}"')
            return
    entry = f'"{stem}": ["{name}"]'
    later = (k for k in table.keys if isinstance(k, ast.Constant) and str(k.value) > stem)
    if (following := next(later, None)) is not None:
        start, indent = text.span(following)[0], text.indent(following)
        gap = b" " if indent is None else text.newline + indent
        yield start, start, text.encoded(f"{entry},") + gap
    elif table.values:
        yield _at_end(text, table.values, entry, table.keys[-1])
    else:
        inside = text.span(table)[0] + 1
        yield inside, inside, text.encoded(entry)


def _at_end(
    text: Source, there: Sequence[ast.expr], new: str, first: ast.expr | None = None
) -> tuple[int, int, bytes]:
    """Return the splice that appends an item, on its own line if the last item has its own."""
    end, indent = text.span(there[-1])[1], text.indent(first or there[-1])
    gap = b" " if indent is None else text.newline + indent
    return end, end, b"," + gap + text.encoded(new)


def _refused(text: Source, call: ast.Call, stem: str, name: str) -> ScaffoldError:
    message = "`attach` is written in a way that cannot be edited safely"
    fix = f'add "{stem}": ["{name}"] to `submod_attrs` by hand, and run the command with `--no-register`'
    return ScaffoldError(message, where=f"{text.where}:{call.lineno}", fix=fix, exit_code=1)
