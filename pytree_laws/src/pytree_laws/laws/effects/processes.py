"""P1, P5 and P12 in another process, where texts have other hashes."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.extend.core

from ...discover.invocation import trace_call
from ...engine.applicability import CALLED, need
from ...engine.registry import Checks
from ...kinds.suite import Suite
from ...patches.hash_seed import Turned, has_text, salted
from ...values.closeness import check_close
from ...values.comparison import check_same_bits
from ...values.randomize import randomize

BY_TEXT = "a number from `hash` of a name: `zlib.crc32(name.encode())` is the same everywhere"
CHECKS = Checks()


@CHECKS.register()
def test_p01_builds_the_same_in_another_process(subject: Suite) -> None:
    with salted(1) as asked:
        first = subject.build(**subject.inputs(0))
    need(asked, "the constructor asks for no hash of a text")
    with salted(2):
        second = subject.build(**subject.inputs(0))
    message = f"`hash` of a text is another in each process ({asked[0]}): it holds"
    check_same_bits(subject.named(first), subject.named(second), message, BY_TEXT)


@CHECKS.register()
def test_p12_calls_are_the_same_in_another_process(subject: Suite) -> None:
    instance, arguments = subject.example()
    with salted(1) as asked:
        first = subject.apply(instance, *arguments)
    need(asked, "the call asks for no hash of a text")
    with salted(2):
        second = subject.apply(instance, *arguments)
    message = f"`hash` of a text is another in each process ({asked[0]}): it gives {{}} and {{}}"
    check_close("call", message, first, second, BY_TEXT)


@CHECKS.register(CALLED)
def test_p05_the_order_of_a_set_does_not_matter(subject: Suite) -> None:
    instance = subject.cached_instance()
    sets = [(path, v) for path, v in subject.statics_of(instance) if isinstance(v, frozenset) and len(v) > 1]
    sets = [(path, v) for path, v in sets if has_text(v)]
    need(sets, "no set of texts is static")
    for path, value in sets:
        other = subject.with_static(instance, path, Turned(value))
        first, two = (_traced_with(subject, each) for each in (instance, other))
        message = "with its elements in another order, as in another process, the call gives {} and {}"
        hint = "a loop over a set: `sorted(...)`, or a tuple"
        if str(first[0]) != str(two[0]):
            check_close(path, message, evaluated(*first), evaluated(*two), hint)


def _traced_with(subject: Suite, instance: Any) -> tuple[Any, list[Any]]:
    (closed, _), inputs = trace_call(subject, instance, {})
    return closed, [v for _, v in inputs]


def evaluated(closed: Any, arguments: Sequence[Any]) -> list[Any]:
    """Evaluate a closed jaxpr on random values."""
    return jax.extend.core.jaxpr_as_fun(closed)(*randomize(list(arguments), 2))
