"""Sizes that the code of a class divides by each other: `size // heads` wants a size that is a multiple."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from scaffold.spec.construction.constructor import parameters
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once
from scaffold.spec.source.expressions import dedented
from scaffold.spec.source.instance import named_value

_ROUNDS = 4
"""How many divisions may hang on each other, as `size // heads // groups` does."""
Division = tuple[str, str | int]


@once
def divisions(spec: ModuleSpec) -> tuple[Division, ...]:
    """The names that are divided, each with the name, or the number in `size % 2`, by which it is."""
    sources = [function.call.source or dedented(function.call.body) for _, function in spec.functions]
    trees = (ast.parse(source) for source in (*sources, spec.setup) if "//" in source or "%" in source)
    return tuple(dict.fromkeys(pair for tree in trees for node in ast.walk(tree) for pair in _division(node)))


def _division(node: ast.AST) -> Iterator[Division]:
    match node:
        case ast.BinOp(left=left, op=ast.Mod(), right=ast.Constant(value=int(divisor))) if divisor > 0:
            name = named_value(left)
        case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Mod(), right=right):
            name, divisor = named_value(left), named_value(right)
        case _:
            return
    if name is not None and divisor is not None:
        yield name, divisor


def multiplied(spec: ModuleSpec, sized: dict[str, int], free: Iterable[str]) -> dict[str, int]:
    """The sizes, of which the free ones are multiples of what divides them."""
    result, names = dict(sized), {*free}
    for _ in range(_ROUNDS):
        for name, divisor in divisions(spec):
            if name in names and name != divisor and _rest(spec, result, name, divisor):
                result[name] *= _size(spec, result, divisor)
    return result


def all_divide(spec: ModuleSpec, sized: Mapping[str, int], usual: Mapping[str, int]) -> bool:
    """Whether what is divided without a rest among the usual sizes is so among these."""
    return all(_rest(spec, usual, *pair) or not _rest(spec, sized, *pair) for pair in divisions(spec))


def _rest(spec: ModuleSpec, sized: Mapping[str, int], name: str, divisor: str | int) -> int:
    return _size(spec, sized, name) % _size(spec, sized, divisor)


def _size(spec: ModuleSpec, sized: Mapping[str, int], name: str | int) -> int:
    """The size of that name, or the number that it has by default; 1 where neither is known."""
    defaults = (parameter.default for parameter in parameters(spec) if parameter.name == name)
    size = name if isinstance(name, int) else sized.get(name) or literal_or_none(next(defaults, None) or "1")
    return size if type(size) is int and size > 0 else 1
