"""What a class is held to in each configuration that the signatures of its constructor and its call show."""

import itertools
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ...discover.configurations import TracedConfiguration, traced_configurations
from ...discover.evaluation import evaluated, of_generic, on_purpose, run_traced, unused_arguments
from ...discover.invocation import build_with, call_function, example_call, example_construction
from ...discover.resize import Resized, at_a_bound, fits_otherwise, of_small_sizes
from ...engine.applicability import ACCEPTED, ARRAYS_DECLARED, TAKES_DTYPE, applies_where, not_applicable
from ...engine.runner import guard
from ...errors import error_text
from ...inspect.call_recorder import Invocation
from ...inspect.classes import documents_nan
from ...inspect.parameter_values import members
from ...report import Fault, check
from ...suites.base import Suite
from ...trace.programs import result_or_raise
from ...values.closeness import close
from .configuration_dtypes import (
    dtypes_of,
    has_nan,
    has_other_keys,
    is_float,
    is_of_dtypes,
    lacks_its_key,
    leaves_reached,
)

MAX_RUN = 2  # configurations that are run, and not traced alone
SQUEEZED = "`squeeze` without an axis, which takes sizes of one too"
EMPTY = "a sum or a loop in Python, which gives its plain 0 where there is nothing"
NOT_ALLOWED = (
    "a way through the code that the example does not take; where it is not allowed, "
    "`raise ValueError` says so"
)


