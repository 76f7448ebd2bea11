"""Base of suites for abstract classes: the class, its members, and subclasses of it."""

import types
from collections.abc import Sequence
from typing import Any, ClassVar

from ..engine.applicability import not_applicable
from ..engine.summary import Collected


class AbstractSuite(Collected):
    """An abstract class and the members that it requires of subclasses."""

    cls: ClassVar[type]
    fields: ClassVar[Sequence[str]] = ()
    methods: ClassVar[Sequence[str]] = ()
    complete: ClassVar[bool] = True  # False: a base asks for members of its own

    def subclass(self, without: str = "") -> type:
        """Make a subclass with every member, or with every member but one."""
        fields = {name: Any for name in self.fields if name != without}
        methods = {n: lambda self: None for n in self.methods if n != without}
        body = {"__annotations__": fields, "__module__": __name__, **methods}
        return types.new_class("Sub", (self.cls,), {}, lambda new: new.update(body))

    def fill(self, cls: type, without: str = "", value: Any = None) -> Any:
        return cls(**{name: value for name in self.fields if name != without})

    def filled(self) -> list[Any]:
        """Build two instances of a subclass with different values, or skip if none can be built."""
        if not self.complete or not self.fields:
            not_applicable("no subclass with fields can be built of what is declared")
        cls = self.subclass()
        return [self.fill(cls, value=value) for value in (2, 3)]
