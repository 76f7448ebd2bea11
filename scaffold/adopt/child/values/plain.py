"""Values that need no annotation: arrays, numbers, strings, functions and modules."""

import contextlib
import enum
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from . import names
from .annotations import (
    OPEN,
    arity_of,
    dtype_of,
    is_shaped,
    protocol_members,
    required,
    signature_of,
    union_members,
)
from .context import Context
from .domains import SHARES, between, drawn_in, within
from .sizes import COUNT, may_have_shape
from .sources import Source, distinct, merged, refer


def integers(name: str, context: Context) -> list[Source]:
    if names.INDEX.search(name) and name not in ("step", "position"):
        return [Source("1"), Source("0")]
    if is_count(name) and name not in context.sizes.known:  # or it is a dim of arrays beside it
        order = (3, 4, 6) if names.SIDES.search(name) else (2, 3, 1, 4)
    else:
        order = (context.sizes.of(name) * (2 if names.HALVED.search(name) else 1), 4, 6, 2, 1, 8)
    # What errors name comes first once the usual number has failed.
    return [Source(str(number)) for number in dict.fromkeys([order[0], *context.numbers, *order[1:]])]


def sizes(name: str, context: Context) -> list[Source]:
    """Return values of a size, after tuples if an error has asked for a sequence."""
    several = [Source("(3, 2)"), Source("(3,)")] if context.wants_parts and names.SIZES.search(name) else []
    return [*several, *integers(name, context)]


def size_or_axis(name: str, context: Context) -> list[Source]:
    """Return axes in a call, or sizes and then axes in a constructor, since `dim` may be either."""
    axes = [Source("0"), Source("-1")]
    return axes if context.is_call else [*integers(name, context)[:2], *axes]


def scalars(name: str, kind: Any, dtype: str, context: Context) -> list[Source]:
    """Return a scalar array for a scalar type of JAX or NumPy, or numbers if the field is static."""
    if name not in context.documented.static:
        return [array(name, (), dtype, context)]
    numbers = {"int": integers, "bool": lambda *_: [Source("True"), Source("False")]}.get(dtype, floats)
    is_concrete = getattr(np, kind.__name__, None) in np.sctypeDict.values()  # `np.integer` makes nothing
    form = f"np.{kind.__name__}({{}})" if is_concrete else "{}"
    return [number.but(form.format(number.text)) for number in numbers(name, context)]


def is_count(name: str) -> bool:
    return COUNT.search(name) is not None


def floats(name: str, context: Context) -> list[Source]:
    first = next(context.floats)
    return [Source(text) for text in dict.fromkeys((first, "0.5", "1.5", "0.001", "2.5"))]


def ascending(name: str, kind: Any, count: int) -> list[Source]:
    """Return distinct numbers for the ends of an interval, which would be empty if they were equal."""
    members = {*union_members(kind)}
    if float in members and members <= {float, int}:
        return [Source(str(tuple((place + 1) / 4 for place in range(count))))]
    is_interval = kind is int and names.INTERVAL.search(name)
    return [Source(str(tuple(range(1, count + 1))))] if is_interval else []


def strings(name: str, context: Context) -> list[Source]:
    literals = [f'"{word}"' for word in context.words]
    for part, texts in names.TEXTS.items():
        if re.search(part, name):
            literals += texts
    return [Source(literal) for literal in dict.fromkeys(literals)]


def literals(values: Iterable[Any]) -> Iterator[Source]:
    """Yield the values of a `Literal`. A value such as `jnp.float8_e5m2` is written by name."""
    for value in values:
        with contextlib.suppress(LookupError):
            if isinstance(value, enum.Enum):
                owner = refer(type(value))
                yield owner.but(f"{owner.text}.{value.name}")
            else:
                yield Source(repr(value)) if isinstance(value, str | bytes | int | None) else refer(value)


def booleans(name: str, context: Context) -> list[Source]:
    return [Source("False"), Source("True")]


PLAIN: dict[Any, Callable[[str, Context], list[Source]]] = {
    int: integers,
    float: floats,
    bool: booleans,
    str: strings,
    complex: lambda name, context: [Source("0.5 + 0.25j")],
    type(None): lambda name, context: [Source("None")],
    np.dtype: lambda name, context: [Source("jnp.float32")],
}


def shaped(name: str, kind: Any, context: Context) -> list[Source]:
    """Return arrays with the dims of an annotation.

    In a call, `... dim` is also tried with a leading axis, because the call may map over it.
    """
    counts, dtype = (0, 1) if context.is_call else (0,), dtype_of(kind)
    named = [context.sizes.of_dims(kind.dim_str, count) for count in counts]
    if None in named:
        return [array(name, shape, dtype, context) for shape in context.shapes]
    wanted = [shape for shape in context.wanted_shapes if may_have_shape(kind.dim_str, shape)]
    shapes = dict.fromkeys([*wanted, *((*context.leading, *(shape or ())) for shape in named)])
    return [array(name, shape, dtype, context) for shape in shapes]


