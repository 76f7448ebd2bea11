"""Users of classes that are to be removed: importing Python files, and specs that name them."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.fileset import Step
from scaffold.files.places import read_regular
from scaffold.history.records import Record
from scaffold.in_project.layout import Layout
from scaffold.in_project.spec_files import spec_files
from scaffold.lifecycle.leftovers import staying_python
from scaffold.spec import ModuleSpec
from scaffold.spec.files import read_spec_files

_FIX = "change that first, or let its class go too; --force removes `{}` all the same"


def users(records: Sequence[Record], layout: Layout, steps: Mapping[PurePosixPath, Step]) -> Iterator[Fault]:
    """Yield a fault for each file that uses a class and remains after `steps`."""
    going = {file.path for record in records for file in record.files} | {
        PurePosixPath(r.spec) for r in records
    }
    texts = {path: text for path, text in staying_python(layout, steps).items() if path not in going}
    for record in records:
        importing = {
            path: line
            for path, text in texts.items()
            if (line := _line(record, layout, path, text, is_edited=path in steps))
        }
        for path, line in importing.items():
            # In a file that the plan edits, lines have other numbers by then.
            yield Fault(
                str(path) if path in steps else f"{path}:{line}",
                f"uses `{record.title}`",
                _FIX.format(record.title),
            )
        for path in _naming(record, layout, {*steps, *importing}):
            yield Fault(path, f"names `{record.title}`", _FIX.format(record.title))


# -- Python ------------------------------------------------------------------------------------------------------------


def _line(record: Record, layout: Layout, path: PurePosixPath, text: str, *, is_edited: bool) -> int | None:
    """Return the first line that uses the class, or None.

    An edited file has already lost its import, so the class's names count as imported.
    """
    if record.stem not in text and not any(name in text for name in record.names):
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    below = path.is_relative_to(layout.import_root)
    inside = path.relative_to(layout.import_root) if below else path
    names = {name: f"{record.module}.{name}" for name in record.names if is_edited}
    references = _References(inside.parent.parts, names)
    return min((line for line, target in references.of(tree) if _is_of(record, target)), default=None)


def _is_of(record: Record, target: str) -> bool:
    """Whether a dotted name is the module, a member of it, or the class as a parent package re-exports it."""
    packages = record.module.split(".")[:-1]
    above = [packages[:depth] for depth in range(1, len(packages) + 1)]
    handed_on = {".".join([*package, name]) for package in above for name in record.names}
    return f"{target}.".startswith(f"{record.module}.") or target in handed_on


class _References(Struct, frozen=True):
    """Dotted names in a file of `package`, with their lines."""

    package: tuple[str, ...]
    names: dict[str, str] = field(default_factory=dict[str, str])
    """Imported names, by their names in the file."""

    def of(self, tree: ast.Module) -> Iterator[tuple[int, str]]:
        nodes = [*ast.walk(tree)]
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from ((node.lineno, target) for target in self._imported(node))
        for node in nodes:
            if isinstance(node, ast.Attribute | ast.Name) and (target := self._dotted(node)):
                yield node.lineno, target

    def _imported(self, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        base = _base(node, self.package) if isinstance(node, ast.ImportFrom) else ""
        if base:
            yield base
        for alias in node.names:
            target = f"{base}.{alias.name}" if base else alias.name
            first = target if alias.asname or base else target.partition(".")[0]
            self.names[alias.asname or first.rpartition(".")[2]] = first
            yield target

    def _dotted(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Attribute):
            owner = self._dotted(node.value)
            return owner and f"{owner}.{node.attr}"
        return self.names.get(node.id) if isinstance(node, ast.Name) else None


def _base(node: ast.ImportFrom, package: Sequence[str]) -> str:
    above = package[: len(package) - node.level + 1] if node.level else ()
    return ".".join([*above, *([node.module] if node.module else [])])


# -- specs -------------------------------------------------------------------------------------------------------------


def _naming(record: Record, layout: Layout, others: set[PurePosixPath]) -> Iterator[str]:
    """Yield the specs that hold the class or inherit from it. Unreadable specs are skipped."""
    for place in spec_files(layout.root / layout.specs):
        path = PurePosixPath(place.relative_to(layout.root).as_posix())
        if path not in others and any(_needs(spec, record) for spec in specs_naming(place, record.names)):
            yield str(path)


def specs_naming(
    place: Path, names: Sequence[str], shown: Callable[[Path], str] = str
) -> tuple[ModuleSpec, ...]:
    """Return the specs of a file if its text has any of the names, or nothing if it is unreadable."""
    try:
        content = read_regular(place)
        return read_spec_files([place], shown) if any(name.encode() in content for name in names) else ()
    except (OSError, ScaffoldError):
        return ()


def _needs(spec: ModuleSpec, record: Record) -> bool:
    modules = (None, record.module)
    return any(
        class_type.name in record.names and class_type.module in modules for class_type in spec.classes
    )
