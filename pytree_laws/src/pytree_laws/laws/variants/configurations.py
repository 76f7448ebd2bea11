"""Laws of each configuration that the signatures of the constructor and the call show."""

import inspect
import itertools
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...declare.methods import is_read_beside
from ...discover.configuration_programs import (
    dtypes_of,
    has_other_keys,
    is_float,
    is_of_dtypes,
    lacks_its_key,
    lacks_its_state,
    leaves_reached,
)
from ...discover.configurations import (
    Configuration,
    TracedConfiguration,
    other_programs,
    trace_configuration,
    traced_configurations,
)
from ...discover.evaluation import evaluated, of_generic, on_purpose, run_traced, unused_arguments
from ...discover.invocation import build_with, call_function, given_to_constructor
from ...discover.likely import numbers_for_none
from ...discover.resize import Resized, at_a_bound, fits_otherwise, hard_coded_sizes, of_small_sizes
from ...engine.applicability import ACCEPTED, ARRAYS_DECLARED, CALLED, TAKES_DTYPE, need, not_applicable
from ...engine.example_errors import advice_on, may_be_of_the_example
from ...engine.first_use import called_method, example_call
from ...engine.registry import Checks
from ...errors import error_text
from ...inspect.arrays import kind_of
from ...inspect.call_recorder import Invocation
from ...inspect.classes import documents_nan
from ...inspect.parameter_values import members
from ...inspect.trees import under_any
from ...kinds.suite import Suite
from ...report import ADVICE, FAULT, Fault, check, check_each, result_or_raise
from ...trace.dependencies import differ_in_stops_alone
from ...values.closeness import close
from ...values.edge_values import has_nan

CHECKS = Checks()

MAX_RUN = 2  # configurations that are run, and not traced alone
HARD_CODED = "a number where the size of an array belongs: `x.shape[-1]`, `self.weight.shape[0]`"
SQUEEZED = "`squeeze` without an axis, which takes sizes of one too"
EMPTY = "a sum or a loop in Python, which gives its plain 0 where there is nothing"
NOT_ALLOWED = "a way through the code that the example does not take; where it is not allowed, `raise ValueError` says so"


def _trials(subject: Suite) -> list[TracedConfiguration]:
    result = [traced for traced in traced_configurations(subject) if traced.configuration.size]
    need(result, "the class has one configuration")
    return result


def _traced(subject: Suite) -> list[TracedConfiguration]:
    subject.need_call()
    return [traced for traced in _trials(subject) if traced.trace is not None]


def _usual(subject: Suite) -> TracedConfiguration:
    return traced_configurations(subject)[0]


@CHECKS.register()
def test_p01_builds_in_each_configuration(subject: Suite) -> None:
    check_each(_can_be_built, [(subject, traced) for traced in _trials(subject)])


def _can_be_built(subject: Suite, traced: TracedConfiguration) -> None:
    is_of_the_constructor = traced.error is not None and traced.stage == "constructor"
    if is_of_the_constructor and not _is_no_argument(traced, type(subject.cached_instance())):
        _refuse(subject, traced, traced.refused and not traced.configuration.is_declared)


def _is_no_argument(traced: TracedConfiguration, cls: type) -> bool:
    """Whether a factory lacks an argument of the constructor, so that no configuration has it."""
    error, configuration = traced.error, traced.configuration
    if not isinstance(error, TypeError) or configuration.is_declared:
        return False
    maker = getattr(inspect.getattr_static(cls, "__init__"), "__code__", None)
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    names = (f"unexpected keyword argument '{name}'" for name in configuration.inputs)
    return any(name in str(error) for name in names) and all(frame.f_code is not maker for frame in frames)


