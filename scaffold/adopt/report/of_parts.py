"""Findings on a part of an instance, reported only at the part's own class if that was adopted too."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from scaffold.adopt.report.causes import key_of
from scaffold.adopt.report.outcome import Outcome

Place = tuple[str, str, str]
"""Law, reduced text, and path below an instance of the class."""


def without_those_of_parts(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """Drop findings that another class reports for the end of the same path."""
    outcomes = tuple(outcomes)
    labels = {
        place_of(outcome, finding): outcome.one.label for outcome in outcomes for finding in outcome.findings
    }
    return tuple(_without(outcome, labels) for outcome in outcomes)


def _without(outcome: Outcome, labels: Mapping[Place, str]) -> Outcome:
    left = [finding for finding in outcome.findings if not _is_of_part(outcome, finding, labels)]
    if len(left) == len(outcome.findings):
        return outcome
    return replace(outcome, report={**outcome.report, "findings": left})


def _is_of_part(outcome: Outcome, finding: Mapping[str, Any], labels: Mapping[Place, str]) -> bool:
    law, text, path = place_of(outcome, finding)
    names = path.split(".")
    ends = (".".join(names[start:]) for start in range(1, len(names)))
    classes = (labels.get((law, text, end)) for end in ends)
    return any(label is not None and label != outcome.one.label for label in classes)


def place_of(outcome: Outcome, finding: Mapping[str, Any]) -> Place:
    """Return the law and text of a finding, whatever its severity, and its path below the instance."""
    _, law, text = key_of(finding)
    return law, text, str(finding["where"]).removeprefix(f"{outcome.one.name.rpartition('.')[2]}.")
