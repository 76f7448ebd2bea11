"""What is done with a new project: each step runs the project's own tools, in the project's own environment."""

import json
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

PYTHON = "3.11"
GROWN = (
    ("Gain", "gain:f[size]=normal", "--call", "x:f[size] -> f[size]", "--body", "return self.gain * x"),
    ("Table", "--kind", "pytree", "offset:f[size]=zeros", "--call", "x:f[size] -> f[size]", "--body", "return x + self.offset"),
    ("Bound", "--kind", "closure", "limit:f[]", "--call", "x:f[size] -> bool[]", "--body", "return jnp.max(x) < self.limit"),
    ("Block", "--kind", "nnx", "mix:f[size,size]=lecun_normal", "--call", "x:f[size] -> f[size]", "--body", "return self.mix @ x"),
    ("Training", "--kind", "train-state", "model:Gain"),
)  # fmt: skip
"""A class of each kind, which a project gets after it was checked."""
GROWN_STEMS = ("gain", "table", "bound", "block", "training")
REFUSED_BY_KIDGER = {
    "MY100": "pyright is the type checker, and is configured",
    "PC100": "hooks are those of the project's own tools, from its own environment",
    "PC110": "ruff formats, by a local hook",
    "PC140": "pyright checks, by a local hook",
    "PC160": "no spell checker",
    "PC170": "there is no reStructuredText",
    "PC180": "no formatter for Markdown",
    "PC190": "ruff lints, by a local hook",
    "PC901": "no hook comes from another repository, so that none is updated",
    "PC902": "as PC901",
    "PC903": "as PC901",
    "PY007": "uv runs everything, without a task runner",
    "RF101": "the rules of Equinox: E, F, I001 and UP",
    "SEC001": "no hook from another repository; the workflows are clean all the same",
}


class Failure(Exception):
    """A step that did not pass, with what was printed."""


@dataclass(frozen=True)
class Check:
    """One step. `reads` gives what its outcome depends on, None where that is everything."""

    run: Callable[[Path], None]
    reads: Callable[[Path], Iterator[str]] | None = None


