"""docs/sharding.md: its tables are what the commands beside them print; only differences to rounding may vary."""

import re
import sys

import pytest

from tests.support.projects import REPOSITORY, run

PAGE = REPOSITORY / "docs/sharding.md"
ROUNDING = re.compile(r"\d\.\de-\d\d")


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sharding_dims", "sharding_large", "sharding_curves"])
def test_each_row_is_printed_by_the_command_beside_it(name: str) -> None:
    ran = run([sys.executable, "-m", f"benchmarks.{name}"], REPOSITORY)
    page = {ROUNDING.sub("", row) for row in rows(PAGE.read_text())}
    printed = [ROUNDING.sub("", row) for row in rows(ran.stdout)]
    assert len(printed) > 3 and set(printed) <= page, (ran.stdout, ran.stderr)


@pytest.mark.slow
def test_the_examples_of_the_page_pass_on_eight_devices() -> None:
    ran = run([sys.executable, "-m", "benchmarks.sharding_examples"], REPOSITORY)
    passing = set(re.findall(r"^\| (`Test\w+`) \| \d+ \| - \|", ran.stdout, re.MULTILINE))
    named = {
        row.split(" | ")[0].removeprefix("| ") for row in rows(PAGE.read_text()) if row.startswith("| `Test")
    }
    assert len(named) >= 12 and named == passing, ran.stdout
