"""Statements of the module beside the class, and the names that they bind."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from scaffold.errors import Fault
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import EMITTED_BUILTINS
from scaffold.spec.source.expressions import first_line, local_names, syntax_fault
from scaffold.spec.unit import Unit, siblings

_MODULES = ("jax", "jnp", "eqx", "nnx", "np", "optax")
"""What the emitted code reads, and no author means otherwise."""


class Helper(Struct, frozen=True):
    """One statement, with the comments and empty lines above it, and the names that it binds."""

    text: str
    names: tuple[str, ...]


def helpers_in(text: str, statements: Iterable[ast.stmt] | None = None) -> Iterator[Helper]:
    """The statements of a text that parses: these, or all."""
    lines, tree = text.split("\n"), ast.parse(text).body
    wanted = list(tree if statements is None else statements)
    above = 0
    for statement in tree:
        first = first_line(statement)
        last = statement.end_lineno or first
        while first - 1 > above and lines[first - 2].strip()[:1] in ("", "#"):
            first -= 1
        if first > above and any(carried.lineno == statement.lineno for carried in wanted):
            yield Helper("\n".join(lines[first - 1 : last]), bound_by(statement))
        above = last


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


def suite_names_faults(unit: Unit, tests: str) -> Iterator[Fault]:
    """Suites of one name: that of a class, and that of a case of another."""
    fix = "give a case of `@test(...)`, or a class, another name"
    for name in (name for name, times in _bound_in(tests).items() if times > 1):
        yield Fault(unit.path, f"two suites are called `{name}`", fix)


def _bound_in(code: str) -> Counter[str]:
    """How often a module binds each name."""
    return Counter(name for statement in ast.parse(code).body for name in bound_by(statement))


def emitted_names_faults(specs: Sequence[ModuleSpec], code: str) -> Iterator[Fault]:
    """Names that the emitted code of a module binds for two of its parts: helpers, and each of its classes."""
    counts = _bound_in(code)
    helpers = {spec: Counter(helper_names(spec)) for spec in specs}
    by_author = sum(helpers.values(), Counter[str]())
    for name in (name for name, times in counts.items() if times > max(1, by_author[name])):
        spec = next((spec for spec, names in helpers.items() if name in names), specs[-1])
        message = f"`{name}` is a name that the module uses itself"
        yield Fault(f"{spec.where}: helpers", message, f"rename it, to `{name}_` for example")
