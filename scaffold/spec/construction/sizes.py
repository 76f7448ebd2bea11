"""Sizes of dims for the generated tests: distinct small primes, so that a transposed shape shows."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from math import prod
from typing import Any, cast

from scaffold.errors import Fault
from scaffold.mesh_axes import axes_of
from scaffold.spec.construction.constructor import dims_of, parameters, variadic_dims
from scaffold.spec.grammar.types import (
    LARGEST,
    ArrayType,
    ListType,
    ScalarType,
    TupleType,
    Type,
    UnionType,
    arrays,
    dim_names,
)
from scaffold.spec.model import ModuleSpec

_ARITHMETIC: dict[type, Callable[[int, int], int]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
}
_TRIES = 12
DEVICES = 8
"""A dim with a mesh axis has a multiple of it: the laws of sharding run on so many devices."""
CHOSEN_ELEMENTS = 2**16
"""How many elements an array has at most where the sizes are chosen here: the tests make many copies."""
LARGEST_EXAMPLE = 2**20
"""How many all of them may have together where the author chooses."""


def primes() -> Iterator[int]:
    """2, 3, 5, 7, …: distinct sizes show a transposed shape."""
    index = 0
    while True:
        yield _prime(index)
        index += 1


@cache
def _prime(index: int) -> int:
    smaller = [_prime(below) for below in range(index)]
    first = smaller[-1] + 1 if smaller else 2
    return next(number for number in range(first, 2 * first) if all(number % prime for prime in smaller))


def sizes(spec: ModuleSpec) -> dict[str, int]:
    """A size for every dim and every int argument that has no default: such that no dim is empty, if they can be; worked out once."""
    if "sizes" not in spec.worked_out:
        spec.worked_out["sizes"] = _sizes(spec)
    return spec.worked_out["sizes"]


def _sizes(spec: ModuleSpec) -> dict[str, int]:
    values = {name: int(source) for name, source in spec.test.values if _is_size(source)}
    chosen = {**dict(_shown_by_values(spec)), **values, **dict(spec.test.sizes)}
    wanted = [name for name in _sized_names(spec) if name not in chosen]
    whole = {name: DEVICES if axes_of(name, spec.sharding or ()) else 1 for name in wanted}

    def tried() -> Iterator[dict[str, int]]:
        for free in _choices(len(wanted), chosen):
            yield {**chosen, **{name: whole[name] * size for name, size in zip(wanted, free, strict=True)}}

    small = ({**chosen, **dict(zip(wanted, free, strict=True))} for free in _small(len(wanted)))
    fitting = (sized for sized in chain(tried(), small) if all_fit(spec, sized))
    positive = (sized for sized in tried() if all_positive(spec, sized))
    return next(fitting, None) or next(positive, None) or next(tried())


def _small(count: int) -> Iterator[list[int]]:
    """Sizes for so many dims that an array with distinct ones would be huge: 2 and 3 in turn, then ones."""
    for several in range(min(count, 2 * _TRIES), 0, -1):
        yield [2 + index % 2 for index in range(several)] + [1] * (count - several)


def _shown_by_values(spec: ModuleSpec) -> Iterator[tuple[str, int]]:
    """The sizes of dims that example values of arrays show, where these are literals."""
    called = spec.call.args if spec.call is not None else ()
    kinds = {one.name: one.type for one in (*called, *parameters(spec))}
    for name, source in spec.test.values:
        kind = kinds.get(name)
        shape = _shape_of(source) if isinstance(kind, ArrayType) else ()
        dims = kind.dims if isinstance(kind, ArrayType) and len(kind.dims) == len(shape) else ()
        yield from (
            (dim, size) for dim, size in zip(dims, shape, strict=False) if dim.isidentifier() and size
        )


def _shape_of(source: str) -> tuple[int, ...]:
    """The shape of nested lists or tuples of numbers; () of anything else."""
    try:
        value = ast.literal_eval(source)
    except (SyntaxError, ValueError):
        return ()
    shape: list[int] = []
    while isinstance(value, list | tuple) and value:
        items = cast("list[Any]", value)
        shape.append(len(items))
        value = items[0]
    return tuple(shape)


def _is_size(source: str) -> bool:
    return source.isascii() and source.isdigit() and 0 < int(source) < LARGEST


def _choices(count: int, chosen: Mapping[str, int]) -> Iterator[list[int]]:
    """Distinct primes that are not taken: rising, then falling, from 2 and from larger ones."""
    free = (prime for prime in primes() if prime not in chosen.values())
    listed = [next(free) for _ in range(count + _TRIES)]
    for start in range(_TRIES):
        yield listed[start : start + count]
        yield listed[start : start + count][::-1]


def _sized_names(spec: ModuleSpec) -> Iterable[str]:
    fixed = variadic_dims(spec) | {name for name, _ in spec.test.values}
    ints = (one.name for one in parameters(spec) if is_int(one.type) and one.default is None)
    return dict.fromkeys(name for name in (*dims_of(spec), *ints) if name not in fixed)


def is_int(kind: Type | None) -> bool:
    """Whether an int is the first thing that the type takes."""
    first = kind.members[0] if isinstance(kind, UnionType) and kind.members else kind
    return first == ScalarType("int")


def _plain_dims(spec: ModuleSpec) -> dict[str, str]:
    """Each dim that is not `*shape`, and where it is first."""
    found: dict[str, str] = {}
    for kind, place in _placed_types(spec):
        for dim in (dim for array in arrays(kind) for dim in array.dims if not dim.startswith("*")):
            found.setdefault(dim, f"{place}")
    return found


def _placed_types(spec: ModuleSpec) -> Iterator[tuple[Type, str]]:
    yield from ((field.type, f"fields.{field.name}.type") for field in spec.fields)
    yield from ((one.type, "arguments") for one in spec.arguments if one.type is not None)
    if spec.call is not None:
        yield from ((one.type, "call.args") for one in spec.call.args if one.type is not None)
        yield from ((kind, "call.returns") for kind in spec.call.returns)


def _is_positive(dim: str, values: Mapping[str, int]) -> bool:
    try:
        return 0 < evaluate(dim, values) < LARGEST
    except (KeyError, ZeroDivisionError):
        return False


def evaluate(dim: str, values: Mapping[str, int]) -> int:
    """The value of a dim such as `4*hidden`."""
    return _evaluate(_parsed(dim), values)


@cache
def _parsed(dim: str) -> ast.expr:
    return ast.parse(dim, mode="eval").body


def _evaluate(node: ast.expr, values: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            return values[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](_evaluate(left, values), _evaluate(right, values))
        case _:
            raise ValueError(ast.unparse(node))


def several(spec: ModuleSpec, name: str) -> tuple[int, ...] | None:
    """The sizes for which `*name` stands in the tests; None where only running an expression would tell."""
    shape = dict(spec.test.shapes).get(name)
    if shape is not None:
        return shape
    parameter = next((one for one in parameters(spec) if one.name == name), None)
    source = dict(spec.test.values).get(name) or (parameter.default if parameter else None)
    if source is not None:
        return _shape(source)
    return _example(parameter.type) if parameter is not None else (2, 3)


def _shape(source: str) -> tuple[int, ...] | None:
    try:
        value = ast.literal_eval(source)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    listed = cast("list[Any]", value) if isinstance(value, tuple | list) else [value]
    return tuple(listed) if all(type(one) is int and 0 < one < LARGEST for one in listed) else None


def _example(kind: Type | None) -> tuple[int, ...] | None:
    match kind:
        case ScalarType(name="int"):
            return (3,)
        case TupleType(items=items, variadic=variadic):
            return (2, 3) if variadic else (3,) * len(items)
        case ListType():
            return (3, 3)
        case UnionType(members=members):
            return _example(members[0])
        case _:
            return None


def size_faults(spec: ModuleSpec, place: str) -> Iterator[Fault]:
    """Dims that cannot be sized, and arrays that would be empty or too large."""
    sized = sizes(spec)
    for name in sorted(variadic_dims(spec)):
        if several(spec, name) is None:
            fix = f"write `[test]` and `sizes = {{ {name} = [2, 3] }}`"
            yield Fault(place, f"the sizes of `*{name}` are not known without running it", fix)
    for dim, where in _plain_dims(spec).items():
        unsized = [name for name in dim_names(dim) if name not in sized]
        names = ", ".join(f"{name} = 3" for name in dict.fromkeys(unsized or dim_names(dim)))
        fix = f"write `[test]` and `sizes = {{ {names} }}`, with sizes that fit" if names else "mend the dim"
        if unsized:
            yield Fault(place, f"the size of `{unsized[0]}` is not known without running it", fix)
        elif not _is_positive(dim, sized):
            yield Fault(where, f"the dim `{dim}` {_outcome(dim, sized)} in the tests", fix)
    yield from _too_large(spec, sized)


def _outcome(dim: str, sized: Mapping[str, int]) -> str:
    with_sizes = ", ".join(f"{name} = {sized[name]}" for name in dict.fromkeys(dim_names(dim)))
    told = f" with {with_sizes}," if with_sizes else ""
    try:
        return f"is {evaluate(dim, sized)}{told}".removesuffix(",")
    except ZeroDivisionError:
        return f"divides by zero{told}".removesuffix(",")


def _elements(spec: ModuleSpec, sized: Mapping[str, int]) -> list[tuple[int, str]]:
    """How many elements the example of each array has, and where it is declared; those that are empty do not count."""
    found = [(array, place) for kind, place in _placed_types(spec) for array in arrays(kind)]
    return [(count, place) for array, place in found if (count := _product(spec, array, sized)) > 0]


def _product(spec: ModuleSpec, array: ArrayType, sized: Mapping[str, int]) -> int:
    sizes_of_dims = (_sizes_of(spec, dim, sized) for dim in array.dims)
    return prod(size for sizes in sizes_of_dims for size in sizes)


def _sizes_of(spec: ModuleSpec, dim: str, sized: Mapping[str, int]) -> tuple[int, ...]:
    if dim.startswith("*"):
        return several(spec, dim[1:]) or ()
    return (evaluate(dim, sized),) if _is_positive(dim, sized) else (0,)


def all_fit(spec: ModuleSpec, sized: Mapping[str, int]) -> bool:
    """Whether no array is empty, and all are small enough to make many copies of."""
    return all_positive(spec, sized) and all(count <= CHOSEN_ELEMENTS for count, _ in _elements(spec, sized))


def _too_large(spec: ModuleSpec, sized: Mapping[str, int]) -> Iterator[Fault]:
    """Arrays of which the tests could not make the copies that they need."""
    counts = _elements(spec, sized)
    if sum(count for count, _ in counts) <= LARGEST_EXAMPLE:
        return
    count, place = max(counts)
    what = f"the arrays of the tests are too large: this one has {_shown(count)} elements, and all may have {LARGEST_EXAMPLE}"
    fix = "give its large dims names, and small sizes in `[test]`: `sizes = { size = 3 }`"
    yield Fault(f"{place}", what, fix)


def _shown(count: int) -> str:
    return str(count) if count < 10**12 else "more than 10**12"


def other_size(spec: ModuleSpec, name: str, sized: Mapping[str, int]) -> int | None:
    """A size for `name` that no dim has and with which no dim is empty."""
    untaken = (prime for prime in primes() if prime not in sized.values())
    tried = (next(untaken) for _ in range(_TRIES))
    candidates = list(tried)
    fitting = (one for one in candidates if all_fit(spec, {**sized, name: one}))
    positive = (one for one in candidates if all_positive(spec, {**sized, name: one}))
    return next(fitting, None) or next(positive, None)


def all_positive(spec: ModuleSpec, sized: Mapping[str, int]) -> bool:
    """Whether no array is empty with these sizes."""
    return all(_is_positive(dim, sized) for dim in _plain_dims(spec))
