"""How an adopted class is built and called, in plain jax."""

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
    """An adopted class with the numbers of its example: those of the instance, and those of the call."""

    one: Adopted
    numbers: Numbers = ONES
    called_with: Numbers = ONES

    @property
    def kind(self) -> str:
        """`module`, `nnx`, `registered` or `namedtuple`."""
        return str(self.one.found["kind"])

    @property
    def inputs(self) -> Mapping[str, str]:
        """The arguments of the constructor that are given by name."""
        return {name: plain(text, self.numbers) for name, text in self.one.found["inputs"]}

    def make(self, seed: int = 0, changed: Mapping[str, str] | None = None) -> str:
        """The expression that builds an instance, with other texts for some arguments."""
        description = self.one.found
        if description["build"]:
            return plain(description["build"], self.numbers, seed)
        inputs = {name: plain(text, self.numbers, seed) for name, text in description["inputs"]}
        inputs |= changed or {}
        arguments = ", ".join(f"{name}={text}" for name, text in inputs.items())
        return f"{plain(description['maker'], self.numbers, seed)}({arguments})"

    @property
    def targets(self) -> str:
        """The names that the expression is assigned to."""
        return "instance, state" if self.one.found["has_state"] else "instance"

    @property
    def built(self) -> str:
        """The statement that builds the instance."""
        return f"{self.targets} = {self.make()}"

    def arguments(self, seed: int = 0) -> list[tuple[str, str, bool]]:
        """The arguments of the call: name, expression, and whether it is given by name. Raises `ValueError` without a call."""
        description = self.one.found
        if not description["called"] or description["axis"]:
            raise ValueError("there is no call of an instance alone")
        return [
            (name, plain(text, self.called_with, seed), bool(keyed))
            for name, text, keyed in description["arguments"]
        ]

    def call(self, instance: str = "instance", arguments: Sequence[str] = (), *, seed: int = 0) -> str:
        """The expression that calls an instance; `arguments` stand in the place of those that are given by position."""
        pairs = self.arguments(seed)
        by_position = [*arguments] or [text for _, text, keyed in pairs if not keyed]
        by_name = [f"{name}={text}" for name, text, keyed in pairs if keyed]
        return call_text(instance, self.one.found["method"], [*by_position, *by_name])

    @property
    def gives_an_array(self) -> bool:
        """Whether the call gives one array."""
        return len(self.one.found["outputs"]) == 1

    def held(self, where: str) -> str:
        """The path of what the instance holds, as Python writes it. Raises `ValueError` for what is none."""
        below = where.removeprefix(f"{self.one.name.rpartition('.')[2]}.")
        matched = _STORES.fullmatch(below)
        if matched is None or below == self.one.name:
            raise ValueError(f"{where} is no attribute")
        return f"instance.{matched['path']}"

    def script(self, lines: Sequence[str]) -> str:
        """Lines of code below the imports and functions that they need."""
        code = "\n".join([*dict.fromkeys(told_of(self.one.found, "helpers")), *lines])
        outer = self.one.name.partition(".")[0]
        own_import = {outer: f"from {self.one.module} import {outer}"}
        known = {**_BESIDE, **own_import, **dict(map(tuple, told_of(self.one.found, "imports")))}
        return "\n".join([*_joined(import_lines(code, known, ())), code])


def _joined(lines: Sequence[str]) -> list[str]:
    """Import statements, of which those of whole modules are one."""
    modules = [match[1] for line in lines if (match := _MODULE.fullmatch(line))]
    others = [line for line in lines if line and not _MODULE.fullmatch(line)]
    return [*([f"import {', '.join(modules)}"] if modules else []), *others]