@guard
class Configurations(Suite):
    """What is cheap of P1, P7 and P9, in each configuration."""

    def _trials(self) -> list[TracedConfiguration]:
        result = [traced for traced in traced_configurations(self) if traced.configuration.size]
        if not result:
            not_applicable("the class has one configuration")
        return result

    def _traced(self) -> list[TracedConfiguration]:
        self.need_call()
        return [traced for traced in self._trials() if traced.trace is not None]

    def _usual(self) -> TracedConfiguration:
        """The example itself."""
        return traced_configurations(self)[0]

    def test_p01_builds_in_each_configuration(self) -> None:
        for traced in self._trials():
            if traced.error is not None and traced.stage == "constructor":
                _refuse(traced, traced.refused and not traced.configuration.is_declared)

    def test_p01_stores_no_two_values_in_each_other_s_place(self) -> None:
        maker, instance = example_construction(self), self.cached_instance()
        given = {} if maker is None else maker.given
        plain = {n: v for n, v in given.items() if type(v) in (int, float, str)}
        held = {n: v for n, v in plain.items() if hasattr(instance, n)}
        for one, other in itertools.combinations(held, 2):
            swapped = (held[other], held[one]), (held[one], held[other])
            got = getattr(instance, one), getattr(instance, other)
            wrong = swapped[0] != swapped[1] and got == swapped[0]
            message = f"given {swapped[1]}, they hold {got}"
            check(not wrong, f"{one}, {other}", message, "two names in the wrong order")

    @applies_where(TAKES_DTYPE)
    def test_p02_the_dtype_reaches_every_leaf_in_each_configuration(self) -> None:
        hint = "an array that is made without `dtype`"
        for traced in self._trials():
            own, built = traced.configuration, traced.instance
            if built is not None and own.inputs and own.size == 1:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of what is deprecated
                    narrow = build_with(self, {**own.inputs, "dtype": jnp.bfloat16})
                usual = self.named(built)
                for name, value in self.named(narrow).items():
                    message = f"built with dtype bfloat16, it is {value.dtype}"
                    follows = is_float(usual.get(name)) and self.is_own(name)
                    right = not follows or value.dtype == jnp.bfloat16
                    check(right, _place(traced, name), message, hint)

    def is_own(self, path: str) -> bool:
        """Whether an array is of the class itself, and of no part that decides its dtype."""
        suite: Any = self
        leaf = suite.declared(path)
        if leaf is None:
            return "." not in path
        return leaf.dtype == "float" and not leaf.is_tree

    def test_p07_can_be_called_in_each_configuration(self) -> None:
        self.need_call()
        for traced in self._trials():
            if traced.error is not None and traced.stage == "call" and not lacks_its_key(self, traced):
                said = traced.refused and not traced.configuration.is_declared
                said = said or has_other_keys(traced)
                _refuse(traced, said or fits_otherwise(self, traced))

    def test_p07_has_the_same_dtypes_in_each_configuration(self) -> None:
        usual = dtypes_of(self._usual())
        for configuration in self._traced():
            got = dtypes_of(configuration)
            if len(got) == len(usual) and not is_of_dtypes(configuration):
                for i, (dtype, before) in enumerate(zip(got, usual)):
                    message = f"it is {dtype}, and {before} in the example"
                    hint = "a number or an array of another dtype: `dtype=x.dtype`"
                    check(dtype == before, _place(configuration, f"output {i}"), message, hint)

    def test_p07_keeps_its_axes_where_a_size_is_one(self) -> None:
        for traced in self._of_a_size(1):
            where = f"an axis of 1 in the place of {traced.size}"
            message = f"the call raised {traced.error!r}"
            check(traced.error is None, where, message, "a division by a size less one")
            self._has_the_usual_axes(traced, where, SQUEEZED)

    def test_p07_keeps_its_axes_and_dtypes_where_a_size_is_zero(self) -> None:
        usual = tuple(str(out.dtype) for out in self.traced_outputs())
        for configuration in self._of_a_size(0):
            where = f"an axis of 0 in the place of {configuration.size}"
            self._has_the_usual_axes(configuration, where, EMPTY)
            message = f"its outputs are {list(configuration.dtypes)}, and {list(usual)} in the example"
            check(configuration.dtypes == usual, where, message, EMPTY)

    def _of_a_size(self, size: int) -> list[Resized]:
        self.need_call()
        return [configuration for configuration in of_small_sizes(self) if configuration.became == size]

    def _has_the_usual_axes(self, resized_example: Resized, where: str, hint: str) -> None:
        usual = tuple(len(out.shape) for out in self.traced_outputs())
        message = f"its outputs have {list(resized_example.ranks)} axes, and {list(usual)} in the example"
        check(resized_example.ranks == usual or resized_example.error is not None, where, message, hint)

    @applies_where(ACCEPTED)
    def test_p07_takes_what_its_constructor_accepts(self) -> None:
        self.need_call()
        accepted = [at_a_bound(self, changes) for changes in self.accepted]
        for traced in accepted:
            if traced.error is not None and traced.stage == "call":
                divides = isinstance(traced.error, ZeroDivisionError)
                fits = not divides and fits_otherwise(self, traced)
                _refuse(traced, traced.refused or fits)
        self._give_no_nan([configuration for configuration in accepted if configuration.inputs])

    def _give_no_nan(self, accepted: Sequence[TracedConfiguration]) -> None:
        for configuration, found in zip(accepted, of_generic(accepted)):
            wrong = has_nan(result_or_raise(found))
            wrong = wrong and not self._gives_nan_itself()
            message = "the constructor accepts it, and the call gives NaN"
            hint = "a check with `<=` in the place of `<`, or a case that the call needs"
            check(not wrong, _place(configuration, "call"), message, hint)

    def _gives_nan_itself(self) -> bool:
        usual = self._usual()
        if usual.trace is None:
            return has_nan(run_traced(self, usual))
        return has_nan(result_or_raise(*of_generic([usual])))

    def test_p07_computes_what_its_trace_does_in_each_configuration(self) -> None:
        others = self._other_programs()[:MAX_RUN]
        for one, found in zip(others, evaluated(self, others)):
            traced, eager = result_or_raise(found), run_traced(self, one)
            message = f"traced it gives {traced}, eager {eager}"
            check(close(traced, eager), _place(one, "call"), message)
            wrong = has_nan(eager) and not has_nan(run_traced(self, self._usual()))
            wrong = wrong and not documents_nan(type(self.cached_instance()))
            check(not wrong, _place(one, "call"), f"it gives NaN: {eager}")

    def _other_programs(self) -> list[TracedConfiguration]:
        """Configurations whose traces are others than that of the example; those of the call first."""
        single = [traced for traced in self._traced() if traced.configuration.size == 1]
        if self._usual().trace is None:  # P6 or P7 says why
            return []
        single.sort(key=lambda one: len(one.configuration.inputs))
        usual = str(self._usual().trace[0])
        return [one for one in single if one.inputs and str(one.trace[0]) != usual]

    def test_p12_hands_back_the_state_that_it_is_given(self) -> None:
        self.need_call()
        equinox: Any = sys.modules.get("equinox")
        use = example_call(self)
        if equinox is None or use is None:
            not_applicable("the call takes no state")
        kind = equinox.nn.State
        names = _left_out(use, kind)
        if not names:
            not_applicable("the call takes no state that may be left out")
        empty = kind(())
        call, given = call_function(self, {names[0]: empty})
        result = call(self.cached_instance(), given)
        found = jax.tree.leaves(result, is_leaf=lambda v: isinstance(v, kind))
        message = "given a state, the call returns none"
        hint = "`return y, state` where a state is given, as `equinox.nn.Sequential` expects"
        there = any(isinstance(one, kind) for one in found)
        check(there, f"the call's {names[0]}", message, hint)

    @applies_where(ARRAYS_DECLARED)
    def test_p08_every_argument_matters(self) -> None:
        self.need_call()
        unused = unused_arguments(self)
        names = [name for name in unused if name not in self.ignored]
        hint = on_purpose(names)
        message = "the call takes it, and nothing that it returns depends on it"
        check(not names, ", ".join(names), message, hint)

    def test_p09_uses_its_parameters_in_each_configuration(self) -> None:
        self.need_call()
        usual = leaves_reached(self._usual(), gradients=True)
        for traced in self._traced():
            if traced.configuration.given or traced.configuration.leaves or traced.is_quiet:
                continue
            there = leaves_reached(traced, gradients=True)
            for name in usual.keys() & there.keys():
                message = "no gradient reaches it, as it does in the example"
                hint = "a way through the call that leaves it out: do not build it there"
                check(there[name] or not usual[name], _place(traced, name), message, hint)
            if any(isinstance(v, dict) for v in traced.configuration.inputs.values()):
                continue  # what is in a dict is the choice of who gives it
            for name, used in leaves_reached(traced, gradients=False).items():
                message = "it is held in this configuration alone, and the call does not use it"
                check(used or name in usual, _place(traced, name), message, "a part without a use")


def _refuse(traced: TracedConfiguration, may_be: bool) -> None:
    """A finding, where an error was not meant."""
    __tracebackhide__ = True
    if traced.error is not None and not may_be:
        what = f"the {traced.stage} raised {error_text(traced.error)}"
        raise Fault(traced.configuration.name, what, NOT_ALLOWED) from traced.error


def _left_out(use: Invocation, kind: type) -> list[str]:
    """The arguments of a call that may be of a kind, and are None in the example."""
    annotations = use.annotations()
    return [
        name
        for name in use.varied()
        if use.given[name] is None and any(value is kind for value in members(annotations.get(name)))
    ]


def _place(traced: TracedConfiguration, what: str) -> str:
    return f"{what} with {traced.configuration.name}"
