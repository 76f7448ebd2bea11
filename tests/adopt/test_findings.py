"""The table of findings says what benchmarks/adopt_findings.py holds, and few of them are false."""

import re

from benchmarks.adopt_findings import HEAD, PAGE, ROWS, line, told, total, written, wrong


def test_the_page_has_the_rows_and_their_number() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page
    assert HEAD + line(ROWS[0]) in page
    assert total(ROWS) in page


def test_few_are_false() -> None:
    false = [one for one in ROWS if one.now == "open"]
    assert len(false) <= len(ROWS) / 20
    told_so = {told(one) for one in ROWS}
    assert {"true"} < told_so <= {"true", "false, mended", "false, now advice", "false, open"}


def test_each_row_is_seen_where_its_library_is_at_hand() -> None:
    rows = [one for one in ROWS if one.where.startswith("equinox.nn")]
    assert len(rows) > 9
    assert not [*wrong(rows)]


def test_a_row_that_is_seen_otherwise_is_told() -> None:
    first = ROWS[0]
    assert [*wrong([first._replace(seen=lambda: False)])] == [f"{first.where} P1: not seen, and it is true"]
    assert [*wrong([first._replace(now="mended")])] == [f"{first.where} P1: seen, and it is false, mended"]


def test_the_table_of_public_libraries_says_what_the_search_is_for() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `?([\w.]+)`? \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) % \|", text, re.MULTILINE
    )
    counts = {name: [int(one) for one in numbers] for name, *numbers in rows}
    found, built, with_methods, called, _ = counts["equinox.nn"]
    assert built >= 0.85 * found and called >= 0.85 * with_methods
    found, built, with_methods, called, share = counts["all"]
    assert built >= 0.75 * found and called >= 0.75 * with_methods and share >= 75
    assert found == sum(numbers[0] for name, numbers in counts.items() if name != "all")