@CHECKS.register()
def test_p01_stores_no_two_values_in_each_other_s_place(subject: Suite) -> None:
    instance, arguments = subject.cached_instance(), given_to_constructor(subject).items()
    plain = {n: v for n, v in arguments if type(v) in (int, float, str)}
    stored = {n: v for n, v in plain.items() if hasattr(instance, n)}
    for name, other in itertools.combinations(stored, 2):
        swapped = (stored[other], stored[name]), (stored[name], stored[other])
        got = getattr(instance, name), getattr(instance, other)
        wrong = swapped[0] != swapped[1] and all(map(np.array_equal, got, swapped[0]))
        message = f"given {swapped[1]}, they hold {got}"
        check(not wrong, f"{name}, {other}", message, "two names in the wrong order")


@CHECKS.register(TAKES_DTYPE, rests_on=("test_p02_",))
def test_p02_the_dtype_reaches_every_leaf_in_each_configuration(subject: Suite) -> None:
    hint = "an array that is made without `dtype`"
    for traced in _trials(subject):
        configuration, built = traced.configuration, traced.instance
        if built is not None and configuration.inputs and configuration.size == 1:
            with warnings.catch_warnings(action="ignore"):  # of what is deprecated
                narrow = build_with(subject, {**configuration.inputs, "dtype": jnp.bfloat16})
            usual = subject.named(built)
            for name, value in subject.named(narrow).items():
                message = f"built with dtype bfloat16, it is {value.dtype}"
                follows = is_float(usual.get(name)) and is_own(subject, name)
                right = not follows or value.dtype == jnp.bfloat16
                check(right, traced.configuration.place(name), message, hint)


def is_own(subject: Suite, path: str) -> bool:
    """Whether an array is the class's own, and not of a part that decides its dtype."""
    leaf = subject.declared(path)
    if leaf is None:
        return "." not in path
    return leaf.dtype == "float" and not leaf.is_tree


@CHECKS.register(CALLED)
def test_p07_can_be_called_in_each_configuration(subject: Suite) -> None:
    trials = [*traced_configurations(subject)[1:], *_calls_with_numbers(subject)]
    need(trials, "the class has one configuration")
    check_each(_can_be_called, [(subject, traced) for traced in trials])


def _calls_with_numbers(subject: Suite) -> Iterator[TracedConfiguration]:
    """Yield a call with each option that is None in the example, if it raises with all numbers."""
    use = example_call(subject)
    options = numbers_for_none(use) if use is not None else {}
    together = {name: values[-1] for name, values in options.items()}
    for name, values in options.items():
        every = [*({name: value} for value in values), together]
        trials = (trace_configuration(subject, Configuration(given=given)) for given in every)
        raised = [*itertools.takewhile(lambda trial: trial.error is not None and not trial.refused, trials)]
        if len(raised) == len(every):
            yield raised[0]


def _can_be_called(subject: Suite, traced: TracedConfiguration) -> None:
    if traced.error is not None and traced.stage == "call" and not lacks_its_key(subject, traced):
        said = traced.refused and not traced.configuration.is_declared
        said = said or has_other_keys(traced) or lacks_its_state(subject, traced)
        _refuse(subject, traced, said or fits_otherwise(subject, traced))


@CHECKS.register(rests_on=("test_p02_the_dtype", "test_p07_outputs_are"))
def test_p07_has_the_same_dtypes_in_each_configuration(subject: Suite) -> None:
    usual = dtypes_of(_usual(subject))
    for configuration in _traced(subject):
        got = dtypes_of(configuration)
        if len(got) == len(usual) and not is_of_dtypes(configuration):
            for i, (dtype, before) in enumerate(zip(got, usual)):
                message = f"it is {dtype}, and {before} in the example"
                hint = "a number or an array of another dtype: `dtype=x.dtype`"
                # An option may choose between an image and its transform, or between indices and weights.
                severity = FAULT if kind_of(dtype) == kind_of(before) else ADVICE
                place = configuration.configuration.place(f"output {i}")
                check(dtype == before, place, message, hint, severity=severity)


@CHECKS.register(CALLED, severity=ADVICE)
def test_p07_takes_other_sizes(subject: Suite) -> None:
    for name, size, error in hard_coded_sizes(subject):
        message = f"the call takes no other size; it raised {error_text(error)}"
        raise Fault(f"call with {name}={size}", message, HARD_CODED) from error


