"""Folders that a conftest puts on the path, read off its AST, and an edit that adds more."""

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from scaffold.as_clean import as_clean
from scaffold.errors import ScaffoldError
from scaffold.files.pysource import Source
from scaffold.law_wheel import PACKAGE

WHEEL_PATTERN = f"{PACKAGE}-*.whl"
"""Glob by which a conftest finds the laws, whatever their version."""
OPTIONS_IMPORT = f"import {PACKAGE}.plugin"
OPTIONS_LINES = "", OPTIONS_IMPORT, "", f"pytest_addoption = {PACKAGE}.plugin.pytest_addoption"
"""Lines that register the options of the laws with pytest, since no plugin is installed."""
_IMPORTS = {"sys": "import sys", "Path": "from pathlib import Path"}


def folders_on_path(source: bytes, place: Path) -> list[Path]:
    """Return the folders that top-level statements of the file at `place` put on the path.

    Other expressions are ignored. Raises `ScaffoldError` for invalid Python.
    """
    reader = _Reader(place)
    return [folder for node in Source.of(source, place.name).tree.body for folder in reader.folders(node)]


class _Reader(Struct):
    """Evaluator of statements that tracks names bound to paths."""

    place: Path
    names: dict[str, Path] = field(default_factory=dict[str, Path])

    def folders(self, node: ast.stmt) -> Iterator[Path]:
        """Yield the folders that a statement puts on the path."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if (path := self.path(value)) is not None:
                    self.names[name] = path
            case ast.Assign(targets=[ast.Subscript(value=path)], value=value) if _is_sys_path(path):
                yield from self.paths([value])
            case ast.AugAssign(target=path, value=value) if _is_sys_path(path):
                yield from self.paths([value])
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=path), args=args)) if _is_sys_path(path):
                yield from self.paths(args)
            case _:
                pass

    def paths(self, values: Sequence[ast.expr]) -> Iterator[Path]:
        """Yield the paths among expressions, inside lists too."""
        for value in values:
            if isinstance(value, ast.List | ast.Tuple):
                yield from self.paths(value.elts)
            elif (path := self.path(value)) is not None:
                yield path

    def path(self, node: ast.expr) -> Path | None:
        """Evaluate an expression to a path, or return None."""
        match node:
            case ast.Name(id="__file__"):
                return self.place
            case ast.Name(id=name):
                return self.names.get(name)
            case ast.Attribute(value=value, attr="parent"):
                return _then(self.path(value), lambda path: path.parent)
            case ast.Subscript(
                value=ast.Attribute(value=value, attr="parents"), slice=ast.Constant(value=int(up))
            ):
                return _then(self.path(value), lambda path: [*path.parents][up])
            case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=str(below))):
                return _then(self.path(left), lambda path: path / below)
            case ast.Call(func=ast.Attribute(value=value, attr="resolve" | "absolute")):
                return self.path(value)
            case ast.Call(
                func=ast.Attribute(value=value, attr="glob"), args=[ast.Constant(value=str(pattern))]
            ):
                return _then(self.path(value), lambda path: path / pattern)
            case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="str"), paths]):
                return self.path(paths)
            case ast.Call(func=function, args=[first, *rest]):
                return self._call(ast.unparse(function), first, rest)
            case _:
                return None

    def _call(self, function: str, first: ast.expr, rest: Sequence[ast.expr]) -> Path | None:
        path = self.path(first)
        match function.rpartition(".")[2]:
            case "Path" | "str" | "fspath" | "abspath" | "realpath":
                return path
            case "dirname":
                return _then(path, lambda place: place.parent)
            case "join":
                parts = [part.value for part in rest if isinstance(part, ast.Constant)]
                return _then(path, lambda place: Path(place, *map(str, parts)))
            case _:
                return None


def _then(path: Path | None, step: Callable[[Path], Path]) -> Path | None:
    try:
        return None if path is None else Path(step(path))
    except IndexError:
        return None


def _is_sys_path(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.path"


# -- the edit ----------------------------------------------------------------------------------------------------------


def path_line(folder: PurePosixPath, conftest: PurePosixPath, *, first: bool) -> str:
    """Return the conftest's statement that puts a folder first, or last, on the path."""
    here = conftest.parent
    up = next(number for number, above in enumerate((here, *here.parents)) if folder.is_relative_to(above))
    rest = folder.relative_to((here, *here.parents)[up])
    start = f"Path(__file__).parents[{up}]" if up else "Path(__file__).parent"
    value = start if rest == PurePosixPath(".") else f'{start} / "{rest}"'
    return f"sys.path.insert(0, str({value}))" if first else f"sys.path.append(str({value}))"


