"""Sizes of dims for the generated tests: distinct small primes, so that a transposed shape is noticed."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, islice
from math import prod
from typing import Any, cast

from scaffold.errors import Fault
from scaffold.mesh_axes import axes_of
from scaffold.source.expressions import nodes_of, parsed
from scaffold.source.taken_sizes import NAMED_SIZE, sizes_taken
from scaffold.spec.construction import guards, local_sizes
from scaffold.spec.construction.arithmetic import evaluate, measured, primes
from scaffold.spec.construction.constructor import dims_of, parameters, variadic_dims, written_dims
from scaffold.spec.construction.divisions import all_divide, least_sizes, multiplied
from scaffold.spec.construction.made_dims import dims_of_arguments, settings_as_long
from scaffold.spec.grammar import types
from scaffold.spec.grammar.named_dims import AXIS
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once

_TRIES = 12
_ORDERED = 3
"""The least number of integers in an array, if possible, since an order of two is its own inverse."""
_DIMS = re.compile(r"(^|_)(ndims?|n_dims?|num_\w*dims?)$")
"""Names for numbers of axes, since a grid grows with the power of that number."""
_FEW = 2
"""The size of counts such as `k` of `top_k(x, k)`, and of numbers of axes."""
SMALL = 32
"""The largest default that the tests take as a size."""
DEVICES = 8
"""The number of devices in the laws of sharding. A dim with a mesh axis is a multiple of it."""
CHOSEN_ELEMENTS = 2**16
"""The most elements of an array whose sizes are chosen here, since the tests make many copies."""
LARGEST_EXAMPLE = 2**20
"""The most elements of all arrays together, if the author chooses their sizes."""
Sizes = Mapping[str, int]


# -- the choice --------------------------------------------------------------------------------------------------------


@once
def sizes(spec: ModuleSpec) -> dict[str, int]:
    """Choose a size for every dim and every required int argument, if possible so that no dim is empty."""
    values = {name: int(source) for name, source in spec.test.values if guards.is_size(source)}
    defaults = {**dict(spec.constants), **_default_sizes(spec)}
    chosen = {
        **dict.fromkeys((*local_sizes.counts_taken(spec), *filter(_DIMS.search, _sized_names(spec))), _FEW),
        **_small_defaults(spec, defaults, {*values.values(), *dict(spec.test.sizes).values()}),
        **dict(guards.shown_by_values(spec)),
        **values,
        **dict(spec.test.sizes),
    }
    named = [name for name in _sized_names(spec) if name not in chosen]
    candidates = _ties(spec, chosen)
    tied = _grounded(
        {dim: size for dim, size in candidates.items() if dim not in chosen}, {*named, *chosen, *defaults}
    )
    wanted = [name for name in named if name not in tied]
    whole = {name: DEVICES if axes_of(name, spec.sharding or ()) else 1 for name in wanted}
    lengths = local_sizes.data_lengths(spec).intersection(wanted)
    bounds = {**least_sizes(spec), **local_sizes.lengths_by_bounds(spec)}
    inner = {name for name in local_sizes.cutting_sizes(spec) if whole.get(name, 1) == 1}

    def sized(free: list[int]) -> dict[str, int]:
        wholes = {name: whole[name] * size for name, size in zip(wanted, free, strict=True)}
        every = {**chosen, **wholes}
        for name in (name for name in wanted if name in bounds and every[name] < SMALL):
            every = lengthened(every, [name], min(bounds[name], SMALL))
        # Twice as long as what is chosen here, as a spectrum asks for; the author's own sizes are large already.
        cut = [(1 + (name in wholes)) * every[name] for name in inner & every.keys()]
        every = lengthened(every, sorted(lengths, key=wanted.index), max(cut, default=0))
        return with_tied(multiplied(spec, every, wanted))

    def with_tied(every: dict[str, int]) -> dict[str, int]:
        sized_dims = dict(every)
        for dim, size in tied.items():
            number = _size(size, {**defaults, **sized_dims})
            sized_dims |= {dim: number} if number else {}
        return sized_dims

    choices = sorted(
        _choices(len(wanted), chosen, _fixed_sizes(spec)),
        key=lambda free: _misses(spec, dict(zip(wanted, free, strict=True))),
    )
    small = (with_tied({**chosen, **dict(zip(wanted, free, strict=True))}) for free in _small(len(wanted)))
    return _best(spec, chain(map(sized, choices), small), map(sized, choices)) or sized(choices[0])


def _ties(spec: ModuleSpec, chosen: Collection[str]) -> dict[str, str]:
    """Return the dims whose size another dim or the constructor determines, each with that size."""
    # Both ways, where the size is known of what is tied alone.
    turned = {size: dim for dim, size in spec.test.ties if dim in chosen and size.isidentifier()}
    made = {**settings_as_long(spec), **dims_of_arguments(spec)}
    said = {**dict(local_sizes.limits(spec)), **made, **guards.required_sizes(spec)}
    return {**said, **dict(spec.test.ties), **turned}


def _grounded(ties: Mapping[str, str], known: Collection[str]) -> dict[str, str]:
    """Return the ties that lead to known sizes, each after the ties it reads. Cycles are left out."""
    grounded: dict[str, str] = {}
    sized = {*known} - ties.keys()
    while ready := {
        dim: size
        for dim, size in ties.items()
        if dim not in sized and sized.issuperset(types.dim_names(size))
    }:
        grounded |= ready
        sized |= ready.keys()
    return grounded


def lengthened(every: dict[str, int], lengths: Iterable[str], least: int) -> dict[str, int]:
    """Replace lengths below `least` by distinct primes above it, so that data exceed a window on them."""
    taken = {*every.values()}
    for name in (name for name in lengths if every[name] < least):
        every[name] = next(prime for prime in primes() if prime > least and prime not in taken)
        taken.add(every[name])
    return every


def _size(expression: str, every: Sizes) -> int:
    """Evaluate an expression as a size, or return 0 if it is none or reads an unknown size."""
    number = measured(expression, every)
    return int(number) if number is not None and number % 1 == 0 and 0 < number < types.LARGEST else 0


def other_size(spec: ModuleSpec, name: str, sized: Sizes) -> int | None:
    """Return a size for `name` that no dim has and that leaves no dim empty, or None."""
    untaken = (prime for prime in primes() if prime not in sized.values())
    multiples = (factor * sized[name] for factor in range(2, _TRIES))
    others = [*islice(untaken, _TRIES), *multiples, *range(1, sized[name])]
    least = min(least_sizes(spec).get(name, 0), sized[name])
    candidates = [{**sized, name: size} for size in others if size >= least and size not in sized.values()]
    tried = [candidate for candidate in candidates if all_divide(spec, candidate, sized)]
    best = _best(spec, tried, tried)
    return best[name] if best is not None else None


def _best(
    spec: ModuleSpec, tried: Iterable[dict[str, int]], otherwise: Iterable[dict[str, int]]
) -> dict[str, int] | None:
    """Return the first sizes with which all arrays fit, or else the first without an empty array."""
    fitting = (candidate for candidate in tried if all_fit(spec, candidate))
    return next(fitting, None) or next(
        (candidate for candidate in otherwise if all_positive(spec, candidate)), None
    )


def _small(dims: int) -> Iterator[list[int]]:
    """Yield sizes for dims so many that distinct primes would make huge arrays: 2 and 3 in turn, then
    ones."""
    for several in range(min(dims, 2 * _TRIES), 0, -1):
        yield [2 + index % 2 for index in range(several)] + [1] * (dims - several)


def _choices(dims: int, chosen: Sizes, fixed: Collection[int]) -> Iterator[list[int]]:
    """Yield distinct primes that are not taken: rising, then falling, from 2 and from larger primes."""
    taken = {*chosen.values(), *fixed}
    free = (prime for prime in primes() if prime not in taken)
    listed = [next(free) for _ in range(dims + _TRIES)]
    for start in range(_TRIES):
        yield listed[start : start + dims]
        yield listed[start : start + dims][::-1]


def _sized_names(spec: ModuleSpec) -> Iterable[str]:
    ints = [parameter for parameter in parameters(spec) if is_int(parameter.type)]
    others = {parameter.name for parameter in parameters(spec)} - {parameter.name for parameter in ints}
    fixed = variadic_dims(spec) | {name for name, _ in spec.test.values if name not in others}
    wide = _wide_defaults(spec)
    needed = (parameter.name for parameter in ints if parameter.default is None or parameter.name in wide)
    tied = dict(spec.test.ties)
    read = (name for size in tied.values() for name in types.dim_names(size) if name not in tied)
    every = dict.fromkeys(name for name in (*dims_of(spec), *needed, *read) if name not in fixed)
    return sorted(every, key=lambda name: name.startswith(AXIS))  # the small ones are for what has a name


def _wide_defaults(spec: ModuleSpec) -> set[str]:
    """Return the sizes, by name or by use, whose default squared exceeds the elements of an example array."""
    wide = {name for name, size in _default_sizes(spec).items() if size**2 > CHOSEN_ELEMENTS}
    calls = nodes_of(ast.Call, parsed(spec.making)) if wide else ()
    taken = (name for call in calls for name in sizes_taken(call))
    return wide.intersection((*taken, *filter(NAMED_SIZE.search, wide)))


def _small_defaults(spec: ModuleSpec, defaults: Sizes, taken: Collection[int]) -> dict[str, int]:
    """Return dims with a small default of their own, which tells a reader more than a prime.

    A default that another dim has too is left out, since sizes must tell dims apart.
    """
    counts = {name: size for name, size in defaults.items() if name in dims_of(spec) and 1 < size <= SMALL}
    every = [*counts.values(), *taken, *_fixed_sizes(spec)]
    return {name: size for name, size in counts.items() if every.count(size) == 1}


@once
def _fixed_sizes(spec: ModuleSpec) -> frozenset[int]:
    """Return the sizes that annotations fix, such as 3 of `points 3`, so that no other dim has them."""
    return frozenset(int(dim) for dim in written_dims(spec) if dim.isdigit())


@once
def _default_sizes(spec: ModuleSpec) -> dict[str, int]:
    """Return the int arguments of the constructor that the tests leave at their default."""
    return {
        parameter.name: int(parameter.default)
        for parameter in parameters(spec)
        if is_int(parameter.type) and parameter.default is not None and guards.is_size(parameter.default)
    }


def is_int(kind: types.Type | None) -> bool:
    """Whether a type is int, or a union with int first."""
    return types.first_member(kind) == types.ScalarType("int")


def several(spec: ModuleSpec, name: str) -> tuple[int, ...] | None:
    """Return the sizes for which `*name` stands in the tests, or None if only running code would tell."""
    shape = dict(spec.test.shapes).get(name, guards.axes_shown(spec, name))
    if shape is not None:
        return shape
    parameter = next((parameter for parameter in parameters(spec) if parameter.name == name), None)
    source = dict(spec.test.values).get(name) or (parameter.default if parameter else None)
    if source is None:
        return _example(spec, name, parameter.type) if parameter is not None else (2, 3)
    value = literal_or_none(source)
    listed = cast("list[Any]", value) if isinstance(value, tuple | list) else [value]
    return tuple(listed) if all(type(size) is int and 0 < size < types.LARGEST for size in listed) else None


def _example(spec: ModuleSpec, name: str, kind: types.Type | None) -> tuple[int, ...] | None:
    match kind:
        case types.ScalarType(name="int"):
            return (3,)
        case types.TupleType(items=items, variadic=variadic):
            return guards.example_of_ints(spec, name, is_tuple=True) if variadic else (3,) * len(items)
        case types.ListType():
            return guards.example_of_ints(spec, name, is_tuple=False)
        case types.UnionType(members=members):
            return _example(spec, name, members[0])
        case _:
            return None


# -- what fits ---------------------------------------------------------------------------------------------------------


@once
def _arrays(spec: ModuleSpec) -> tuple[tuple[types.ArrayType, str], ...]:
    """Return each array that the example needs, with the place of its declaration."""
    placed = [(field.type, f"fields.{field.name}.type") for field in spec.fields]
    placed += [(argument.type, "arguments") for argument in spec.arguments if argument.type is not None]
    placed += [(argument.type, "call.args") for argument in spec.call_arguments if argument.type is not None]
    placed += [(kind, "call.returns") for kind in (spec.call.returns if spec.call else ())]
    return tuple((array, place) for kind, place in placed for array in types.arrays(kind))


def _misses(spec: ModuleSpec, sized: Sizes) -> tuple[bool, bool]:
    """Return whether sizes miss orders of three, and whether they miss columns that can be orthogonal."""
    ordered = (sized[name] for name in sized.keys() & _dims_of_whole_numbers(spec))
    pairs = [pair for pair in _orthogonal(spec) if sized.keys() >= {*pair}]
    return any(size < _ORDERED for size in ordered), any(
        sized[rows] < sized[columns] for rows, columns in pairs
    )


@once
def _orthogonal(spec: ModuleSpec) -> tuple[tuple[str, str], ...]:
    """Return the rows and columns of matrices that begin orthogonal."""
    made = [field.array.dims for field in spec.fields if field.array and field.initialiser == "orthogonal"]
    return tuple((dims[0], dims[1]) for dims in made if len(dims) == 2)


@once
def _dims_of_whole_numbers(spec: ModuleSpec) -> set[str]:
    """Return the dims of arrays of integers or booleans: orders, indices and masks."""
    return {dim for array, _ in _arrays(spec) if not array.inexact for dim in array.dims}


@once
def _plain_dims(spec: ModuleSpec) -> dict[str, str]:
    """Return each dim except `*shape`, with its first place."""
    pairs = [(dim, place) for array, place in _arrays(spec) for dim in array.dims if dim[0] != "*"]
    return dict(reversed(pairs))


def all_positive(spec: ModuleSpec, sized: Sizes) -> bool:
    """Whether no array is empty with these sizes."""
    return all(_size(dim, sized) for dim in _plain_dims(spec))


def all_fit(spec: ModuleSpec, sized: Sizes) -> bool:
    """Whether no array is empty, all are small enough for many copies, and the constructor accepts the
    sizes."""
    counts = (_elements(spec, array, sized) for array, _ in _arrays(spec))
    every = {**_default_sizes(spec), **sized}
    is_taken = all_positive(spec, sized) and not guards.is_refused(spec, every)
    is_taken = is_taken and all(local_sizes.is_share(*pair, every) for pair in local_sizes.shares_split(spec))
    return is_taken and all(elements <= CHOSEN_ELEMENTS for elements in counts)


def _elements(spec: ModuleSpec, array: types.ArrayType, sized: Sizes) -> int:
    """Count the elements in the example of an array."""
    shapes = ((several(spec, dim[1:]) or ()) if dim[0] == "*" else (_size(dim, sized),) for dim in array.dims)
    return prod(size for shape in shapes for size in shape)


# -- faults ------------------------------------------------------------------------------------------------------------


def size_faults(spec: ModuleSpec, place: str) -> Iterator[Fault]:
    """Find dims without a size, and arrays that would be empty or too large."""
    sized = sizes(spec)
    for name in sorted(variadic_dims(spec)):
        if several(spec, name) is None:
            fix = f"write `[test]` and `sizes = {{ {name} = [2, 3] }}`"
            yield Fault(place, f"the sizes of `*{name}` are not known without running it", fix)
    for dim, where in _plain_dims(spec).items():
        unsized = [name for name in types.dim_names(dim) if name not in sized]
        names = ", ".join(f"{name} = 3" for name in dict.fromkeys(unsized or types.dim_names(dim)))
        fix = f"write `[test]` and `sizes = {{ {names} }}`, with sizes that fit" if names else "mend the dim"
        if unsized:
            yield Fault(place, f"the size of `{unsized[0]}` is not known without running it", fix)
        elif not _size(dim, sized):
            yield Fault(where, f"the dim `{dim}` {_outcome(dim, sized)} in the tests", fix)
    counts = [(_elements(spec, array, sized), where) for array, where in _arrays(spec)]
    if sum(elements for elements, _ in counts) > LARGEST_EXAMPLE:
        elements, where = max(counts)
        shown = str(elements) if elements < 10**12 else "more than 10**12"
        message = f"the arrays of the tests are too large: this one has {shown} elements, and all may have {LARGEST_EXAMPLE}"
        fix = "give its large dims names, and small sizes in `[test]`: `sizes = { size = 3 }`"
        yield Fault(where, message, fix)


def _outcome(dim: str, sized: Sizes) -> str:
    with_sizes = ", ".join(f"{name} = {sized[name]}" for name in dict.fromkeys(types.dim_names(dim)))
    try:
        outcome = f"is {evaluate(dim, sized)}"
    except ZeroDivisionError:
        outcome = "divides by zero"
    return f"{outcome} with {with_sizes}" if with_sizes else outcome
