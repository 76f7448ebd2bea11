#!/usr/bin/env python3
"""The commands of a clone, for which Python 3.11 and pip are enough.

    python3 dev.py try ../my-layers   Generate a class in a folder of your choice, and run its tests.
    python3 dev.py test [ARGS]        Run all tests of this project, or those that ARGS select in pytest.
    python3 dev.py scaffold ARGS      Run the tool from this clone.
    python3 dev.py install            Install the tool for you, in an environment of its own.

Missing tools are fetched into the folders .uv and .venv of the clone. Each command is printed before it runs.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

TOO_OLD = "error: Python {}.{} is too old\n  fix: run dev.py with Python 3.11 or newer"
if sys.version_info < (3, 11):  # noqa: UP036 -- here an older Python stops with words, below it would with a traceback
    sys.exit(TOO_OLD.format(*sys.version_info))

ROOT = Path(__file__).resolve().parent
APPROVAL = "--numbers=update"
SUFFIX = ".exe" if os.name == "nt" else ""
AFFINE = [
    "Affine",
    "weight:f[out_size,in_size]=lecun_normal",
    "bias:f[out_size]=zeros",
    *("--call", "x:f[in_size] -> f[out_size]"),
    *("--body", "return self.weight @ x + self.bias"),
]


def main(arguments: list[str]) -> int:
    """Run the command that the arguments name, and return its exit code."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__, end="", file=sys.stderr)
        return 0
    name, *rest = arguments
    commands = {"try": try_it, "test": test, "scaffold": scaffold, "install": install}
    if name not in commands:
        return refuse(
            f"there is no command `{name}`", "write `python3 dev.py try`, `test`, `scaffold` or `install`"
        )
    try:
        return commands[name](*rest)
    except OSError as error:
        return refuse(f"{error.filename}: {error.strerror}", "mend that, and run the command again")
    except KeyboardInterrupt:
        return 130


def try_it(*arguments: str) -> int:
    """Generate `Affine` in a folder and run its tests, in an environment that the command discards."""
    folders = [argument for argument in arguments if not argument.startswith("-")]
    if len(folders) != 1 or set(arguments) - {*folders, APPROVAL}:
        fix = f"write `python3 dev.py try ../my-layers`; `{APPROVAL}` behind it approves changed numbers"
        return refuse("`try` takes a folder, and no other option", fix)
    folder = Path(folders[0])
    project = project_around(folder)
    if project is not None:
        fix = "choose a folder outside of it, or write into it with `scaffold new-module`"
        return refuse(
            f"{shown(folder)} lies in the project of {shown(project)}, whose layout is its own", fix
        )
    folder.mkdir(parents=True, exist_ok=True)
    if APPROVAL in arguments:
        os.environ["PYTREE_LAWS_NUMBERS"] = "update"
    os.environ["PYTREE_LAWS_COMMAND"] = shlex.join(["python3", shown(Path(__file__)), "try", shown(folder)])
    needed = ["--with-editable", shown(ROOT), "--with", "equinox", "--with", "pytest"]
    tool = ["scaffold", "new-module", *AFFINE, "--folder", shown(folder), "--test"]
    code = run([uv(), "run", "--isolated", "--no-project", *rebuilt(), *needed, *tool])
    if code < 2 and (folder / "affine.py").is_file():
        edited = shown(folder / "affine.py")
        print(f"edit {edited}, and run this again: your edits stay, and the tests say what they change")
    return code


def project_around(folder: Path) -> Path | None:
    """Return the `pyproject.toml` of the project that the folder lies in, if any."""
    resolved = folder.resolve()
    for parent in (resolved, *resolved.parents):
        if (parent / "pyproject.toml").is_file():
            return parent / "pyproject.toml"
        if (parent / ".git").exists() or parent == Path.home():
            return None
    return None


def test(*arguments: str) -> int:
    """Run the tests of this project in its own environment."""
    os.chdir(ROOT)
    spread = ["-n", "auto", "--maxprocesses", "4", "--dist", "worksteal"]
    return run([uv(), "run", "--quiet", *rebuilt(), "pytest", *spread, *arguments])


def scaffold(*arguments: str) -> int:
    """Run the tool in the current folder, without activating another environment."""
    sync = [uv(), "sync", "--quiet", "--inexact", "--no-default-groups", *rebuilt()]
    code = run([*sync, "--project", shown(ROOT)])
    folder = "Scripts" if os.name == "nt" else "bin"
    return code or run([shown(ROOT / ".venv" / folder / f"scaffold{SUFFIX}"), *arguments])


def install(*arguments: str) -> int:
    """Install the tool, or replace an installed version by the current one."""
    return run([uv(), "tool", "install", "--reinstall-package", "jax-scaffold", *arguments, shown(ROOT)])


def rebuilt() -> list[str]:
    """Return options that make uv rebuild the tool if the wheel of the laws is gone.

    Without them, uv reuses a cached build after `git clean`.
    """
    is_there = any((ROOT / "scaffold" / "wheels").glob("*.whl"))
    return [] if is_there else ["--reinstall-package", "jax-scaffold"]


def uv() -> str:
    """Return the path of uv. If pip cannot fetch it, an installed uv serves."""
    own = ROOT / ".uv" / "bin" / f"uv{SUFFIX}"
    if not own.is_file() and not fetch_uv(own.parent.parent):
        installed = shutil.which("uv")
        if installed is None:
            what = f"pip cannot fetch uv for {sys.executable}: its message is above"
            fix = "install pip (such as `apt install python3-pip`), or uv itself: https://docs.astral.sh/uv/"
            sys.exit(refuse(what, fix))
        return installed
    return shown(own)


def fetch_uv(folder: Path) -> bool:
    """Install the version of uv that the tests pin into `folder`, to which only pip writes."""
    pip = [shown(Path(sys.executable)), "-m", "pip", "install", "--quiet", "--upgrade"]
    return run([*pip, "--disable-pip-version-check", "--target", shown(folder), uv_requirement()]) == 0


def uv_requirement() -> str:
    """Return the requirement in `pyproject.toml` that pins uv."""
    import tomllib  # here, because an older Python does not have it

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [pinned] = [line for line in settings["dependency-groups"]["dev"] if line.startswith("uv==")]
    return pinned


def run(command: list[str]) -> int:
    """Print a command on stderr, run it, and return its exit code."""
    line = subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command)
    print("+", line, file=sys.stderr, flush=True)
    return subprocess.run(command, check=False).returncode


def shown(path: Path) -> str:
    """Return the shorter of the relative and the given path."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # on another drive
        return str(path)
    return min(relative, str(path), key=len)


def refuse(what: str, fix: str) -> int:
    print(f"error: {what}\n  fix: {fix}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
