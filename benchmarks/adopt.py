"""How much of public libraries is adopted with nothing said: `python -m benchmarks.adopt`.

Each library's classes are listed, and it is looked for how each is built and called, as `scaffold adopt` does it. `--python PATH`
is an interpreter that has the libraries; without it they are installed by uv, in a temporary environment. `--only NAME` takes one
library and leaves the rows of the others, `--findings` runs the suites too and prints what they find. `--write` puts the tables into docs/adopt.md.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from scaffold.adopt import Wanted
from scaffold.adopt import adopt as run_adopt
from scaffold.adopt.processes.process import Child, NoAnswerError
from scaffold.in_project.layout import find_layout

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "adopt.md"
LIBRARIES = {
    "equinox.nn": "equinox==0.13.8",
    "flax.nnx.nn": "flax==0.12.8",
    "optax": "optax==0.2.8",
    "distreqx": "distreqx==0.0.3",
    "diffrax": "diffrax==0.7.2",
    "flowjax": "flowjax==19.1.2",
    "jaxlie": "jaxlie==1.5.0",
    "lineax": "lineax==0.1.1",
    "optimistix": "optimistix==0.1.0",
    "tinygp": "tinygp==0.3.1",
    "quax": "quax==0.4.6",
    "e3nn_jax": "e3nn-jax==0.21.0",
}
"""The module that is the target, and where it comes from."""
SHARED = ("jax==0.10.2", "pytest==9.2.0")
HEAD = "| library | classes | built | with methods | called | nothing said | s a class |\n|---|---|---|---|---|---|---|\n"
WHY = "| class | what is lacking | since |\n|---|---|---|\n"
TABLES = {head: re.compile(re.escape(head) + r"(\|.*\n)*") for head in (HEAD, WHY)}
SECONDS = 60.0


@dataclass(frozen=True)
class Row:
    """What became of the classes of a library."""

    library: str
    found: Mapping[str, Mapping[str, Any]]
    """By class, what the child answered."""
    seconds: float

    def count(self, *keys: str) -> int:
        return sum(all(one.get(key) for key in keys) for one in self.found.values())

    @property
    def adopted(self) -> int:
        """Those that are built, and called where they have methods."""
        return sum(
            bool(one["built"] and (one["called"] or not one["methods"])) for one in self.found.values()
        )

    def line(self) -> str:
        numbers = len(self.found), self.count("built"), self.count("built", "methods"), self.count("called")
        share = f"{100 * self.adopted / max(1, len(self.found)):.0f} %"
        cells = [
            f"`{self.library}`",
            *map(str, numbers),
            share,
            f"{self.seconds / max(1, len(self.found)):.1f}",
        ]
        return f"| {' | '.join(cells)} |\n"

    def lacking(self) -> Iterator[str]:
        """A line for each class that is not adopted with nothing said."""
        for name, one in self.found.items():
            if not one["built"]:
                yield f"| `{name}` | `--build` | {told(one)} |\n"
            elif one["methods"] and not one["called"]:
                yield f"| `{name}` | `--call` | {told(one)} |\n"


def told(one: Mapping[str, Any]) -> str:
    """Why, on a line of a table."""
    first = (
        str(one.get("why") or "nothing that it returns depends on what it is given")
        .strip()
        .partition("\n")[0]
    )
    text = re.sub(r"0x[0-9a-f]+", "0x…", first).replace("|", "/").replace("`", "'")
    return f"`{text[:110]}`"


def examined(library: str, command: Sequence[str]) -> Row:
    """The classes of a library, one after the other, in one process as long as it lives."""
    child = Child(command, ROOT)
    target = {"text": library, "module": library, "name": "", "whole": True}
    listed = child.ask({"do": "list", "folders": [], "targets": [target]}, 300.0)
    found: dict[str, Mapping[str, Any]] = {}
    begin = perf_counter()
    for one in listed["classes"]:
        if one["why"]:
            continue
        request = {"do": "adopt", "module": one["module"], "name": one["name"], "seconds": SECONDS}
        try:
            answer = child.ask({**request, "folders": [], "said": {}, "build": "", "call": ""}, SECONDS + 10)
        except NoAnswerError as error:
            answer, child = {"built": False, "why": str(error)}, Child(command, ROOT)
        if not answer.get("abstract"):
            found[f"{one['module']}.{one['name']}"] = {
                "methods": [],
                "called": False,
                "built": False,
                **answer,
            }
    child.close()
    return Row(library, found, perf_counter() - begin)


def with_libraries(folder: Path) -> list[str]:
    """An interpreter that has them, in a temporary environment."""
    uv = Path(sys.executable).parent / "uv"
    subprocess.run([uv, "venv", "--quiet", folder], check=True)
    packages = [*LIBRARIES.values(), *SHARED]
    python = str(folder / "bin" / "python")
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, *packages], check=True)
    return [python]


def findings(libraries: Sequence[str], command: Sequence[str]) -> None:
    """Runs the suites, and prints what they find, law by law."""
    for library in libraries:
        with tempfile.TemporaryDirectory() as folder:
            wanted = Wanted((library,), python=command[0])
            _, report = run_adopt(wanted, find_layout(Path(folder)), Path(folder), lambda *_: None)
        print(f"\n# {library}\n{report.text()}", flush=True)


def written(page: str, rows: Sequence[Row]) -> str:
    """The page with the rows of these libraries, and those of the others as they are."""
    lines = {line.split("`")[1]: line for line in lines_of(page, HEAD) if not line.startswith("| all ")}
    lines |= {row.library: row.line() for row in rows}
    page = put(
        page, HEAD, [*(lines[name] for name in LIBRARIES if name in lines), total(list(lines.values()))]
    )
    renewed = tuple(f"| `{row.library}." for row in rows)
    lacking = [line for line in lines_of(page, WHY) if not line.startswith(renewed)]
    return put(page, WHY, sorted([*lacking, *(line for row in rows for line in row.lacking())]))


def total(lines: Sequence[str]) -> str:
    """The last row: of all classes."""
    cells = [[float(cell.strip(" %")) for cell in line.split("|")[2:-1]] for line in lines]
    classes, *counts = (sum(row[place] for row in cells) for place in range(4))
    share, seconds = (sum(row[place] * row[0] for row in cells) / classes for place in (4, 5))
    numbers = " | ".join(f"{number:.0f}" for number in (classes, *counts))
    return f"| all | {numbers} | {share:.0f} % | {seconds:.1f} |\n"


def lines_of(page: str, head: str) -> list[str]:
    found = TABLES[head].search(page)
    assert found is not None, f"docs/adopt.md has no table that begins with {head!r}"
    return found[0].removeprefix(head).splitlines(keepends=True)


def put(page: str, head: str, lines: Sequence[str]) -> str:
    """The page with the lines of one of its tables replaced."""
    return TABLES[head].sub(lambda _: head + "".join(lines), page)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python")
    parser.add_argument("--only", choices=LIBRARIES)
    parser.add_argument("--findings", action="store_true")
    parser.add_argument("--write", action="store_true")
    said = parser.parse_args()
    chosen = [said.only] if said.only else [*LIBRARIES]
    with tempfile.TemporaryDirectory() as folder:
        command = [said.python] if said.python else with_libraries(Path(folder) / "env")
        if said.findings:
            return findings(chosen, command)
        print(HEAD, end="")
        for library in chosen:
            row = examined(library, command)
            print(row.line(), end="", flush=True)
            if said.write:
                PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), [row]), encoding="utf-8")


if __name__ == "__main__":
    main()
