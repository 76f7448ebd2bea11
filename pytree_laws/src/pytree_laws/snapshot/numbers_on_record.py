"""Record of numbers beside the tests of a suite."""

import re
from typing import Any

from ..report import or_else
from .files import record_of
from .format import NoRecord, parse_record, section_of


def recorded(suite: Any) -> str | None:
    """Return the text of the record for a suite, or None."""
    file = record_of(suite)
    return file.read_text(encoding="utf-8") if file and file.is_file() else None


@or_else(True, NoRecord)  # it is damaged, as P19 says
def has_numbers_of(suite: Any, name: str) -> bool:
    """Whether the record has numbers of a method, or any numbers for an empty name."""
    sections = parse_record(suite.recorded() or "").items()
    own = [entries for section, entries in sections if section.startswith(section_of(type(suite), ""))]
    return any(re.match(rf"{re.escape(name)}\b", entry) for entries in own for entry in entries)
