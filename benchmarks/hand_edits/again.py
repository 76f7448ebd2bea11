"""Run the lists of edits again, with the numbers of the right classes on record: `python -m benchmarks.hand_edits.again`.

What was noticed at an earlier run has to be noticed still. `--list 3 4` runs these lists alone; the right changes are left out.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study.__main__ import LISTS
from benchmarks.hand_edits.study.suites import Failure, Folders, run_suite
from benchmarks.hand_edits.verdicts import name_of


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hand_edits.again", description=__doc__)
    parser.add_argument("--list", type=int, nargs="*", choices=LISTS, default=sorted(LISTS), help="the lists")
    for number in parser.parse_args(arguments).list:
        mistakes = noticed(number)
        missed = [name for name, is_noticed in mistakes if not is_noticed]
        print(f"list {number}: {len(mistakes) - len(missed)} of {len(mistakes)} are noticed", flush=True)
        print("".join(f"  not noticed: {name}\n" for name in missed), end="", flush=True)
    return 0


def noticed(number: int) -> list[tuple[str, bool]]:
    """By name, whether a test fails at each mistake of a list which passes for the right class."""
    every, specs = LISTS[number]
    edits = [edit for edit in every if edit.tag != "legitimate"]
    with TemporaryDirectory() as root:
        folders = Folders(Path(root), specs)
        examples = sorted({edit.example for edit in edits})
        usual = {example: _tests(run_suite(folders.folder_of(example), example)) for example in examples}
        for example, failing in usual.items():
            print(
                "".join(f"  fails without an edit: {example}: {test}\n" for test in sorted(failing)),
                end="",
                flush=True,
            )
        return [(name_of(edit), _is_noticed(folders, edit, usual[edit.example])) for edit in edits]


def _is_noticed(folders: Folders, edit: Edit, usual: set[str]) -> bool:
    """Whether a test fails of an edit that passes without it; the first one says it where all of them pass."""
    return bool(_tests(folders.failures(edit, record=True, first=not usual)) - usual)


def _tests(failures: Iterable[Failure]) -> set[str]:
    return {failure.test for failure in failures}


if __name__ == "__main__":
    sys.exit(main())
