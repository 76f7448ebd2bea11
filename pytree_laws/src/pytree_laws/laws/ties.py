"""Ties: arrays that a class reads under another path than the one that stores them."""

import types
import warnings
from collections.abc import Iterator
from typing import Any

from ..engine.applicability import Condition
from ..inspect.arrays import is_array, same_bits
from ..inspect.trees import clone_as
from ..kinds.suite import Suite
from ..report import check

TIES = Condition("no ties are declared", lambda suite: bool(suite.ties))
STORED_TWICE = "a second copy: read the array in a property, and store it once"


def ties_of(subject: Suite, instance: Any) -> Iterator[tuple[str, str]]:
    """Yield name and path of each declared tie, and check that its array is there."""
    names = [*subject.named(instance)]
    for name, path in subject.ties.items():
        message = f"declared as the {subject.noun} of `{name}`; the {subject.nouns} are {names}"
        check(path in names, path, message)
        yield name, path


def check_ties(subject: Suite, instance: Any, label: str) -> None:
    """Check that a shared array depends on the stored array alone, by a comparison with another instance."""
    for name, path in ties_of(subject, instance):
        value = subject.named(instance)[path]
        got = read_from(subject, instance, name)
        wanted = read_from(subject, subject.with_array(subject.make(1), path, value), name)
        message = f"{label} it is {got}, its {subject.noun} `{path}` makes {wanted}"
        check(same_bits(got, wanted), name, message, STORED_TWICE)


def read_from(subject: Suite, instance: Any, name: str) -> Any:
    """Read the array under a name, even if a property computes it."""
    result = subject.read_array(instance, name)
    message = f"it is {result!r:.100}, and no array"
    check(is_array(result), name, message, "a property that reads what is stored")
    return result


def untied(instance: Any, name: str, value: Any) -> Any:
    """Return the instance with `value` under `name`, in place of the shared array."""
    cls = type(instance)
    body = {"__module__": cls.__module__, name: property(lambda self: value)}
    with warnings.catch_warnings(action="ignore"):
        apart = types.new_class("Apart", (cls,), {}, lambda new: new.update(body))
    return clone_as(apart, instance)