def pyproject(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def style(folder: Path) -> str:
    return pyproject(folder)["tool"]["scaffold"]["style"]


def command(folder: Path, *arguments: str) -> str:
    """What a command prints; `Failure` where it does not succeed."""
    environment = {
        key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")
    }
    environment |= {"JAX_PLATFORMS": "", "NO_MKDOCS_2_WARNING": "1", "UV_PYTHON_DOWNLOADS": "never"}
    done = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"{' '.join(arguments)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def in_project(folder: Path, *arguments: str) -> str:
    """What a command prints in the environment of the project."""
    return command(folder, "uv", "run", "--quiet", "--no-sync", *arguments)


# -- what the steps read -----------------------------------------------------------------------------------------------


def code(folder: Path) -> Iterator[str]:
    """The Python files and the tools' settings; texts such as the description are not among them."""
    document = pyproject(folder)
    tools = {key: value for key, value in document["tool"].items() if key != "scaffold"}
    yield json.dumps([style(folder), tools, document["project"]["dependencies"]])
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.toml")]):
        if ".venv" not in path.parts and path.name != "pyproject.toml":
            yield path.relative_to(folder).as_posix()
            yield path.read_text(encoding="utf-8")


def tested(folder: Path) -> Iterator[str]:
    """What the tests read, whatever the package is called; it is the same in both styles."""
    package = pyproject(folder)["tool"]["scaffold"]["package"].rstrip("/").split("/")[-1]
    texts = [json.dumps(pyproject(folder)["tool"]["pytest"])]
    texts += [text for part in ("src", "tests", package) for text in _texts(folder / part)]
    yield from (text.replace(package, "PACKAGE") for text in texts)


def settings(folder: Path) -> Iterator[str]:
    """The tools' settings, which have the name of the package and the layout; what is added is the same everywhere."""
    yield json.dumps(pyproject(folder)["tool"])


def layout(folder: Path) -> Iterator[str]:
    """Where the package lies: on this alone do the tests of what is added depend."""
    yield json.dumps(pyproject(folder)["tool"]["pytest"]["ini_options"]["pythonpath"])


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.py")):
        yield path.read_text(encoding="utf-8")


# -- steps -------------------------------------------------------------------------------------------------------------


def install(folder: Path) -> None:
    """Lock all extras, for all platforms, and install everything as CONTRIBUTING.md says."""
    command(folder, "uv", "sync", "--quiet", "--python", PYTHON)
    extra = "import importlib.metadata, sys; importlib.metadata.version(sys.argv[1])"
    in_project(folder, "python", "-c", extra, pyproject(folder)["project"]["name"])


def lint(folder: Path) -> None:
    """ruff, in the version that the project pins, or that its hook does."""
    for arguments in (["check"], ["format", "--check"]):
        command(folder, sys.executable, "-m", "ruff", *arguments, "--no-cache", ".")


def types(folder: Path) -> None:
    in_project(folder, *(["pyright"] if style(folder) == "kidger" else ["mypy"]))


def tests(folder: Path) -> None:
    """All tests; and the training script, where there is one."""
    in_project(folder, "pytest", "-q", "-p", "no:cacheprovider")
    if (folder / "examples/train.py").is_file():
        in_project(folder, "python", "examples/train.py", "--steps", "20")
        (folder / "loss.png").unlink()


def build(folder: Path) -> None:
    """Wheel and sdist, with the licence in both, the types in the wheel, and the tests in the sdist."""
    command(folder, "uv", "build", "--quiet")
    [wheel], [sdist] = folder.glob("dist/*.whl"), folder.glob("dist/*.tar.gz")
    with zipfile.ZipFile(wheel) as archive, tarfile.open(sdist) as tree:
        in_wheel, in_sdist = archive.namelist(), tree.getnames()
    _contains(in_wheel, ".dist-info/licenses/LICENSE", "/py.typed", "/__init__.py")
    _contains(in_sdist, "/LICENSE", "/tests/conftest.py", "/specs/scaffold.schema.json", "/CHANGELOG.md")
    if any("tests" in name.split("/")[0] for name in in_wheel):
        raise Failure("the wheel has the tests")


def _contains(names: Sequence[str], *endings: str) -> None:
    missing = [ending for ending in endings if not any(name.endswith(ending) for name in names)]
    if missing:
        raise Failure(f"{missing} is missing among {names}")


def docs(folder: Path) -> None:
    """The documentation, with every warning an error, and the classes in it."""
    if style(folder) == "kidger":
        in_project(folder, "mkdocs", "build", "--strict", "--quiet")
        pages = (folder / "site/reference/index.html").read_text(encoding="utf-8")
    else:
        in_project(folder, "sphinx-build", "-W", "-q", "-b", "html", "docs", "docs/_build/html")
        pages = "".join(
            path.read_text(encoding="utf-8") for path in folder.glob("docs/_build/html/reference/*.html")
        )
    classes = [path.stem for path in (folder / "specs").glob("*.toml")]
    missing = [name for name in classes if f".{name}" not in pages]
    if missing:
        raise Failure(f"{missing} is not in the reference")


def data(folder: Path) -> None:
    """Valid metadata, YAML and workflows; none of GitHub's faults that zizmor knows."""
    command(folder, sys.executable, "-m", "validate_pyproject", "pyproject.toml")
    for path in (*folder.rglob("*.yml"), *folder.rglob("*.yaml"), *folder.rglob("*.cff")):
        if ".venv" not in path.parts:
            yaml.safe_load(path.read_text(encoding="utf-8"))
    command(folder, "zizmor", "--offline", "--quiet", ".")


def review(folder: Path) -> None:
    """No failed check of sp-repo-review, but for those that the style rejects."""
    report = subprocess.run(
        ["repo-review", "--format", "json", "."], cwd=folder, capture_output=True, text=True
    )
    checks = json.loads(report.stdout)["checks"]
    failed = {name for name, check in checks.items() if check["result"] is False}
    rejected = set(REFUSED_BY_KIDGER) if style(folder) == "kidger" else set[str]()
    if failed != rejected:
        raise Failure(f"fails {sorted(failed - rejected)}, and passes {sorted(rejected - failed)} by now")


def grow(folder: Path) -> None:
    """Add a class of each kind, and what it imports; then lint, types and documentation once more."""
    command(folder, "uv", "add", "--quiet", "flax>=0.12.1", "optax>=0.2.6", "--python", PYTHON)
    for arguments in GROWN:
        command(folder, sys.executable, "-m", "scaffold", "new-module", *arguments)
    for step in (lint, types, docs):
        step(folder)


def grown_tests(folder: Path) -> None:
    in_project(folder, "pytest", "-q", *(f"tests/test_{stem}.py" for stem in GROWN_STEMS))


STEPS: dict[str, Check] = {
    "install": Check(install),
    "lint": Check(lint, code),
    "types": Check(types, code),
    "tests": Check(tests, tested),
    "build": Check(build),
    "docs": Check(docs),
    "data": Check(data),
    "review": Check(review),
    "grow": Check(grow, settings),
    "its tests": Check(grown_tests, layout),
}
