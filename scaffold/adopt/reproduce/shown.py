"""Reproductions of what was found: written here, run where the class is, and kept where they show what is said."""

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
"""Classes with which a cause is tried, until one shows it."""
SECONDS = 90.0
"""The limit for one finding: that of each script is shorter."""
LONGEST = 80
"""Characters of what a script raises; of a longer text the type alone is told."""
_SHOWN = ("fault", "cost")


class Reproductions(Struct):
    """The causes of a run of which no more reproductions are wanted."""

    tried: Counter[Key] = field(default_factory=Counter[Key])

    def added_to(
        self, report: Mapping[str, Any], child: Child, adopted: Adopted, folders: Sequence[str]
    ) -> dict[str, Any]:
        """The report, where the first finding of each cause has the lines that show it."""
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
    """The script with what its last line raises; of a claim that does not hold the line says enough."""
    if error.startswith("AssertionError"):
        return script
    first = plain_text(error.partition("\n")[0])
    if first.startswith("TypeCheckError"):
        return (
            f"{script}  # raises TypeCheckError where annotations are checked, as by `--jaxtyping-packages`"
        )
    return f"{script}  # raises {first if len(first) <= LONGEST else first.partition(':')[0]}"
