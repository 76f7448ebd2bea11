"""Import block of a file, with exactly the names that its code uses."""

import ast
import functools
import re
import symtable
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from scaffold.spec.grammar.annotated import annotations_in, names_in_quotes
from scaffold.spec.names import IMPORTS


def import_lines(code: str, extra: Mapping[str, str], first_party: Iterable[str]) -> list[str]:
    """Return the import block that `code` needs, sorted as isort does, with blank lines between sections.

    `extra` maps further names to their import lines. `first_party` names the packages of the user's project.
    """
    known = {**IMPORTS, **extra}
    lines = {line for name in _names(code, known) for line in known[name].split("\n")}
    return sorted_lines(lines, first_party)


def sorted_lines(lines: Iterable[str], first_party: Iterable[str]) -> list[str]:
    """Merge and sort import statements as isort does, with blank lines between sections."""
    return [*_sorted(frozenset(lines), frozenset(first_party))]


@functools.cache
def _sorted(lines: frozenset[str], own_roots: frozenset[str]) -> Sequence[str]:
    """Cache `sorted_lines`, because many files have the same imports."""
    sections: dict[int, list[str]] = {}
    for line in sorted(_merged(lines), key=_order):
        sections.setdefault(_section(line, own_roots), []).append(line)
    blocks = ["\n".join(sections[number]) for number in sorted(sections)]
    return "\n\n".join(blocks).split("\n") if blocks else []


def imported(line: str) -> tuple[str, ...]:
    """Return the names that an import statement binds."""
    statement = ast.parse(line).body[0]
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return ()
    return tuple((alias.asname or alias.name).split(".")[0] for alias in statement.names)


def _names(code: str, known: Container[str]) -> frozenset[str]:
    """Find the known names that the code reads without binding them.

    The compiler's symbol table costs half of a walk over the AST.
    """
    module = symtable.symtable(code, "code", "exec")
    return frozenset((*_read(module, known), *_in_quotes(code, known))) - {
        symbol.get_name() for symbol in module.get_symbols() if symbol.is_local()
    }


def _in_quotes(code: str, known: Container[str]) -> Iterator[str]:
    """Yield the known names in quoted annotations, which libraries such as jaxtyping evaluate at run time."""
    texts = re.findall(r"""(['"])([\w\[\]., |]+)\1""", code)
    if any(word in known for _, text in texts for word in re.findall(r"\w+", text)):
        annotations = annotations_in(ast.parse(code))
        yield from (name for each in annotations for name in names_in_quotes(each) if name in known)


def _read(table: symtable.SymbolTable, known: Container[str]) -> Iterator[str]:
    symbols = (table.lookup(name) for name in table.get_identifiers() if name in known)
    # The body of a class may read a name from outside and then bind it: `twice = staticmethod(twice)`.
    is_body = table.get_type() == "class"
    yield from (
        symbol.get_name()
        for symbol in symbols
        if symbol.is_referenced() and (is_body or not _is_bound(symbol))
    )
    for child in table.get_children():
        yield from _read(child, known)


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_local() or symbol.is_free()


def _merged(lines: Iterable[str]) -> list[str]:
    """Merge `from` imports into a single line for each module."""
    names: dict[str, set[str]] = {}
    plain: list[str] = []
    for line in lines:
        if line.startswith("from ") and not line.endswith(" import *"):
            module, _, imported_part = line[5:].partition(" import ")
            names.setdefault(module, set()).update(part.strip() for part in imported_part.split(","))
        else:
            plain.append(line)
    return plain + [
        f"from {module} import {', '.join(sorted(members, key=member_key))}"
        for module, members in names.items()
    ]


def member_key(name: str) -> tuple[int, str, str]:
    """Return isort's sort key of a name: constants, classes, then functions, with `Int8` before `Int16`."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, natural(name).casefold(), natural(name)


def natural(name: str) -> str:
    """Pad the numbers in a name with zeros, so that they sort as numbers."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), name)


def _module(line: str) -> str:
    return line.split()[1].split(" ")[0].rstrip(",")


def _order(line: str) -> tuple[bool, str, str]:
    return (line.startswith("from "), _module(line).lower(), line)


def _section(line: str, own_roots: frozenset[str]) -> int:
    root = _module(line).split(".")[0]
    if root in sys.stdlib_module_names:
        return 0
    return 3 if root == "" else 2 if root in own_roots else 1
