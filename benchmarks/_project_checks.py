"""What is done with a new project: each step runs the project's own tools, in the project's own environment."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import yaml

from benchmarks._project_ci import newest, oldest
from benchmarks._project_commands import PYTHON, Check, Failure, command, in_project, pyproject, style
from benchmarks._project_hooks import hooks
from benchmarks._project_outputs import build, docs, strict

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


def resolved_and_tested(folder: Path) -> Iterator[str]:
    """What the tests read, and all that versions are found for, groups and extras too."""
    document = pyproject(folder)
    yield json.dumps([document["dependency-groups"], document["project"]["dependencies"]])
    yield from tested(folder)


def style_alone(folder: Path) -> Iterator[str]:
    yield style(folder)


def settings(folder: Path) -> Iterator[str]:
    """The tools' settings, which have the name of the package and the layout; what is added is the same everywhere."""
    yield json.dumps(pyproject(folder)["tool"])


def layout(folder: Path) -> Iterator[str]:
    """Where the package lies, and whence the laws come: on this alone do the tests of what is added depend."""
    tools = pyproject(folder)["tool"]
    yield json.dumps([tools["pytest"]["ini_options"]["pythonpath"], tools["scaffold"]["laws"]])


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.py")):
        yield path.read_text(encoding="utf-8")


# -- steps -------------------------------------------------------------------------------------------------------------


def install(folder: Path) -> None:
    """Lock all extras, for all platforms, and install everything as CONTRIBUTING.md says."""
    command(folder, "git", "init", "--quiet", "--initial-branch=main")
    command(folder, "git", "add", "--all")
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
    """All tests, which lower each call for other platforms; and the training script, where there is one."""
    report = folder / "dist/tests.xml"
    in_project(folder, "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={report}")
    lowered(folder, ElementTree.parse(report))
    report.unlink()
    if (folder / "examples/train.py").is_file():
        in_project(folder, "python", "examples/train.py", "--steps", "20")


def lowered(folder: Path, report: ElementTree.ElementTree) -> None:
    """The test that a call lowers ran for every class that the project began with, but for a train state, which has none."""
    ran = {
        case.get("classname", "").split(".")[-1].removeprefix("Test").lower()
        for case in report.iter("testcase")
        if "the_call_lowers" in case.get("name", "") and case.find("skipped") is None
    }
    begun = {path.stem.replace("_", "") for path in (folder / "specs").glob("*.toml")} - {"trainstate"}
    if not begun <= ran:
        raise Failure(f"the calls of {sorted(begun - ran)} were lowered for no platform")


def data(folder: Path) -> None:
    """Valid metadata, citation, YAML and workflows; none of GitHub's faults that zizmor knows."""
    command(folder, sys.executable, "-m", "validate_pyproject", "pyproject.toml")
    for path in (*folder.rglob("*.yml"), *folder.rglob("*.yaml"), *folder.rglob("*.cff")):
        if ".venv" not in path.parts:
            yaml.safe_load(path.read_text(encoding="utf-8"))
    command(folder, "uvx", "--quiet", "--from=cffconvert==2.0.0", "cffconvert", "--validate")
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
    command(folder, "uv", "add", "--quiet", "flax>=0.12.4", "optax>=0.2.6", "--python", PYTHON)
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
    "oldest": Check(oldest, resolved_and_tested, slow=True),
    "newest": Check(newest, resolved_and_tested, slow=True),
    "build": Check(build),
    "docs": Check(docs),
    "strict": Check(strict, style_alone),
    "data": Check(data),
    "review": Check(review),
    "hooks": Check(hooks),
    "grow": Check(grow, settings),
    "its tests": Check(grown_tests, layout),
}
