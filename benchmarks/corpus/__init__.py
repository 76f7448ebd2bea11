"""Adopt on public libraries: what is found, built and called, and how many of the faults are true.

`python -m benchmarks.corpus FOLDER` makes an environment for each library below FOLDER, runs `scaffold adopt` in an empty
project, and keeps the report; a library whose report is there is not run again. `--batch N` takes one batch, `--sample 30`
draws faults and calls to judge, `--write` makes docs/findings.md of the verdicts that are true.
"""

import argparse
import random
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpus.runs import Table, run_library

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "findings.md"
SEED, GIB = 31, 2**30
HEAD = """# Found in public libraries

What `scaffold adopt` found in libraries that nobody had looked at before, each in a few lines of plain jax that show it. Each was judged
by hand. `python -m benchmarks.corpus FOLDER --write` makes this page of `benchmarks/corpus/verdicts.toml`; `figures.toml` beside it has
how many faults of each batch were true, by design and false at the first run.
"""
ROWS = """
## First runs

Each batch was run before anything in it was looked at. Of its faults a random sample was judged by hand, and of its calls one from batch 4 on;
what was by design or false was then mended by a rule, or is told as open in the verdicts. Batch 5 was run and not judged.

| batch | libraries | found | built | called | faults | true | by design | false | calls that say something |
|---|---|---|---|---|---|---|---|---|---|
"""


def read(name: str, key: str) -> list[dict[str, Any]]:
    """The entries of a data file."""
    return tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))[key]


def page() -> str:
    """The page of all verdicts that are true."""
    parts = [HEAD]
    for one in read("verdicts", "verdict"):
        if one["verdict"] == "true":
            head = f"## {one['library'].replace('==', ' ')}: {one['class']}\n"
            parts.append(f"{head}\n{one['law']}. {one['reason']}\n\n```py\n{one['shows'].strip()}\n```\n")
    return "\n".join(parts) + ROWS + "".join(map(row_of_batch, read("figures", "batch")))


def row_of_batch(batch: Table) -> str:
    """The figures of a batch at its first run, as a row of a table."""
    libraries = ", ".join(f"`{name}`" for name in batch["libraries"])
    counts = [f"{batch[key]}" for key in ("found", "built", "called", "faults")]
    share = f" of {batch['sample']}" if batch["sample"] else ""
    judged = [f"{batch[key]}{share}" if share else "" for key in ("true", "by_design", "false")]
    calls = f"{batch['meaningful']} of {batch['calls']}" if "calls" in batch else ""
    return f"| {' | '.join([str(batch['number']), libraries, *counts, *judged, calls])} |\n"


def faults_of(report: Table) -> Iterator[tuple[str, Table]]:
    """The faults of all classes, each place and text once."""
    for one in report.get("classes", ()):
        faults = [each for each in one["findings"] if each["severity"] == "fault"]
        places = {(each["law"], each["where"], each["what"]): each for each in faults}
        yield from ((one["class"], each) for each in places.values())


def line(library: str, record: Table) -> str:
    """What became of a library, as a row of a table."""
    report = record["report"]
    classes = [one for one in report.get("classes", ()) if one["state"] != "left out"]
    built = [one for one in classes if one["state"] != "not built"]
    called = [one for one in built if one["state"] == "adopted"]
    errors = sum(isinstance(error, dict) for one in classes for error in one["errors"])
    cells = len(classes), len(built), len(called), len([*faults_of(report)]), errors, record["seconds"]
    memory = f"{record['peak_bytes'] / GIB:.1f}"
    return f"| `{library}` | {' | '.join(map(str, cells))} | {memory} |"


def drawn(reports: Sequence[Table], count: int) -> list[tuple[str, Table]]:
    """Faults to judge, the same each time."""
    faults = [one for report in reports for one in faults_of(report)]
    random.Random(SEED).shuffle(faults)
    return faults[:count]


def calls_drawn(reports: Sequence[Table], count: int) -> list[Table]:
    """Classes whose calls are to be judged, the same each time."""
    called = [one for report in reports for one in report.get("classes", ()) if one.get("call") is not None]
    random.Random(SEED).shuffle(called)
    return called[:count]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    said = parser.parse_args()
    if said.write:
        PAGE.write_text(page(), encoding="utf-8")
        return
    folder: Path = said.folder.resolve()
    reports: list[dict[str, Any]] = []
    print(
        "| library | found | built | called or without methods | faults | internal errors | seconds | GiB |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for library in read("libraries", "library"):
        if said.batch in (None, library["batch"]):
            record = run_library(library, folder)
            reports.append(record["report"])
            print(line(library["module"], record), flush=True)
    for label, fault in drawn(reports, said.sample):
        print(f"{label} {fault['law']} at `{fault['where']}`: {' '.join(fault['what'].split())[:200]}")
    for one in calls_drawn(reports, said.sample):
        print(f"{one['class']} is {one['built']}, called by {one['call']}({', '.join(one['arguments'])})")
