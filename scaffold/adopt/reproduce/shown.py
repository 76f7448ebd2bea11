"""Reproductions that run in the child process, and are kept if they show the finding."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.emit.class_suite import Adopted
from scaffold.adopt.emit.texts import plain_text
from scaffold.adopt.processes.process import Child
from scaffold.adopt.report.causes import Key, key_of
from scaffold.adopt.reproduce.example import Example
from scaffold.adopt.reproduce.recipes import scripts_for

ATTEMPTS = 3
"""Maximum number of classes with which to try to reproduce a cause."""
SECONDS = 90.0
"""Time limit for a finding. The limit for each script is shorter."""
LONGEST = 80
"""Maximum number of characters of an error message. A longer message is reduced to its type."""
_SHOWN = ("fault", "cost")


class Reproductions(Struct):
    """Record of a run's attempts to reproduce each cause."""

    tried: Counter[Key] = field(default_factory=Counter[Key])

    def added_to(
        self, report: Mapping[str, Any], child: Child, adopted: Adopted, folders: Sequence[str]
    ) -> dict[str, Any]:
        """Add to the first finding of each cause the lines that reproduce it."""
        findings = [self._shown(finding, child, adopted, folders) for finding in report.get("findings", ())]
        return {**report, "findings": findings}

    def _shown(
        self, finding: Mapping[str, Any], child: Child, adopted: Adopted, folders: Sequence[str]
    ) -> dict[str, Any]:
        key = key_of(finding)
        if finding["severity"] not in _SHOWN or self.tried[key] >= ATTEMPTS:
            return dict(finding)
        scripts = scripts_for(Example(adopted), finding)
        if not scripts:
            return dict(finding)
        self.tried[key] += 1
        request = {"do": "reproduce", "scripts": scripts, "what": finding["what"], "folders": [*folders]}
        answer = child.ask(request, SECONDS)
        if answer.get("place") is None:
            return dict(finding)
        self.tried[key] = ATTEMPTS
        script = scripts[int(answer["place"])]
        return {**finding, "shows": with_error(script, str(answer["error"]))}


def with_error(script: str, error: str) -> str:
    """Add the error as a comment on the last line, except for an assertion, which says enough."""
    if error.startswith("AssertionError"):
        return script
    first = plain_text(error.partition("\n")[0])
    if first.startswith("TypeCheckError"):
        return (
            f"{script}  # raises TypeCheckError where annotations are checked, as by `--jaxtyping-packages`"
        )
    return f"{script}  # raises {first if len(first) <= LONGEST else first.partition(':')[0]}"
