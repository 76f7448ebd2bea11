"""Record of the results of methods on instances that several uses have led to."""

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ..declare.methods import Method
from ..discover.configurations import with_arrays_of
from ..discover.method_programs import usable
from ..discover.method_uses import Traced, Use, trace_text, trace_use
from ..discover.traced_uses import traced_uses
from ..inspect.arrays import same_bits
from ..inspect.trees import avals, new_carry
from ..report import or_else
from ..session import once_per_session
from ..trace.jaxprs import loops_by_values
from .format import Entry, finite_entries
from .methods import Recorded, methods_to_record, program_of_uses, values_by_name

MOST_STEPS = 8
MAX_REACHED = 3
Reached = tuple[str, Any]
"""Description of the uses, and the instance that they lead to."""
REACHED = "of its methods after several uses"
MAX_REACHED_USES = 4  # uses of each method after so many others


def of_reached(suite: Any) -> dict[str, Entry]:
    """Return entries of the results of methods after counters have moved from their start."""
    with warnings.catch_warnings(action="ignore"):
        uses = list(_uses(suite))
        if not uses:
            return {}
        results = program_of_uses([use.trace for use in uses])([use.trace.inputs for use in uses])
    numbers: dict[str, Any] = {}
    for (_, use, trace), result in zip(uses, results):
        numbers |= values_by_name(use, trace, result)
    return finite_entries(numbers)


def _uses(suite: Any) -> Iterator[Recorded]:
    """Yield the uses of methods on reached instances whose traces are distinct."""
    for after, reached in reached_instances(suite):
        for method in methods_to_record(suite):
            seen: set[str] = set()
            for use, usual, is_likely in traced_uses(suite)[method.name]:
                if len(seen) == MAX_REACHED_USES:
                    break
                if usual is None or is_likely or loops_by_values(usual.jaxpr.jaxpr):
                    continue
                instance = with_arrays_of(suite, use.instance, reached)
                other = use._replace(name=f"{use.name} after {after}", instance=instance)
                trace = _traced_again(suite, use.name, usual, other)
                if trace is not None and trace_text(trace) not in seen:
                    seen.add(trace_text(trace))
                    yield Recorded(REACHED, other, trace)


def _traced_again(suite: Any, name: str, usual: Traced, use: Use) -> Traced | None:
    """Return the trace of a use that differs from a traced use only in the values of its arrays.

    If the form of the inputs differs, the use is traced anew.
    """
    inputs = suite.to_arrays(use.instance)[0], usual.inputs[1]
    if _form(inputs) != _form(usual.inputs):
        return trace_use(suite, use)
    results, changed = usual.form
    renamed = {use.name + path.removeprefix(name): aval for path, aval in results.items()}
    plain = {use.name + path.removeprefix(name): value for path, value in usual.plain.items()}
    return usual._replace(form=(renamed, changed), plain=plain, inputs=inputs)


def _form(inputs: Any) -> tuple[Any, list[Any]]:
    leaves, treedef = jax.tree.flatten(inputs)
    return treedef, [jax.typeof(leaf) for leaf in leaves]


@once_per_session
def reached_instances(suite: Any) -> tuple[Reached, ...]:
    """Return the example after one use that counts, and after as many uses as arrays have places.

    Return nothing if no use changes a counter.
    """

    def call(instance: Any, seed: int) -> Any:
        copied = suite.copied(instance)
        suite.call(copied, *suite.arguments(seed))
        return copied

    def use(method: Method, instance: Any, seed: int) -> Any:
        return new_carry(method.use(suite.copied(instance), *method.arguments(seed)), instance)

    if suite.is_mutable:
        return tuple(_after(suite, "call", call) if suite.called() else ())
    declared = (method for method in usable(suite) if not method.found)
    every = (_after(suite, method.name, functools.partial(use, method)) for method in declared)
    return tuple(next(filter(None, every), ()))


@or_else(())  # other laws tell of what a step raises
def _after(suite: Any, name: str, step: Callable[[Any, int], Any]) -> Sequence[Reached]:
    """Return the instances after several steps, if each step keeps the form and changes a counter."""
    instance = start = suite.cached_instance()
    sizes = {size for v in suite.named(start).values() for size in v.shape if 1 < size <= MOST_STEPS}
    counts, reached = sorted({1, *sizes})[:MAX_REACHED], list[Reached]()
    for seed in range(counts[-1]):
        instance = step(instance, seed + 1)  # the example itself has the arguments of seed 0
        if type(instance) is not type(start) or not _counts(suite, start, instance):
            return ()
        if seed + 1 in counts:
            reached.append((f"{seed + 1} of `{name}`", instance))
    return reached


def _counts(suite: Any, start: Any, instance: Any) -> bool:
    """Whether an instance has the form of the start, and another value in an integer array."""
    before, after = suite.named(start), suite.named(instance)
    integers = [path for path, v in before.items() if jnp.issubdtype(v.dtype, jnp.integer)]
    same_form = avals(before) == avals(after)
    return same_form and any(not same_bits(before[path], after[path]) for path in integers)
