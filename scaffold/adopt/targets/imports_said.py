"""Import statements that the user gives with `--with`, checked before anything runs."""

import ast
from collections.abc import Sequence

from scaffold.errors import Fault, ScaffoldError

FORM = "import ott.geometry as g"


def checked_imports(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines, stripped. Raises `ScaffoldError` unless each is an import statement without `*`."""
    problem, fix = "is no import statement", f"write one, such as `{FORM}`"
    faults = [Fault(f"--with {line!r}", problem, fix) for line in lines if not _is_import(line)]
    if faults:
        raise ScaffoldError.of(faults)
    return tuple(line.strip() for line in lines)


def _is_import(line: str) -> bool:
    try:
        body = ast.parse(line.strip()).body
    except SyntaxError:
        return False
    return len(body) == 1 and isinstance(body[0], ast.Import | ast.ImportFrom) and "*" not in line
