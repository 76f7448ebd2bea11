"""What a method raises in a branch that only another value of a flag, of it or of the constructor, takes."""

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from by_hand.test_severity import severity_of
from pytree_laws import Leaf, Method, PytreeLaws, sample
from pytree_laws.report import ADVICE, FAULT
from pytree_laws.snapshot.methods import of_methods


class Response(eqx.Module):
    """How much of a frequency gets through, in decibels where a flag says so."""

    gain: jax.Array
    is_plain: bool = eqx.field(static=True, default=True)

    def __call__(self, x):
        return self.gain * x

    def power(self, x):
        return (self.gain * x) ** 2

    def response(self, x, decibels: bool = False):
        return 10 * jnp.log10(self.power(x) + 1e-3) if decibels else self.power(x)


class BoundsByPython(Response):
    def response(self, x, decibels: bool = False):
        return 10 * jnp.log10(max(self.power(x), 1e-3)) if decibels else self.power(x)


class Misspelt(Response):
    def response(self, x, decibels: bool = False):
        return self.in_decibels(x) if decibels else self.power(x)


class MisspeltOtherwise(Response):
    def response(self, x, decibels: bool = False):
        return self.power(x) if self.is_plain else self.in_decibels(x)


class Refuses(Response):
    def response(self, x, decibels: bool = False):
        if decibels:
            raise NotImplementedError("nobody has needed decibels")
        return self.power(x)


class Unpacks(Response):
    def response(self, x, decibels: bool = False):
        if decibels:
            (x,) = x
        return self.power(x)


class Bounded(Response):
    """Options that are None unless a number is given: an index, a bound, and two that belong together."""

    def response(self, x, order: int | None = None, bound: float | None = None, low: float | None = None):
        y = self.power(x) if order is None else [self.power(x), self.gain * x][order]
        y = y if bound is None else jnp.minimum(y, bound)
        return y if low is None else jnp.maximum(y, low * bound)


class MisspeltBound(Bounded):
    def response(self, x, *, bound: float | None = None):
        return self.power(x) if bound is None else jnp.bounded(self.power(x), bound)


class UnpacksAnOrder(Bounded):
    def response(self, x, order: "int | None" = None):
        return self.power(x) if order is None else self.power(*order)


class Started(Response):
    """A method with two options that belong together, and that have defaults."""

    def response(self, x, begin=None, end=None):
        begin, end = (0.0 * x, x) if begin is None and end is None else (begin, end)
        return self.power(x) + begin * end


class MisspeltStart(Response):
    def response(self, x, begin=None):
        return self.power(x) + (jnp.zero_like(x) if begin is None else begin)


class Laws(PytreeLaws):
    cls: type = Response
    leaves = (Leaf("gain", "param", ()),)
    methods = (Method("response", lambda seed: (sample(seed + 1),)),)

    def inputs(self, seed):
        return {"gain": sample(seed), "is_plain": True}

    def build(self, **inputs):
        return self.cls(**inputs)

    def arguments(self, seed):
        return (sample(seed),)


@pytest.mark.parametrize(
    ("cls", "severity"),
    [
        (Response, None),
        (BoundsByPython, FAULT),
        (Misspelt, FAULT),
        (MisspeltOtherwise, FAULT),
        (Refuses, None),
        (Bounded, None),
        (MisspeltBound, FAULT),
        (UnpacksAnOrder, FAULT),
    ],
)
def test_a_branch_that_the_example_does_not_take_is_tried(cls, severity):
    suite = type("Suite", (Laws,), {"cls": cls})
    assert severity_of("test_p07_methods_work_at_each_flag", suite) == severity


@pytest.mark.parametrize(
    ("cls", "severity"), [(Unpacks, ADVICE), (BoundsByPython, FAULT), (Misspelt, FAULT), (Response, None)]
)
def test_what_a_guess_may_not_fit_is_advice(cls, severity):
    suite = type("Suite", (Laws,), {"cls": cls, "guessed": ("response",)})
    assert severity_of("test_p07_methods_work_at_each_flag", suite) == severity


