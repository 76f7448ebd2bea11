"""What a class is held to in each configuration that the signatures of its constructor and its call show."""

import itertools
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...discover.configurations import (
    Trial,
    evaluated,
    of_generic,
    on_purpose,
    run,
    trials,
    unused_arguments,
)
from ...discover.invocation import built_with, call_of, construction, use_of
from ...discover.resize import Resized, at_a_bound, fits_otherwise, of_small_sizes
from ...engine.applicability import (
    ACCEPTED,
    ARRAYS_DECLARED,
    TAKES_DTYPE,
    applies_where,
    not_applicable,
)
from ...engine.runner import guard
from ...inspect.arrays import has_dtype, is_array, is_inexact, is_key
from ...inspect.call_recorder import Invocation
from ...inspect.errors import told
from ...inspect.parameter_values import members
from ...report import Fault, check
from ...suites.base import Suite
from ...trace.dependencies import reaching
from ...trace.programs import given_or_raised
from ...values.closeness import close

MOST_RUN = 2  # configurations that are run, and not traced alone
SQUEEZED = "`squeeze` without an axis, which takes sizes of one too"
EMPTY = "a sum or a loop in Python, which gives its plain 0 where there is nothing"
NOT_ALLOWED = (
    "a way through the code that the example does not take; where it is not allowed, "
    "`raise ValueError` says so"
)


