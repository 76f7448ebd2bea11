"""Sizes as methods name them: locals that are dims, and axes cut to the length of another axis."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from scaffold.source.expressions import (
    elements_of,
    local_values,
    nodes_of,
    parsed,
    shapes_unpacked,
    whole_number,
)
from scaffold.source.instance import attribute_of_self, calls, last_name, named_value
from scaffold.source.lists import argument_of
from scaffold.spec.construction.arithmetic import measured
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.grammar.types import ArrayType, ScalarType, Type, dim_names, dims_in
from scaffold.spec.model import Call, ModuleSpec, types_of
from scaffold.spec.once import once

_INT = ScalarType("int")
_CONVOLVES = re.compile(r"conv|correlat")
_OF_SPLIT = ("ary", "indices_or_sections", "axis")
_STEPS = 4
"""The least number of steps that show their order, also after one of them is cut off."""
_TAKE_LARGEST = ("top_k", "approx_max_k", "approx_min_k")


def dims_of_names(spec: ModuleSpec) -> dict[str, str]:
    """Return the dims for which local names stand, such as `size` after `length, size = x.shape`."""
    held = {f"self.{field.name}": field.array for field in spec.stored if field.array is not None}
    lengths = dict(_lengths(held))
    values = (pair for call in spec.calls for pair in local_values(call.text)) if lengths else ()
    of_fields = {name: lengths[text] for name, value in values if (text := ast.unparse(value)) in lengths}
    return of_fields | {name: dim for call in spec.calls for name, dim in _named(call)}


@once
def limits(spec: ModuleSpec) -> tuple[tuple[str, str], ...]:
    """Return pairs of dims, the first of which is not larger, such as rows in `self.positions[: x.shape[0]]`.

    If both are equal, each row is used.
    """
    return tuple(pair for call in spec.calls for pair in _cut(spec, call))


@once
def shares_split(spec: ModuleSpec) -> tuple[tuple[str, str], ...]:
    """Return pairs of sizes, the first of which is smaller.

    An example is `inner` and the axis of `jnp.split(x, [self.inner])`.
    """
    return tuple(pair for call in spec.calls for pair in split_by(call))


def split_by(call: Call) -> Iterator[tuple[str, str]]:
    """Yield the pairs of `shares_split` in one method."""
    arrays = array_arguments(call) if "split(" in call.text else {}
    for node in nodes_of(ast.Call, parsed(call.text)) if arrays else ():
        array, at, along = (argument_of(node, place, name) for place, name in enumerate(_OF_SPLIT))
        dims = arrays[array.id].dims if isinstance(array, ast.Name) and array.id in arrays else ()
        axis = 0 if along is None else whole_number(along)
        names = map(named_value, at.elts) if isinstance(at, ast.List | ast.Tuple) else ()
        if last_name(node) == "split" and axis is not None and -len(dims) <= axis < len(dims):
            yield from ((name, dims[axis]) for name in names if name)


def is_share(part: str, whole: str, every: Mapping[str, int]) -> bool:
    """Whether a size is smaller than another, or one of the two is unknown."""
    sizes = measured(part, every), measured(whole, every)
    return sizes[0] is None or sizes[1] is None or sizes[0] < sizes[1]


@once
def data_lengths(spec: ModuleSpec) -> frozenset[str]:
    """Return the dims that only arguments of calls have: numbers of points, times or samples."""
    return dims_of_calls(spec, results=False) - _held_sizes(spec)


@once
def lengths_by_bounds(spec: ModuleSpec) -> dict[str, int]:
    """Return a length for data dims, so that steps show their order.

    Counts also lie on both sides of a default.
    `jnp.sum(nights < 0, axis=0) > limit` is always false if there are no more than `limit` nights.
    """
    free, least = data_lengths(spec), dict[str, int]()
    for call in spec.calls:
        bound = _default_bound(call)
        dims = free.intersection(dims_in(array_arguments(call).values()))
        least |= {dim: max(least.get(dim, 0), 2 * bound) for dim in dims if bound}
        least |= {dim: max(least.get(dim, 0), _STEPS) for dim in free.intersection(_stepped(call))}
    return least


def _stepped(call: Call) -> Iterator[str]:
    """Yield the dims along which a method scans, loops or cuts off entries, as by `tags[1:]`."""
    arrays = array_arguments(call)
    lengths = {**dict(_lengths(arrays)), **dict(_names_of_sizes(arrays, call.text))} if arrays else {}
    for node in ast.walk(parsed(call.text)) if arrays else ():
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=index) if name in arrays:
                pairs = zip(elements_of(index), arrays[name].dims, strict=False)
                yield from (dim for part, dim in pairs if _cuts_off(part))
            case ast.Call(args=arguments) if last_name(node) in ("scan", "fori_loop"):
                rows = argument_of(node, 2, "xs") if last_name(node) == "scan" else None
                ends = arguments[:2] if last_name(node) == "fori_loop" else [rows] if rows else []
                named = (part for end in ends for part in elements_of(end))
                yield from (dim for part in named for dim in _dims_gone_through(part, arrays, lengths))
            case ast.For(iter=over) | ast.comprehension(iter=over):
                yield from _dims_gone_through(over, arrays, lengths)
            case _:
                pass


def _cuts_off(part: ast.expr) -> bool:
    """Whether an index leaves out a fixed number of entries at an end: `1:` or `:-1`."""
    ends = (part.lower, part.upper) if isinstance(part, ast.Slice) and part.step is None else ()
    return any(whole_number(end) for end in ends)


def _dims_gone_through(
    over: ast.expr, arrays: Mapping[str, ArrayType], lengths: Mapping[str, str]
) -> Iterator[str]:
    """Yield the dims of the rows or of the numbers that a loop goes through."""
    match over:
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)) if name in arrays:
            yield arrays[name].dims[0]
        case ast.Call(args=parts) if last_name(over) in ("range", "zip", "enumerate", "reversed", "arange"):
            for part in parts:
                yield from _dims_gone_through(part, arrays, lengths)
        case _ if ast.unparse(over) in lengths:
            yield lengths[ast.unparse(over)]
        case _:
            pass


def _default_bound(call: Call) -> int:
    """Return the largest default number with which a method compares a count, or 0."""
    pairs = ((argument, argument.default or "") for argument in call.args)
    counts = {
        argument.name: int(text) for argument, text in pairs if argument.type == _INT and text.isdigit()
    }
    tests = nodes_of(ast.Compare, parsed(call.text)) if counts else ()
    sides = (side for test in tests for side in (test.left, *test.comparators))
    return max((counts.get(named_value(side) or "", 0) for side in sides), default=0)


@once
def cutting_sizes(spec: ModuleSpec) -> frozenset[str]:
    """Return the sizes of a class by which calls cut data.

    Examples are `modes` of `spectrum[: self.modes]`, and the window of `jnp.convolve(x, self.window)` or
    `x.shape[0] - self.window_size`.
    """
    inner = _held_sizes(spec) - dims_of_calls(spec, results=False)
    nodes = (node for call in spec.calls for node in ast.walk(parsed(call.text))) if inner else ()
    dims = dims_of_names(spec) if inner else {}
    return inner.intersection(dims.get(name, name) for node in nodes for name in _cut_by(spec, node))


@once
def counts_taken(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the arguments that say how many elements to take, for which the tests choose few.

    Examples are `count` of `directions[:count]`, `k` of `top_k(x, k)`, and the number of draws without
    replacement.
    """
    fixed = _held_sizes(spec) | dims_of_calls(spec, results=False)
    of_methods = [
        argument
        for call in spec.calls
        for argument in call.args
        if argument.name not in fixed
        if argument.name in map(named_value, (*_all_ends(call), *_top_counts(call)))
    ]
    kept = {attribute_of_self(count) for call in spec.calls for count in _top_counts(call)}
    of_constructor = [argument for argument in parameters(spec) if argument.name in kept]
    counts = (each for each in (*of_methods, *of_constructor) if each.type == _INT)
    dims = dims_of_calls(spec, results=True)  # which have a size here, and no default
    return tuple(each.name for each in counts if each.default is None or each.name in dims)


