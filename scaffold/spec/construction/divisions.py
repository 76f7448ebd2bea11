"""Sizes that the code of a class divides by each other: `size // heads` wants a size that is a multiple."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from scaffold.spec.construction.constructor import parameters, sources_of
from scaffold.spec.construction.local_sizes import dims_of_names
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once
from scaffold.spec.source.expressions import dedented, nodes_of
from scaffold.spec.source.instance import named_value
from scaffold.spec.unit import siblings

_ROUNDS = 4
"""How many divisions may hang on each other, as `size // heads // groups` does."""
Division = tuple[str, str | int]
_LAYERS = {
    "MultiHeadAttention": ((1, ("in_features",)), (0, ("num_heads",))),
    "GroupNorm": ((1, ("num_features", "channels")), (0, ("num_groups", "groups"))),
}
"""Layers of Flax and Equinox that divide a size: the place and the names of that argument, and those of the number."""
_WORDS = ("//", "%", *_LAYERS)
"""One of these stands in each source that divides."""


@once
def divisions(spec: ModuleSpec) -> tuple[Division, ...]:
    """The names that are divided, each with the name, or the number in `size % 2`, by which it is."""
    trees = (ast.parse(source) for source in _sources(spec) if any(word in source for word in _WORDS))
    pairs = (pair for tree in trees for node in ast.walk(tree) for pair in _division(node))
    if not (found := [*pairs]):
        return spec.divided_beside
    dims = dims_of_names(spec)
    named = [(dims.get(name, name), dims.get(str(divisor), divisor)) for name, divisor in found]
    return tuple(dict.fromkeys((*named, *spec.divided_beside)))


def divisions_beside(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Division]:
    """The sizes that the class hands to others of its file, which divide them."""
    others = [known[name] for name in siblings(spec) if name in known and divisions(known[name])]
    for source in _sources(spec) if others else ():
        calls = [*nodes_of(ast.Call, ast.parse(source))]
        for other in others:
            for call in (call for call in calls if ast.unparse(call.func) == other.name):
                yield from _handed_on(call, other)


def _handed_on(call: ast.Call, other: ModuleSpec) -> Iterator[Division]:
    """What another class divides, by the names that a call of it gives."""
    taken = parameters(other)
    places = {parameter.name: (place, (parameter.name,)) for place, parameter in enumerate(taken)}
    for name, divisor in divisions(other):
        divided = _argument(call, *places[name]) if name in places else None
        by = _argument(call, *places[divisor]) if divisor in places else None
        number = _size(other, {}, divisor) if by is None else _number(by) or named_value(by)
        if isinstance(divided, ast.Name) and number is not None:
            yield divided.id, number


def _sources(spec: ModuleSpec) -> list[str]:
    """The Python of a class: of its methods, and of what makes its fields."""
    sources = [function.call.source or function.call.body for _, function in spec.functions]
    sources += [spec.setup, *(source for field in spec.fields for source in sources_of(field))]
    return [dedented(source) for source in sources]


def _division(node: ast.AST) -> Iterator[Division]:
    match node:
        case ast.BinOp(left=left, op=ast.Mod(), right=ast.Constant() as right):
            divided, by = left, right
        case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Mod(), right=right) if named_value(right):
            divided, by = left, right
        case ast.Call(func=ast.Attribute(attr=layer) | ast.Name(id=layer)) if layer in _LAYERS:
            divided, by = (_argument(node, *argument) for argument in _LAYERS[layer])
        case _:
            return
    name = None if divided is None else named_value(divided)
    divisor = None if by is None else _number(by) or named_value(by)
    if name is not None and divisor is not None:
        yield name, divisor


def _number(node: ast.expr) -> int | None:
    """A number that divides."""
    value = literal_or_none(ast.unparse(node))
    return value if type(value) is int and value > 0 else None


def _argument(call: ast.Call, place: int, names: tuple[str, ...]) -> ast.expr | None:
    """What a call gives at a place, or by one of the names."""
    named = (keyword.value for keyword in call.keywords if keyword.arg in names)
    return next(named, call.args[place] if place < len(call.args) else None)


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