def wheel_line(tests: PurePosixPath, conftest: PurePosixPath) -> str:
    """Return the conftest's statement that appends the wheel of the laws to the path.

    The conftest lies in the folder of tests or above it.
    """
    pattern = (tests.relative_to(conftest.parent) / WHEEL_PATTERN).as_posix()
    return f'sys.path.extend(map(str, Path(__file__).parent.glob("{pattern}")))'


def with_path_lines(source: bytes, lines: Sequence[str], place: Path, where: str) -> bytes:
    """Insert the statements `lines` and their imports below the imports of the conftest `source`.

    A line is left out if its folder is on the path already. If a line adds the laws, and the conftest has no
    options, it gets the options of the laws too. The result is as clean for ruff as `source`. Raises
    `ScaffoldError` (exit code 1) for invalid Python, and if `sys` or `Path` has another meaning there.
    """
    there = set(folders_on_path(source, place))
    imports = "\n".join(_IMPORTS.values())
    wanted = [
        line
        for line in lines
        if not there.issuperset(folders_on_path(f"{imports}\n{line}\n".encode(), place))
    ]
    if not wanted:
        return source
    if any(WHEEL_PATTERN in line for line in wanted) and b"pytest_addoption" not in source:
        wanted += OPTIONS_LINES
    text = Source.of(source, where)
    missing = [line for name, line in _IMPORTS.items() if not _means(text, name, line)]
    at = max((chunk.end for chunk in text.chunks if _imports(chunk.nodes)), default=0)
    below = [text.newline] if text.lines else []
    edited = text.with_body(
        text.body_with(at or text.preamble, at or text.preamble, [*below, *map(text.encoded, wanted)])
        if at or not missing
        else text.body_with(
            text.preamble, text.preamble, [*below, *map(text.encoded, [*missing, "", *wanted])]
        )
    )
    if at and missing:
        first = next(chunk.start for chunk in edited.chunks if _imports(chunk.nodes))
        edited = edited.with_body(edited.body_with(first, first, [edited.encoded(line) for line in missing]))
    return as_clean(source, edited.source, place)


def _imports(nodes: Sequence[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", "") != "__future__"
        for node in nodes
    )


def _means(text: Source, name: str, line: str) -> bool:
    """Whether the file imports `name` as `line` does.

    Raises `ScaffoldError` if `name` has another meaning.
    """
    wanted = ast.unparse(ast.parse(line))
    for node in text.tree.body:
        match node:
            case ast.ImportFrom(module=module, names=aliases):
                meanings = [f"from {module} import {a.name}" for a in aliases if (a.asname or a.name) == name]
            case ast.Import(names=aliases):
                meanings = [f"import {a.name}" for a in aliases if (a.asname or a.name) == name]
            case ast.FunctionDef(name=defined) | ast.ClassDef(name=defined) if defined == name:
                meanings = [f"its own `{name}`"]
            case ast.Assign(targets=[ast.Name(id=defined)]) if defined == name:
                meanings = [f"its own `{name}`"]
            case _:
                meanings = []
        if meanings and meanings[0] != wanted:
            message = f"means something else by `{name}`, which is needed to put the folder of the tests on the path"
            fix = f'rename it, or write `pythonpath = ["{Path(text.where).parent}"]` for pytest'
            raise ScaffoldError(message, where=f"{text.where}:{node.lineno}", fix=fix, exit_code=1)
        if meanings:
            return True
    return False
