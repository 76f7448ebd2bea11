"""Record of the results of methods on fixed examples.

Each method runs with the example, with tied or large arguments, and at other values of its options. It also
runs on instances of other configurations.
"""

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.extend.core
import numpy as np

from ..declare.methods import Method, is_property
from ..discover.method_programs import usable
from ..discover.method_slopes import leaves_with_gradient, slopes_by_arguments, stopped_leaves
from ..discover.method_uses import Traced, Use, trace_text
from ..discover.traced_uses import calls_on_given, traced_uses
from ..inspect.arrays import is_inexact, same_bits
from ..inspect.trees import arrays_of, named_numbers, structure
from ..report import ANY_ERROR, result_or_error
from ..session import once_per_session
from ..trace.jaxprs import loops_by_values
from ..trace.programs import compiled
from ..values.edge_values import changed_pairs, is_finite, redrawn
from .format import Entry, entries, finite_entries

SECTIONS = OF_METHODS, OPTIONS = "of its methods", "with other options"
OF_SLOPES = "of its methods' gradients"
MAX_METHOD_USES = 12  # uses of each method that a section records: another method leaves the others theirs
MORE_DRAWS = 8  # of the arguments of what gives indices, counts or truths
_FILTERS = "trainable", "select_", "partition_"


def of_methods(suite: Any) -> dict[str, Entry]:
    """Return entries of the results of methods, with other numbers than at the start."""
    return entries(numbers_of_methods(suite)[OF_METHODS])


def slopes_of_methods(suite: Any) -> dict[str, Entry]:
    """Return entries of the gradients of declared methods by their arguments."""
    slopes = {
        f"gradient of {method} by argument {path}": np.asarray(slope)
        for method, (_, by_argument) in slopes_by_arguments(suite).example.items()
        for path, slope in by_argument.items()
    }
    return finite_entries({**slopes, **_cut_off_by_flags(suite)})


def _cut_off_by_flags(suite: Any) -> dict[str, Any]:
    """Record whether gradients of each use reach a leaf, if a flag decides about `stop_gradient`."""
    reached: dict[str, Any] = {}
    for uses in traced_uses(suite).values():
        traced = ((use, trace) for use, trace, _ in uses if use.is_plain or use.flag)
        at_flags = [(use, trace) for use, trace in traced if trace is not None]
        stopped = [{*stopped_leaves(suite, use, trace)} for use, trace in at_flags]
        names = sorted(set[str]().union(*stopped) - stopped[0].intersection(*stopped)) if stopped else []
        for use, trace in at_flags if names else ():
            flowing = leaves_with_gradient(suite, use, trace)
            reached |= {f"gradient of {use.name} by {name}": np.asarray(name in flowing) for name in names}
    return reached


@once_per_session
def numbers_of_methods(suite: Any) -> Mapping[str, dict[str, Any]]:
    """Return the results of methods by section, all from one program."""
    with warnings.catch_warnings(action="ignore"):
        return _numbers(list(_worth_a_record(suite)))


class Recorded(NamedTuple):
    """A use of a method with its trace and its section."""

    section: str
    use: Use
    trace: Traced


def _worth_a_record(suite: Any) -> Iterator[Recorded]:
    """Yield the uses of methods whose traces are distinct, and of the call where a method has set a flag."""
    for uses in (
        *(traced_uses(suite)[method.name] for method in methods_to_record(suite)),
        calls_on_given(suite),
    ):
        seen: set[str] = set()
        counts = dict.fromkeys(SECTIONS, 0)
        for use, trace, is_likely in uses:
            section = OPTIONS if is_likely else OF_METHODS
            is_new = trace is not None and trace_text(trace) not in seen
            if trace is not None and is_new and counts[section] < MAX_METHOD_USES:
                seen.add(trace_text(trace))
                counts[section] += 1
                yield Recorded(section, use, trace)


def methods_to_record(suite: Any) -> list[Method]:
    """List the methods whose results no other law checks."""
    cls = type(suite.cached_instance())
    methods = [method for method in usable(suite) if not is_property(cls, method.name)]
    return [method for method in methods if not method.name.startswith(_FILTERS)]


