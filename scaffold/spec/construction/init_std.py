"""How widely a field is drawn around 0: what its initialiser or its `std` says, with the sizes that the tests use."""

import math
from collections.abc import Iterator

from scaffold.errors import Fault
from scaffold.spec.construction.arithmetic import FUNCTIONS, measured
from scaffold.spec.construction.constructor import key_consumers
from scaffold.spec.construction.sizes import sizes
from scaffold.spec.grammar.initialisers import INITIALISERS
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.source.expressions import assigned_names, draws_from

_CLOSE = 0.05
"""How far a `std` may be from what is drawn, in parts of it."""
_LEGAL = ("numbers", "sizes of dims", "+ - * / // **", *(f"{name}(...)" for name in FUNCTIONS))


def std_faults(spec: ModuleSpec, field: Field, place: str) -> Iterator[Fault]:
    """What is wrong with the `std` of a field."""
    if field.std is None:
        return
    if field.array is None or not field.array.inexact or not _is_drawn(spec, field):
        fix = "remove it, or give the field an `init` that draws from `key`"
        yield Fault(f"{place}.std", "nothing of the field is drawn, so it has no deviation", fix)
        return
    known = sizes(spec)
    value = measured(field.std, known)
    if value is None or not 0 < value < math.inf:
        message = f"`{field.std}` is {'no number' if value is None else value} in the tests"
        fix = "write a positive number, or arithmetic over sizes, such as `1 / sqrt(3 * in_size)`"
        yield Fault(f"{place}.std", message, fix, (*_LEGAL, *sorted(known)))
        return
    name = field.initialiser or ""
    initialiser = INITIALISERS.get(name)
    measure = 1.0 if field.measure is None else measured(field.measure, known)
    drawn = abs(measure or 0.0) * (initialiser.unit if initialiser is not None else 0.0)
    if initialiser is not None and drawn and abs(value / drawn - 1) > _CLOSE:
        message = f"`{name}` draws with a standard deviation of {drawn:.3g}, and `std` says {value:.3g}"
        fix = f"write `{name}({initialiser.measure})` in place of both, as `normal(1 / math.sqrt(in_size))`"
        yield Fault(f"{place}.std", message, fix)


def _is_drawn(spec: ModuleSpec, field: Field) -> bool:
    consumers = key_consumers(spec)
    from_setup = "setup" in consumers and field.expression is not None
    streams = field.expression is not None and draws_from(field.expression, "rngs")
    return field.name in consumers or from_setup or streams or field.name in assigned_names(spec.setup)
