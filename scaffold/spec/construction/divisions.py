"""Sizes that the code of a class divides, as in `size // heads` and `jnp.split(x, 2)`.

The tests choose a multiple for each.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from math import lcm

from scaffold.source.expressions import (
    dedented,
    free_names,
    local_values,
    nodes_of,
    parsed,
    whole_number,
)
from scaffold.source.instance import made_attributes, named_value
from scaffold.source.lists import argument_of
from scaffold.spec.construction.arithmetic import evaluate
from scaffold.spec.construction.constructor import parameters, sources_of
from scaffold.spec.construction.guards import refused_conditions
from scaffold.spec.construction.local_sizes import array_arguments, dims_of_names
from scaffold.spec.grammar.types import with_sizes
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once
from scaffold.spec.unit import siblings

_ROUNDS = 4
"""The length of a chain of divisions, such as `size // heads // groups`."""
Division = tuple[str, str]
"""A name that is divided, and its divisor: a number, a name, or arithmetic over names."""
_LAYERS = {
    "MultiHeadAttention": ((1, ("in_features",)), (0, ("num_heads",))),
    "MultiheadAttention": ((1, ("query_size",)), (0, ("num_heads",))),
    "GroupNorm": ((1, ("num_features", "channels")), (0, ("num_groups", "groups"))),
}
"""Layers of Flax and Equinox that divide a size.

