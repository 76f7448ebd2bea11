"""The settings of a class: plain values that its constructor takes and stores under their names."""

from collections.abc import Iterator
from typing import Any

from ..inspect.static_values import another_value
from ..inspect.trees import attributes, clone_as
from ..report import ANY_ERROR
from .inference import same_value
from .invocation import PLAIN, build_with, example_construction


def settings(suite: Any) -> dict[str, str]:
    """The attribute that holds each plain argument of the constructor, by the name of the argument."""
    invocation = example_construction(suite)
    if invocation is None:
        return {}
    stored = attributes(suite.cached_instance())
    pairs = (
        (name, attribute)
        for name in invocation.varied()
        for attribute in (name, f"_{name}")
        if type(invocation.given[name]) in PLAIN
    )
    return {
        name: attribute
        for name, attribute in pairs
        if attribute in stored and same_value(stored[attribute], invocation.given[name])
    }


def with_other_settings(suite: Any) -> Iterator[tuple[str, Any]]:
    """Instances with another value of one setting: built so; of a text which the constructor refuses, with it in its place."""
    instance = suite.cached_instance()
    for name, attribute in settings(suite).items():
        other = another_value(attributes(instance)[attribute])
        try:
            yield name, build_with(suite, {name: other}, abstractly=False)
        except ANY_ERROR:
            if isinstance(other, str):
                yield name, clone_as(type(instance), instance, **{attribute: other})
