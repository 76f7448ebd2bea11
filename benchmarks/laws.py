"""What the generated tests cost: `python -m benchmarks.laws` runs the suite of each example in a process of its own.

Python keeps its byte code, as for any installed program. The least of several runs counts, since what else a machine does only
adds to one (the documentation of `timeit`). Each row gives the wall and the processor seconds beyond those of
collecting the same tests, which imports what they import, their ratio to it, the limit in seconds and whether it is kept, and
the tests that took most of it. Processor seconds hold where other work runs beside. All of them run once in one process, and
once in two, each of which imports for itself. `--cached` keeps what jax compiles in a folder, as JAX_COMPILATION_CACHE_DIR
does, and fills it before it measures.

`--depth 1 2 3` measures classes that are made of tested ones, one in the other, and `--classes 100` as many alike, with
`pytest -n 2`, imports included.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from benchmarks._generated_classes import composite, many
from benchmarks._timing import keeping_bytecode

EXAMPLES = Path(__file__).parent.parent / "generated_examples"
USUAL = (
    "affine",
    "whiten",
    "leaky_cell",
    "gru_cell",
    "mlp",
    "stack",
    "table_bypass",
    "solver_term",
    "train_state",
    "nnx_block",
)
LIMIT, LIMIT_OF_TEN = 3.0, 20.0  # seconds of wall, on a machine with nothing else to do
LIMIT_OF_COMPOSITE, LIMIT_OF_MANY = 5.0, 0.6  # the latter for each class
MADE_OF = {"mlp": "linear", "stack": "affine", "train_state": "regressor"}
"""The examples that are made of one with a suite of its own: what its suite proves is not proved again."""


@dataclass(frozen=True)
class Row:
    """The seconds of one suite beyond collecting it, and where they went."""

    name: str
    wall: float
    processor: float
    ratio: float
    limit: float
    met: bool
    slowest: list[str]


def timed(command: Sequence[str], folder: Path = EXAMPLES) -> tuple[float, float, str]:
    """Wall and processor seconds of a process, and what it printed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    environment = {**keeping_bytecode(), "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    wall, after = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used, done.stdout


def keep_programs(folder: str) -> None:
    """Has the processes that follow keep every program that they compile."""
    os.environ["JAX_COMPILATION_CACHE_DIR"] = folder
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"


def suite(names: Sequence[str], *options: str, processes: int = 0) -> list[str]:
    return tests([f"tests/test_{name}.py" for name in names], f"-n{processes}", "--durations=4", *options)


def tests(files: Sequence[str], *options: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *options,
        *files,
    ]


def row(name: str, names: Sequence[str], runs: int, processes: int = 0) -> Row:
    """The least of runs that take turns with collecting the same tests in one process."""
    commands = suite(names, "--collect-only"), suite(names, processes=processes)
    of_one = LIMIT_OF_COMPOSITE if name in MADE_OF else LIMIT
    limit = of_one if len(names) == 1 else LIMIT_OF_TEN * len(names) / 10
    return beyond_imports(name, commands, EXAMPLES, runs, limit)


def beyond_imports(
    name: str, commands: tuple[Sequence[str], Sequence[str]], folder: Path, runs: int, limit: float
) -> Row:
    pairs = [(timed(commands[0], folder), timed(commands[1], folder)) for _ in range(runs)]
    imports, found = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    wall, processor = min(one[0] for one in found), min(one[1] for one in found)
    base = min(one[0] for one in imports), min(one[1] for one in imports)
    slowest = re.findall(r"([\d.]+s) call.*::(test_\w+)", found[0][2])
    told = [f"{seconds} {test.removeprefix('test_')}" for seconds, test in slowest]
    beyond = wall - base[0]
    least = min(beyond, processor - base[1])
    return Row(name, beyond, processor - base[1], processor / base[1], limit, least <= limit, told)


def of_depth(depth: int, runs: int) -> Row:
    """A class that is made of tested ones, which its suite does not prove again."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "project"
        files = [composite(folder, depth)]
        commands = tests(files, "-n0", "--collect-only"), tests(files, "-n0", "--durations=4")
        return beyond_imports(f"depth {depth}", commands, folder, runs, LIMIT_OF_COMPOSITE)


def of_many(number: int) -> Row:
    """As many classes in two processes: the seconds of each, the imports of both among them."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "project"
        files = many(folder, number)
        base = timed(tests(files, "-n0", "--collect-only"), folder)
        wall, processor, _ = timed(tests(files, "-n2"), folder)
    wall, processor = wall / number, processor / number
    name = f"each of {number}"
    return Row(name, wall, processor, processor * number / base[1], LIMIT_OF_MANY, wall <= LIMIT_OF_MANY, [])


def of_examples(names: Sequence[str], runs: int) -> list[Row]:
    rows = [row(name, (name,), runs) for name in names]
    if len(names) == 1:
        return rows
    every = f"all {len(names)}"
    return [*rows, row(every, names, runs), row(f"{every}, -n 2", names, runs, processes=2)]


def made(chosen: argparse.Namespace) -> list[Row]:
    """What is measured of classes that are generated for it."""
    rows = [of_depth(depth, chosen.runs) for depth in chosen.depth]
    return [*rows, of_many(chosen.classes)] if chosen.classes else rows


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.laws", description=__doc__)
    parser.add_argument("names", nargs="*", default=USUAL)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--cached", action="store_true")
    parser.add_argument("--depth", nargs="+", type=int, default=[])
    parser.add_argument("--classes", type=int, default=0)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if chosen.cached:
            keep_programs(folder)
            timed(suite(chosen.names))
        rows = made(chosen) if chosen.depth or chosen.classes else of_examples(chosen.names, chosen.runs)
    if chosen.json:
        print(json.dumps({"rows": [asdict(one) for one in rows]}, indent=1))
        return 0
    print(f"{'':14} {'wall s':>7} {'cpu s':>7} {'cpu/imports':>12} {'limit s':>8} {'budget':>7}  slowest")
    for one in rows:
        told = ", ".join(one.slowest[:3])
        verdict = "met" if one.met else "missed"
        print(
            f"{one.name:14} {one.wall:7.2f} {one.processor:7.2f} {one.ratio:12.2f} {one.limit:8.1f} {verdict:>7}  {told}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
