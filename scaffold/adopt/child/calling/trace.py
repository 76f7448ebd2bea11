"""Trace of a call, with the arrays of an instance and of its arguments as inputs."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax

from pytree_laws.inspect.arrays import is_array, is_inexact
from pytree_laws.inspect.references import reachable
from pytree_laws.inspect.trees import combine, partition
from pytree_laws.trace.jaxprs import NEEDS_VALUES, equations, is_variable

from ..building.cached_tracers import with_cold_caches
from ..classes.kinds import is_nnx
from ..values.sources import Source
from .called import Called, Subject, Trace
from .dependencies import is_empty, places_read, used_inputs
from .invoke import Axis, invoke

MOVING = frozenset(("slice", "dynamic_slice", "squeeze", "reshape", "broadcast_in_dim", "concatenate", "transpose", "split",
                    "gather", "copy", "convert_element_type", "expand_dims", "rev", "jit", "pjit"))  # fmt: skip
"""Primitives that only move or convert elements."""
NUMBERS = (bool, int, float, complex)


def trace_call(
    subject: Subject,
    name: str,
    chosen: Mapping[str, Source],
    keywords: Sequence[str],
    axis: Axis | None = None,
) -> Trace:
    """Trace a call. If tracing fails and values may help, run the call without a trace."""
    static, instance_arrays = partition_instance(subject.instance)
    values = {key: source.value(0, subject.owner) for key, source in chosen.items()}
    refuse_opaque(values)
    parts = {key: partition(value) for key, value in values.items()}

    def run(arrays: Any, arguments: Mapping[str, Any]) -> Any:
        every = {key: combine(parts[key][0], arguments[key]) for key in chosen}  # jax has sorted the keys
        with with_cold_caches(type(subject.instance)):
            node = combine_instance(static, arrays)
            result = invoke(getattr(node, name) if name else node, every, keywords, axis)
        leaves = jax.tree.leaves(result)
        array_leaves = [leaf for leaf in leaves if is_array(leaf) or hasattr(leaf, "aval")]
        others.append(sum(not isinstance(leaf, NUMBERS) for leaf in leaves) - len(array_leaves))
        edits.append(isinstance(result, type(subject.instance)))
        return array_leaves

    others, edits = list[int](), list[bool]()
    argument_arrays = {key: arrays for key, (_, arrays) in parts.items()}
    try:
        closed, outputs = jax.make_jaxpr(run, return_shape=True)(instance_arrays, argument_arrays)
    except Exception as error:
        if not may_be_of_trace(error):
            raise
        return untraced(run(instance_arrays, argument_arrays), others[-1], is_edit=edits[-1])
    if not outputs and (
        eager := run(instance_arrays, argument_arrays)
    ):  # jax sees no leaf of an object made under its trace
        return untraced(eager, others[-1], is_edit=edits[-1])
    return replace(
        read_trace(closed, outputs, instance_arrays, argument_arrays), others=others[-1], edits=edits[-1]
    )


def may_be_of_trace(error: Exception) -> bool:
    """Whether an error may come from tracing, and not from wrong arguments."""
    return isinstance(error, (*NEEDS_VALUES, RuntimeError)) and not isinstance(error, NotImplementedError)


def refuse_opaque(values: Any) -> None:
    """Raise `TypeError` for an argument that is not a pytree and holds arrays, which jit cannot take."""
    for leaf in jax.tree.leaves(values):
        is_plain = is_array(leaf) or callable(leaf) or isinstance(leaf, (*NUMBERS, str))
        if not is_plain and any(is_array(value) for _, value in reachable(leaf, "")):
            name = type(leaf).__name__
            raise TypeError(f"`{name}` holds arrays, and jax cannot flatten it: no program can be given one")


def untraced(outputs: Sequence[Any], others: int, *, is_edit: bool) -> Trace:
    """Return the trace of a call that cannot be traced, as if the outputs depended on everything."""
    full = [output for output in outputs if not is_empty(output)]
    return Trace(len(full), True, True, {}, others, edits=is_edit, forms=forms_of(outputs))


def forms_of(arrays: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return the shape and dtype of each array."""
    return [(array.shape, array.dtype) for array in arrays]


def read_trace(closed: Any, outputs: Any, instance_arrays: Any, argument_arrays: Mapping[str, Any]) -> Trace:
    used = iter(used_inputs(closed))
    leaf_marks = [(is_inexact(leaf), next(used)) for leaf in jax.tree.leaves(instance_arrays)]
    trained = [mark for floating, mark in leaf_marks if floating]
    # jax flattens a dict in the order of its keys.
    by_name = {key: [next(used) for _ in argument_arrays[key]] for key in sorted(argument_arrays)}
    variables = iter(closed.jaxpr.invars[len(leaf_marks) :])
    of_name = {key: [next(variables) for _ in marks] for key, marks in by_name.items()}
    places = {key: places_read(closed.jaxpr, each[0]) for key, each in of_name.items() if len(each) == 1}
    every = [mark for marks in by_name.values() for mark in marks]
    full = [output for output in outputs if not is_empty(output)]
    flat = {key: any(marks) for key, marks in by_name.items() if marks}
    by_parameters = any(trained) or (not trained and (any(mark for _, mark in leaf_marks) or any(every)))
    share = sum(trained) / len(trained) if trained else 1.0
    computes = any(atom not in closed.jaxpr.invars for atom in closed.jaxpr.outvars if is_variable(atom))
    return Trace(
        len(full),
        by_parameters,
        any(every) or not every,
        flat,
        share=share,
        computes=computes,
        moves=all(each.primitive.name in MOVING for each in equations(closed.jaxpr)),
        forms=forms_of(outputs),
        reads={key: place for key, place in places.items() if place},
    )


def partition_instance(instance: Any) -> tuple[Any, Any]:
    """Split an instance into its static part and its arrays."""
    if is_nnx(type(instance)):
        nnx: Any = sys.modules["flax.nnx"]
        return nnx.split(instance)
    return partition(instance)


def combine_instance(static: Any, arrays: Any) -> Any:
    nnx: Any = sys.modules.get("flax.nnx")
    if nnx is not None and isinstance(static, nnx.GraphDef):
        return nnx.merge(static, arrays, copy=True)
    return combine(static, arrays)


def shape_in(source: Source) -> tuple[int, ...] | None:
    """Return the shape of a sampled float array, or None for any other expression."""
    shape = re.fullmatch(r"sample\(seed(?: \+ \d+)?, (\([\d, ]*\))(?:, positive=True)?\)", source.text)
    return eval(shape[1]) if shape else None


def instead(subject: Subject, called: Called, name: str, other: Source) -> Called | None:
    """Replace the value of an argument. Return None if the call fails then."""
    others = {**called.arguments, name: replace(other, told=called.arguments[name].told or "shape")}
    try:
        trace_call(subject, called.method, others, called.keywords, called.axis)
    except Exception:
        return None
    return replace(called, arguments=others)
