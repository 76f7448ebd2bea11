"""How much of public libraries can be said as specs: `python -m benchmarks.said`.

Each class goes through `scaffold adopt --spec`, and its spec through the generator. Then the original and the emitted class are built
and called with the same examples, and leaves, treedefs, outputs and gradients compared. `--python PATH` is an interpreter that
has the libraries; without it uv installs them in a temporary environment. `--only NAME` takes one library and leaves the rows
of the others. `--write` puts the table into docs/adopt.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scaffold.adopt import Wanted
from scaffold.adopt.as_spec.flow import FUNCTION, specs
from scaffold.errors import ScaffoldError
from scaffold.generate import shown_files
from scaffold.in_project.layout import find_layout

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "adopt.md"
CHILD = Path(__file__).parent / "_said_child.py"
LIBRARIES = {
    **{"equinox": "equinox", "flax.nnx": "flax", "optax": "optax", "diffrax": "diffrax", "lineax": "lineax"},
    **{"optimistix": "optimistix", "flowjax": "flowjax", "paramax": "paramax", "jaxlie": "jaxlie"},
    **{"tinygp": "tinygp", "numpyro": "numpyro", "interpax": "interpax", "e3nn_jax": "e3nn-jax"},
    **{"exponax": "exponax", "jaxoplanet": "jaxoplanet", "dynamiqs": "dynamiqs", "ott": "ott-jax"},
    **{"quax": "quax", "penzai": "penzai", "brax": "brax", "distreqx": "distreqx", "evosax": "evosax"},
    **{"traceax": "traceax", "blackjax": "blackjax", "pdequinox": "pdequinox"},
    **{"jaxopt": "jaxopt"},
}
"""The module that is the target, and the distribution that has it."""
HEAD = "| library | classes | said | compared | equal | why not |\n|---|---|---|---|---|---|\n"
TABLE = re.compile(re.escape(HEAD) + r"(\|.*\n)*")
SECONDS = 30.0


@dataclass(frozen=True)
class Row:
    """What became of the classes of a library: for each what differs, nothing where it is equal."""

    library: str
    unsaid: Mapping[str, str]
    untested: Mapping[str, str]
    differing: Mapping[str, str]

    @property
    def compared(self) -> int:
        return sum(1 for _ in self.differing)

    @property
    def equal(self) -> int:
        return sum(not why for why in self.differing.values())

    @property
    def count(self) -> int:
        return len(self.unsaid) + len(self.untested) + self.compared

    def line(self) -> str:
        share = f"{100 * self.equal / max(1, self.compared + len(self.unsaid)):.0f} %"
        told = Counter(reason(why) for why in (*self.unsaid.values(), *self.differing.values()) if why)
        why = "; ".join(f"{text} ({count})" for text, count in told.most_common(3))
        cells = [f"`{self.library}`", str(self.count), str(self.count - len(self.unsaid)), str(self.compared)]
        return f"| {' | '.join([*cells, share, why])} |\n"


def reason(why: str) -> str:
    """The kind of a reason, on a line of a table."""
    return re.sub(r"`[^`]*`", "…", why).replace("|", "/").partition("\n")[0][:70]


def examined(library: str, python: str) -> Row:
    """The classes of a library, said, generated and compared."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted = Wanted((library,), python=python, seconds=SECONDS)
        report = specs(wanted, find_layout(folder), folder, lambda *_: None)
        unsaid = {one.label: one.why for one in report.specs if one.why and one.why != FUNCTION}
        rows = list(_emitted(folder, [(one.label, one.text) for one in report.specs if one.text], unsaid))
        untested = {one.label: "no example" for one in report.specs if one.text}
        differing: dict[str, str] = {}
        for row, answer in zip(rows, _answers(python, rows), strict=True):
            if "untested" in answer:
                untested[row["label"]] = answer["untested"]
            else:
                differing[row["label"]] = answer.get("differs", "")
        done = {*differing, *unsaid}
        untested = {label: why for label, why in untested.items() if label not in done}
        return Row(library, unsaid, untested, differing)


