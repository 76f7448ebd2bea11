"""Reference of the laws: statement, usual mistake, fix, and the kinds that each binds."""

import ast
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import asdict

from scaffold.errors import ScaffoldError, suggestion
from scaffold.kind import NAMES, kind_of
from scaffold.law_wheel import suite_texts

Row = tuple[str, str, str, str, str]
KINDS = tuple(kind for kind in NAMES if kind_of(kind).has_instances)
"""Kinds whose classes have instances, to which the numbered laws apply."""


class Law(Struct, frozen=True):
    """A law, with its wording for each kind."""

    name: str
    statement: str
    mistake: str
    fix: str
    protects: str
    """Consequence of breaking the law, in the words of jax and Equinox."""
    forms: dict[str, str]
    """Statement for each kind whose suite words the law differently."""
    without: dict[str, str]
    """Reason for each kind to which the law does not apply."""
    partly: dict[str, str]
    """Reason for each kind to which part of the law does not apply."""

    def binds(self, kind: str) -> str:
        """Return how far the law binds a kind: `yes`, `in its form`, `in part` or `no`."""
        tables = {"no": self.without, "in part": self.partly, "in its form": self.forms}
        return next((word for word, table in tables.items() if kind in table), "yes")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def text(self, number: str) -> str:
        parts = [
            f"{number} {self.name}",
            f"  {self.statement}",
            *(f"  {kind}: {statement}" for kind, statement in self.forms.items()),
            f"  protects from: {self.protects}",
            f"  mistake: {self.mistake}",
            f"  fix: {self.fix}",
            *(f"  not for {kind}: {why}" for kind, why in self.without.items()),
            *(f"  in part for {kind}: {why}" for kind, why in self.partly.items()),
        ]
        return "\n".join(textwrap.fill(part, 88, subsequent_indent="    ") for part in parts)


def law_table(name: str | None = None) -> dict[str, Law]:
    """Return the pytree laws by number, or every law that `name` matches, of closures and train states too.

    `name` is a number or a word. Raises `ScaffoldError` if no law matches.
    """
    every = {number: _law(number, row) for number, row in _rows("laws").items()}
    if name is None:
        return {number: law for number, law in every.items() if number.startswith("P")}
    laws = {
        number: law for number, law in every.items() if name.lower() in (number.lower(), law.name.lower())
    }
    if not laws:
        names = [*every, *(law.name for law in every.values())]
        raise ScaffoldError(
            f"there is no law `{name}`",
            where="NAME",
            legal=tuple(every),
            fix=suggestion(name, names, "write a number such as P3"),
        )
    return laws


def further_laws() -> dict[str, tuple[str, ...]]:
    """Return the unnumbered laws of each kind, in the words of their tests."""
    laws_by_kind = {
        kind: tuple(law for suite in kind_of(kind).laws for law in _further(suite)) for kind in NAMES
    }
    return {kind: laws for kind, laws in laws_by_kind.items() if laws}


def _law(number: str, row: Row) -> Law:
    return Law(
        *row,
        forms={
            kind: worded
            for kind in KINDS
            for suite in kind_of(kind).laws
            if (worded := _wording(suite).get(number, {}).get("statement"))
        },
        without={kind: why for kind in KINDS if (why := kind_of(kind).without.get(number))},
        partly={
            kind: why
            for kind in KINDS
            for suite in kind_of(kind).laws
            if (why := _skipped(suite).get(number))
        },
    )


@cache
def _wording(suite: str) -> dict[str, dict[str, str]]:
    """Read the table `WORDING` of a suite: its own texts, by number of the law."""
    for text in suite_texts(suite).values():
        for node in ast.parse(text).body:
            match node:
                case ast.AnnAssign(target=ast.Name(id="WORDING"), value=ast.Dict() as table):
                    return ast.literal_eval(table)
                case _:
                    pass
    return {}


@cache
def _rows(suite: str) -> dict[str, Row]:
    """Read the laws of a room, sorted by letter and number."""
    rows = (row for text in suite_texts(suite).values() for row in _rows_in(text))
    return dict(sorted(rows, key=lambda row: (row[0][0], int(row[0][1:]))))


def _rows_in(text: str) -> Iterator[tuple[str, Row]]:
    """Yield the law that a file states as `LAW = Law(number=..., ...)`."""
    # The file imports jax, so it is read and not imported, and of it no more than the statement.
    stated = re.search(r"^LAW\b.*?^\)$", text, re.MULTILINE | re.DOTALL)
    for node in ast.parse(stated[0] if stated else "").body:
        match node:
            case ast.Assign(targets=[ast.Name(id="LAW")], value=ast.Call(keywords=keywords)):
                said = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in keywords}
                texts = (
                    str(said.get(key, "")) for key in ("name", "statement", "mistake", "fix", "protects")
                )
                yield said["number"], cast("Row", tuple(texts))
            case _:
                pass


@cache
def _skipped(suite: str) -> dict[str, str]:
    """Map the law of each inherited test that a suite leaves out to the reason."""
    reasons: dict[str, str] = {}
    for node in _tests(suite):
        match node.body:
            case [
                ast.Expr(ast.Call(func=ast.Name(id="not_applicable"), args=[ast.Constant(value=str(why))]))
            ]:
                reasons[f"P{int(node.name[6:8])}"] = f"{why[:1].upper()}{why[1:]}."
            case _:
                pass
    return reasons


@cache
def _tests(suite: str) -> tuple[ast.FunctionDef, ...]:
    nodes = (node for text in suite_texts(suite).values() for node in ast.walk(ast.parse(text)))
    return tuple(
        node for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def _further(suite: str) -> Iterator[str]:
    """Yield the unnumbered tests of a suite as sentences, such as `steps are counted`."""
    names = (node.name.removeprefix("test_") for node in _tests(suite))
    yield from (name.replace("_", " ") for name in names if not name[1:3].isdigit())
