"""The reader of the parts of one spec, which collects faults and returns what it could read."""

import ast
import io
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scaffold.errors import Fault
from scaffold.source.expressions import Import, dedented, single_imports, syntax_fault
from scaffold.spec.grammar.type_parser import LEGAL_TYPES, TypeSyntaxError, parse_type
from scaffold.spec.grammar.types import Type
from scaffold.spec.grammar.values import as_float, literals, one_value
from scaffold.spec.model import Argument
from scaffold.spec.raw import as_table
from scaffold.spec.reading.field_text import SignatureSyntaxError, parse_argument
from scaffold.spec.tables.check_keys import is_value, sound_table
from scaffold.spec.tables.key import Key

Pairs = tuple[tuple[str, str], ...]
"""Names, each with Python source."""


class Reader:
    """A reader of one spec. Places in its methods are keys, with dots between."""

    def __init__(self, where: str, kind: str):
        self.where, self.kind = where, kind
        self.faults: list[Fault] = []
        self.unread: list[str] = []
        """Text that could not be read, so that no rule reports its names as unknown."""

    def add(self, place: str, message: str, fix: str, legal: tuple[str, ...] = ()) -> None:
        """Add a fault at a key of the spec."""
        self.faults.append(Fault(f"{self.where}: {place}", message, fix, legal))

    def note(self, faults: Iterable[Fault]) -> None:
        """Add faults whose places are keys of the spec."""
        self.faults += [fault.below(self.where) for fault in faults]

    def table(self, raw: Any, keys: Mapping[str, Key], place: str, kind: str = "") -> dict[str, Any]:
        """Return the known entries of the right form, and note the faults of the table."""
        sound, faults = sound_table(as_table(raw), keys, place, kind)
        self.note(faults)
        return sound

    # -- types and arguments -------------------------------------------------------------------------------------------

    def type(self, text: str, place: str) -> Type | None:
        """Parse a type, or note a fault and return None."""
        try:
            return parse_type(text)
        except TypeSyntaxError as error:
            self.wrong_type(error, text, place)
            return None

    def wrong_type(self, error: TypeSyntaxError, text: str, place: str, unread: str = "") -> None:
        """Note a type that does not parse, and add `unread` or else the type to the unread text."""
        self.add(place, str(error), error.fix, LEGAL_TYPES)
        self.unread.append(unread or text)

    def arguments(self, texts: Iterable[str], place: str) -> tuple[Argument, ...]:
        """Parse arguments, note faults, and leave out arguments that do not parse."""
        arguments = [self._argument(text, place) for text in texts]
        return tuple(argument for argument in arguments if argument is not None)

    def _argument(self, text: str, place: str) -> Argument | None:
        try:
            argument = parse_argument(text)
        except SignatureSyntaxError as error:
            self.add(place, str(error), "write `name`, `name: TYPE`, `name: TYPE = default` or `*`")
            self.unread.append(text)
        except TypeSyntaxError as error:
            self.wrong_type(error, text.partition(":")[2], place, text)
        else:
            kind, default = argument.type, argument.default and one_value(argument.default)
            return replace(
                argument, default=default if kind is None or not default else as_float(kind, default)
            )
        return None

    # -- Python --------------------------------------------------------------------------------------------------------

    def expression(self, source: str | None, place: str, otherwise: str | None = None) -> str | None:
        """Return the source of an expression without a leading `=`, or `otherwise` if it does not parse."""
        if source is None:
            return None
        source = one_value(source.strip().removeprefix("=").strip())
        message = syntax_fault(source, expression=True) if source else ""
        if message is None:
            if "#" in source and _has_comment(source):
                self.add(place, "an expression holds no comment", "put it into `doc`")
            return source
        self._broken(source, place, message, "write an expression")
        return otherwise

    def statements(self, source: str, place: str, parameters: Sequence[str] = ()) -> str:
        """Return statements without indentation, or an empty text if they do not parse."""
        source = dedented(source)
        is_empty = all(line.strip()[:1] in ("", "#") for line in source.split("\n"))
        message = "" if is_empty else syntax_fault(source, tuple(parameters), expression=False)
        if not source or message is None:
            return source
        self._broken(source, place, message, "mend the statement")
        return ""

    def _broken(self, source: str, place: str, message: str, fix: str) -> None:
        self.unread.append(source)
        if message:
            self.add(place, f"not Python: {message}", fix)
        else:
            self.add(place, "is empty", f"{fix}, or remove it")

    def values(self, raw: Any, place: str) -> Pairs:
        """Return names and sources of the values in a table, and note faults."""
        table = as_table(raw)
        for name, value in table.items():
            if not is_value(value, tables=True):
                fix = "write a string, a number, a boolean, or an array or a table of these"
                self.add(f"{place}.{name}", f"{value!r} is no value", fix)
        known = {name: value for name, value in table.items() if is_value(value, tables=True)}
        sources = {name: self.expression(text, f"{place}.{name}") for name, text in literals(known)}
        return tuple((name, source) for name, source in sources.items() if source is not None)


def _has_comment(text: str) -> bool:
    # In parentheses, as the tokenizer wants to see the end of every line.
    tokens = tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline)
    return any(token.type == tokenize.COMMENT for token in tokens)


def import_statements(text: str) -> list[str] | None:
    """Split an import statement into one for each bound name, or return None for any other text."""
    try:
        [statement] = ast.parse(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return [line for _, line in single_imports(statement)] if isinstance(statement, Import) else None