def _emitted(
    folder: Path, texts: Sequence[tuple[str, str]], unsaid: dict[str, str]
) -> Iterator[dict[str, str]]:
    """The module and the tests of each spec, as files; a spec that gives none is noted."""
    for place, (label, text) in enumerate(texts):
        own = folder / f"class{place}"
        (own / "specs").mkdir(parents=True)
        module, _, name = label.partition(":")
        spec = own / "specs" / f"said{place}.py"
        spec.write_text(text, encoding="utf-8")
        try:
            files = {one.path.name: one.text for one in shown_files(str(spec), find_layout(own))}
        except ScaffoldError as error:
            unsaid[label] = error.faults[0].what
            continue
        for path, content in files.items():
            (own / path).write_text(content, encoding="utf-8")
        tests = [path for path in files if path.startswith("test_")]
        if tests:
            emitted = tests[0].removeprefix("test_")
            [own_name] = re.findall(r"^class Test(\w+)\(", files[tests[0]], re.MULTILINE)
            paths = {"tests": str(own / tests[0]), "emitted": str(own / emitted)}
            yield {"label": label, "module": module, "shown": name, "name": own_name, **paths}


def _answers(python: str, rows: Sequence[Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    """What the interpreter of the library says of each row; it begins again behind one that ends it."""
    left = list(rows)
    while left:
        given = "".join(json.dumps(row) + "\n" for row in left)
        done = subprocess.run(
            [python, CHILD],
            input=given,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT / "pytree_laws" / "src")},
        )
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        yield from answers
        left = left[len(answers) :]
        if left:
            yield {"differs": f"the interpreter ended: {done.stderr.strip().splitlines()[-1:]}"}
            left = left[1:]


def with_libraries(folder: Path) -> str:
    """An interpreter that has them, in a temporary environment."""
    uv = Path(sys.executable).parent / "uv"
    subprocess.run([uv, "venv", "--quiet", folder], check=True)
    python = str(folder / "bin" / "python")
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--python", python, *LIBRARIES.values(), "pytest"], check=True
    )
    return python


def written(page: str, rows: Sequence[Row]) -> str:
    """The page with the rows of these libraries, and those of the others as they are."""
    found = TABLE.search(page)
    assert found is not None, f"docs/adopt.md has no table that begins with {HEAD!r}"
    listed = found[0].removeprefix(HEAD).splitlines(keepends=True)
    lines = {line.split("`")[1]: line for line in listed if "`" in line}
    lines |= {row.library: row.line() for row in rows}
    kept = [lines[name] for name in LIBRARIES if name in lines]
    return TABLE.sub(lambda _: HEAD + "".join([*kept, total(kept)]), page)


def total(lines: Sequence[str]) -> str:
    """The last row: of all classes."""
    cells = [[cell.strip(" %") for cell in line.split("|")[2:6]] for line in lines]
    classes, with_spec, compared = (sum(int(row[place]) for row in cells) for place in range(3))
    equal = sum(float(row[3]) * (int(row[2]) + int(row[0]) - int(row[1])) for row in cells)
    share = equal / max(1, compared + classes - with_spec)
    return f"| all | {classes} | {with_spec} | {compared} | {share:.0f} % | |\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python")
    parser.add_argument("--only", choices=LIBRARIES, action="append")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--reasons", action="store_true", help="print why, class by class")
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = said.python or with_libraries(Path(folder) / "env")
        print(HEAD, end="")
        for library in said.only or LIBRARIES:
            row = examined(library, python)
            print(row.line(), end="", flush=True)
            for label, why in {**row.unsaid, **row.differing, **row.untested}.items():
                if said.reasons and why:
                    print(f"  {label}: {why}", flush=True)
            if said.write:
                PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), [row]), encoding="utf-8")


if __name__ == "__main__":
    main()
