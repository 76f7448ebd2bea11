"""The whole numbers that a module names: `STATES = 4`, `STATES = len(ALPHABET)`, `PAIRS = STATES * (STATES - 1) // 2`."""

import ast
from collections.abc import Iterable, Mapping

from scaffold.spec.construction.arithmetic import measured
from scaffold.spec.source.definitions import bound_value, statements


def whole_constants(sources: Iterable[str]) -> dict[str, int]:
    """The names that statements bind once to a whole number, and what these are."""
    every = (statement for source in sources for statement in statements(source))
    assigned = [pair for statement in every if (pair := bound_value(statement)) is not None]
    names = [name for name, _ in assigned]
    numbers, lengths = dict[str, int](), dict[str, int]()
    for name, value in assigned:
        number = _whole(value, numbers, lengths) if names.count(name) == 1 else None
        if number is not None:
            numbers[name] = number
        elif isinstance(value, ast.Tuple | ast.List):
            lengths[name] = len(value.elts)
        elif isinstance(value, ast.Constant) and isinstance(value.value, str):
            lengths[name] = len(value.value)
    return numbers


def _whole(value: ast.expr, numbers: Mapping[str, int], lengths: Mapping[str, int]) -> int | None:
    """The whole number that an expression over constants is."""
    match value:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return lengths.get(name)
        case ast.Constant(value=bool()):
            return None
        case _:
            number = measured(ast.unparse(value), numbers)
            return int(number) if number is not None and number % 1 == 0 else None  # infinity has no rest
