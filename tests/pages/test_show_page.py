"""docs/show.md: every command prints what the page shows."""

import pytest

from scaffold.show.roles import HEADS
from tests.pages.console_blocks import executed, hold
from tests.support.projects import EXAMPLES, REPOSITORY

PAGE = REPOSITORY / "docs/show.md"


def test_the_page_shows_what_is_printed(request: pytest.FixtureRequest) -> None:
    hold(PAGE, EXAMPLES, refresh=request.config.getoption("--refresh-examples"))


def test_another_output_would_be_seen() -> None:
    page = "```console\n$ scaffold show Affine\nnothing\n```"
    assert executed(page, EXAMPLES) != page


def test_the_page_explains_each_column() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"| {head} |" in text for head in HEADS if head != "role")
