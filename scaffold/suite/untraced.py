"""Factories that compute with NumPy of what they are given, and so outside of programs."""

import ast

from scaffold.import_lines import imported
from scaffold.spec.model import Method, ModuleSpec
from scaffold.spec.source.definitions import statements
from scaffold.spec.source.expressions import nodes_of

_NUMPY = ("np", "numpy")
"""The names under which emitted code reads NumPy without an import."""


def is_untraced(spec: ModuleSpec, method: Method) -> bool:
    """Whether a class method or a static one hands an argument to a function of NumPy: `np.asarray(dense)`."""
    if method.owner == "self":
        return False
    arguments = {argument.name for argument in method.call.args}
    calls = nodes_of(ast.Call, *statements(method.call.text))
    of_numpy = (call for call in calls if ast.unparse(call.func).partition(".")[0] in _numpy_of(spec))
    return any(isinstance(part, ast.Name) and part.id in arguments for call in of_numpy for part in call.args)


def _numpy_of(spec: ModuleSpec) -> tuple[str, ...]:
    """The names of NumPy in the module of a class."""
    lines = (line for line in spec.imports if line.split()[:2] == ["import", "numpy"])
    return (*_NUMPY, *(name for line in lines for name in imported(line)))
