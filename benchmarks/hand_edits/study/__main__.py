"""Run the study: `python -m benchmarks.hand_edits.study`.

`--list 2` runs those of `study2`, `--list 3` those of `study3` and so on, `--only TEXT` the edits with this in their name,
`--json FILE` writes every failure.
"""

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.hand_edits.study import STUDY
from benchmarks.hand_edits.study.further import FURTHER
from benchmarks.hand_edits.study.suites import SPECS, Failure, Folders, Outcome
from benchmarks.hand_edits.verdicts import name_of

STUDIES = Path(__file__).parents[1].glob("study[0-9]*")
"""The folders of the lists after the first, each with its number at the end of its name."""
NUMBERS = sorted(int(folder.name.removeprefix("study")) for folder in STUDIES)
MODULES = {number: importlib.import_module(f"benchmarks.hand_edits.study{number}") for number in NUMBERS}
LISTS = {1: (STUDY, SPECS)} | {number: (study.STUDY, study.SPECS) for number, study in MODULES.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hand_edits.study", description=__doc__)
    parser.add_argument("--only", default="", help="edits with this text in their name")
    parser.add_argument("--json", type=Path, help="file for every failure")
    parser.add_argument(
        "--further", action="store_true", help="the edits of `further.py` in the place of the study"
    )
    parser.add_argument("--list", type=int, choices=LISTS, default=1, help="the list of edits")
    chosen = parser.parse_args(arguments)
    every, specs = LISTS[chosen.list]
    every = FURTHER if chosen.further else every
    edits = [edit for edit in every if chosen.only in name_of(edit)]
    outcomes: list[Outcome] = []
    with TemporaryDirectory() as root:
        folders = Folders(Path(root), specs)
        folders.record(sorted({edit.example for edit in edits}))
        for edit in edits:
            outcomes.append(folders.judge(edit))
            print(line(outcomes[-1]), flush=True)
            if chosen.json:
                chosen.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    print("\n".join(counts(outcomes)))
    return 0


def line(outcome: Outcome) -> str:
    first = [first_test(failures) for failures in (outcome.unrecorded, outcome.recorded)]
    return f"{outcome.edit.tag:10} {' | '.join(first)} | {name_of(outcome.edit)}"


def first_test(failures: Sequence[Failure]) -> str:
    return failures[0].test if failures else "-"


def counts(outcomes: Sequence[Outcome]) -> list[str]:
    """Count the edits of each tag at which some test failed."""
    lines: list[str] = []
    for tag in sorted({outcome.edit.tag for outcome in outcomes}):
        tagged = [outcome for outcome in outcomes if outcome.edit.tag == tag]
        unrecorded = sum(bool(outcome.unrecorded) for outcome in tagged)
        recorded = sum(bool(outcome.recorded) for outcome in tagged)
        lines.append(f"{tag}: {unrecorded} of {len(tagged)} fail without a record, {recorded} with it")
    return lines


if __name__ == "__main__":
    sys.exit(main())
