"""Protocols of subjects: what a check may ask of a class, whatever its kind; suites of each kind answer."""

from collections.abc import Iterator
from typing import Any, Protocol


class Subject(Protocol):
    """A class under test, with example instances."""

    def cached_instance(self, seed: int = 0) -> Any:
        """An instance that no check may change."""
        ...


class HasTwins(Subject, Protocol):
    """A subject that can make a second class with the same fields."""

    def twins(self, instance: Any) -> Iterator[Any]:
        """Instances of second classes with the leaves of `instance`."""
        ...