def test_an_example_that_somebody_wrote_is_held_to_it():
    suite = type("Suite", (Laws,), {"cls": Unpacks})
    assert severity_of("test_p07_methods_work_at_each_flag", suite) == FAULT


@pytest.mark.parametrize(
    ("cls", "severity"), [(Bounded, None), (MisspeltBound, FAULT), (UnpacksAnOrder, FAULT)]
)
def test_a_branch_of_the_call_that_only_a_number_takes_is_tried(cls, severity):
    called = type(cls.__name__, (cls,), {"__call__": cls.response})
    suite = type("Suite", (Laws,), {"cls": called, "methods": ()})
    assert severity_of("test_p07_can_be_called_in_each_configuration", suite) == severity


@pytest.mark.parametrize(("cls", "severity"), [(Started, None), (MisspeltStart, ADVICE)])
def test_a_branch_without_an_option_that_the_example_gives_is_tried(cls, severity):
    given = 3 if cls is Started else 2
    method = Method("response", lambda seed: tuple(sample(seed + i) for i in range(given)))
    suite = type("Suite", (Laws,), {"cls": cls, "methods": (method,)})
    assert severity_of("test_p07_methods_work_at_each_flag", suite) == severity


@pytest.mark.parametrize(("cls", "severity"), [(Response, None), (MisspeltStart, ADVICE)])
def test_a_call_without_an_option_that_the_example_gives_is_tried(cls, severity):
    called = type(cls.__name__, (cls,), {"__call__": cls.response})
    given = {"methods": (), "arguments": lambda self, seed: (sample(seed), sample(seed + 1))}
    suite = type("Suite", (Laws,), {"cls": called, **given})
    assert severity_of("test_p07_can_be_called_in_each_configuration", suite) == severity


class Folded(eqx.Module):
    """A gain with a correction, which `fold` adds to the gain: the flag says that it has been added."""

    gain: jax.Array
    correction: jax.Array | None
    is_folded: bool = eqx.field(static=True)

    def __init__(self, gain, correction):
        self.gain, self.correction, self.is_folded = gain, correction, False

    def __call__(self, x):
        return self.gain * x if self.is_folded else (self.gain + self.correction) * x

    def folded(self):
        return self.with_correction(self.correction)

    def with_correction(self, correction):
        new = type(self)(self.gain + self.correction, correction)
        object.__setattr__(new, "is_folded", True)
        return new

    def unfolded(self):
        return type(self)(self.gain - self.correction, self.correction) if self.is_folded else self

    def corrected(self):
        return self.correction * 2.0


class MisspeltUnfolded(Folded):
    def unfolded(self):
        return self.without(self.correction) if self.is_folded else self


class CallsMisspelt(Folded):
    def __call__(self, x):
        return self.scaled(x) if self.is_folded else (self.gain + self.correction) * x


class RefusesToFoldTwice(Folded):
    def folded(self):
        if self.is_folded:
            raise ValueError("it is folded")
        return super().folded()


class FoldedLaws(Laws):
    leaves = (Leaf("gain", "param", ()), Leaf("correction", "param", ()))
    methods = ()

    def inputs(self, seed):
        return {"gain": sample(seed), "correction": sample(seed + 1)}


class DropsTheCorrection(Folded):
    def folded(self):
        return self.with_correction(None)


@pytest.mark.parametrize(
    ("cls", "severity"),
    [
        (Folded, None),
        (MisspeltUnfolded, FAULT),
        (CallsMisspelt, FAULT),
        (RefusesToFoldTwice, None),
        (DropsTheCorrection, ADVICE),
    ],
)
def test_what_another_method_sets_a_flag_for_is_tried(cls, severity):
    suite = type("Suite", (FoldedLaws,), {"cls": cls})
    assert severity_of("test_p07_methods_work_at_each_flag", suite) == severity


def test_numbers_after_a_method_that_sets_a_flag_are_recorded():
    suite = type("Suite", (FoldedLaws,), {"cls": Folded})
    names = {*of_methods(suite())}
    assert {"call after folded", "unfolded after folded.gain"} <= names
