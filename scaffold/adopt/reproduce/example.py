"""Expressions in plain jax that build and call an adopted class."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from scaffold.adopt.child.classes.call_text import call_text
from scaffold.adopt.emit.class_suite import Adopted, told_of
from scaffold.adopt.reproduce.plain import ONES, Numbers, plain
from scaffold.import_lines import import_lines

_BESIDE = {"copy": "import copy", "pickle": "import pickle", "optax": "import optax"}
_STORES = re.compile(r"\.?(?P<path>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\]|\[[\"']\w+[\"']\])*)")
_MODULE = re.compile(r"import ([\w.]+(?: as \w+)?)")


class Example(Struct, frozen=True):
    """An adopted class with the numbers of its example, for the instance and for the call."""

    one: Adopted
    numbers: Numbers = ONES
    called_with: Numbers = ONES

    @property
    def kind(self) -> str:
        """Kind of the class: `module`, `nnx`, `registered` or `namedtuple`."""
        return str(self.one.found["kind"])

    @property
    def inputs(self) -> Mapping[str, str]:
        """Constructor arguments by name, as expressions in plain jax."""
        return {name: plain(text, self.numbers) for name, text in self.one.found["inputs"]}

    def make(self, seed: int = 0, changed: Mapping[str, str] | None = None) -> str:
        """Return the expression that builds an instance. `changed` replaces the text of some arguments."""
        description = self.one.found
        if description["build"]:
            return plain(description["build"], self.numbers, seed)
        inputs = {name: plain(text, self.numbers, seed) for name, text in description["inputs"]}
        inputs |= changed or {}
        arguments = ", ".join(f"{name}={text}" for name, text in inputs.items())
        return f"{plain(description['maker'], self.numbers, seed)}({arguments})"

    @property
    def targets(self) -> str:
        """Names to assign the instance to, with `state` if the constructor returns a state too."""
        return "instance, state" if self.one.found["has_state"] else "instance"

    @property
    def built(self) -> str:
        """Statement that builds the instance."""
        return f"{self.targets} = {self.make()}"

    def arguments(self, seed: int = 0) -> list[tuple[str, str, bool]]:
        """Return name, expression and by-name flag of each argument of the call.

        Raises `ValueError` if no call was found, or if the call only works over a batch.
        """
        description = self.one.found
        if not description["called"] or description["axis"]:
            raise ValueError("there is no call of an instance alone")
        return [
            (name, plain(text, self.called_with, seed), bool(keyed))
            for name, text, keyed in description["arguments"]
        ]

    def call(self, instance: str = "instance", arguments: Sequence[str] = (), *, seed: int = 0) -> str:
        """Return the expression that calls an instance. `arguments` replaces the positional arguments."""
        pairs = self.arguments(seed)
        by_position = [*arguments] or [text for _, text, keyed in pairs if not keyed]
        by_name = [f"{name}={text}" for name, text, keyed in pairs if keyed]
        return call_text(instance, self.one.found["method"], [*by_position, *by_name])

    @property
    def gives_an_array(self) -> bool:
        """Whether the call returns a single array."""
        return len(self.one.found["outputs"]) == 1

    def held(self, where: str) -> str:
        """Return the attribute at a path as an expression. Raises `ValueError` for any other place."""
        below = where.removeprefix(f"{self.one.name.rpartition('.')[2]}.")
        matched = _STORES.fullmatch(below)
        if matched is None or below == self.one.name:
            raise ValueError(f"{where} is no attribute")
        return f"instance.{matched['path']}"

    def script(self, lines: Sequence[str]) -> str:
        """Put lines of code below the imports and helper functions that they need."""
        code = "\n".join([*dict.fromkeys(told_of(self.one.found, "helpers")), *lines])
        outer = self.one.name.partition(".")[0]
        own_import = {outer: f"from {self.one.module} import {outer}"}
        known = {**_BESIDE, **own_import, **dict(map(tuple, told_of(self.one.found, "imports")))}
        return "\n".join([*_joined(import_lines(code, known, ())), code])


def _joined(lines: Sequence[str]) -> list[str]:
    """Join imports of whole modules into a single statement."""
    modules = [match[1] for line in lines if (match := _MODULE.fullmatch(line))]
    others = [line for line in lines if line and not _MODULE.fullmatch(line)]
    return [*([f"import {', '.join(modules)}"] if modules else []), *others]
