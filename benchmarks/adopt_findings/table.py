"""The table of the page, and what is seen otherwise than it says."""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.adopt_findings.rows import ROWS, Row

PAGE = Path(__file__).parents[2] / "docs" / "adopt.md"
HEAD = "| class | classes | law | finding | by hand |\n|---|---|---|---|---|\n"
TABLE = re.compile(re.escape(HEAD) + r"(\|.*\n)*")
TOTAL = re.compile(r"\d+ findings: .* false now")


def told(one: Row) -> str:
    """What is said of a row by hand."""
    return f"false, {'now advice' if one.now == 'style' else one.now}" if one.now else "true"


def line(one: Row) -> str:
    return f"| `{one.where}` | {one.classes} | {one.law} | {one.what} | {told(one)} |\n"


def total(rows: list[Row]) -> str:
    """How many there are, and how many of them were and are false."""
    false = [one for one in rows if one.now]
    left = [one for one in false if one.now == "open"]
    return f"{len(rows)} findings: {len(rows) - len(false)} true, {len(false)} false before, {len(left)} false now"


def written(page: str) -> str:
    """The page with the table, and the total above it."""
    page = TABLE.sub(lambda _: HEAD + "".join(map(line, ROWS)), page)
    return TOTAL.sub(total(ROWS), page)


def wrong(rows: list[Row]) -> Iterator[str]:
    """What is seen of these rows otherwise than the table says."""
    for one in rows:
        try:
            seen = bool(one.seen())
        except Exception as error:
            yield f"{one.where} {one.law}: {type(error).__name__}: {error}"
        else:
            if seen is bool(one.now):
                yield f"{one.where} {one.law}: {'seen' if seen else 'not seen'}, and it is {told(one)}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=sys.modules["benchmarks.adopt_findings"].__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    said = parser.parse_args()
    rows = [one for one in ROWS if said.only in one.where]
    found = list(wrong(rows))
    print(*map(line, rows), sep="", end="")
    print(total(rows))
    if found:
        raise SystemExit("\n".join(found))
    if said.write and not said.only:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
