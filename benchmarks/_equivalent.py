"""Mutants that are no mistakes, with the reason: by the mistake, and the examples in which it is none."""

EVERYWHERE = "*"
EQUIVALENT: dict[str, dict[str, str]] = {}


def reason(mistake: str, example: str) -> str | None:
    """Why the mutant cannot be told from the original, or None where it can."""
    rows = EQUIVALENT.get(mistake, {})
    return rows.get(example, rows.get(EVERYWHERE))
