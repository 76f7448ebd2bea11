"""Region of an `__init__.py` in which an import hook of jaxtyping or beartype applies."""

import ast
from collections.abc import Iterator

from msgspec import Struct

from scaffold.errors import ScaffoldError
from scaffold.files.pysource import Source

_HOOKS = (
    "install_import_hook",
    "beartyping",
    "beartype_this_package",
    "beartype_package",
    "beartype_packages",
    "beartype_all",
)


class Region(Struct, frozen=True):
    """Lines from `start` up to before `end`, indented by `indent`."""

    text: Source
    start: int
    end: int
    indent: bytes

    @property
    def inner(self) -> Source:
        """The lines as a file of their own."""
        lines = self.text.lines[self.start : self.end]
        return Source.of(b"".join(line.removeprefix(self.indent) for line in lines), self.text.where)

    def body(self, inner: bytes) -> bytes:
        """Return the body of the whole file with the lines replaced."""
        lines = inner.splitlines(keepends=True)
        return self.text.body_with(
            self.start, self.end, [self.indent + line if line.strip() else line for line in lines]
        )


def find_region(text: Source, package: str | None) -> Region | None:
    """Return the region in which a hook checks imports of `package`, or None.

    Raises `ScaffoldError` (exit code 1) if the region cannot be edited safely.
    """
    for index, chunk in enumerate(text.chunks):
        for node in chunk.nodes:
            match node:
                case ast.With(items=items) if any(_is_hook(item.context_expr, package) for item in items):
                    return _block(text, node)
                case ast.Expr(value=call) | ast.Assign(value=call) if _is_hook(call, package):
                    return Region(text, chunk.end, _end(text, index), b"")
                case _:
                    pass
    return None


def _is_hook(node: ast.expr, package: str | None) -> bool:
    """Whether a call installs a hook for the package, or for packages that it does not name literally."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    named = [text for argument in node.args[:1] for text in _texts(argument)]
    top = (package or "").partition(".")[0]
    return name in _HOOKS and (not named or not top or any(text.partition(".")[0] == top for text in named))


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.List | ast.Tuple):
        for element in node.elts:
            yield from _texts(element)


def _end(text: Source, index: int) -> int:
    """Return the end of the region: the statement that uninstalls the hook, or the end of the file."""
    for chunk in text.chunks[index + 1 :]:
        for node in chunk.nodes:
            match node:
                case ast.Expr(value=ast.Call(func=ast.Attribute(attr="uninstall"))):
                    return chunk.start
                case _:
                    pass
    return len(text.lines)


def _block(text: Source, node: ast.With) -> Region:
    start, end = node.body[0].lineno - 1, node.end_lineno or node.lineno
    first = text.lines[start]
    indent = first[: len(first) - len(first.lstrip())]
    lines = text.lines[start:end]
    if not indent or any(line.strip() and not line.startswith(indent) for line in lines):
        message = "the block of the import hook is written in a way that cannot be edited safely"
        fix = "write the import into that block by hand, and run the command with `--no-register`"
        raise ScaffoldError(message, where=f"{text.where}:{node.lineno}", fix=fix, exit_code=1)
    return Region(text, start, end, indent)