@CHECKS.register()
def test_p07_keeps_its_axes_where_a_size_is_one(subject: Suite) -> None:
    for traced in _of_a_size(subject, 1):
        where = f"an axis of 1 in the place of {traced.size}"
        message = f"the call raised {traced.error!r}"
        # What builds an instance chooses its sizes: one that nobody declared need not be one.
        severity = ADVICE if traced.names and subject.severity == FAULT else FAULT
        check(traced.error is None, where, message, "a division by a size less one", severity=severity)
        _has_the_usual_axes(subject, traced, where, SQUEEZED)


@CHECKS.register()
def test_p07_keeps_its_axes_and_dtypes_where_a_size_is_zero(subject: Suite) -> None:
    usual = tuple(str(out.dtype) for out in subject.traced_outputs())
    for configuration in _of_a_size(subject, 0):
        where = f"an axis of 0 in the place of {configuration.size}"
        _has_the_usual_axes(subject, configuration, where, EMPTY)
        message = f"its outputs are {list(configuration.dtypes)}, and {list(usual)} in the example"
        same = configuration.dtypes == usual or len(configuration.dtypes) != len(usual)
        check(same, where, message, EMPTY, severity=ADVICE)  # of what has no elements


def _of_a_size(subject: Suite, size: int) -> list[Resized]:
    subject.need_call()
    return [configuration for configuration in of_small_sizes(subject) if configuration.became == size]


def _has_the_usual_axes(subject: Suite, resized_example: Resized, where: str, hint: str) -> None:
    usual = tuple(len(out.shape) for out in subject.traced_outputs())
    message = f"its outputs have {list(resized_example.ranks)} axes, and {list(usual)} in the example"
    # A list of as many outputs as there are elements has others on purpose.
    same = resized_example.ranks == usual or len(resized_example.ranks) != len(usual)
    check(same or resized_example.error is not None, where, message, hint)


@CHECKS.register(ACCEPTED, CALLED)
def test_p07_takes_what_its_constructor_accepts(subject: Suite) -> None:
    accepted = [at_a_bound(subject, changes) for changes in subject.accepted]
    for traced in accepted:
        if traced.error is not None and traced.stage == "call":
            fits = not isinstance(traced.error, ZeroDivisionError) and fits_otherwise(subject, traced)
            _refuse(subject, traced, traced.refused or fits)
    _give_no_nan(subject, [configuration for configuration in accepted if configuration.inputs])


def _give_no_nan(subject: Suite, accepted: Sequence[TracedConfiguration]) -> None:
    for configuration, outputs in zip(accepted, of_generic(accepted)):
        wrong = any(map(has_nan, result_or_raise(outputs))) and not _gives_nan_itself(subject)
        message = "the constructor accepts it, and the call gives NaN"
        hint = "a check with `<=` in the place of `<`, or a case that the call needs"
        check(not wrong, configuration.configuration.place("call"), message, hint)


def _gives_nan_itself(subject: Suite) -> bool:
    usual = _usual(subject)
    results = run_traced(subject, usual) if usual.trace is None else result_or_raise(*of_generic([usual]))
    return any(map(has_nan, results))


@CHECKS.register()
def test_p07_computes_what_its_trace_does_in_each_configuration(subject: Suite) -> None:
    others = other_programs(subject)[:MAX_RUN]
    for trial, outputs in zip(others, evaluated(others)):
        traced, eager = result_or_raise(outputs), run_traced(subject, trial)
        message = f"traced it gives {traced}, eager {eager}"
        check(close(traced, eager), trial.configuration.place("call"), message)
        wrong = any(map(has_nan, eager)) and not any(map(has_nan, run_traced(subject, _usual(subject))))
        wrong = wrong and not documents_nan(type(subject.cached_instance()))
        # A flag that nobody gave may ask for other values in what the instance holds.
        severity = FAULT if subject.declares_arrays() or trial.configuration.is_declared else ADVICE
        check(not wrong, trial.configuration.place("call"), f"it gives NaN: {eager}", severity=severity)


