"""Adopt on public libraries: what is found, built and called, and how many of the faults are true.

`python -m benchmarks.corpus FOLDER` makes an environment for each library below FOLDER, runs `scaffold adopt` in an empty
project, and keeps the report; a library whose report is there is not run again. `--batch N` takes one batch, `--sample 30`
draws faults to judge, `--write` makes docs/findings.md of the verdicts that are true.
"""

import argparse
import json
import random
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "findings.md"
SEED, SECONDS = 31, 1800
SHARED = ("jax==0.10.2", "equinox==0.13.8", "flax==0.12.8", "optax", "pytest")
HEAD = """# Found in public libraries

What `scaffold adopt` found in libraries that nobody had looked at before, each in a few lines of plain jax that show it. Each was judged
by hand. `python -m benchmarks.corpus FOLDER --write` makes this page of `benchmarks/corpus/verdicts.toml`; `figures.toml` beside it has
how many faults of each batch were true, by design and false at the first run.
"""
Table = Mapping[str, Any]


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
    return "\n".join(parts)


def examined(library: Table, folder: Path) -> dict[str, Any]:
    """The report of a library, which is run where there is none yet."""
    report = folder / f"{library['module']}.json"
    if not report.exists():
        home = folder / library["module"]
        python = installed(library, home / "env")
        project = home / "project"
        project.mkdir(parents=True, exist_ok=True)
        (project / "pyproject.toml").write_text('[project]\nname = "corpus"\n', encoding="utf-8")
        command = [sys.executable, "-m", "scaffold", "adopt", library["module"], "--python", python, "--json"]
        ran = subprocess.run(
            command, cwd=project, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        report.write_text(ran.stdout, encoding="utf-8")
    return json.loads(report.read_text(encoding="utf-8"))


def installed(library: Table, folder: Path) -> str:
    """The interpreter of an environment that has the library."""
    python = str(folder / "bin" / "python")
    version = library.get("python", "3.11")
    subprocess.run(["uv", "venv", "--quiet", "--allow-existing", "--python", version, folder], check=True)
    packages = [*library["packages"], *SHARED]
    subprocess.run(["uv", "pip", "install", "--quiet", "--python", python, *packages], check=True)
    return python


def faults_of(report: Table) -> Iterator[tuple[str, Table]]:
    """The faults of all classes, each place and text once."""
    for one in report.get("classes", ()):
        faults = [each for each in one["findings"] if each["severity"] == "fault"]
        places = {(each["law"], each["where"], each["what"]): each for each in faults}
        yield from ((one["class"], each) for each in places.values())


def line(library: str, report: Table) -> str:
    """What became of a library, as a row of a table."""
    classes = [one for one in report.get("classes", ()) if one["state"] != "left out"]
    built = [one for one in classes if one["state"] != "not built"]
    called = [one for one in built if one["state"] == "adopted"]
    seconds = sum(one.get("seconds", 0.0) for one in classes)
    cells = len(classes), len(built), len(called), len([*faults_of(report)]), f"{seconds:.0f}"
    return f"| `{library}` | {' | '.join(map(str, cells))} |"


def drawn(reports: Sequence[Table], count: int) -> list[tuple[str, Table]]:
    """Faults to judge, the same each time."""
    faults = [one for report in reports for one in faults_of(report)]
    random.Random(SEED).shuffle(faults)
    return faults[:count]


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
        "| library | found | built | called or without methods | faults | seconds |\n|---|---|---|---|---|---|"
    )
    for library in read("libraries", "library"):
        if said.batch in (None, library["batch"]):
            reports.append(examined(library, folder))
            print(line(library["module"], reports[-1]), flush=True)
    for label, fault in drawn(reports, said.sample):
        print(f"{label} {fault['law']} at `{fault['where']}`: {' '.join(fault['what'].split())[:200]}")