def array(name: str, shape: tuple[int, ...], dtype: str, context: Context) -> Source:
    if dtype == "int" and len(shape) == 1 and names.PERMUTATION.search(name):
        return Source(f"jnp.roll(jnp.arange({shape[0]}), 1)")
    if dtype == "int" and names.COUNTED.search(name):
        return Source(f'sample(seed, {shape}, "int", 2, 6)')
    if dtype == "int":
        return Source(f'sample(seed, {shape}, "int", 0, {context.index_below})')
    if dtype != "float":
        return Source(f'sample(seed, {shape}, "{dtype}")')
    text = f"sample(seed, {shape})" if shape else "sample(seed)"
    if limits := context.documented.limits.get(name):
        return Source(between(*limits, within(SHARES, {"": Source(text)})[""].text))
    if shape == (3, 3) and names.ROTATION.search(name):
        return Source("jax.scipy.linalg.expm(jnp.cross(jnp.eye(3), sample(seed, (3,))))")
    if len(shape) == 2 and shape[0] == shape[1] and is_matrix(name, context):
        return Source(f"sample(seed, {shape}) / 8 + jnp.eye({shape[0]})")
    if len(shape) == 1 and name in context.documented.ascending:  # far apart: other draws lie between them
        return Source(f"4 * jnp.sort(sample(seed, {shape}))")
    if len(shape) == 1 and names.ORDERED.search(name):
        drawn = f"sample(seed, {shape})"
        return Source(f"jnp.sort({f'jnp.exp({drawn})' if names.TIMES.search(name) else drawn})")
    if names.LATER.search(name):
        return Source(f"1 + jax.nn.sigmoid({text})")
    if domain := domain_of(name, shape, context):
        return Source(f"{domain}({text})")
    if names.UPPER.search(name) or name in context.documented.upper:
        return Source(f"4 + {text}")
    return within(SHARES, {name: Source(text)})[name] if is_parameter(name, context) else Source(text)


def is_matrix(name: str, context: Context) -> bool:
    """Whether an argument is a square matrix, by its name or by the use of a single letter."""
    return names.MATRIX.search(name) is not None or name in context.documented.matrices


def is_parameter(name: str, context: Context) -> bool:
    """Whether an argument is a parameter and no input: 0 to 1 lies in most domains of parameters."""
    if names.SIGNED.search(name):
        return False
    return not context.is_call or name not in context.others[:1]


def domain_of(name: str, shape: tuple[int, ...], context: Context) -> str:
    """Return the function that maps floats to the domain of an argument, or an empty string.

    For a scalar, `softmax` would always give 1, so `sigmoid` replaces it.
    """
    by_name = "jnp.exp" if names.POSITIVE.search(name) else ""
    by_name = "jax.nn.sigmoid" if names.TIME.search(name) else by_name
    by_name = "jax.nn.softmax" if names.PROBABILITIES.search(name) else by_name
    domain = context.documented.domains.get(name, by_name)
    return "jax.nn.sigmoid" if domain == "jax.nn.softmax" and not shape else domain


def arrays(name: str, context: Context, *, is_number: bool = False, of_numpy: bool = False) -> list[Source]:
    """Return arrays of the shapes to try, with integers last, or first for the name of an index.

    If the argument may be a number, scalars come first. If the class annotates both NumPy and JAX arrays,
    NumPy annotations get NumPy arrays.
    """
    if context.as_documented and name in context.documented.dims:
        return [replace(source, told="shape") for source in as_documented(name, context)]
    shapes = list(context.shapes)
    if is_number or names.TIME.search(name):
        shapes = [(), *(shape for shape in shapes if shape)]
    sources = [array(name, shape, "float", context) for shape in shapes]
    square = [shape for shape in shapes if len(shape) == 2 and shape[0] == shape[1]]
    if is_matrix(name, context) or name in context.documented.weights:
        sources = [*(array(name, shape, "float", context) for shape in square), *sources]
    dtype = dtype_by_name(name, context)
    of_each_rank = {len(shape): shape for shape in reversed(shapes) if len(shape) < 4}
    few = dict.fromkeys([(), *shapes[:2], *(of_each_rank[rank] for rank in sorted(of_each_rank))])
    numbers = [array(name, shape, "int", context) for shape in few]
    if name in context.documented.dtypes or dtype == "bool":
        numbers = [array(name, shape, dtype, context) for shape in shapes]
    every = [*sources, *numbers] if dtype == "float" else [*numbers, *sources]
    every = [*(array(name, shape, kind, context) for kind in context.dtypes for shape in shapes), *every]
    every = [
        replace(source, told="shape") for source in dict.fromkeys([*as_documented(name, context), *every])
    ]
    is_of_numpy = of_numpy and context.has_both_arrays
    return [source.but(f"np.asarray({source.text})") for source in every] if is_of_numpy else every


