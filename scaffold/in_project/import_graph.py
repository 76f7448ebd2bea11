"""Transitive imports of a module, read off source files."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from scaffold.files.places import read_regular


class ImportGraph(Struct, frozen=True):
    """Modules below `folder`. `texts` holds modules that are not yet on disk, by import name."""

    folder: Path
    texts: Mapping[str, str] = field(default_factory=dict[str, str])

    def foreign(self, module: str) -> frozenset[str]:
        """Return the top-level names of outside modules that importing `module` imports, directly or not.

        The packages above `module` are not read.
        """
        roots: set[str] = set()
        wanted, seen = [module], set[str]()
        while wanted:
            name = wanted.pop()
            if name in seen:
                continue
            seen.add(name)
            for target in self._imports(name):
                if self._text(target) is None:
                    roots.add(target.partition(".")[0])
                else:
                    wanted.append(target)
        return frozenset(roots - {module.partition(".")[0]})

    def _text(self, module: str) -> str | None:
        if module in self.texts:
            return self.texts[module]
        path = self.folder.joinpath(*module.split("."))
        for place in (path / "__init__.py", path.with_suffix(".py")):
            if place.is_file():
                return read_regular(place).decode("utf-8", "replace")
        return None

    def _imports(self, module: str) -> Iterator[str]:
        is_package = self.folder.joinpath(*module.split("."), "__init__.py").is_file()
        package = module if is_package else module.rpartition(".")[0]
        try:
            body = ast.parse(self._text(module) or "").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node in _run_at_import(body):
            yield from (name for name in _targets(node, package) if not module.startswith(f"{name}."))


def _run_at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that surely run, since imports under `try` or `if` may be missing."""
    for node in body:
        if isinstance(node, ast.With):
            yield from _run_at_import(node.body)
        else:
            yield node


def _targets(node: ast.stmt, package: str) -> Iterator[str]:
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=module, level=level, names=aliases):
            base = package.split(".")[: len(package.split(".")) - level + 1] if level else []
            named = ".".join([*base, *([module] if module else [])])
            yield named
            yield from (f"{named}.{alias.name}" for alias in aliases if level and not module)
        case _:
            pass
