"""Whether right changes pass, or pass once done what a failure says: `python -m benchmarks.hand_edits.right --list 18`.

A failure may say `pytest --numbers=update`, which approves new numbers, or print the declaration of the suite as the class has it,
or name one that says what is meant. Each is done as it is said, and the suite runs again. Each row is printed as it comes.
"""

import argparse
import ast
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study.__main__ import LISTS
from benchmarks.hand_edits.study.suites import Folders, run_pytest
from benchmarks.hand_edits.verdicts import name_of

ROUNDS = 3
"""How often what a failure says is done: new numbers may follow a declaration."""
APPROVE = "--numbers=update"
DECLARED = re.compile(r"the declaration is\n((?:    .*\n)+)")
"""The lines of a failure that print what to declare."""
MEANT = re.compile(r"`(\w+) = (\(.*?,\))` says")
"""A declaration in a hint, which says that what was noticed is meant."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hand_edits.right", description=__doc__)
    parser.add_argument("--list", type=int, choices=LISTS, default=max(LISTS), help="the list of edits")
    every, specs = LISTS[parser.parse_args(arguments).list]
    edits = [edit for edit in every if edit.tag == "legitimate"]
    with TemporaryDirectory() as root:
        folders = Folders(Path(root), specs)
        folders.record(sorted({edit.example for edit in edits}))
        verdicts = [_verdict(folders, edit) for edit in edits]
    print(f"{sum('fails' not in verdict for verdict in verdicts)} of {len(edits)} pass, at once or so")
    return 0


def _verdict(folders: Folders, edit: Edit) -> str:
    """How a right change gets its suite to pass."""
    with TemporaryDirectory() as name:
        folder = Path(name, "project")
        folders.copy_with(edit, folder)
        verdict = _passes(folder, f"tests/test_{edit.example}.py")
    print(f"{verdict} | {name_of(edit)}", flush=True)
    return verdict


def _passes(folder: Path, suite: str) -> str:
    done: list[str] = []
    for _ in range(ROUNDS):
        ran = run_pytest(folder, suite)
        if ran.returncode == 0:
            return "passes" + "".join(f", {step}" for step in done)
        if declared := DECLARED.search(ran.stdout):
            done.append(f"once declared: {_declare(folder / suite, declared[1], ran.stdout)}")
        elif meant := MEANT.search(ran.stdout):
            done.append(f"once declared: {_declare_meant(folder / suite, *meant.groups(), ran.stdout)}")
        elif APPROVE in ran.stdout:
            run_pytest(folder, suite, APPROVE)
            done.append(f"once approved by `{APPROVE}`")
        else:
            break
    return "fails"


def _declare(suite: Path, declared: str, output: str) -> str:
    """Put the printed statements in the place of those of the suite that failed; the names of those that differ."""
    text = suite.read_text(encoding="utf-8")
    held = _assignments(_failed_suite(text, output))
    lines, changed = text.splitlines(), list[str]()
    printed = ast.parse("if True:\n" + declared).body[0]
    statements = [n for n in getattr(printed, "body", []) if isinstance(n, ast.Assign)]
    for statement in sorted(statements, key=lambda n: -held[ast.unparse(n.targets[0])].lineno):
        name = ast.unparse(statement.targets[0])
        before = held[name]
        if before.value is not None and ast.dump(before.value) != ast.dump(statement.value):
            changed.append(name)
            lines[before.lineno - 1 : before.end_lineno] = [f"    {ast.unparse(statement)}"]
    suite.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ", ".join(changed)


def _declare_meant(suite: Path, name: str, value: str, output: str) -> str:
    """Add what a hint declares to the suite that failed, after what it has under this name."""
    text = suite.read_text(encoding="utf-8")
    owner, lines = _failed_suite(text, output), text.splitlines()
    before = _assignments(owner).get(name)
    if before is None:
        end = owner.body[0].end_lineno or owner.lineno  # its docstring
        lines.insert(end, f"\n    {name} = {value}")
    elif before.value is not None:
        lines[before.lineno - 1 : before.end_lineno] = [
            f"    {name} = (*{ast.unparse(before.value)}, *{value})"
        ]
    suite.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{name} = {value}"


def _failed_suite(text: str, output: str) -> ast.ClassDef:
    """The class of the suite whose failure comes first."""
    [failed, *_] = re.findall(r"^_+ (\w+)\.test_\w+", output, re.MULTILINE)
    return next(n for n in ast.parse(text).body if isinstance(n, ast.ClassDef) and n.name == failed)


def _assignments(owner: ast.ClassDef) -> dict[str, ast.Assign | ast.AnnAssign]:
    """What a suite declares, by name."""
    return {
        ast.unparse(n.targets[0] if isinstance(n, ast.Assign) else n.target): n
        for n in owner.body
        if isinstance(n, ast.Assign | ast.AnnAssign)
    }


if __name__ == "__main__":
    sys.exit(main())
