"""docs/correctness.md: its numbers are those of the pages that it names."""

import re

from tests.support.projects import REPOSITORY

DOCS = REPOSITORY / "docs"


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_the_numbers_are_those_of_the_pages() -> None:
    rows = re.findall(r"^([a-zA-Z_.][^\n]{30,34}?)\s+(\d+)\s+(\d+)", text_of("mutants.md"), re.MULTILINE)
    made, killed = (sum(int(row[place]) for row in rows) for place in (1, 2))
    page = text_of("correctness.md")
    assert len(rows) > 70 and f"{killed} of {made} are noticed" in page
    reported = re.findall(r"^\| \d+ \|", text_of("pitfalls.md"), re.MULTILINE)
    assert f"all {len(reported)} are noticed" in page
    by_hand = " ".join(text_of("hand_edits.md").split())
    [edits, classes, noticed] = re.findall(
        r"of (\d+) edits of (\d+) classes .*? first run, with records, (\d+) were", by_hand
    )[0]
    assert f"Edits of {classes} classes" in page and f"{noticed} of {edits} were noticed" in page
    found = re.search(r"(\d+) true, (\d+) false before", text_of("adopt.md"))
    assert found is not None and f"{found[1]} are true; {found[2]} were mistakes" in page