@guard
class Configurations(Suite):
    """What is cheap of P1, P7 and P9, in each configuration."""

    def _trials(self) -> list[Trial]:
        laws: Any = type(self)
        found = [one for one in trials(laws) if one.configuration.size]
        if not found:
            not_applicable("the class has one configuration")
        return found

    def _traced(self) -> list[Trial]:
        self.need_call()
        return [one for one in self._trials() if one.trace is not None]

    def _usual(self) -> Trial:
        """The example itself."""
        laws: Any = type(self)
        return trials(laws)[0]

    def test_p01_builds_in_each_configuration(self) -> None:
        for one in self._trials():
            if one.error is not None and one.stage == "constructor":
                _refuse(one, one.refused and not one.configuration.is_declared)

    def test_p01_stores_no_two_values_in_each_other_s_place(self) -> None:
        laws: Any = type(self)
        maker, instance = construction(laws), self.specimen()
        given = {} if maker is None else maker.given
        plain = {n: v for n, v in given.items() if type(v) in (int, float, str)}
        held = {n: v for n, v in plain.items() if hasattr(instance, n)}
        for one, other in itertools.combinations(held, 2):
            swapped = (held[other], held[one]), (held[one], held[other])
            got = getattr(instance, one), getattr(instance, other)
            wrong = swapped[0] != swapped[1] and got == swapped[0]
            told = f"given {swapped[1]}, they hold {got}"
            check(not wrong, f"{one}, {other}", told, "two names in the wrong order")

    @applies_where(TAKES_DTYPE)
    def test_p02_the_dtype_reaches_every_leaf_in_each_configuration(self) -> None:
        hint = "an array that is made without `dtype`"
        for one in self._trials():
            own, built = one.configuration, one.instance
            if built is not None and own.inputs and own.size == 1:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of what is deprecated
                    narrow = built_with(self, {**own.inputs, "dtype": jnp.bfloat16})
                usual = self.named(built)
                for name, value in self.named(narrow).items():
                    told = f"built with dtype bfloat16, it is {value.dtype}"
                    follows = _is_float(usual.get(name)) and self.is_own(name)
                    right = not follows or value.dtype == jnp.bfloat16
                    check(right, _place(one, name), told, hint)

    def is_own(self, path: str) -> bool:
        """Whether an array is of the class itself, and of no part that decides its dtype."""
        suite: Any = self
        leaf = suite.declared(path)
        if leaf is None:
            return "." not in path
        return leaf.dtype == "float" and not leaf.is_tree

    def test_p07_can_be_called_in_each_configuration(self) -> None:
        self.need_call()
        for one in self._trials():
            if (
                one.error is not None
                and one.stage == "call"
                and not _lacks_its_key(self, one)
            ):
                said = one.refused and not one.configuration.is_declared
                said = said or _has_other_keys(one)
                _refuse(one, said or fits_otherwise(self, one))

    def test_p07_has_the_same_dtypes_in_each_configuration(self) -> None:
        usual = _dtypes(self._usual())
        for one in self._traced():
            got = _dtypes(one)
            if len(got) == len(usual) and not _is_of_dtypes(one):
                for i, (dtype, before) in enumerate(zip(got, usual)):
                    told = f"it is {dtype}, and {before} in the example"
                    hint = "a number or an array of another dtype: `dtype=x.dtype`"
                    check(dtype == before, _place(one, f"output {i}"), told, hint)

    def test_p07_keeps_its_axes_where_a_size_is_one(self) -> None:
        for one in self._of_a_size(1):
            where = f"an axis of 1 in the place of {one.size}"
            told = f"the call raised {one.error!r}"
            check(one.error is None, where, told, "a division by a size less one")
            self._has_the_usual_axes(one, where, SQUEEZED)

    def test_p07_keeps_its_axes_and_dtypes_where_a_size_is_zero(self) -> None:
        usual = tuple(str(out.dtype) for out in self.traced_outputs())
        for one in self._of_a_size(0):
            where = f"an axis of 0 in the place of {one.size}"
            self._has_the_usual_axes(one, where, EMPTY)
            told = (
                f"its outputs are {list(one.dtypes)}, and {list(usual)} in the example"
            )
            check(one.dtypes == usual, where, told, EMPTY)

    def _of_a_size(self, size: int) -> list[Resized]:
        self.need_call()
        laws: Any = type(self)
        return [one for one in of_small_sizes(laws) if one.became == size]

    def _has_the_usual_axes(self, one: Resized, where: str, hint: str) -> None:
        usual = tuple(len(out.shape) for out in self.traced_outputs())
        told = (
            f"its outputs have {list(one.ranks)} axes, and {list(usual)} in the example"
        )
        check(one.ranks == usual or one.error is not None, where, told, hint)

    @applies_where(ACCEPTED)
    def test_p07_takes_what_its_constructor_accepts(self) -> None:
        self.need_call()
        accepted = [at_a_bound(self, changes) for changes in self.accepted]
        for one in accepted:
            if one.error is not None and one.stage == "call":
                divides = isinstance(one.error, ZeroDivisionError)
                fits = not divides and fits_otherwise(self, one)
                _refuse(one, one.refused or fits)
        self._give_no_nan([one for one in accepted if one.inputs])

    def _give_no_nan(self, accepted: Sequence[Trial]) -> None:
        for one, found in zip(accepted, of_generic(accepted)):
            wrong = has_nan(given_or_raised(found))
            wrong = wrong and not self._gives_nan_itself()
            told = "the constructor accepts it, and the call gives NaN"
            hint = (
                "a check with `<=` in the place of `<`, or a case that the call needs"
            )
            check(not wrong, _place(one, "call"), told, hint)

    def _gives_nan_itself(self) -> bool:
        usual = self._usual()
        if usual.trace is None:
            return has_nan(run(self, usual))
        return has_nan(given_or_raised(*of_generic([usual])))

    def test_p07_computes_what_its_trace_does_in_each_configuration(self) -> None:
        others = self._other_programs()[:MOST_RUN]
        for one, found in zip(others, evaluated(self, others)):
            traced, eager = given_or_raised(found), run(self, one)
            told = f"traced it gives {traced}, eager {eager}"
            check(close(traced, eager), _place(one, "call"), told)
            wrong = has_nan(eager) and not has_nan(run(self, self._usual()))
            check(not wrong, _place(one, "call"), f"it gives NaN: {eager}")

    def _other_programs(self) -> list[Trial]:
        """Configurations whose traces are others than that of the example; those of the call first."""
        single = [one for one in self._traced() if one.configuration.size == 1]
        if self._usual().trace is None:  # P6 or P7 says why
            return []
        single.sort(key=lambda one: len(one.configuration.inputs))
        usual = str(self._usual().trace[0])
        return [one for one in single if one.inputs and str(one.trace[0]) != usual]

    def test_p12_hands_back_the_state_that_it_is_given(self) -> None:
        self.need_call()
        equinox: Any = sys.modules.get("equinox")
        laws: Any = type(self)
        use = use_of(laws)
        if equinox is None or use is None:
            not_applicable("the call takes no state")
        kind = equinox.nn.State
        names = _left_out(use, kind)
        if not names:
            not_applicable("the call takes no state that may be left out")
        empty = kind(())
        call, given = call_of(self, {names[0]: empty})
        result = call(self.specimen(), given)
        found = jax.tree.leaves(result, is_leaf=lambda v: isinstance(v, kind))
        told = "given a state, the call returns none"
        hint = "`return y, state` where a state is given, as `equinox.nn.Sequential` expects"
        there = any(isinstance(one, kind) for one in found)
        check(there, f"the call's {names[0]}", told, hint)

    @applies_where(ARRAYS_DECLARED)
    def test_p08_every_argument_matters(self) -> None:
        self.need_call()
        laws: Any = type(self)
        unused = unused_arguments(laws)
        names = [name for name in unused if name not in self.ignored]
        hint = on_purpose(names)
        told = "the call takes it, and nothing that it returns depends on it"
        check(not names, ", ".join(names), told, hint)

    def test_p09_uses_its_parameters_in_each_configuration(self) -> None:
        self.need_call()
        usual = _reached(self._usual(), gradients=True)
        for one in self._traced():
            if one.configuration.given or one.configuration.leaves or one.is_quiet:
                continue
            there = _reached(one, gradients=True)
            for name in usual.keys() & there.keys():
                told = "no gradient reaches it, as it does in the example"
                hint = (
                    "a way through the call that leaves it out: do not build it there"
                )
                check(there[name] or not usual[name], _place(one, name), told, hint)
            if any(isinstance(v, dict) for v in one.configuration.inputs.values()):
                continue  # what is in a dict is the choice of who gives it
            for name, used in _reached(one, gradients=False).items():
                told = "it is held in this configuration alone, and the call does not use it"
                check(
                    used or name in usual,
                    _place(one, name),
                    told,
                    "a part without a use",
                )


