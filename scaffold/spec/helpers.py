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
"""Modules that emitted code reads by these names, which no author gives another meaning."""


class Helper(Struct, frozen=True):
    """A statement of the module, with the comments and empty lines above it, and the names that it binds."""

    text: str
    names: tuple[str, ...]
    line: int
    """The line on which the statement begins, below its decorators."""


@lru_cache(4)  # each class of a file asks for the same
def helpers_in(text: str) -> tuple[Helper, ...]:
    """Split a text that parses into its top-level statements."""
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
    """Return the source of some statements of a text, with the comments above each."""
    lines = {statement.lineno for statement in statements}
    return joined(helper for helper in helpers_in(text) if helper.line in lines)


def joined(helpers: Iterable[Helper]) -> str:
    """Join the sources of helpers into one text, without empty lines at its ends."""
    return "\n".join(helper.text for helper in helpers).strip("\n")


def bound_by(statement: ast.stmt) -> tuple[str, ...]:
    """Return the names that a statement binds in its module, sorted."""
    return tuple(sorted(local_names([statement])))


def helper_names(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the names that the statements beside the class bind. Text that does not parse is skipped."""
    texts = (text for text in (spec.helpers, spec.below) if syntax_fault(text, expression=False) is None)
    return tuple(name for text in texts for statement in ast.parse(text).body for name in bound_by(statement))


def helper_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find names of helpers that hide what the class reads from the module."""
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
