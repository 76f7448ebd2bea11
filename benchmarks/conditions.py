"""Under which settings and versions the generated tests pass: `python -m benchmarks.conditions`.

It runs the generated tests of `generated_examples` once under each condition, one condition after the other. `--only TEXT`
takes the conditions with this in their name, `--examples NAME...` the tests of these examples. Each row is printed as it
comes; `--write` puts it into docs/conditions.md too. Versions other than the installed ones are installed by uv, in a
temporary environment.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter

from scaffold.law_wheel import law_wheel

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "generated_examples"
TESTS = EXAMPLES / "tests"
PAGE = ROOT / "docs" / "conditions.md"
HEAD = "| condition | passed | skipped | failed | seconds |\n|---|---|---|---|---|\n"
ROW = re.compile(r"^\| ([^|]+?) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
TOOLS = ("equinox", "flax", "jax", "optax", "pytest", "safetensors")
FLOORS = {
    "jax": "0.6.0",
    "jaxlib": "0.6.0",
    "equinox": "0.13.3",
    "jaxtyping": "0.2.36",
    "numpy": "2.0.2",
    "optax": "0.2.4",
    "safetensors": "0.4.5",
    "pytest": "8.3.5",
}
"""The oldest versions that what is emitted works with; of every class but NNX modules."""
NNX_FLOORS = {"flax": "0.12.4", "jax": "0.8.1", "jaxlib": "0.8.1"}
"""The oldest that NNX modules work with: Flax and jax go together."""
OUT_SHARDED = ("decoder",)
"""The examples whose calls say where results lie, by `out_sharding`, which `jnp.matmul` takes from jax 0.7.0 on."""
TABLE = re.compile(re.escape(HEAD) + r"(\|.*\n)*")
FOUND = re.compile(r"(\d+) (passed|skipped|failed|error)")
SUMMARY = re.compile(r"^(?:=+ )?\d+ \w+.* in [\d.]+s\b", re.MULTILINE)
"""The line with which pytest ends: `2 passed, 1 skipped in 0.12s`."""


@dataclass(frozen=True)
class Condition:
    """Settings and versions under which the generated tests run."""

    name: str
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    options: tuple[str, ...] = ()
    python: str = ""
    """The version of Python, in an environment of its own; empty for the one that runs this."""
    packages: tuple[str, ...] = ()
    only: str = ""
    """What the examples' names must match."""


@dataclass(frozen=True)
class Outcome:
    """What pytest counted, and how long it took."""

    condition: str
    passed: int
    skipped: int
    failed: int
    seconds: float
    output: str = field(repr=False, default="")


CONDITIONS = (
    Condition("as installed"),
    Condition("64 bits", {"JAX_ENABLE_X64": "1"}),
    Condition("strict dtype promotion", {"JAX_NUMPY_DTYPE_PROMOTION": "strict"}),
    Condition("rank promotion refused", {"JAX_NUMPY_RANK_PROMOTION": "raise"}),
    Condition("NaN checked", {"JAX_DEBUG_NANS": "1"}),
    Condition("keys of rbg", {"JAX_DEFAULT_PRNG_IMPL": "rbg"}),
    Condition("tracer leaks checked", {"JAX_CHECK_TRACER_LEAKS": "1"}),
    Condition("eight virtual devices", {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}),
    Condition("warnings are errors", options=("-W", "error")),
    Condition("random order", options=("-p", "benchmarks._random_order")),
    Condition("two processes", options=("-n", "2")),
    Condition("Python 3.12, newest versions", python="3.12", packages=TOOLS),
    Condition("Python 3.13, newest versions", python="3.13", packages=TOOLS),
    Condition(
        "Python 3.11, oldest versions",
        python="3.11",
        packages=tuple(f"{name}=={number}" for name, number in FLOORS.items()),
        only=rf"^(?!nnx_|{'|'.join(OUT_SHARDED)})",
    ),
    Condition(
        "Python 3.11, oldest versions of NNX",
        python="3.11",
        packages=(
            "optax",
            "pytest",
            "safetensors",
            *(f"{name}=={number}" for name, number in NNX_FLOORS.items()),
        ),
        only="^nnx_",
    ),
)
STRICTEST = Condition(
    "all settings at once",
    {name: value for one in CONDITIONS for name, value in one.settings.items()},
    ("-W", "error", "-p", "benchmarks._random_order"),
)
"""What the short tests run: every setting of one environment."""


