"""One process: many modules with their tests, planned and published, beside as many `copier.run_copy`.

Both begin with what they need in memory: the tool with specs, Copier with the context that the tool makes of them.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import copier

from benchmarks._templates import AFFINE, context, copier_template
from benchmarks._timing import Budget, Case, Measured, Table, interleave, main
from scaffold import find_layout, load_spec, plan
from scaffold.publish import publish

SIZES = (1, 10, 50)
PLAN, READ, COPY = "plan and publish", "the same, and read the specs", "run_copy"


def measure(runs: int) -> Measured:
    """The seconds for each number of modules, until their files are on disk."""
    with TemporaryDirectory(prefix="scaffold-benchmark-") as temporary:
        folder = Path(temporary)
        specs = _specs(folder / "specs", max(SIZES))
        contexts = [context(spec, folder) for spec in specs]
        template = copier_template(folder / "template")
        tables = []
        for size in SIZES:
            cases = {
                PLAN: _into_empty(folder, _from_memory(specs[:size])),
                READ: _into_empty(folder, _from_files(specs[:size])),
                COPY: _into_empty(folder, _copier(template, contexts[:size])),
            }
            title = f"{size} module{'s' * (size > 1)} with tests"
            tables.append(Table(title, {"wall": interleave(cases, runs)}, [("wall", PLAN), ("wall", READ)]))
    ratio = tables[-1].ratio("wall", COPY, PLAN)
    return tables, [Budget(f"{max(SIZES)} run_copy / {max(SIZES)} modules", ratio, 20, "at least")]


def _specs(folder: Path, number: int) -> list[Path]:
    """As many spec files, alike but for the name of the class."""
    folder.mkdir()
    source = AFFINE.read_text(encoding="utf-8")
    paths = [folder / f"affine{index:02}.toml" for index in range(number)]
    for index, path in enumerate(paths):
        path.write_text(source.replace('"Affine"', f'"Affine{index:02}"'), encoding="utf-8")
    return paths


def _into_empty(folder: Path, generate: Callable[[Path], None]) -> Case:
    def run() -> float:
        with TemporaryDirectory(dir=folder) as empty:
            start = time.perf_counter()
            generate(Path(empty))
            return time.perf_counter() - start

    return run


def _from_memory(specs: Sequence[Path]) -> Callable[[Path], None]:
    loaded = [load_spec(spec) for spec in specs]
    return lambda target: publish(plan(loaded, find_layout(target)))


def _from_files(specs: Sequence[Path]) -> Callable[[Path], None]:
    return lambda target: publish(plan([load_spec(spec) for spec in specs], find_layout(target)))


def _copier(template: Path, contexts: Sequence[dict[str, object]]) -> Callable[[Path], None]:
    def generate(target: Path) -> None:
        for data in contexts:
            copier.run_copy(str(template), target, data=data, defaults=True, quiet=True)

    return generate


if __name__ == "__main__":
    main("batch", __doc__, 5, ("jinja2", "ruff", "copier"), measure)
