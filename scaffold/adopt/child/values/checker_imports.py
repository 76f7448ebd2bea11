"""Names that a module imports under `if TYPE_CHECKING:`, which its annotations may use."""

import ast
import functools
import importlib.util
import inspect
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any


@functools.cache
def checker_names(module: str) -> Mapping[str, Any]:
    """Return the names that a module binds under `if TYPE_CHECKING:`, if their origin is loaded."""
    loaded = sys.modules.get(module)
    if loaded is None:
        return {}
    statements = [statement for block in checker_blocks(loaded) for statement in block.body]
    return {name: value for statement in statements for name, value in bindings_of(statement, loaded)}


def checker_blocks(module: ModuleType) -> Iterator[ast.If]:
    """Yield the blocks of a module that run only for type checkers."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError, ValueError):
        return
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING":
            yield node


def bindings_of(statement: ast.stmt, module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the names and values that an import statement binds, without loading a module."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            whole = alias.name if alias.asname else alias.name.partition(".")[0]
            if whole in sys.modules:
                yield alias.asname or whole, sys.modules[whole]
    if isinstance(statement, ast.ImportFrom):
        source = sys.modules.get(source_of_import(statement, module))
        for alias in statement.names:
            if hasattr(source, alias.name):
                yield alias.asname or alias.name, getattr(source, alias.name)


def source_of_import(statement: ast.ImportFrom, module: ModuleType) -> str:
    """Return the absolute name of the module in `from ... import`, or an empty string."""
    name = "." * statement.level + (statement.module or "")
    try:
        return importlib.util.resolve_name(name, module.__package__ or "")
    except ImportError:
        return ""