Each has the position and names of the argument for the size, then of the argument for the number.
"""


@once
def divisions(spec: ModuleSpec) -> tuple[Division, ...]:
    """Return the names that are divided, each with its divisor, such as `heads`, `2` or `2 * heads`."""
    trees = (parsed(source) for source in class_sources(spec))
    pairs = [pair for tree in trees for node in _dividing(tree) for pair in _division(node)]
    dims = dims_of_names(spec) if pairs else {}
    named = ((dims.get(name, name), with_sizes(divisor, dims)) for name, divisor in pairs)
    return tuple(dict.fromkeys((*named, *_parted(spec), *spec.divided_beside)))


@once
def least_sizes(spec: ModuleSpec) -> dict[str, int]:
    """Return the largest number by which the constructor floor-divides each name.

    A smaller size would make a quotient 0, such as the step `fft_size // 4`.
    """
    made = (source for field in spec.fields for source in sources_of(field))
    sources = (dedented(source) for source in (spec.making, *made))
    floors = (node for source in sources for node in nodes_of(ast.BinOp, parsed(source)))
    pairs = ((node.left, whole_number(node.right)) for node in floors if isinstance(node.op, ast.FloorDiv))
    named = [(name, number) for left, number in pairs if number and (name := named_value(left))]
    dims, least = dims_of_names(spec) if named else {}, dict[str, int]()
    for name, number in named:
        least[dims.get(name, name)] = max(number, least.get(dims.get(name, name), 0))
    return least


def _dividing(tree: ast.AST) -> Iterator[ast.AST]:
    """Return the nodes of a tree, except divisions that must leave a rest: `if width % 2 == 0: raise`."""
    listed = (test.values if isinstance(test, ast.BoolOp) else [test] for test in refused_conditions(tree))
    compared = [part for parts in listed for part in parts if isinstance(part, ast.Compare)]
    wholes = [part.left for part in compared if ast.unparse(part).endswith(" == 0")]
    return (node for node in ast.walk(tree) if node not in wholes)


def _parted(spec: ModuleSpec) -> Iterator[Division]:
    """Yield the dims of arguments that methods split: `jnp.split(x, 2, axis=-1)`, `x[..., 1::2]`."""
    for call in spec.calls:
        arrays = array_arguments(call)
        for name, axis, number in (part for node in ast.walk(parsed(call.text)) for part in _parts(node)):
            dims = arrays[name].dims if name in arrays else ()
            if -len(dims) <= axis < len(dims) and dims[axis].isidentifier():
                yield dims[axis], number


def _parts(node: ast.AST) -> Iterator[tuple[str, int, str]]:
    """Yield the name of an array that is split, the axis, and the number of parts."""
    match node:
        case ast.Call(func=ast.Attribute(attr="split"), args=[ast.Name(id=name), parts, *_]):
            said = argument_of(node, 2, "axis")
            axis = 0 if said is None else whole_number(said)
            number = whole_number(parts)
            if number is not None and axis is not None:
                yield name, axis, str(number)
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            # `[1::2]`, or `[..., 1::2]`: what another index before it says of the axis is not read
            written = re.fullmatch(r"(\.\.\., )?1::(\d+)", ast.unparse(index).strip("()"))
            if written:
                yield name, -1 if written[1] else 0, written[2]
        case _:
            pass


def divisions_beside(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Division]:
    """Yield the sizes that a class passes to other classes of its file, which divide them."""
    others = [known[name] for name in siblings(spec) if name in known and divisions(known[name])]
    kept = {f"self.{name}": value for name, value in made_attributes(spec.making)} if others else {}
    for source in class_sources(spec) if others else ():
        values = {**kept, **dict(local_values(source))}
        calls = [*nodes_of(ast.Call, parsed(source))]
        for other in others:
            for call in (call for call in calls if ast.unparse(call.func) == other.name):
                yield from _handed_on(call, other, values)


def _handed_on(call: ast.Call, other: ModuleSpec, values: Mapping[str, ast.expr]) -> Iterator[Division]:
    """Yield the divisions of another class, in the names that a call passes to that class.

    `values` holds the expressions of local names. If such an expression is itself a quotient, the divisors
    are multiplied.
    """
    taken = parameters(other)
    given = {each.name: argument_of(call, place, each.name) for place, each in enumerate(taken)}
    for name, divisor in divisions(other):
        divided, number = given.get(name), _in_terms_of(given, other, divisor)
        share = values.get(ast.unparse(divided), divided) if divided is not None else None
        if isinstance(share, ast.BinOp) and isinstance(share.op, ast.FloorDiv):
            # A share is a multiple where what is shared is one of both.
            by = _divisor(share.right)
            divided, number = share.left, by and number and f"{by} * ({number})"
        if isinstance(divided, ast.Name) and number:
            yield divided.id, number


def _in_terms_of(given: Mapping[str, ast.expr | None], other: ModuleSpec, divisor: str) -> str | None:
    """Write a divisor of another class in the names of the calling class, or return None."""
    names = free_names(divisor, expression=True)
    said = {name: node for name in names if (node := given.get(name)) is not None}
    texts = {name: _divisor(node) for name, node in said.items()}
    texts |= {name: str(_size(other, {}, name)) for name in names if name not in said}
    known = {name: text for name, text in texts.items() if text}
    return with_sizes(divisor, known) if len(known) == len(texts) else None


def class_sources(spec: ModuleSpec) -> list[str]:
    """Return the Python of a class: its methods, and the expressions that make its fields."""
    made = (source for field in spec.fields for source in sources_of(field))
    return [dedented(source) for source in (*(call.text for call in spec.calls), spec.setup, *made)]


def _division(node: ast.AST) -> Iterator[Division]:
    match node:
        case ast.BinOp(left=left, op=ast.Mod(), right=ast.Constant() as right):
            divided, by = left, right
        case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Mod(), right=right) if not whole_number(right):
            divided, by = left, right
        case ast.Call(func=ast.Attribute(attr="arange"), args=[_, end, ast.Constant() as step]):
            divided, by = end, step  # as of the frequencies of an encoding, a sine and a cosine each
        case ast.Call(func=ast.Attribute(attr=layer) | ast.Name(id=layer)) if layer in _LAYERS:
            divided, by = (argument_of(node, place, *names) for place, names in _LAYERS[layer])
        case _:
            return
    name = None if divided is None else _value_of_pair(divided)
    divisor = None if by is None else _divisor(by)
    if name is not None and divisor is not None:
        yield name, divisor


def _divisor(node: ast.expr) -> str | None:
    """Write a divisor as arithmetic over names, without `self.`, or return None."""
    match node:
        case ast.Constant():
            return str(node.value) if whole_number(node) else None
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            parts = _divisor(left), _divisor(right)
            return None if None in parts else f"{parts[0]} * {parts[1]}"
        case _:
            return _value_of_pair(node)


def _value_of_pair(node: ast.expr) -> str | None:
    """Return the name that an expression reads, if need be by a constant index: `size` of `self.size[0]`."""
    match node:
        case ast.Subscript(value=several, slice=ast.Constant()):
            return named_value(several)
        case _:
            return named_value(node)


def multiplied(spec: ModuleSpec, sized: dict[str, int], free: Iterable[str]) -> dict[str, int]:
    """Return the sizes, with each free size a multiple of its divisors."""
    result, names = dict(sized), {*free}
    for _ in range(_ROUNDS):
        for name, divisor in divisions(spec):
            if name in names and name != divisor and _rest(spec, result, name, divisor):
                size, by = result[name], _size(spec, result, divisor)
                result[name] = size * by if by % size == 0 else lcm(size, by)  # more than one part
    return result


def all_divide(spec: ModuleSpec, sized: Mapping[str, int], usual: Mapping[str, int]) -> bool:
    """Whether each division without a rest among the usual sizes has no rest among these."""
    return all(_rest(spec, usual, *pair) or not _rest(spec, sized, *pair) for pair in divisions(spec))


def _rest(spec: ModuleSpec, sized: Mapping[str, int], name: str, divisor: str) -> int:
    return _size(spec, sized, name) % _size(spec, sized, divisor)


def _size(spec: ModuleSpec, sized: Mapping[str, int], expression: str) -> int:
    """Evaluate arithmetic over sizes and defaults, with 1 for an unknown size."""
    defaults = {parameter.name: literal_or_none(parameter.default or "") for parameter in parameters(spec)}
    named = {name: sized.get(name) or defaults.get(name) for name in free_names(expression, expression=True)}
    known = {name: size if type(size) is int and size > 0 else 1 for name, size in named.items()}
    return int(evaluate(expression, known))
