"""P8: no value is stale after an edit, nor a static value that was computed from a size."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from ...discover.configuration_programs import is_optional, severity_of_idle
from ...discover.inference import same_value
from ...discover.invocation import build_with, trace_of_call
from ...discover.resize import resized
from ...engine.applicability import CALLED, need, not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import is_floating, same_bits
from ...inspect.trees import arrays_of, axis_sizes
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, FAULT, Law, check, check_each, or_else
from ...trace.program_texts import program_text
from ...values.closeness import check_close, close
from ...values.dtypes import is_half
from ...values.edge_values import equalized
from ...values.randomize import perturb_leaf
from ...values.rounding import rounds_so_far

LAW = Law(
    number="P8",
    name="never stale",
    statement="After an edit of any leaf the compiled call equals the eager one; an edit of a parameter changes the output; with leaves of another size it is as a fresh instance of that size, or refuses.",
    protects="A compiled call that ignores new values: arrays that it closed over while tracing became constants, so later updates have no effect. And parameters that may take any value, since no output depends on them.",
    mistake="A value derived from a leaf, or a compiled function that closes over the instance, was stored at construction.",
    fix="Derive in a property or in the call, and make the instance an argument of the compiled function.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux", "test_p12_calls_do_not_depend"),
)
CHECKS = Checks(LAW)

UNUSED = "a parameter that is not used, or a stored value derived from it"
TOO_SMALL = "an example of which nothing is left, as a filter of two modes: the call computes with it"
HUGE = 1000.0
"""Factor of an edit for values whose small edits do not show."""


@CHECKS.register()
def test_p08_compiled_calls_see_every_edit(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    compiled = subject.compiled_ways()[0]
    compiled(instance, *arguments)
    for path, value in subject.named(instance).items():
        edited = subject.with_array(instance, path, perturb_leaf(value))
        message = "after an edit the compiled call gives {}, eager {}"
        got, wanted = compiled(edited, *arguments), subject.run(edited, *arguments)
        if close(got, wanted) or not rounds_so_far(subject, edited, arguments, got, wanted):
            check_close(path, message, got, wanted)


@CHECKS.register(CALLED)
def test_p08_every_parameter_changes_the_output(subject: Suite) -> None:

    def check_changes(path: str) -> None:
        role = subject.role(path)
        if (role == "param" and not subject.is_unused(path)) or path in subject.used:
            seen = any(changes_output(subject, path, seed) for seed in range(4))
            seen = seen or shows_where_equal(subject, path) or shows_when_counted(subject, path)
            seen = seen or is_optional(subject, path)
            description = role if role == "param" else f"{role}, declared as used,"
            severity = FAULT if seen else severity_of_idle(subject, [path])
            hint = UNUSED if severity == FAULT else f"{UNUSED}, or {TOO_SMALL}"
            check(seen, path, f"an edit of this {description} changes no output", hint, severity=severity)

    check_each(check_changes, ([path] for path in subject.named(subject.cached_instance())))


@or_else(False)  # it may refuse such arguments
def shows_where_equal(subject: Suite, path: str) -> bool:
    """Whether an edit of an array shows where arguments of one form are equal."""
    return changes_output(subject, path, 1, equalized)


@or_else(False)
def shows_when_counted(subject: Suite, path: str) -> bool:
    """Whether an edit of an array shows once counters have left 0."""
    return changes_output(subject, path, 1, move=subject.counted)


def changes_output(
    subject: Suite,
    path: str,
    seed: int,
    change: Callable[[Any], Any] = lambda arguments: arguments,
    move: Callable[[Any], Any] = lambda instance: instance,
) -> bool:
    """Whether an edit of an array changes an output, at the start or at a generic point."""
    compiled = subject.compiled_ways()[0]
    instance, examples = subject.at_point(seed)
    instance = move(instance)
    examples = [*map(change, examples)]
    value = subject.named(instance)[path]
    read = functools.partial(subject.effects_of, path)

    def outputs(instance: Any) -> list[Any]:
        return [read(compiled(instance, *arguments)) for arguments in examples]

    before = outputs(instance)
    # An angle in seconds of arc is hidden by rounding until it is large.
    huge = [HUGE * value] if is_floating(value) else []
    values = [perturb_leaf(value, 1), perturb_leaf(value, -1), *huge]
    edits = (subject.with_array(instance, path, edited) for edited in values)
    return any(differ(subject, before, outputs(edited)) for edited in edits)


def differ(subject: Suite, before: Any, after: Any) -> bool:
    """Whether results of one program differ by more than rounding.

    In 16 bits, where rounding hides an edit, any difference counts.
    """
    pairs = [*zip(arrays_of(before), arrays_of(after), strict=True)]
    if is_half(subject.narrowest) or any(is_floating(v) and is_half(str(v.dtype)) for v, _ in pairs):
        return not all(same_bits(left, right) for left, right in pairs)
    return not close(before, after)


@CHECKS.register()
def test_p08_assignment_is_refused_or_seen(subject: Suite) -> None:
    instance, arguments = subject.example()
    subject.run_in_place(instance, *arguments)  # what it caches is cached now
    for path, value in subject.named(instance).items():
        try:
            subject.assign_array(instance, path, perturb_leaf(value))
        except ANY_ERROR:
            continue  # refused
        fresh = subject.run(subject.copied(instance), *arguments)
        got = subject.run_in_place(instance, *arguments)
        hint = "a method compiled with a static self, or a cache keyed by the instance"
        check_close(path, "after an assignment the call gives {}, a fresh instance {}", got, fresh, hint)


# Whoever never gives an instance leaves of another size has nothing to mend.
@CHECKS.register(CALLED, severity=ADVICE)
def test_p08_static_values_follow_the_sizes(subject: Suite) -> None:
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
    """Build an instance of another size, with generic values in its arrays."""
    try:
        built = build_with(subject, changes)
    except ANY_ERROR:
        not_applicable("the class cannot be built with another size alone")
    return subject.elsewhere(built)


@or_else(False)
def is_one_program(subject: Suite, instance: Any, other: Any, arguments: Any) -> bool:
    """Whether the calls of two instances are one program, with the same constants."""
    first, second = (trace_of_call(subject, each, arguments) for each in (instance, other))
    return program_text(first) == program_text(second)


def another_size(suite: Any) -> Mapping[str, int]:
    """Return an input of the constructor with another size.

    This is the other configuration, or else the first input that is an axis of the arguments.
    """
    changed, inputs = suite.other or {}, suite.inputs(0)
    pairs = [(inputs.get(name), value) for name, value in changed.items()]
    if len(pairs) == 1 and all(type(size) is int for size in pairs[0]):
        return dict(changed)
    axes = axis_sizes(suite.arguments(0))
    sizes = {n: v for n, v in inputs.items() if type(v) is int and v > 1 and v in axes}
    need(sizes, "no input is known to be the size of an axis")
    name, size = next(iter(sizes.items()))
    return {name: 2 * size}  # what a number of heads divides


def check_not_stale(suite: Any, instances: tuple[Any, Any], got: Any, wanted: Any) -> None:
    """Check that the call with leaves of another size equals that of a fresh instance of that size.

    The check passes if the caller gave each stale static value. `instances` are the example and the fresh
    instance. `got` is the output of the example with the leaves of the fresh instance.
    """
    old, new = (dict(suite.statics_of(instance)) for instance in instances)
    stale = [path for path, value in old.items() if not same_value(value, new.get(path))]
    if stale and set(stale) <= set(suite.inputs(0)):
        return
    message = "with leaves of another size the call gives {}, a fresh instance of that size {}"
    hint = "a static value that was computed from a size: take it from the array in the call, or refuse other shapes there"
    check_close(", ".join(stale), message, got, wanted, hint)
