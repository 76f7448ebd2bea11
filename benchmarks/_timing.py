"""What the benchmarks share: interleaved runs, and a report of medians, ratios and budgets."""

import argparse
import json
import os
import platform
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from timeit import Timer
from typing import Any, TypeVar

Case = Callable[[], float]
"""One run of one alternative; gives the seconds it took."""
Medians = Mapping[str, float]
"""The median seconds of each case."""

Name = TypeVar("Name", bound=Hashable)
_UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}


def keeping_bytecode() -> dict[str, str]:
    """The environment of a process that keeps byte code, as every installed program does."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Table:
    """Medians by measure and case; each of `ratios` is a measure and the case by which it is divided."""

    title: str
    measures: Mapping[str, Medians]
    ratios: Sequence[tuple[str, str]]
    unit: str = "ms"

    def ratio(self, measure: str, case: str, baseline: str) -> float:
        medians = self.measures[measure]
        return medians[case] / medians[baseline]

    def to_json(self) -> dict[str, Any]:
        cases = next(iter(self.measures.values()))
        return {"title": self.title, "unit": self.unit, "rows": [self._row(case) for case in cases]}

    def _row(self, case: str) -> dict[str, Any]:
        seconds = {measure: medians[case] for measure, medians in self.measures.items()}
        ratios = [
            {"measure": measure, "of": baseline, "ratio": self.ratio(measure, case, baseline)}
            for measure, baseline in self.ratios
        ]
        return {"case": case, "seconds": seconds, "ratios": ratios}


@dataclass(frozen=True)
class Budget:
    """What a ratio has to be: `at most` or `at least` the limit."""

    what: str
    ratio: float
    limit: float
    sense: str = "at most"

    @property
    def met(self) -> bool:
        return self.ratio <= self.limit if self.sense == "at most" else self.ratio >= self.limit

    def to_json(self) -> dict[str, Any]:
        fields = {"what": self.what, "ratio": self.ratio, "sense": self.sense, "limit": self.limit}
        return {**fields, "met": self.met}


Measured = tuple[Sequence[Table], Sequence[Budget]]


def interleave(cases: Mapping[Name, Case], runs: int) -> dict[Name, float]:
    """The median seconds of each case, run as A B C A B C ..., so that a slow minute falls on all alike.

    The first round is not counted: it fills caches.
    """
    for case in cases.values():
        case()
    seconds: dict[Name, list[float]] = {name: [] for name in cases}
    for _ in range(runs):
        for name, case in cases.items():
            seconds[name].append(case())
    return {name: median(found) for name, found in seconds.items()}


def repeated(statement: str, number: int, names: Mapping[str, Any]) -> Case:
    """A case that runs a short statement `number` times; gives the seconds of one.

    A few more go before, not counted: what ran before this case has left the processor's caches to itself.
    """
    timer = Timer(statement, globals=dict(names))

    def run() -> float:
        timer.timeit(number // 5)
        return timer.timeit(number) / number

    return run


def main(name: str, doc: str, default_runs: int, packages: Sequence[str], measure: Callable[[int], Measured]):
    """The command line of a benchmark."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=doc)
    parser.add_argument("--runs", type=int, default=default_runs, help=f"rounds (default: {default_runs})")
    parser.add_argument("--json", action="store_true", help="print JSON on stdout")
    options = parser.parse_args()
    tables, budgets = measure(options.runs)
    report = {
        "benchmark": name,
        "runs": options.runs,
        "machine": {"cpu": _cpu(), "cores": os.cpu_count()},
        "versions": {"python": platform.python_version(), **{one: version(one) for one in packages}},
        "tables": [table.to_json() for table in tables],
        "budgets": [budget.to_json() for budget in budgets],
    }
    print(json.dumps(report, indent=2) if options.json else text(report))


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def text(report: Mapping[str, Any]) -> str:
    """The report as plain text."""
    machine = report["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    head = [
        f"{report['benchmark']}: medians of {report['runs']} interleaved runs",
        f"{machine['cpu']}, {machine['cores']} cores; {versions}",
    ]
    tables = [line for table in report["tables"] for line in ("", table["title"], *_table_lines(table))]
    return "\n".join([*head, *tables, "", *map(_budget_line, report["budgets"])])


def _table_lines(table: Mapping[str, Any]) -> Iterator[str]:
    first = table["rows"][0]
    head = [f"{measure} {table['unit']}" for measure in first["seconds"]]
    head += [f"{one['measure']} / {one['of']}" for one in first["ratios"]]
    rows = [[row["case"], *_cells(row, table["unit"])] for row in table["rows"]]
    widths = [max(map(len, column)) for column in zip(["", *head], *rows, strict=True)]
    for case, *cells in [["", *head], *rows]:
        right = (f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        yield "  ".join([f"{case:<{widths[0]}}", *right])


def _cells(row: Mapping[str, Any], unit: str) -> list[str]:
    seconds = [f"{found / _UNITS[unit]:.2f}" for found in row["seconds"].values()]
    return seconds + [f"{one['ratio']:.2f}" for one in row["ratios"]]


def _budget_line(budget: Mapping[str, Any]) -> str:
    verdict = "met" if budget["met"] else "MISSED"
    return f"budget {budget['what']}: {budget['ratio']:.2f}, {budget['sense']} {budget['limit']:g}: {verdict}"
