"""Where the time of this project's own tests goes: `python dev.py test --junitxml=x.xml`, then `python -m benchmarks.own_tests x.xml`.

Several reports are columns beside each other, in seconds of all processes together.
"""

import re
import sys
from collections import Counter
from xml.etree import ElementTree

PARTS = {
    "laws, on their specimens": r"tests\.laws\.",
    "generated examples": r"generated_examples\.",
    "`adopt`": r"tests\.test_adopt",
    "new projects": r"tests\.test_(project|combinations)",
    "drawn specs, types, style": r"tests\.test_(emitted|quality|skeleton_types|gradients)",
    "generated tests that must fail": r"tests\.test_(broken|founding|mutants|roles)",
    "writing, updates": r"tests\.test_(publish|lifecycle|saves|update|destroy|registration|hand_edits)",
    "pages that are run": r"tests\.test_(readme|skill|conditions|benchmarks)",
    "one feature each": r"tests\.",
}
"""What the name of a file of tests begins with; the first that fits."""


def part_of(name: str) -> str:
    return next(part for part, pattern in PARTS.items() if re.match(pattern, name))


def seconds_by_part(report: str) -> Counter[str]:
    """The seconds of each part, and of all."""
    seconds: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        for part in (part_of(case.attrib["classname"]), "all"):
            seconds[part] += float(case.attrib["time"])
    return seconds


def table(reports: list[str]) -> str:
    columns = [seconds_by_part(report) for report in reports]
    rows = [f"{part:<32}{''.join(f'{one[part]:8.0f}' for one in columns)}" for part in (*PARTS, "all")]
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(sys.argv[1:]))
