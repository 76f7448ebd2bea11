"""Options of the project's own tests, and the wheel that some of them install."""

import atexit
import importlib.util
import mmap
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests.support.draws import load_profile
from tests.support.projects import REPOSITORY, run

QUICK = ("xla_cpu_use_fusion_emitters=false", "xla_cpu_parallel_codegen_split_count=1")
"""Flags of XLA, by which it compiles each eager operation on the CPU in half of the time: most run once or twice here."""


def compile_quickly() -> None:
    """Gives all processes of the tests the flags of `QUICK` that the installed jaxlib knows: it ends where it does not know one."""
    jaxlib = importlib.util.find_spec("jaxlib")
    places = jaxlib.submodule_search_locations if jaxlib else None
    if "XLA_FLAGS" in os.environ or not places:
        return
    largest = max(Path(places[0]).glob("*.so"), key=lambda file: file.stat().st_size, default=None)
    if largest is not None:
        with largest.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            # Between zeros, as C has the name of a flag; one that is no more may be named elsewhere.
            names = {flag: flag.partition("=")[0].encode() for flag in QUICK}
            known = [flag for flag, name in names.items() if text.find(b"\0" + name + b"\0") >= 0]
        os.environ["XLA_FLAGS"] = " ".join(f"--{flag}" for flag in known)


def share_compilations() -> None:
    """Let jax keep what it compiles in a folder for each process of this run, since many tests break one line of the same class.

    No two of them share a folder: jax writes a file there in more than one step.
    """
    folder = tempfile.mkdtemp(prefix="compiled-")
    os.environ["JAX_COMPILATION_CACHE_DIR"] = folder
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


compile_quickly()  # before anything compiles
share_compilations()
# The tool asks the environment of a project, and its tests run the programs of the one that they run in, activated or not.
os.environ["VIRTUAL_ENV"] = sys.prefix
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
# What is compiled here runs once or twice: jax says itself that it is not worth its optimization. The laws ask for the same.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "true")
# A suite that is generated in a test is held to no record; tests of records say otherwise.
os.environ.setdefault("PYTREE_LAWS_NUMBERS", "compare")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refresh-examples",
        action="store_true",
        help="Rewrite generated_examples from its specs, then compare.",
    )


@pytest.hookimpl(tryfirst=True)  # before `--hypothesis-profile=default`, which searches at random
def pytest_configure(config: pytest.Config) -> None:
    load_profile(is_long=asks_for_long_proofs(config))


def asks_for_long_proofs(config: pytest.Config) -> bool:
    """Whether all are asked for, as a refresh does too: a page that is passed over would stay as it was."""
    return "slow" in (config.getoption("-m") or "") or bool(config.getoption("--refresh-examples"))


@pytest.hookimpl(tryfirst=True)  # before pytest looks for the marker
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long proofs to `pytest -m slow`, and of each family that is spread all but a part.

    They are deselected, since a skip costs as much as a short test. A run that names long proofs alone skips them, and says why.
    """
    mark_the_rest_of_families(items)
    if asks_for_long_proofs(config):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if len(slow) < len(items):
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        return
    for item in slow:
        item.add_marker(pytest.mark.skip(reason="a long proof: pytest -m slow"))


def mark_the_rest_of_families(items: list[pytest.Item]) -> None:
    """Mark as slow all parameters but every n-th of a test with `spread(n)`, in the order in which they stand."""
    numbers: Counter[str] = Counter()
    for item in items:
        spread = item.get_closest_marker("spread")
        if spread is not None:
            family = item.nodeid.partition("[")[0]
            if numbers[family] % spread.args[0]:
                item.add_marker("slow")
            numbers[family] += 1


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    result = run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], REPOSITORY)
    assert result.returncode == 0, result.stderr
    [built] = folder.glob("*.whl")
    return built
