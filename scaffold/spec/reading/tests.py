"""The table `[test]` of a spec to a `TestPlan`."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from scaffold.errors import Fault
from scaffold.spec.grammar.values import literals
from scaffold.spec.reading.entries import expression_source, is_size
from scaffold.spec.source.expressions import dedented
from scaffold.spec.tables.check_keys import is_value, key_faults
from scaffold.spec.tables.keys import CASE_KEYS, CONDITION_KEYS, TEST_KEYS, Key
from scaffold.spec.tables.raw import as_list, as_table, as_text
from scaffold.spec.test_plan import Case, Condition, TestPlan


class Faults(Protocol):
    """Where what is wrong is collected: the reader of a spec."""

    faults: list[Fault]
    where: str
    kind: str

    def add(self, place: str, what: str, fix: str, legal: tuple[str, ...] = ()) -> None: ...


def read_test(into: Faults, raw: Mapping[str, Any]) -> TestPlan:
    """What the tests use; what cannot be made out is a fault, and left out."""
    table = as_table(raw.get("test"))
    _check_keys(into, table, TEST_KEYS, "test")
    sizes, shapes = _sizes(into, table, "test")
    return TestPlan(
        sizes=sizes,
        shapes=shapes,
        values=_values(into, table.get("values"), "test.values"),
        build=expression_source(as_text(table.get("build"))) or "",
        other=_values(into, table.get("other"), "test.other"),
        strict=table.get("strict") is not False,
        narrowest=as_text(table.get("narrowest")),
        allows=_texts(table, "allows"),
        unused=_texts(table, "unused"),
        positive=_texts(table, "positive"),
        invariants=_texts(table, "invariants"),
        dtypes=_texts(table, "dtypes"),
        tolerance=_tolerance(into, table.get("tolerance")),
        cases=tuple(_cases(into, table)),
        holds=tuple(_conditions(into, table)),
        reference=dedented(as_text(table.get("reference"))),
        skip=_texts(table, "skip"),
        backend=as_text(table.get("backend")) or None,
        lower_for=_texts(table, "lower_for") if "lower_for" in table else None,
        rejected=tuple(_values(into, row, "test.rejected") for row in _rows(table, "rejected")),
    )


def _check_keys(into: Faults, table: Mapping[str, Any], keys: Mapping[str, Key], place: str) -> None:
    into.faults += [fault.below(into.where) for fault in key_faults(table, keys, place, into.kind)]


def _texts(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(map(str, as_list(table.get(key))))


def _rows(table: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    return (as_table(row) for row in as_list(table.get(key)) if isinstance(row, Mapping))


def _sizes(
    into: Faults, table: Mapping[str, Any], place: str
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, tuple[int, ...]], ...]]:
    """Sizes of single dims, and of those that stand for several."""
    given = as_table(table.get("sizes"))
    sizes = {name: size for name, size in given.items() if is_size(size)}
    for name, size in given.items():
        if name not in sizes:
            fix = "write an integer from 1, or an array of them for a dim such as `*shape`"
            into.add(f"{into.where}: {place}.sizes.{name}", f"{size!r} is not a size", fix)
    return (
        tuple((name, size) for name, size in sizes.items() if type(size) is int),
        tuple((name, tuple(as_list(size))) for name, size in sizes.items() if isinstance(size, list)),
    )


def _values(into: Faults, value: Any, place: str) -> tuple[tuple[str, str], ...]:
    table = as_table(value)
    for name, one in table.items():
        if not is_value(one, tables=True):
            fix = "write a string, a number, a boolean, or an array or a table of these"
            into.add(f"{into.where}: {place}.{name}", f"{one!r} is no value", fix)
    return literals({name: one for name, one in table.items() if is_value(one, tables=True)})


def _tolerance(into: Faults, value: Any) -> float | tuple[tuple[str, float], ...] | None:
    """One number, or one by dtype; which dtypes there are is looked at with the other rules."""
    if not isinstance(value, Mapping):
        return _positive(into, value, "test.tolerance") if _is_number(value) else None
    found = {name: _positive(into, one, f"test.tolerance.{name}") for name, one in as_table(value).items()}
    return tuple((name, one) for name, one in found.items() if one is not None)


def _positive(into: Faults, value: Any, place: str) -> float | None:
    if _is_number(value) and 0 < value < float("inf"):
        return float(value)
    into.add(
        f"{into.where}: {place}", f"{value!r} is no tolerance", "write a positive number, such as `1e-4`"
    )
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cases(into: Faults, table: Mapping[str, Any]) -> Iterator[Case]:
    for index, row in enumerate(_rows(table, "cases")):
        place = f"test.cases.{index}"
        _check_keys(into, row, CASE_KEYS, place)
        if not (row.get("sizes") or row.get("values")):
            fix = "write `values = { use_bias = false }`, or `sizes = { size = 4 }`"
            into.add(f"{into.where}: {place}", "it changes nothing", fix)
        sizes, shapes = _sizes(into, row, place)
        values = _values(into, row.get("values"), f"{place}.values")
        yield Case(_name(row, index), sizes, shapes, values)


def _conditions(into: Faults, table: Mapping[str, Any]) -> Iterator[Condition]:
    for index, row in enumerate(_rows(table, "holds")):
        _check_keys(into, row, CONDITION_KEYS, f"test.holds.{index}")
        that = expression_source(row.get("that")) or "None"
        yield Condition(_name(row, index), that, row.get("at_start") is True)


def _name(row: Mapping[str, Any], index: int) -> str:
    """The name of a row; where it is missing, which is a fault, one that is none."""
    return as_text(row.get("name"), f"row {index}")
