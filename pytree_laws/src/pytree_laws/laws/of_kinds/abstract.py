"""A1: what an abstract base of Equinox Modules must hold."""

import copy
import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax

from ...engine.applicability import need, not_applicable
from ...engine.registry import Checks
from ...kinds.abstract import AbstractSuite
from ...report import Law, check, doing

LAW = Law(
    number="A1",
    name="abstract",
    statement="An abstract base is a Module and cannot be built, nor can a subclass that lacks one of its members; one that has them all can, is copied whole, and equals another only where both hold the same.",
    protects="An abstract `eqx.Module` that can be built, or a subclass that lacks a method and fails at the first call, not with `TypeError` at construction; and a base whose own `__eq__` or `__getstate__` leaves out what subclasses hold, so that unequal instances are equal and copies are empty.",
    mistake="A method lacks `@abc.abstractmethod`, a field is no `eqx.AbstractVar`, or the base defines `__eq__` or `__getstate__` for its own fields alone.",
    fix="Mark each method with `@abc.abstractmethod`, annotate each field as `eqx.AbstractVar[...]`, and leave comparison and copies to Equinox.",
)
CHECKS = Checks(LAW)

NOT_MARKED = "a method without `@abc.abstractmethod`, or a field that is no `eqx.AbstractVar`"


@CHECKS.register()
def test_it_is_a_module(subject: AbstractSuite) -> None:
    message = "it is no Equinox Module, so that subclasses would be no pytrees"
    check(issubclass(subject.cls, eqx.Module), _name(subject), message)


@CHECKS.register()
def test_it_cannot_be_instantiated(subject: AbstractSuite) -> None:
    check(_is_refused(subject.cls), _name(subject), "it can be built, and is to be abstract", NOT_MARKED)


@CHECKS.register()
def test_a_subclass_with_every_member_can_be(subject: AbstractSuite) -> None:
    need(subject.complete, "a base asks for members that are not declared here")
    hint = "a member that it asks for besides: name it in `fields` or `methods`"
    with doing(_name(subject), "a subclass with every declared member", hint):
        subject.fill(subject.subclass())


@CHECKS.register()
def test_a_subclass_without_one_member_cannot_be(subject: AbstractSuite) -> None:
    for name in (*subject.fields, *subject.methods):
        lacking = subject.subclass(without=name)
        refused = _is_refused(functools.partial(subject.fill, lacking, without=name))
        check(refused, name, "a subclass without it can be built", NOT_MARKED)


@CHECKS.register()
def test_a_subclass_is_copied_whole(subject: AbstractSuite) -> None:
    for instance in subject.filled():
        copied = jax.tree.flatten(copy.copy(instance))
        hint = (
            "`__getstate__`, `__copy__` or `__reduce__` of the base, which leaves out what a subclass holds"
        )
        check(copied == jax.tree.flatten(instance), _name(subject), f"a copy of a subclass is {copied}", hint)


@CHECKS.register()
def test_subclasses_of_other_values_are_not_equal(subject: AbstractSuite) -> None:
    first, second = subject.filled()
    try:
        same = hash(first) == hash(second)
    except TypeError:
        not_applicable("instances have no hash")
    message = "two instances of a subclass that hold other values are equal, and their hashes differ"
    hint = "`__eq__` of the base, which looks at less than a subclass holds"
    check(same or first != second, _name(subject), message, hint)


def _name(subject: AbstractSuite) -> str:
    return subject.cls.__name__


def _is_refused(build: Callable[[], Any]) -> bool:
    """Whether Python refuses to build an abstract class."""
    try:
        build()
    except TypeError as error:
        return "abstract" in str(error)
    return False
