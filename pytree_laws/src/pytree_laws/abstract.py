"""The laws of abstract classes: what a base of Equinox Modules leaves to its subclasses.

Subclass `AbstractLaws` with a name that starts with `Test`, and name the class, the fields
that are an `eqx.AbstractVar`, and the abstract methods.
"""

import copy
import types
from collections.abc import Sequence
from typing import Any, ClassVar

import equinox as eqx
import jax
import pytest

from .engine.applicability import not_applicable
from .engine.summary import Collected


class AbstractLaws(Collected):
    """Subclass it with a name that starts with `Test`; see the head of this file."""

    cls: ClassVar[type]
    fields: ClassVar[Sequence[str]] = ()
    methods: ClassVar[Sequence[str]] = ()
    complete: ClassVar[bool] = True  # False: a base asks for members of its own

    def subclass(self, without: str = "") -> type:
        """A subclass that has every member but one, or all of them."""
        fields = {name: Any for name in self.fields if name != without}
        methods = {n: lambda self: None for n in self.methods if n != without}
        body = {"__annotations__": fields, "__module__": __name__, **methods}
        return types.new_class("Sub", (self.cls,), {}, lambda new: new.update(body))

    def fill(self, cls: type, without: str = "", value: Any = None) -> Any:
        return cls(**{name: value for name in self.fields if name != without})

    def filled(self) -> list[Any]:
        """Two instances of a subclass that hold other values; skips where none can be built."""
        if not self.complete or not self.fields:
            not_applicable("no subclass with fields can be built of what is declared")
        cls = self.subclass()
        return [self.fill(cls, value=value) for value in (2, 3)]

    def test_it_is_a_module(self) -> None:
        assert issubclass(self.cls, eqx.Module), "subclasses would be no pytrees"

    def test_it_cannot_be_instantiated(self) -> None:
        with pytest.raises(TypeError, match="abstract"):
            self.cls()

    def test_a_subclass_with_every_member_can_be(self) -> None:
        if not self.complete:
            not_applicable("a base asks for members that are not declared here")
        self.fill(self.subclass())

    def test_a_subclass_without_one_member_cannot_be(self) -> None:
        for name in (*self.fields, *self.methods):
            lacking = self.subclass(without=name)
            with pytest.raises(TypeError, match="abstract"):
                self.fill(lacking, without=name)

    def test_a_subclass_is_copied_whole(self) -> None:
        for instance in self.filled():
            copied = jax.tree.flatten(copy.copy(instance))
            assert copied == jax.tree.flatten(instance), (
                f"a copy of a subclass is {copied}: `__getstate__`, `__copy__` or "
                "`__reduce__` of the base leaves out what a subclass holds"
            )

    def test_subclasses_of_other_values_are_not_equal(self) -> None:
        first, second = self.filled()
        try:
            same = hash(first) == hash(second)
        except TypeError:
            not_applicable("instances have no hash")
        assert same or first != second, (
            "two instances of a subclass that hold other values are equal, and their hashes "
            "differ: `__eq__` of the base looks at less than a subclass holds"
        )
