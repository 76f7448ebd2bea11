"""Sizes of an example, whose mismatch is a fault of the example, and not of the class."""

import re
from typing import Any

import jax
import numpy as np

from ..inspect.arrays import is_array, is_key, on_device
from ..inspect.trees import arrays_of, axis_sizes, is_node
from ..report import ANY_ERROR, or_else
from ..trace.jaxprs import NEEDS_VALUES

_OF_SHAPES = re.compile(
    r"shape|broadcast|multiple|divi(?:de|sib|sion)|dimension|dot_general|\baxis\b|\bsizes?\b|split|rank",
    re.IGNORECASE,
)


@or_else("")  # the inputs themselves may be what cannot be made
def hint_of(suite: Any, error: BaseException | None) -> str:
    """Return a hint for an error that sizes of the example may cause, or an empty string."""
    if not is_of_shapes(error):
        return ""
    sizes = sizes_of(suite)
    if not sizes:
        return _hint_of_parts(suite)
    others = fitting(suite, sizes)
    toml, python = _listed(others), ", ".join(f'"{name}": {size}' for name, size in others.items())
    said = (
        f"in its spec by `[test]` with `sizes = {{ {toml} }}`, in Python by `@test(sizes={{{python}}})`"
        if others != sizes and _may_fit(suite, sizes, others)
        else "in its spec by `sizes` of `[test]`, in Python of `@test(...)`"
    )
    return (
        f"sizes of the example that do not fit, as a size that a number of heads must divide: "
        f"it has {_listed(sizes)}. Others are chosen {said}, or in `inputs` and `arguments`"
    )


def _hint_of_parts(suite: Any) -> str:
    """Return a hint for parts that may not fit each other, or an empty string for at most one part."""
    parts = [name for name, value in suite.inputs(0).items() if is_node(value) and arrays_of(value)]
    if len(parts) < 2:
        return ""
    return (
        f"parts of the example whose sizes do not fit each other, as one that takes what another gives: {', '.join(parts)}. "
        "Others are given in its spec by `values` of `[test]`, in Python of `@test(...)`, or in `inputs`"
    )


def is_of_shapes(error: BaseException | None) -> bool:
    """Whether an error may come from shapes that do not match."""
    may_be = isinstance(error, ValueError | TypeError | AssertionError | ZeroDivisionError)
    may_be = may_be and not isinstance(error, NEEDS_VALUES) and "ShapeDtypeStruct" not in str(error)
    return may_be and _OF_SHAPES.search(str(error)) is not None


def sizes_of(suite: Any) -> dict[str, int]:
    """Return the sizes by name: positive integers among the inputs, and dims of annotations."""
    return _annotated(suite) | {name: v for name, v in suite.inputs(0).items() if type(v) is int and v > 0}


def fitting(suite: Any, sizes: dict[str, int]) -> dict[str, int]:
    """Return sizes of axes that are multiples of the smallest size that is not of an axis, such as heads."""
    axes = axis_sizes(suite.arguments(0))
    counts = {name: size for name, size in sizes.items() if size not in axes}
    least = min((counts or sizes).values())
    return {name: size if size % least == 0 else size * least for name, size in sizes.items()}


def _may_fit(suite: Any, sizes: dict[str, int], others: dict[str, int]) -> bool:
    """Whether the call of an example with other sizes raises no error about shapes.

    This is False for a class without a call.
    """
    if not suite.called():  # to ask for the call would leave the test out that tells of a method
        return False
    changed = {size: others[name] for name, size in sizes.items()}

    def resized(leaf: Any) -> Any:
        if not is_array(leaf) or is_key(leaf):
            return leaf
        shape = [changed[size] if size in changed else int(size) for size in np.shape(leaf)]
        return on_device(np.resize(np.asarray(leaf), shape))

    inputs, arguments = jax.tree.map(resized, (dict(suite.inputs(0)), suite.arguments(0)))
    given = {name: others[name] for name in inputs if name in others}
    try:
        suite.call(suite.build(**{**inputs, **given}), *arguments)
    except ANY_ERROR as error:
        return not is_of_shapes(error)
    return True


def _listed(sizes: dict[str, int]) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())


@or_else({})  # what cannot be built has none
def _annotated(suite: Any) -> dict[str, int]:
    """Return the dims in jaxtyping annotations of fields, with their sizes."""
    instance = suite.build(**suite.inputs(0))
    result: dict[str, int] = {}
    for name, kind in getattr(type(instance), "__annotations__", {}).items():
        value: Any = getattr(instance, name, None)
        dims = getattr(kind, "dim_str", "").split()
        if is_array(value) and len(dims) == len(value.shape):
            result |= {dim: n for dim, n in zip(dims, value.shape) if dim.isidentifier()}
    return result
