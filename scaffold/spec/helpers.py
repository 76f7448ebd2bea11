"""Statements of the module beside the class, and the names that they bind."""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec import Struct

from scaffold.errors import Fault
from scaffold.source.expressions import first_line, local_names, syntax_fault
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import EMITTED_BUILTINS
from scaffold.spec.unit import siblings

_MODULES = ("jax", "jnp", "eqx", "nnx", "np", "optax")
"""What the emitted code reads, and no author means otherwise."""


class Helper(Struct, frozen=True):
    """One statement, with the comments and empty lines above it, and the names that it binds."""

    text: str
    names: tuple[str, ...]
    line: int
    """Where the statement begins, below its decorators."""


@lru_cache(4)  # each class of a file asks for the same
def helpers_in(text: str) -> tuple[Helper, ...]:
    """The statements of a text that parses."""
    lines, above = text.split("\n"), 0
    helpers: list[Helper] = []
    for statement in ast.parse(text).body:
        first = first_line(statement)
        last = statement.end_lineno or first
        while first - 1 > above and lines[first - 2].strip()[:1] in ("", "#"):
            first -= 1
        if first > above:
            source = "\n".join(lines[first - 1 : last])
            helpers.append(Helper(source, bound_by(statement), statement.lineno))
        above = last
    return tuple(helpers)


def source_of(text: str, statements: Iterable[ast.stmt]) -> str:
    """The source of some statements of a text."""
    lines = {statement.lineno for statement in statements}
    return joined(helper for helper in helpers_in(text) if helper.line in lines)


def joined(helpers: Iterable[Helper]) -> str:
    """The helpers as one text."""
    return "\n".join(helper.text for helper in helpers).strip("\n")


def bound_by(statement: ast.stmt) -> tuple[str, ...]:
    """The names that a statement of a module binds there."""
    return tuple(sorted(local_names([statement])))


def helper_names(spec: ModuleSpec) -> tuple[str, ...]:
    """The names that the statements beside the class bind; none where they cannot be read."""
    texts = (text for text in (spec.helpers, spec.below) if syntax_fault(text, expression=False) is None)
    return tuple(name for text in texts for statement in ast.parse(text).body for name in bound_by(statement))


def helper_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Names of helpers that hide what the class reads from the module."""
    taken = {
        *_MODULES,
        *(class_type.name for class_type in spec.classes),
        *EMITTED_BUILTINS,
        spec.name,
        *siblings(spec),
    }
    for name in dict.fromkeys(helper_names(spec)):
        if name in taken:
            fix = f"rename it, to `{name}_` for example"
            yield Fault("helpers", f"`{name}` hides what else has that name", fix)