def _all_ends(call: Call) -> Iterator[ast.expr]:
    ends = (end for node in nodes_of(ast.Subscript, parsed(call.text)) for end in _ends(node))
    return filter(None, ends)


def _top_counts(call: Call) -> Iterator[ast.expr]:
    """Yield the counts in calls such as `top_k(x, k)` and `choice(key, n, (k,), replace=False)`."""
    for node in nodes_of(ast.Call, parsed(call.text)):
        if last_name(node) in _TAKE_LARGEST:
            yield from filter(None, [argument_of(node, 1, "k")])
        elif last_name(node) == "choice" and _draws_without_replacement(node):
            shape = argument_of(node, 2, "shape")
            yield from elements_of(shape) if shape is not None else ()


def _draws_without_replacement(call: ast.Call) -> bool:
    replace = argument_of(call, 3, "replace")
    return isinstance(replace, ast.Constant) and replace.value is False


def _cut_by(spec: ModuleSpec, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Subscript(value=array) if attribute_of_self(array) is None:
            yield from filter(None, (end and named_value(end) for end in _ends(node)))
        case ast.Call(func=ast.Attribute(attr=function), args=arguments) if _CONVOLVES.search(function):
            read = nodes_of(ast.Attribute, *arguments)
            fields = (spec.field(attribute_of_self(attribute) or "") for attribute in read)
            yield from _names_of_dims(field.type for field in fields if field is not None)
        case ast.BinOp(
            left=ast.Subscript(value=ast.Attribute(attr="shape")) | ast.Call(func=ast.Name(id="len")),
            op=ast.Sub(),
            right=size,
        ):
            yield from filter(None, (named_value(size),))
        case _:
            pass


def _ends(node: ast.Subscript) -> list[ast.expr | None]:
    """Return the end of each axis that is cut from its beginning on: `n` of `x[:n]`, else None."""
    parts = elements_of(node.slice)
    return [part.upper if isinstance(part, ast.Slice) and part.lower is None else None for part in parts]


def _held_sizes(spec: ModuleSpec) -> frozenset[str]:
    numbers = {parameter.name for parameter in parameters(spec) if parameter.type == _INT}
    given = (parameter.type for parameter in parameters(spec) if parameter.type is not None)
    return _names_of_dims((*types_of(spec.fields), *given)) | numbers


def dims_of_calls(spec: ModuleSpec, *, results: bool) -> frozenset[str]:
    """Return the dims of the arguments of call and methods, and with `results` of their results."""
    calls = [function.call for _, function in spec.functions if function is not spec.own_constructor]
    return _names_of_dims(kind for call in calls for kind in (call.types if results else types_of(call.args)))


def _names_of_dims(kinds: Iterable[Type]) -> frozenset[str]:
    return frozenset(name for dim in dims_in(kinds) for name in dim_names(dim))


def _cut(spec: ModuleSpec, call: Call) -> Iterator[tuple[str, str]]:
    if "[:" not in call.text:
        return
    dims = {**dict(_named(call)), **dict(_lengths(array_arguments(call)))}
    for node in nodes_of(ast.Subscript, parsed(call.text)):
        field = spec.field(attribute_of_self(_stopped(node.value)) or "")
        held = field.array.dims if field is not None and field.array is not None else ()
        for end, dim in zip(_ends(node), held, strict=False):
            length = dims.get(ast.unparse(end), "") if end is not None else ""
            if length:
                yield length, dim


def _stopped(node: ast.expr) -> ast.expr:
    """Return the argument of `stop_gradient`, which wraps a buffer, or the expression itself."""
    match node:
        case ast.Call(args=[array]) if calls(node, "stop_gradient"):
            return array
        case _:
            return node


def _named(call: Call) -> Iterator[tuple[str, str]]:
    return _names_of_sizes(array_arguments(call), call.text)


def sizes_written(spec: ModuleSpec) -> dict[str, str]:
    """Return how the constructor writes the sizes of its arrays, each with its dim.

    It writes `x.shape[0]`, or `n` after `n = len(x)`.
    """
    kinds = {each.name: each.type for each in parameters(spec) if isinstance(each.type, ArrayType)}
    plain = {name: kind for name, kind in kinds.items() if not any(dim.startswith("*") for dim in kind.dims)}
    return {**dict(_lengths(plain)), **dict(_names_of_sizes(plain, spec.making))}


def _names_of_sizes(kinds: Mapping[str, ArrayType], code: str) -> Iterator[tuple[str, str]]:
    """Yield the local names that stand for sizes of arrays, each with its dim."""
    for array, names in shapes_unpacked(code):
        kind = kinds.get(ast.unparse(array))
        for name, dim in zip(names, kind.dims, strict=True) if kind and len(kind.dims) == len(names) else ():
            yield from ((name.id, dim),) if isinstance(name, ast.Name) else ()
    lengths = dict(_lengths(kinds))
    values = ((name, ast.unparse(value)) for name, value in local_values(code))
    yield from ((name, lengths[text]) for name, text in values if text in lengths)


def _lengths(arrays: Mapping[str, ArrayType]) -> Iterator[tuple[str, str]]:
    """Yield the Python for the size of each axis, `len(x)` and `x.shape[0]`, each with its dim."""
    for name, kind in arrays.items():
        yield from [(f"len({name})", kind.dims[0])] if kind.dims else []
        for axis, dim in enumerate(kind.dims):
            yield from ((f"{name}.shape[{axis}]", dim), (f"{name}.shape[{axis - len(kind.dims)}]", dim))


def array_arguments(call: Call) -> dict[str, ArrayType]:
    """Return the types of the arguments that are arrays with axes."""
    kinds = {argument.name: argument.type for argument in call.args}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, ArrayType) and kind.dims}
