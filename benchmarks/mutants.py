"""Which laws notice which mistakes: `python -m benchmarks.mutants` makes mistakes in the emitted examples and runs their tests.

Each mistake of `benchmarks/_mistakes.py` is made where it can be, at most twice in each form of class (each kind, each
way to construct or rebuild); `--every` makes all of them, `--quick` each mistake once and stops at the first law that
notices it, `--only TEXT` makes those with this in their name. What survives is listed; what is no mistake, or cannot be
noticed, stands in `benchmarks/_equivalent.py` with the reason. `--write` puts the matrix into docs/mutants.md.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from benchmarks._equivalent import reason
from benchmarks._mistakes import Mutant, mutants_of

_Case = TypeVar("_Case")
ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "generated_examples"
PAGE = ROOT / "docs" / "mutants.md"
FORMS = {
    "module, factory": (
        "affine", "whiten", "leaky_cell", "split_params", "stack", "regressor", "positive_scale",
        "split_params_nested", "tied_embedding", "max_norm", "abstract_norm", "random_features", "key_cache",
        "low_rank_linear", "so3",
    ),
    "module, __init__": ("linear", "affine_init", "layer_norm", "embedding", "dropout", "gru_cell", "mlp", "running_centre"),
    "pytree, bypass": ("table_bypass", "split_table"),
    "pytree, flag": ("table_flag",),
    "pytree, factory": ("table_factory",),
    "pytree, static": ("table_static",),
    "module, more declared": ("coupling", "smooth"),
    "pytree, dataclass": ("observation",),
    "namedtuple": ("belief",),
    "closure": ("solver_term", "loop_condition"),
    "train-state": ("train_state",),
    "nnx": ("nnx_block",),
}  # fmt: skip
LAWS = (*(f"P{number}" for number in range(1, 18)), "P19", "closure", "train_state")
QUICK = ("whiten", "table_bypass", "leaky_cell")


@dataclass(frozen=True)
class Case:
    """One mutant of an example."""

    form: str
    example: str
    mutant: Mutant
    quick: bool = False
    """Whether the first law that fails is enough."""

    @property
    def name(self) -> str:
        return f"{self.mutant.mistake}, {self.example}:{self.mutant.line}"


@dataclass(frozen=True)
class Found:
    """The laws that failed on a mutant, each with the first line of its message."""

    name: str
    mistake: str
    form: str
    killed_by: Mapping[str, str]
    equivalent: str | None

    @property
    def verdict(self) -> str:
        return "killed" if self.killed_by else "equivalent" if self.equivalent else "SURVIVED"

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "form": self.form, "verdict": self.verdict, "by": dict(self.killed_by)}


def cases(*, limit: int | None, only: str = "") -> list[Case]:
    """The mutants, at most `limit` of each mistake in each form, taken from its examples by turns."""
    found: list[Case] = []
    for form, examples in FORMS.items():
        by_mistake: dict[str, list[list[Case]]] = defaultdict(list)
        for example in examples:
            own: dict[str, list[Case]] = defaultdict(list)
            for mutant in mutants_of((EXAMPLES / f"{example}.py").read_text()):
                own[mutant.mistake].append(Case(form, example, mutant))
            for mistake, row in own.items():
                by_mistake[mistake].append(row)
        for rows in by_mistake.values():
            found += [one for one in list(_by_turns(rows))[:limit] if only in f"{one.name}, {form}"]
    return found


def _by_turns(rows: Sequence[Sequence[Case]]) -> Iterator[Case]:
    for index in range(max(map(len, rows))):
        # Another example first for each mistake, so that all of them are used.
        start = len(rows[0][0].mutant.mistake) % len(rows)
        yield from (row[index] for row in (*rows[start:], *rows[:start]) if index < len(row))


def quick_cases() -> list[Case]:
    """Each mistake once, in the examples whose laws run fastest."""
    seen: dict[str, Case] = {}
    for example in QUICK:
        form = next(form for form, examples in FORMS.items() if example in examples)
        for mutant in mutants_of((EXAMPLES / f"{example}.py").read_text()):
            seen.setdefault(mutant.mistake, Case(form, example, mutant, quick=True))
    return list(seen.values())


# --- In a process of its own -------------------------------------------------------------------


def prepare(cache: str) -> None:
    """Makes the examples, the suites and a cache of compiled programs ready."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "laws"), str(EXAMPLES), str(EXAMPLES / "tests")]
    import jax

    jax.config.update("jax_compilation_cache_dir", cache)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    warnings.simplefilter("ignore")
    for form in FORMS.values():
        for example in form:
            __import__(example)


def judge(case: Case) -> Found:
    """Runs the generated tests of an example against its mutant."""
    killed = failures(case.example, {case.example: case.mutant.source}, first=case.quick)
    return Found(case.name, case.mutant.mistake, case.form, killed, reason(case.mutant.mistake, case.example))


def failures(example: str, sources: Mapping[str, str], *, first: bool = False) -> dict[str, str]:
    """The laws that fail on an example where `sources` take the place of modules, in the order in which they ran."""
    import jax
    import numpy as np

    np.random.seed(os.getpid())
    os.environ.setdefault("PYTREE_LAWS_NUMBERS", "compare")  # with the records that are there
    settings = dict(jax.config.values)
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            with replaced(example, sources):
                return _failures(example, first=first)
        except Exception as error:
            return {"import": f"{type(error).__name__}: {error}"}
        finally:
            for name, value in settings.items():
                if jax.config.values[name] != value:
                    jax.config.update(name, value)