def _numbers(uses: Sequence[Recorded]) -> dict[str, dict[str, Any]]:
    """Return the results of all uses by section and name, from one program."""
    collected: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    if not uses:
        return collected
    traces = [recorded.trace for recorded in uses]
    program = program_of_uses(traces)
    usual = program([trace.inputs for trace in traces])
    for (section, use, output), result in zip(uses, usual):
        numbers = result if use.is_plain else _computed(output, result, ())
        collected[section] |= output.plain | values_by_name(use, output, numbers)
    if any(loops_by_values(trace.jaxpr.jaxpr) for trace in traces):
        return collected  # by other numbers it might never end
    for where, inputs in changed_pairs([trace.inputs for trace in traces]):
        results = result_or_error(program, inputs)
        if isinstance(results, Exception):  # a value that one of them refuses
            continue
        for (section, use, output), result, before in zip(uses, results, usual):
            if use.is_plain:
                numbers = values_by_name(use, output, _computed(output, result, before)).items()
                collected[section] |= {f"{name}{where}": v for name, v in numbers if is_finite(v)}
    collected[OF_METHODS] |= _decisions(uses, program)
    return collected


def _decisions(uses: Sequence[Recorded], program: Callable[[Sequence[Any]], list[Any]]) -> dict[str, Any]:
    """Return integer and bool results of methods for several draws of their arguments.

    A single draw may lie on either side of a bound.
    """
    plain = [i for i, recorded in enumerate(uses) if recorded.use.is_plain and _decides(recorded.trace)]
    rows: dict[str, list[Any]] = {}
    for seed in range(MORE_DRAWS if plain else 0):
        try:
            results = program([redrawn(recorded.trace.inputs, seed) for recorded in uses])
        except ANY_ERROR:  # a value that one of them refuses
            return {}
        for recorded, result in ((uses[i], results[i]) for i in plain):
            computed = _computed(recorded.trace, result, ())
            for name, value in values_by_name(recorded.use, recorded.trace, computed).items():
                rows.setdefault(name, []).append(np.asarray(value))
    every = {name: np.stack(values) for name, values in rows.items() if not is_inexact(values[0])}
    return {f"{name} for {MORE_DRAWS} other draws": values for name, values in every.items()}


def _decides(trace: Traced) -> bool:
    """Whether a method computes integers or bools from floats among its arguments."""
    takes = any(map(is_inexact, arrays_of(trace.inputs[1])))
    dtypes = [getattr(v.aval, "dtype", None) for v in trace.jaxpr.jaxpr.outvars]
    return takes and any(getattr(dtype, "kind", "") in ("i", "u", "b") for dtype in dtypes)


def _computed(trace: Traced, result: Sequence[Any], before: Sequence[Any]) -> list[Any]:
    """Return the arrays of a result, with None for each that is an input, or equal to `before`."""
    same = [same_bits(*pair) for pair in itertools.zip_longest(result, before)]
    return [None if a or b else v for a, b, v in zip(_handed_on(trace), same, result)]


def _handed_on(trace: Traced) -> list[bool]:
    """Flag the arrays of a result that are inputs."""
    input_ids = {id(v) for v in trace.jaxpr.jaxpr.invars}
    return [id(v) in input_ids for v in trace.jaxpr.jaxpr.outvars]


def program_of_uses(traces: Sequence[Traced]) -> Callable[[Sequence[Any]], list[Any]]:
    """Return one compiled function for all uses, because eager evaluation would compile each operation."""

    def all_of_them(inputs: Sequence[Sequence[Any]]) -> list[Any]:
        return [jax.extend.core.jaxpr_as_fun(trace.jaxpr)(*arrays) for trace, arrays in zip(traces, inputs)]

    run = compiled(all_of_them)
    return lambda inputs: run([arrays_of(value) for value in inputs])


def values_by_name(use: Use, trace: Traced, result: Any) -> dict[str, Any]:
    count = len(jax.tree.leaves(trace.form[0]))
    # What a method leaves as it was in its instance is no result of it.
    given = enumerate(zip(result, _handed_on(trace)))
    updated = [None if same and i >= count else v for i, (v, same) in given]
    numbers, changed = structure(trace.form).unflatten(updated)
    by_name = {**numbers, **named_numbers(f"after {use.name}", changed)}
    return {name: v for name, v in by_name.items() if v is not None}
