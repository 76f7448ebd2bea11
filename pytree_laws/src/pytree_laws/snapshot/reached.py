"""What methods give on instances that several uses have led to, as a record has it."""

import warnings
from collections.abc import Iterator
from typing import Any

import jax

from ..discover.configurations import with_arrays_of
from ..discover.method_uses import Traced, Use, trace_text, trace_use
from ..discover.reached import reached_instances
from ..discover.traced_uses import traced_uses
from ..trace.jaxprs import loops_by_values
from .format import Entry, finite_entries
from .methods import Recorded, methods_to_record, program_of_uses, values_by_name

REACHED = "of its methods after several uses"
MAX_REACHED_USES = 4  # uses of each method after so many others


def of_reached(suite: Any) -> dict[str, Entry]:
    """Entries of what methods give where counters are no more those of the start."""
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
    """The uses of the example and of other configurations, of which no two do the same with the same arrays."""
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
    """The trace of a use that differs from that of a name in what its arrays hold: the jaxpr is the same."""
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