@CHECKS.register(CALLED)
def test_p12_hands_back_the_state_that_it_is_given(subject: Suite) -> None:
    equinox: Any = sys.modules.get("equinox")
    use = example_call(subject)
    if equinox is None or use is None:
        not_applicable("the call takes no state")
    kind = equinox.nn.State
    names = _left_out(use, kind)
    need(names, "the call takes no state that may be left out")
    call, arguments = call_function(subject, {names[0]: kind(())})
    result = call(subject.cached_instance(), arguments)
    leaves = jax.tree.leaves(result, is_leaf=lambda v: isinstance(v, kind))
    hint = "`return y, state` where a state is given, as `equinox.nn.Sequential` expects"
    there = any(isinstance(leaf, kind) for leaf in leaves)
    check(there, f"the call's {names[0]}", "given a state, the call returns none", hint)


@CHECKS.register(ARRAYS_DECLARED, CALLED, severity=ADVICE)
def test_p08_every_argument_matters(subject: Suite) -> None:
    names = [name for name in unused_arguments(subject) if name not in subject.ignored]
    message = "the call takes it, and nothing that it returns or updates depends on it"
    check(not names, ", ".join(names), message, on_purpose(names))


@CHECKS.register(CALLED)
def test_p09_uses_its_parameters_in_each_configuration(subject: Suite) -> None:
    cls, usual = type(subject.cached_instance()), leaves_reached(_usual(subject), gradients=True)
    for traced in _traced(subject):
        if traced.configuration.given or traced.configuration.leaves or traced.is_quiet:
            continue
        there = leaves_reached(traced, gradients=True)
        lost = [name for name, reached in usual.items() if reached and there.get(name) is False]
        meant = [name for name in lost if subject.is_unused(name) or under_any(name, subject.conditional)]
        cut_off = [name for name in lost if name not in meant]
        if cut_off and not differ_in_stops_alone(_usual(subject).trace[0].jaxpr, traced.trace[0].jaxpr):
            first, *others = cut_off
            message = "no gradient reaches it, as it does in the example"
            message += f"; nor {', '.join(f'`{name}`' for name in others)}" if others else ""
            hint = f"a way through the call that leaves it out: do not build it there; if it is meant, `conditional = {(*subject.conditional, *cut_off)!r}`"
            check(False, traced.configuration.place(first), message, hint, severity=ADVICE)
        if any(isinstance(v, dict) for v in traced.configuration.inputs.values()):
            continue  # what is in a dict is the choice of who gives it
        for name, used in leaves_reached(traced, gradients=False).items():
            message = "it is held in this configuration alone, and the call does not use it"
            is_for_others = is_read_beside(cls, called_method(subject), name.partition(".")[0])
            severity, place = ADVICE if is_for_others else FAULT, traced.configuration.place(name)
            check(used or name in usual, place, message, "a part without a use", severity=severity)


def _refuse(subject: Suite, traced: TracedConfiguration, may_be: bool) -> None:
    """Raise a fault for an error that was not meant."""
    __tracebackhide__ = True
    if traced.error is not None and not may_be:
        message = f"the {traced.stage} raised {error_text(traced.error)}"
        severity = ADVICE if _asks_for_others(subject, traced) else FAULT
        hint = advice_on(subject, traced.error, NOT_ALLOWED)
        raise Fault(traced.configuration.name, message, hint, severity=severity) from traced.error


def _asks_for_others(subject: Suite, traced: TracedConfiguration) -> bool:
    """Whether an undeclared configuration may be for other values than those of the example."""
    if traced.configuration.leaves_out_alone:
        return True  # a default of None may stand for what each caller gives, as the example does
    is_declared = traced.configuration.is_declared or traced.stage == "constructor"
    return not is_declared and may_be_of_the_example(subject, "__call__", traced.error)


def _left_out(use: Invocation, kind: type) -> list[str]:
    """Return the arguments of a call that may be of a type, and are None in the example."""
    annotations, absent = use.annotations(), [name for name in use.varied() if use.given[name] is None]
    return [name for name in absent if any(value is kind for value in members(annotations.get(name)))]
