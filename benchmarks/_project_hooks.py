"""The hooks of a project, on the project as it was made: they pass and change nothing.

Those of the style kidger run as they are. Those of the other come from repositories of their own, one a tool; here the same
tools come from the package index, in the versions that the hooks name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from benchmarks._project_commands import Failure, command, style

PACKAGES = {
    "codespell": "codespell",
    "mdformat": "mdformat",
    "pre-commit-hooks": "pre-commit-hooks",
    "ruff-pre-commit": "ruff",
    "zizmor-pre-commit": "zizmor",
}
"""The package of each repository of hooks."""
COMMANDS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "check-added-large-files": (["check-added-large-files"], ["*"]),
    "check-case-conflict": (["check-case-conflict"], ["*"]),
    "check-merge-conflict": (["check-merge-conflict"], ["*"]),
    "check-yaml": (["check-yaml"], ["*.yml", "*.yaml"]),
    "codespell": (["codespell"], ["*"]),
    "end-of-file-fixer": (["end-of-file-fixer"], ["*"]),
    "mdformat": (["mdformat"], ["*.md"]),
    "ruff-check": (["ruff", "check", "--force-exclude"], ["*.py"]),
    "ruff-format": (["ruff", "format", "--force-exclude"], ["*.py", "*.md"]),
    "trailing-whitespace": (["trailing-whitespace-fixer"], ["*"]),
    "zizmor": (["zizmor", "--offline"], [".github/*.yml"]),
}
"""What a hook runs, and on which files."""
PATTERNS = {
    "python-check-blanket-type-ignore": r"# type:? *ignore(?!\[|\w)",
    "python-no-eval": r"\beval\(",
}
"""What the hooks of pygrep-hooks refuse in Python; those for reStructuredText find none."""


def hooks(folder: Path) -> None:
    """All hooks, on all files of the project; nothing but uv.lock was written beside them so far."""
    beside = command(folder, "git", "ls-files", "--others", "--exclude-standard").split()
    if beside != ["uv.lock"]:
        raise Failure(f"{beside} is neither ignored nor part of the project")
    if style(folder) == "kidger":
        command(folder, "uv", "run", "--quiet", "prek", "run", "--all-files")
    else:
        for repository, hook in _hooks(folder):
            _run(folder, repository, hook)
    if changed := list(_changed(folder)):
        raise Failure(f"the hooks change {changed}")


def _config(folder: Path) -> Mapping[str, Any]:
    return yaml.safe_load((folder / ".pre-commit-config.yaml").read_text(encoding="utf-8"))


def _hooks(folder: Path) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    for repository in _config(folder)["repos"]:
        yield from ((repository, hook) for hook in repository["hooks"])


def _run(folder: Path, repository: Mapping[str, Any], hook: Mapping[str, Any]) -> None:
    name = repository["repo"].split("/")[-1]
    if "entry" in hook:
        command(folder, *hook["entry"].split())
    elif name == "pygrep-hooks":
        _search(folder, hook["id"])
    else:
        tool, patterns = COMMANDS[hook["id"]]
        needs = [f"--with={need}" for need in hook.get("additional_dependencies", ())]
        version = f"--from={PACKAGES[name]}=={repository['rev'].removeprefix('v')}"
        command(
            folder,
            "uvx",
            "--quiet",
            version,
            *needs,
            *tool,
            *hook.get("args", ()),
            *_files(folder, *patterns),
        )


def _search(folder: Path, hook: str) -> None:
    if hook not in PATTERNS:
        return
    for name in _files(folder, "*.py"):
        if found := re.search(PATTERNS[hook], (folder / name).read_text(encoding="utf-8")):
            raise Failure(f"{hook}: {name} has {found[0]!r}")


def _files(folder: Path, *patterns: str) -> list[str]:
    names = command(folder, "git", "ls-files", "--cached", "--", *patterns).split()
    texts = [name for name in names if not name.endswith(".whl")]  # the hooks say that they read text
    return [name for name in texts if not re.search(_config(folder)["exclude"], name)]


def _changed(folder: Path) -> Iterator[str]:
    """The lines that were changed, but for the description, which mdformat escapes in its own way."""
    description = command(folder, "git", "show", ":README.md").splitlines()[2]
    difference = command(folder, "git", "diff", "--unified=0", "--no-color")
    for line in difference.splitlines():
        if line.startswith("-") and not line.startswith("---") and line[1:] != description:
            yield line[1:]
