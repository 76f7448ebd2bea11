"""Do the projects that `scaffold new-project` makes hold together? Pairs of answers, by what is done with the project.

    python -m benchmarks.combinations            # every pair of answers occurs in a row
    python -m benchmarks.combinations --quick    # one row a style, without the steps that take long

A step that reads the same files as in an earlier row is not run again: it is marked `=`.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from allpairspy import AllPairs

from benchmarks._project_checks import STEPS
from benchmarks._project_commands import Check, Failure, own_wheel_at_hand
from scaffold import publish
from scaffold.project import plan_project

VALUES: Mapping[str, Sequence[str]] = {
    "style": ("kidger", "scientific-python"),
    "layout": ("flat", "src"),
    "kinds": ("module", "nnx", "closure,pytree", "closure,module,nnx,pytree,train-state"),
    "backend": ("cpu", "cuda12", "cuda13", "tpu"),
    "license": ("Apache-2.0", "BSD-3-Clause", "MIT"),
    "text": ("plain", "hostile"),
    "laws": ("wheel", "installed"),
}
TEXTS: Mapping[str, Mapping[str, str]] = {
    "plain": {"name": "my-study"},
    "hostile": {
        "name": "Study.of-36.letters-and.not-one.more",
        "description": """1. "Fünf" it's {{ 7 * 7 }} {% raw %} \\n #x: [a](b) <c> &lt; ~e~ ${d} `e` *f* \u4e2d 😀""",
        "author": """O'Neil "Ö" {x} \\ #: <y>""",
        "email": "o'neil+x@example.org".replace("'", ""),
        "repository": "https://github.com/o-neil/Study.of_40~letters",
    },
}
Row = Mapping[str, str]


@dataclass
class Results:
    """What was tried: the outcome of each step for each row, and the time of all."""

    rows: list[tuple[Row, dict[str, str]]] = field(default_factory=list[tuple[Row, dict[str, str]]])
    failures: list[str] = field(default_factory=list[str])
    seen: dict[str, str] = field(default_factory=dict[str, str])
    seconds: dict[str, float] = field(default_factory=dict[str, float])


def all_rows() -> list[Row]:
    """Rows in which every pair of answers to two questions occurs; with installed laws a row of each style."""
    # What else is answered does not meet the laws, and each row grows by a class of every kind.
    others = {key: values for key, values in VALUES.items() if key != "laws"}
    pairs = [dict(zip(others, row, strict=True)) for row in AllPairs(list(others.values()))]
    again = [{key: values[number % len(values)] for key, values in others.items()} for number in (0, -1)]
    again = [{**row, "kinds": kinds} for row, kinds in zip(again, ("module", "closure,pytree"), strict=True)]
    return [*({**row, "laws": "wheel"} for row in pairs), *({**row, "laws": "installed"} for row in again)]


def quick_rows() -> list[Row]:
    """One row a style and a form of the laws, with the kinds that compile fast."""
    common = {"kinds": "closure,pytree", "backend": "cpu", "license": "MIT"}
    return [
        {"style": "kidger", "layout": "flat", "text": "hostile", "laws": "wheel", **common},
        {"style": "scientific-python", "layout": "src", "text": "plain", "laws": "installed", **common},
    ]


def answers(row: Row) -> dict[str, str]:
    """The answers of a row, with the texts that it asks for."""
    return {**{key: value for key, value in row.items() if key != "text"}, **TEXTS[row["text"]]}


def try_row(row: Row, folder: Path, results: Results, steps: Mapping[str, Check]) -> None:
    """Make the project of one row and take the steps with it."""
    publish(plan_project(folder, answers(row)))
    outcomes: dict[str, str] = {}
    for name, check in steps.items():
        started = time.perf_counter()
        outcomes[name] = _outcome(name, check, row, folder, results)
        results.seconds[name] = results.seconds.get(name, 0.0) + time.perf_counter() - started
        if outcomes[name] == "FAILED" and name == "install":
            break
    results.rows.append((row, outcomes))


def _outcome(name: str, check: Check, row: Row, folder: Path, results: Results) -> str:
    key = f"{name} {_digest(check.reads(folder))}" if check.reads is not None else ""
    if key in results.seen:
        return "=" if results.seen[key] == "ok" else "FAILED"
    try:
        check.run(folder)
        outcome = "ok"
    except Failure as failure:
        results.failures.append(f"{name} of {json.dumps(row)}:\n{failure}")
        outcome = "FAILED"
    if key:
        results.seen[key] = outcome
    return outcome


def _digest(texts: Iterator[str]) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()


def measure(
    rows: Sequence[Row], report: Callable[[str], None] = lambda _: None, *, quick: bool = False
) -> Results:
    """Try every row, each in a folder of its own that is thrown away; with `quick` without the slow steps."""
    results = Results()
    steps = {name: check for name, check in STEPS.items() if not (quick and check.slow)}
    with own_wheel_at_hand():
        for number, row in enumerate(rows, start=1):
            with TemporaryDirectory(prefix="scaffold-") as scratch:
                started = time.perf_counter()
                try_row(row, Path(scratch) / "project", results, steps)
                spent = time.perf_counter() - started
                report(f"{number}/{len(rows)}, {spent:.0f} s: {' '.join(results.rows[-1][1].values())}")
    return results


def table(results: Results) -> str:
    """The rows as a Markdown table."""
    head = [*VALUES, *STEPS]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row, outcomes in results.rows:
        kinds = "all" if row["kinds"].count(",") > 3 else row["kinds"].replace(",", ", ")
        cells = [
            *({**row, "kinds": kinds}[key] for key in VALUES),
            *(outcomes.get(key, "-") for key in STEPS),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", totals(results)])


def totals(results: Results) -> str:
    """How many steps there were, and how they ended."""
    found = Counter(outcome for _, outcomes in results.rows for outcome in outcomes.values())
    return (
        f"{len(results.rows)} projects, {found.total()} steps: {found['ok']} passed, "
        f"{found['=']} were the same as above, {found['FAILED']} failed."
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one row a style")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="these rows alone")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    rows = quick_rows() if options.quick else all_rows()
    rows = [rows[number - 1] for number in options.only] if options.only else rows
    results = measure(rows, lambda line: print(line, file=sys.stderr, flush=True), quick=options.quick)
    if options.json:
        print(json.dumps({"rows": [{**row, **found} for row, found in results.rows]}, indent=2))
    else:
        print(table(results))
    print(*(f"{name}: {spent:.0f} s" for name, spent in results.seconds.items()), sep=", ", file=sys.stderr)
    for failure in results.failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if results.failures else 0)


if __name__ == "__main__":
    main()
