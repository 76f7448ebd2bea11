"""Conversion of the table `[test]` to a `TestPlan`."""

from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.spec.grammar.types import LARGEST
from scaffold.spec.raw import as_list, as_table
from scaffold.spec.reading.reader import Reader
from scaffold.spec.tables.keys import CASE_KEYS, CONDITION_KEYS, TEST_KEYS
from scaffold.spec.test_plan import Case, Condition, TestPlan

_PLAIN = ("strict", "severity", "narrowest", "backend")
_LISTED = ("allows", "unused", "positive", "invariants", "dtypes", "skip", "lower_for")


def read_test(reader: Reader, raw: Any) -> TestPlan:
    """Read the table `[test]`, and leave out parts with faults."""
    table = reader.table(raw, TEST_KEYS, "test", reader.kind)
    sizes, shapes = _sizes(reader, table, "test")
    plain: dict[str, Any] = {key: table[key] for key in _PLAIN if key in table}
    plain |= {key: tuple(table[key]) for key in _LISTED if key in table}
    return TestPlan(
        sizes=sizes,
        shapes=shapes,
        ties=tuple(_ties(reader, table.get("ties"))),
        values=reader.values(table.get("values"), "test.values"),
        build=reader.expression(table.get("build"), "test.build") or "",
        other=reader.values(table.get("other"), "test.other"),
        tolerance=_tolerance(reader, table.get("tolerance")),
        cases=tuple(_cases(reader, table.get("cases", []))),
        holds=tuple(_conditions(reader, table.get("holds", []))),
        reference=reader.statements(table.get("reference", ""), "test.reference"),
        rejected=tuple(reader.values(row, "test.rejected") for row in table.get("rejected", [])),
        **plain,
    )


def _ties(reader: Reader, raw: Any) -> Iterator[tuple[str, str]]:
    """Yield the dims whose size is arithmetic over others, each with the expression."""
    for name, size in as_table(raw).items():
        place = f"test.ties.{name}"
        if not isinstance(size, str):
            reader.add(place, f"{size!r} is no arithmetic over sizes", 'write it as text: `"3*channels"`')
        elif source := reader.expression(f"={size}", place):
            yield name, source


def is_size(value: Any) -> bool:
    """Whether a value is the size of a dim, or an array of sizes."""
    listed = as_list(value) if isinstance(value, list) else [value]
    return all(type(size) is int and 0 < size < LARGEST for size in listed)


def _sizes(
    reader: Reader, table: Mapping[str, Any], place: str
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, tuple[int, ...]], ...]]:
    """Return the sizes of single dims, and the sizes of names such as `*shape`."""
    sizes, shapes = dict[str, int](), dict[str, tuple[int, ...]]()
    for name, size in as_table(table.get("sizes")).items():
        if not is_size(size):
            fix = "write an integer from 1, or an array of them for a dim such as `*shape`"
            reader.add(f"{place}.sizes.{name}", f"{size!r} is not a size", fix)
        elif isinstance(size, list):
            shapes[name] = tuple(as_list(size))
        else:
            sizes[name] = size
    return tuple(sizes.items()), tuple(shapes.items())


def _tolerance(reader: Reader, value: Any) -> float | tuple[tuple[str, float], ...] | None:
    """Return one tolerance, or one by dtype. Another rule checks the dtypes."""
    if not isinstance(value, Mapping):
        return None if value is None else _positive(reader, value, "test.tolerance")
    by_dtype = as_table(value).items()
    tolerances = ((name, _positive(reader, number, f"test.tolerance.{name}")) for name, number in by_dtype)
    return tuple((name, number) for name, number in tolerances if number is not None)


def _positive(reader: Reader, value: Any, place: str) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and 0 < value < float("inf"):
        return float(value)
    reader.add(place, f"{value!r} is no tolerance", "write a positive number, such as `1e-4`")
    return None


def _cases(reader: Reader, rows: list[Any]) -> Iterator[Case]:
    for index, row in enumerate(rows):
        place = f"test.cases.{index}"
        table = reader.table(row, CASE_KEYS, place)
        if not (table.get("sizes") or table.get("values")):
            fix = "write `values = { use_bias = false }`, or `sizes = { size = 4 }`"
            reader.add(place, "it changes nothing", fix)
        values = reader.values(table.get("values"), f"{place}.values")
        yield Case(table.get("name", f"row {index}"), *_sizes(reader, table, place), values)


def _conditions(reader: Reader, rows: list[Any]) -> Iterator[Condition]:
    for index, row in enumerate(rows):
        place = f"test.holds.{index}"
        table = reader.table(row, CONDITION_KEYS, place)
        that = reader.expression(table.get("that"), f"{place}.that") or "None"
        yield Condition(table.get("name", f"row {index}"), that, table.get("at_start", False))