def as_documented(name: str, context: Context) -> list[Source]:
    """Return the array of the documented shape, if any."""
    if name not in context.documented.dims:
        return []
    shape = context.sizes.of_dims(context.documented.dims[name]) or ()
    return [array(name, shape, dtype_by_name(name, context), context)]


def dtype_by_name(name: str, context: Context) -> str:
    """Return the dtype of an array, by docstring or else by name."""
    is_point = context.documented.dims.get(name, "").split()[1:][-1:] in (["2"], ["3"])
    in_space = names.PLACES.search(name) and (is_point or any(map(names.IN_SPACE.search, context.others)))
    is_whole = (names.INDEX.search(name) and not in_space) or names.COUNTED.search(name)
    is_whole = is_whole or names.PERMUTATION.search(name)
    by_name = "bool" if names.FLAGS.search(name) else "int" if is_whole else "float"
    return context.documented.dtypes.get(name, by_name)


def functions(name: str, arity: int | None, context: Context) -> list[Source]:
    """Return functions that all instances share: from JAX, or defined in the test file."""
    arity = context.arities.get(name) if arity is None else arity
    if names.MODULE.search(name):
        others = functions("function", arity, context)
        return [*modules(), *others] if arity in (None, 1) else others
    if names.INITIALISES.search(name):
        return [Source("jax.nn.initializers.ones")]
    if name in names.OF_SHAPES:
        return [Source(f"jnp.{name}")]
    unary, two = [Source(text) for text in names.ONE], [Source(text) for text in names.TWO]
    if names.REDUCES.search(name):
        unary, two = [unary[1], unary[0]], [helper(names.DENSITY), *two]
    further = [helper(text) for text in names.HELPERS.values()]
    of_three, of_any = [helper(names.FORCED), further[1]], [helper(names.TOTAL)]
    if arity is None:
        return [*unary[:2], *two[:1], *of_three, *further]
    if arity == 0:
        return [Source("dict")]
    others = {1: [*unary, *two], 2: [*two, further[0]], 3: of_three, 4: further[2:]}.get(arity, [])
    return others if arity == 1 else [*others[:1], *of_any, *others[1:]]


def pairs(kind: Any) -> list[Source]:
    """Return functions of two arguments that return a pair, if the annotation asks for such a function."""
    arguments = typing.get_args(kind)
    result = (
        typing.get_args(arguments[1])
        if len(arguments) == 2 and typing.get_origin(arguments[1]) is tuple
        else ()
    )
    if arity_of(kind) != 2 or len(result) != 2:
        return []
    is_scalar = is_shaped(result[0]) and not result[0].dim_str.strip()
    texts = names.PAIRS[::-1] if is_scalar else names.PAIRS
    return [helper(text) for text in texts]


def helper(text: str) -> Source:
    """Return a function that the test file defines."""
    return Source(text.split("(")[0].removeprefix("def "), helpers=(text,))


def callables(name: str, protocol: type, context: Context) -> list[Source]:
    """Return values of a callable protocol: functions, or layers with its other attributes."""
    if attributes := protocol_members(protocol) - {"__call__"}:
        layers = [*modules(), *(map(Source, (names.CONVOLUTION,)) if "equinox" in sys.modules else ())]
        return [each for each in layers if all(hasattr(each.value(0), attribute) for attribute in attributes)]
    return functions(name, len(required(signature_of(vars(protocol)["__call__"])[1:])), context)


LAYERS = ((3, 3), (3, 2), (6, 3))
"""Sizes of layers that stand for any module. The last takes two inputs side by side."""


def modules() -> list[Source]:
    """Return Equinox layers that stand for any module, if Equinox is imported."""
    texts = [f"eqx.nn.Linear({inputs}, {outputs}, key=jax.random.key(seed))" for inputs, outputs in LAYERS]
    return [Source(text) for text in texts] if "equinox" in sys.modules else []


def name_of_one(name: str, kind: Any) -> str:
    """Return the name of an element, such as `layer` for `layers`.

    An unannotated `output_keys` keeps its name, since its elements may be strings and not random keys.
    """
    one = name.removesuffix("s") or name
    return name if kind in OPEN and names.KEY.search(one) and not names.KEY.search(name) else one


def drawn_apart(parts: Sequence[Source]) -> list[Source]:
    """Shift the seeds of the values so that no two values share a draw."""
    seen, chosen = set[str](), list[Source]()
    for place, part in enumerate(parts):
        later = (part.later(by) for by in range(place, 8 * len(parts)))
        chosen.append(
            next((each for each in later if seen.isdisjoint(drawn_in(each.text))), part.later(place))
        )
        seen.update(drawn_in(chosen[-1].text))
    return chosen


def tuple_of(parts: Sequence[Source]) -> Source:
    later = distinct(drawn_apart(parts), ())
    inside = ", ".join(part.text for part in later)
    return merged(f"({inside},)" if len(later) == 1 else f"({inside})", later)
