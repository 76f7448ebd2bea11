"""P7, of leaves that are no arrays: `jax.jit` takes no text, and traces integers and flags.

Integers and flags decide shapes and branches. Other numbers are computed with, or leave jax on purpose.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ...declare.methods import Method
from ...discover.method_programs import the_call, traceable
from ...engine.applicability import need, of_class
from ...engine.registry import Checks
from ...inspect.classes import is_equinox
from ...inspect.trees import arrays_of, combine, named_leaves, partition, replace_leaves
from ...kinds.pytree import PytreeSuite
from ...report import check, result_or_error
from ..structure.p03_round_trip import lists_its_parts
from .p07_jit_equals_eager import LAW

CHECKS = Checks(LAW)
_STATIC = (
    "what decides shapes and branches, and what is no number, is static: `flax.struct.field(pytree_node=False)`, `meta_fields` of "
    "`register_dataclass`, `aux` of `tree_flatten`; what is computed with is an array"
)


@CHECKS.register(
    of_class("what a Module or a tuple holds may be meant for `eqx.filter_jit`", lists_its_parts)
)
def test_p07_no_text_is_a_leaf(subject: PytreeSuite) -> None:
    for name, leaf in named_leaves(subject.cached_instance()):
        message = f"the text {leaf!r:.80} is a leaf, which no transformation of jax takes: `jax.jit` of any instance raises TypeError"
        check(not isinstance(leaf, str), name, message, _STATIC)


@CHECKS.register(
    of_class("numbers in a Module or a tuple may be meant for `eqx.filter_jit`", lists_its_parts)
)
def test_p07_numbers_among_its_leaves_can_be_traced(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    numbers = [
        (place, name, leaf)
        for place, (name, leaf) in enumerate(named_leaves(instance))
        if isinstance(leaf, int) and not is_equinox(type(getattr(instance, name.partition(".")[0], None)))
    ]
    need(numbers, "no whole number of Python, and no flag, is a leaf")
    for method in (*([the_call(subject)] if subject.called() else []), *traceable(subject)):
        for place, name, number in numbers:
            error = result_or_error(jax.eval_shape, _by_leaf(subject, method, place), jnp.asarray(number))
            is_its = isinstance(error, Exception) and _can_be_traced(subject, method)
            raised = f"{type(error).__name__}" if is_its else ""
            message = f"`{name}` is the number {number!r}, and a leaf: under `jax.jit` it is traced, which raises {raised}"
            check(not raised, method.name, message, _STATIC)


def _can_be_traced(subject: PytreeSuite, method: Method) -> bool:
    """Whether a method can be traced with only the arrays as tracers.

    If not, the numbers are not what raises.
    """
    static, arrays = partition((subject.cached_instance(), method.arguments(0)))

    def run(*traced: Any) -> Any:
        instance, arguments = combine(static, traced)
        return arrays_of(method.use(instance, *arguments))

    return not isinstance(result_or_error(jax.eval_shape, run, *arrays), Exception)


def _by_leaf(subject: PytreeSuite, method: Method, place: int) -> Callable[[Any], Any]:
    """Return a method's results as a function of one leaf."""

    def run(value: Any) -> Any:
        return arrays_of(
            method.use(replace_leaves(subject.cached_instance(), {place: value}), *method.arguments(0))
        )

    return run