@contextlib.contextmanager
def replaced(example: str, sources: Mapping[str, str]) -> Iterator[Any]:
    """An example, with `sources` in the place of modules, which come back in the end."""
    originals = {name: __import__(name) for name in (*sources, example)}
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name, source in sources.items():
                place = Path(folder) / f"{name}.py"
                place.write_text(source)
                _loaded(name, place)
            if example not in sources:
                _loaded(example, EXAMPLES / f"{example}.py")
            yield sys.modules[example]
        finally:
            sys.modules.update(originals)


def _failures(example: str, *, first: bool) -> dict[str, str]:
    from harness.runner import run

    tests = _loaded(f"test_{example}", EXAMPLES / "tests" / f"test_{example}.py")
    found: dict[str, str] = {}
    for suite in [one for name, one in vars(tests).items() if name.startswith("Test")]:
        if found and first:
            break
        try:
            outcome = run(suite, on_warning="ignore", once=True, first=first)
        except Exception as error:
            outcome = {"error": [f"{type(error).__name__}: {error}"]}
        for law, messages in outcome.items():
            found.setdefault(law, messages[0].splitlines()[0])
    return found


def _loaded(name: str, place: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# --- The report --------------------------------------------------------------------------------


def judged(chosen: Sequence[_Case], jobs: int, judge: Callable[[_Case], Found] = judge) -> list[Found]:
    """The verdicts on all cases, by `jobs` processes side by side."""
    found: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="scaffold-mutants-") as cache:
        context = get_context("spawn")
        with ProcessPoolExecutor(jobs, context, prepare, (cache,)) as pool:
            for one in pool.map(judge, chosen, chunksize=4):
                found.append(one)
                print(f"{len(found)}/{len(chosen)} {one.verdict}: {one.name}", file=sys.stderr)
    return found


def by_mistake(found: Sequence[Found]) -> dict[str, list[Found]]:
    rows: dict[str, list[Found]] = defaultdict(list)
    for one in found:
        rows[one.mistake].append(one)
    return rows


def killers(found: Sequence[Found]) -> dict[str, int]:
    """How many mutants each law killed."""
    return {law: sum(law in one.killed_by for one in found) for law in LAWS}


def matrix(found: Sequence[Found]) -> str:
    """A row for each mistake: how many mutants each law killed, of how many."""
    width = max(len(one.mistake) for one in found)
    heads = [law.replace("train_state", "train") for law in LAWS]
    lines = [" ".join([" " * width, "mutants", "killed", *(f"{head:>4}" for head in heads)])]
    for mistake, row in by_mistake(found).items():
        counts = [
            f"{count or '':>{max(4, len(head))}}"
            for count, head in zip(killers(row).values(), heads, strict=True)
        ]
        killed = sum(bool(one.killed_by) for one in row)
        lines.append(" ".join([f"{mistake:{width}}", f"{len(row):7}", f"{killed:6}", *counts]).rstrip())
    return "\n".join(lines)


def report(found: Sequence[Found]) -> str:
    """The matrix, what survived, what is equivalent, and the laws that killed nothing."""
    count = {
        verdict: [one for one in found if one.verdict == verdict]
        for verdict in ("killed", "equivalent", "SURVIVED")
    }
    totals = ", ".join(f"{len(ones)} {verdict}" for verdict, ones in count.items())
    idle = [law for law, number in killers(found).items() if not number]
    lines = [matrix(found), "", f"{len(found)} mutants: {totals}"]
    lines += [f"equivalent: {one.name}: {one.equivalent}" for one in count["equivalent"]]
    lines += [f"SURVIVED: {one.name}" for one in count["SURVIVED"]]
    lines += [f"laws that killed nothing: {', '.join(idle) or 'none'}"]
    return "\n".join(lines)


def rewritten(page: str, text: str) -> str:
    """The page with a report in the place of the one that it has."""
    before, fence, rest = page.partition("```\n")
    return before + fence + text + "\n```" + rest.partition("\n```")[2]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="each mistake once, in three small examples")
    parser.add_argument("--every", action="store_true", help="each mistake wherever it can be made")
    parser.add_argument("--only", default="", help="those with this text in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", action="store_true", help="put the matrix into docs/mutants.md")
    chosen = parser.parse_args(arguments)
    start = perf_counter()
    limit = None if chosen.every or chosen.only else 2
    every = quick_cases() if chosen.quick else cases(limit=limit, only=chosen.only)
    found = judged([one for one in every if chosen.only in f"{one.name}, {one.form}"], chosen.jobs)
    text = report(found)
    if chosen.write:
        PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), text), encoding="utf-8")
    print(f"{perf_counter() - start:.0f} s", file=sys.stderr)
    print(json.dumps([one.to_json() for one in found], indent=1) if chosen.json else text)
    return int(any(one.verdict == "SURVIVED" for one in found))


if __name__ == "__main__":
    sys.exit(main())
