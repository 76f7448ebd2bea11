"""P8: static values that were computed from sizes."""

from collections.abc import Mapping
from typing import Any

from ...discover.inference import same_value
from ...discover.invocation import build_with, trace_of_call
from ...discover.resize import resized
from ...engine.applicability import not_applicable
from ...engine.registry import Checks
from ...inspect.trees import axis_sizes
from ...kinds.suite import Suite
from ...report import ANY_ERROR
from ...values.closeness import check_close

CHECKS = Checks()


@CHECKS.register()
def test_p08_static_values_follow_the_sizes(subject: Suite) -> None:
    subject.need_call()
    changes = another_size(subject)
    start, fresh = subject.cached_instance(), of_the_other_size(subject, changes)
    (old_static, old), (new_static, new) = subject.form_of(start), subject.form_of(fresh)
    if old.keys() != new.keys() or old == new or old_static == new_static:
        not_applicable("no static value changes with the size of an array")
    inputs = subject.inputs(0)
    arguments = resized(subject.arguments(0), {inputs[name]: size for name, size in changes.items()})
    grown = subject.with_arrays_of(start, fresh)
    if is_one_program(subject, grown, fresh, arguments):
        return
    try:
        wanted = subject.output_of(subject.run(fresh, *arguments))
    except ANY_ERROR:
        not_applicable("the example does not fit the other size")
    try:
        got = subject.output_of(subject.run(grown, *arguments))
    except ANY_ERROR:
        return  # refused
    check_not_stale(subject, (start, fresh), got, wanted)


def of_the_other_size(subject: Suite, changes: Mapping[str, int]) -> Any:
    """An instance of another size, with values as good as any in its arrays."""
    try:
        built = build_with(subject, changes)
    except ANY_ERROR:
        not_applicable("the class cannot be built with another size alone")
    return subject.elsewhere(built)


def is_one_program(subject: Suite, instance: Any, other: Any, arguments: Any) -> bool:
    """Whether the calls of two instances are one program, without constants."""
    try:
        first, second = (trace_of_call(subject, each, arguments) for each in (instance, other))
    except ANY_ERROR:
        return False
    return not (first.consts or second.consts) and str(first) == str(second)


def another_size(suite: Any) -> Mapping[str, int]:
    """An input of the constructor with another size: the other configuration, or the first that is an axis of the arguments."""
    changed, inputs = suite.other or {}, suite.inputs(0)
    pairs = [(inputs.get(name), value) for name, value in changed.items()]
    if len(pairs) == 1 and all(type(size) is int for size in pairs[0]):
        return dict(changed)
    axes = axis_sizes(suite.arguments(0))
    sizes = {n: v for n, v in inputs.items() if type(v) is int and v > 1 and v in axes}
    if not sizes:
        not_applicable("no input is known to be the size of an axis")
    name, size = next(iter(sizes.items()))
    return {name: 2 * size}  # what a number of heads divides


def check_not_stale(suite: Any, instances: tuple[Any, Any], got: Any, wanted: Any) -> None:
    """With leaves of another size the call is as a fresh instance of that size, or who gives the size said what it is.

    The instances are the example and the fresh one; `got` is of the first with the leaves of the second.
    """
    old, new = (dict(suite.statics_of(instance)) for instance in instances)
    stale = [path for path, value in old.items() if not same_value(value, new.get(path))]
    if stale and set(stale) <= set(suite.inputs(0)):
        return
    message = "with leaves of another size the call gives {}, a fresh instance of that size {}"
    hint = "a static value that was computed from a size: take it from the array in the call, or refuse other shapes there"
    check_close(", ".join(stale), message, got, wanted, hint)