def _refuse(one: Trial, may_be: bool) -> None:
    """A finding, where an error was not meant."""
    __tracebackhide__ = True
    if one.error is not None and not may_be:
        what = f"the {one.stage} raised {told(one.error)}"
        raise Fault(one.configuration.name, what, NOT_ALLOWED) from one.error


def _left_out(use: Invocation, kind: type) -> list[str]:
    """The arguments of a call that may be of a kind, and are None in the example."""
    annotations = use.annotations()
    return [
        name
        for name in use.varied()
        if use.given[name] is None
        and any(one is kind for one in members(annotations.get(name)))
    ]


def _is_float(value: Any) -> bool:
    return is_array(value) and has_dtype(value, "float")


def _has_other_keys(one: Trial) -> bool:
    """Whether a dict of other keys met one of the usual keys, as the gradients for it."""
    changes = {**one.configuration.inputs, **one.configuration.given}.values()
    words = ("structure", "pytree", "children")
    told = str(one.error).lower()
    return any(isinstance(v, dict) for v in changes) and any(w in told for w in words)


def _lacks_its_key(suite: Any, one: Trial) -> bool:
    """Whether a key is left out: the call may then fail as it likes."""
    laws: Any = type(suite)
    use = use_of(laws)
    changes = one.configuration.given.items()
    return use is not None and any(
        v is None and is_key(use.given[name]) for name, v in changes
    )


def _dtypes(one: Trial) -> list[Any]:
    return [out.dtype for out in jax.tree.leaves(one.trace[1])] if one.trace else []


def _is_of_dtypes(one: Trial) -> bool:
    """Whether it says itself in which dtype it computes."""
    return any(
        "dtype" in name
        for name in {**one.configuration.inputs, **one.configuration.given}
    )


def _place(one: Trial, what: str) -> str:
    return f"{what} with {one.configuration.name}"


def _reached(one: Trial, gradients: bool) -> dict[str, bool]:
    """By path, whether outputs depend on an array of the instance; or gradients reach it."""
    if one.trace is None:
        return {}
    marks = reaching(one.trace[0].jaxpr, gradients)
    pairs = zip(one.inputs, marks)
    return {
        name[2:]: mark
        for (name, v), mark in pairs
        if name.startswith("0.") and is_inexact(v)
    }


def has_nan(arrays: list[Any]) -> bool:
    return any(is_inexact(v) and bool(np.isnan(np.asarray(v)).any()) for v in arrays)
