"""Whole processes: a cold `scaffold new-module --spec` beside `copier copy`, and the least that Python could do."""

import ast
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks._templates import AFFINE, context, copier_template, data_file
from benchmarks._timing import Budget, Case, Measured, Table, interleave, keeping_bytecode, main
from scaffold.law_wheel import law_wheel

NEW, COPIER, FLOOR = "scaffold new-module", "copier copy", "floor script"
FLOOR_SCRIPT = '''
"""The floor: the same templates rendered with the same context, and nothing checked or formatted."""

import json
from pathlib import Path

import click
from jinja2 import Environment, StrictUndefined


@click.command()
@click.argument("template", type=click.Path(path_type=Path))
@click.argument("data", type=click.Path(path_type=Path))
def main(template: Path, data: Path) -> None:
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    context = json.loads(data.read_text(encoding="utf-8"))
    for path in sorted(template.rglob("*.*")):
        if path.name == "copier.yml":
            continue
        name = environment.from_string(path.relative_to(template).as_posix()).render(context)
        content = path.read_bytes()
        if path.suffix == ".jinja":
            content = environment.from_string(content.decode()).render(context).encode()
        target = Path(name.removesuffix(".jinja"))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


main()
'''


def measure(runs: int) -> Measured:
    """The wall time of each process, each in an empty folder of its own."""
    with TemporaryDirectory(prefix="scaffold-benchmark-") as temporary:
        folder = Path(temporary)
        commands = _commands(folder)
        environment = _environment(folder / "bytecode")
        _check_same_files(folder, commands, environment)
        cases = {name: _process(command, folder, environment) for name, command in commands.items()}
        medians = interleave(cases, runs)
    table = Table("Whole processes", {"wall": medians}, [("wall", COPIER), ("wall", FLOOR)])
    budgets = [
        Budget(f"{NEW} / {COPIER}", medians[NEW] / medians[COPIER], 0.30),
        Budget(f"{NEW} / {FLOOR}", medians[NEW] / medians[FLOOR], 1.5),
    ]
    return [table], budgets


def _commands(folder: Path) -> dict[str, Sequence[str]]:
    template = str(copier_template(folder / "template"))
    data = str(data_file(folder / "data.yml", context(AFFINE, folder)))
    floor = folder / "floor.py"
    floor.write_text(FLOOR_SCRIPT, encoding="utf-8")
    return {
        NEW: [_script("scaffold"), "new-module", "--spec", str(AFFINE), "--laws", "wheel"],
        COPIER: [_script("copier"), "copy", "--quiet", "--defaults", "--data-file", data, template, "."],
        FLOOR: [sys.executable, str(floor), template, data],
        "scaffold --help": [_script("scaffold"), "--help"],
        "import click, jinja2": [sys.executable, "-c", "import click, jinja2"],
        "python alone": [sys.executable, "-c", "pass"],
    }


def _script(name: str) -> str:
    return str(Path(sysconfig.get_path("scripts"), name))


def _environment(bytecode: Path) -> dict[str, str]:
    """Byte code is kept in a folder that goes with the benchmark."""
    return {**keeping_bytecode(), "PYTHONPYCACHEPREFIX": str(bytecode)}


def _process(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Case:
    def run() -> float:
        with TemporaryDirectory(dir=folder) as empty:
            start = time.perf_counter()
            subprocess.run(command, cwd=empty, env=environment, stdout=subprocess.DEVNULL, check=True)
            return time.perf_counter() - start

    return run


def _check_same_files(
    folder: Path, commands: Mapping[str, Sequence[str]], environment: Mapping[str, str]
) -> None:
    """All write the same code to the same files; the tool alone formats it."""
    written = []
    for name in (NEW, COPIER, FLOOR):
        with TemporaryDirectory(dir=folder) as empty:
            subprocess.run(commands[name], cwd=empty, env=environment, stdout=subprocess.DEVNULL, check=True)
            written.append({path.relative_to(empty): _code(path) for path in Path(empty).rglob("*.py")})
            [wheel] = Path(empty).glob("tests/*.whl")
            assert wheel.read_bytes() == law_wheel().content
    assert written[0] == written[1] == written[2], f"not the same files: {[sorted(one) for one in written]}"


def _code(path: Path) -> str:
    return ast.dump(ast.parse(path.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main("cold", __doc__, 15, ("click", "jinja2", "ruff", "copier"), measure)
