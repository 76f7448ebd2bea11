"""P21 on examples that do not ask for sharding themselves: each with a dim by which its record says that it shards.

    python -m benchmarks.sharding_examples

generates them anew in an empty folder, with that dim on `model` and of a size that eight devices divide, and runs `pytest --mesh 8`.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scaffold import ScaffoldError, find_layout, plan, publish
from scaffold.spec.fields.sharding import applied
from scaffold.spec.files import read_spec_files
from scaffold.spec.reading.read import read_spec
from scaffold.spec.tables.toml import write_toml

EXAMPLES = Path(__file__).resolve().parents[1] / "generated_examples"
SIZE = 16
_SHARDS = re.compile(r"^(\w+): bool\[\]\n    1$", re.MULTILINE)


def dims_that_shard(name: str) -> list[str]:
    """The dims by which the record of an example says that its call shards."""
    file = EXAMPLES / f"tests/numbers/{name}.txt"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    sections = re.findall(r"along each dim alone\]\n(.*?)\n(?:\n|\Z)", text, re.DOTALL)
    return [dim for one in sections for dim in _SHARDS.findall(one)]


def sharded(raw: dict[str, Any], dim: str) -> dict[str, Any]:
    """The spec with that dim on `model`."""
    tests = raw.get("test", {})
    sizes = {**tests.get("sizes", {}), dim: SIZE}
    return {**raw, "sharding": {dim: "model"}, "test": {**tests, "sizes": sizes}}


def is_possible(raw: dict[str, Any]) -> bool:
    """Whether the spec has no faults, and the dim is one of its arrays."""
    try:
        return bool(applied(read_spec(raw, "spec"))) and any(axes for axes in named_axes(raw))
    except ScaffoldError:
        return False


def named_axes(raw: dict[str, Any]) -> list[bool]:
    """Which fields name the dim that is mapped."""
    [dim] = raw["sharding"]
    return [re.search(rf"\b{dim}\b", str(one)) is not None for one in raw["fields"].values()]


def candidates() -> Iterator[tuple[str, str]]:
    """Each example in TOML, with the text of its spec; with rules where a dim of its own shards."""
    for path in sorted((EXAMPLES / "specs").glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        raw = tomllib.loads(text)
        own = [dim for dim in dims_that_shard(path.stem) if is_possible(sharded(raw, dim))]
        if own:
            text = write_toml(sharded(raw, own[0]), "./scaffold.schema.json")
        yield path.name, text


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(EXAMPLES / "specs", folder / "specs")
        for one in ("pyproject.toml", "padding.py"):
            shutil.copy(EXAMPLES / one, folder)
        for file, text in candidates():
            (folder / "specs" / file).write_text(text, encoding="utf-8")
        paths = sorted(path for path in (folder / "specs").iterdir() if path.suffix in (".toml", ".py"))
        publish(plan(read_spec_files(paths, lambda path: f"specs/{path.name}"), find_layout(folder)))
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-rA",
            "-p",
            "no:cacheprovider",
            "--mesh",
            "8",
            "tests",
        ]
        told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    found = re.findall(r"^(PASSED|FAILED) \S*::(Test\w+)::(test_p21_\w+)", told, re.MULTILINE)
    apart = re.findall(r"^(Test\w+) differs from one device by (\S+) at most: (.*)$", told, re.MULTILINE)
    print("| suite | passed | failed | largest difference to one device, relative | in |")
    print("|---|---|---|---|---|")
    for suite in sorted({suite for _, suite, _ in found}):
        outcomes = [outcome for outcome, own, _ in found if own == suite]
        failed = sorted({test for outcome, own, test in found if own == suite and outcome == "FAILED"})
        size, place = max(
            ((float(size), place) for own, size, place in apart if own == suite), default=(0.0, "-")
        )
        row = outcomes.count("PASSED"), ", ".join(failed) or "-", f"{size:.1e}", place
        print(f"| `{suite}` | {' | '.join(map(str, row))} |")
    print(told.splitlines()[-1])


if __name__ == "__main__":
    main()