def judged(condition: Condition, examples: Sequence[str] = ()) -> Outcome:
    """Runs the tests of the examples, or of all, under a condition."""
    chosen = [name for name in examples or every_example() if re.search(condition.only, name)]
    with tempfile.TemporaryDirectory(prefix="scaffold-conditions-") as folder:
        try:
            python = _environment(condition, Path(folder)) if condition.python else sys.executable
        except subprocess.CalledProcessError as error:
            return Outcome(condition.name, 0, 0, 1, 0.0, f"no environment: {error.stderr}")
        start = perf_counter()
        output = _pytest(python, condition, chosen) if chosen else "0 passed in 0s"
    return _counted(condition.name, output, perf_counter() - start)


def every_example() -> list[str]:
    """The names of the examples that have tests."""
    return sorted(path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py"))


def _environment(condition: Condition, folder: Path) -> str:
    environment = folder / "environment"
    python = environment / "bin" / "python"
    for command in (
        ("venv", "--quiet", "--clear", "--python", condition.python, str(environment)),
        ("pip", "install", "--quiet", "--python", str(python), *condition.packages),
        ("pip", "install", "--quiet", "--python", str(python), "--no-deps", str(_wheel(folder))),
    ):
        subprocess.run(["uv", *command], check=True, capture_output=True, text=True)
    return str(python)


def _wheel(folder: Path) -> Path:
    """The wheel of the laws, as the tool gives it to projects."""
    wheel = law_wheel()
    path = folder / wheel.name
    path.write_bytes(wheel.content)
    return path


def _pytest(python: str, condition: Condition, examples: Sequence[str]) -> str:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("JAX_", "PYTEST"))}
    own = {"JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [
            *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short"),
            *("-c", "pyproject.toml"),  # the settings of the examples' own project, not of this one
            *condition.options,
            *(f"tests/test_{name}.py" for name in examples),
        ],
        cwd=EXAMPLES,
        env={**inherited, **own, **condition.settings},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return result.stdout + result.stderr


def _counted(name: str, output: str, seconds: float) -> Outcome:
    """Of the line with which pytest ends; a run that counted nothing has failed."""
    lines = SUMMARY.findall(output) or ["1 error"]
    found = {what: int(number) for number, what in FOUND.findall(lines[-1])}
    failed = found.get("failed", 0) + found.get("error", 0)
    return Outcome(name, found.get("passed", 0), found.get("skipped", 0), failed, seconds, output)


def row(one: Outcome) -> str:
    """A row of Markdown."""
    return f"| {one.condition} | {one.passed} | {one.skipped} | {one.failed} | {one.seconds:.0f} |"


def rewritten(page: str, new: Outcome) -> str:
    """The page with a new row in its table, in the place of the old one or where the condition comes."""
    rows = {match[1]: match[0] for match in ROW.finditer(page)} | {new.condition: row(new)}
    listed = [rows[one.name] for one in CONDITIONS if one.name in rows]
    table = "".join(f"{line}\n" for line in [HEAD.rstrip(), *listed])
    return TABLE.sub(lambda _: table, page)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conditions", description=__doc__)
    parser.add_argument("--only", default="", help="the conditions with this text in their name")
    parser.add_argument("--examples", nargs="*", default=(), choices=every_example(), metavar="NAME")
    parser.add_argument("--write", action="store_true", help="put the rows into docs/conditions.md")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    told = [one for one in CONDITIONS if chosen.only in one.name]
    if not chosen.json:
        print(HEAD, end="", flush=True)
    found = [_run(one, chosen) for one in told]
    rows = [{name: value for name, value in asdict(one).items() if name != "output"} for one in found]
    if chosen.json:
        print(json.dumps(rows, indent=1))
    return int(any(one.failed for one in found))


def _run(condition: Condition, chosen: argparse.Namespace) -> Outcome:
    """Judges, and tells at once: a whole run takes long."""
    found = judged(condition, chosen.examples)
    if not chosen.json:
        print(row(found), flush=True)
    if chosen.write:
        PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
    if found.failed:
        print(f"{condition.name}: {found.failed} failed\n{found.output}", file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
