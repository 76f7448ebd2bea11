"""Python file as bytes, edited at positions from its AST.

Every line without an edit keeps its bytes, in any encoding and with any line ending.
"""

import ast
import tokenize
import warnings
from collections.abc import Iterable
from functools import cached_property
from io import BytesIO

from msgspec import Struct

from scaffold.errors import ScaffoldError

_BOM = b"\xef\xbb\xbf"


class Chunk(Struct, frozen=True):
    """Top-level statements that share physical lines, from `start` up to before `end`, counted from 0."""

    start: int
    end: int
    nodes: tuple[ast.stmt, ...]


class Source(Struct, frozen=True, dict=True):
    """Python file: its byte order mark if any, its lines with their ends, and its AST.

    `body` is the file without the mark. `where` names the file in errors.
    """

    bom: bytes
    lines: tuple[bytes, ...]
    tree: ast.Module
    encoding: str
    where: str

    @classmethod
    def of(cls, source: bytes, where: str) -> "Source":
        """Parse `source`. Raises `ScaffoldError` (exit code 1) for invalid Python."""
        bom = _BOM if source.startswith(_BOM) else b""
        tree, encoding = _parse(source, where)
        # Like Python, and unlike `str`, `bytes` splits lines at \n, \r and \r\n alone.
        return cls(bom, tuple(source[len(bom) :].splitlines(keepends=True)), tree, encoding, where)

    @cached_property
    def body(self) -> bytes:
        """File without its byte order mark."""
        return b"".join(self.lines)

    @property
    def source(self) -> bytes:
        """Whole file."""
        return self.bom + self.body

    @cached_property
    def newline(self) -> bytes:
        """Most frequent line ending."""
        ends = [line[len(line.rstrip(b"\r\n")) :] for line in self.lines]
        # Beside a bare \r, an empty line that ends in \n would melt into the line before it.
        if b"\r" in ends and (b"\n" in ends or b"\r\n" in ends):
            return b"\r\n"
        return max((b"\n", b"\r\n", b"\r"), key=ends.count)

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """Top-level statements in chunks.

        A new line may safely follow any chunk, or precede a chunk of imports.
        """
        chunks: list[Chunk] = []
        for node in self.tree.body:
            chunk = self._chunk(node)
            if chunks and chunk.start < chunks[-1].end:
                last = chunks.pop()
                chunk = Chunk(last.start, max(last.end, chunk.end), (*last.nodes, node))
            chunks.append(chunk)
        return tuple(chunks)

    def _chunk(self, node: ast.stmt) -> Chunk:
        start, end = node.lineno - 1, node.end_lineno or node.lineno
        # A comment may end in a backslash too; taking it for a continuation only makes the chunk larger.
        while start and self.continues(start - 1):
            start -= 1
        while end < len(self.lines) and self.continues(end - 1):
            end += 1
        return Chunk(start, end, (node,))

    def continues(self, index: int) -> bool:
        """Whether the line at `index` ends in a backslash."""
        return self.lines[index].rstrip(b"\r\n").endswith(b"\\")

    @cached_property
    def header(self) -> int:
        """End of the comments at the top, such as a shebang, an encoding or a licence."""
        end = 0
        for index, line in enumerate(self.lines):
            if line.startswith(b"#"):
                end = index + 1
            elif index or line.strip():  # the encoding may stand in line 2, below an empty line
                break
        return end

    @cached_property
    def preamble(self) -> int:
        """End of the docstring and the future imports, before which no code may stand."""
        documented, end = ast.get_docstring(self.tree, clean=False) is not None, 0
        for chunk in self.chunks:
            if is_future(chunk.nodes[0]) or (documented and not end):
                end = chunk.end
        return end

    def offset(self, line: int, column: int) -> int:
        """Convert a position of `ast`, whose columns count bytes in UTF-8, to an offset in `body`."""
        start = sum(map(len, self.lines[: line - 1]))
        text = self.lines[line - 1].decode(self.encoding).encode()[:column].decode()
        return start + len(text.encode(self.encoding))

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Return the start and the end of `node` in `body`."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column)

    def indent(self, node: ast.expr) -> bytes | None:
        """Return the white space before `node` on its line, or None if other text precedes it."""
        before = self.body[self.offset(node.lineno, 0) : self.offset(node.lineno, node.col_offset)]
        return None if before.strip() else before

    def encoded(self, code: str) -> bytes:
        """Encode `code` like the file. Raises `ScaffoldError` (exit code 1) if that is impossible."""
        try:
            return code.encode(self.encoding)
        except UnicodeEncodeError as error:
            message = f"`{code}` cannot be written in {self.encoding}"
            fix = "save the file as UTF-8, or choose an ASCII name"
            raise ScaffoldError(message, where=self.where, fix=fix, exit_code=1) from error

    def with_body(self, body: bytes) -> "Source":
        """Return the file with another body, parsed again."""
        return Source.of(self.bom + body, self.where)

    def body_with(self, start: int, end: int, new: Iterable[bytes]) -> bytes:
        """Replace lines `start` to `end` of the body. A missing final newline stays missing."""
        lines = [*self.lines[:start], *new, *self.lines[end:]]
        ended = [line if line.endswith((b"\r", b"\n")) else line + self.newline for line in lines]
        if ended and self.lines and not self.lines[-1].endswith((b"\r", b"\n")):
            ended[-1] = ended[-1].rstrip(b"\r\n")
        return b"".join(ended)


def is_future(node: ast.stmt) -> bool:
    """Whether `node` is an import from `__future__`."""
    return isinstance(node, ast.ImportFrom) and node.module == "__future__" and not node.level


def _parse(source: bytes, where: str) -> tuple[ast.Module, str]:
    unix = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the user's docstring is not our business
            tree, encoding = ast.parse(source), tokenize.detect_encoding(BytesIO(unix).readline)[0]
            return tree, encoding.removesuffix("-sig")  # the mark is kept apart, and not to be written again
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        place = f"{where}:{line}" if line else where
        why = getattr(error, "msg", None) or error.args[:1] or ["nested too deeply"]
        message = f"does not parse as Python: {why if isinstance(why, str) else why[0]}"
        fix = "mend it, then run the command again"
        raise ScaffoldError(message, where=place, fix=fix, exit_code=1) from error
