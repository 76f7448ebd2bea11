"""Functions that compute outside of traced programs: with NumPy, or by writing numbers into a text."""

import ast

from scaffold.import_lines import imported
from scaffold.source.definitions import function_of, statements
from scaffold.source.expressions import nodes_of
from scaffold.spec.grammar.types import ScalarType
from scaffold.spec.model import Method, ModuleSpec

_CONVERSIONS = ("asarray", "array")
"""Functions that convert their argument to a NumPy array."""
_NUMPY = ("np", "numpy")
"""The names under which emitted code reads NumPy without an import."""


def is_untraced(spec: ModuleSpec, method: Method) -> bool:
    """Whether a function cannot be traced, since NumPy or a text takes its values.

    A class method or static method may pass an argument to any function of NumPy. A method may only convert a
    field, as `np.asarray(self.coefficients)` does. Any other function of NumPy is a mistake there.
    """
    if _spells(method):
        return True
    is_of_instance, numpy = method.owner == "self", _numpy_of(spec)
    arguments = {argument.name for argument in method.call.args}
    fields = {f"self.{field.name}" for field in spec.dynamic}
    for call in nodes_of(ast.Call, *statements(method.call.text)):
        module, _, function = ast.unparse(call.func).partition(".")
        if module in numpy and (not is_of_instance or function in _CONVERSIONS):
            read = {ast.unparse(part) for part in call.args}
            if not read.isdisjoint(fields if is_of_instance else arguments):
                return True
    return False


def _spells(method: Method) -> bool:
    """Whether a function returns a text, and loops in Python over its arguments."""
    arguments = {argument.name for argument in method.call.args}
    function = function_of(method.call.source)
    said = function.returns if function is not None else None
    if method.call.returns != (ScalarType("str"),) and not (said and ast.unparse(said) == "str"):
        return False
    nodes = (node for statement in statements(method.call.text) for node in ast.walk(statement))
    every = (node.iter for node in nodes if isinstance(node, ast.For | ast.comprehension))
    return any(name.id in arguments for name in nodes_of(ast.Name, *every))


def _numpy_of(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the names of NumPy in the module of a class."""
    lines = (line for line in spec.imports if line.split()[:2] == ["import", "numpy"])
    return (*_NUMPY, *(name for line in lines for name in imported(line)))
