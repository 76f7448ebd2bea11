"""From targets to a plan and a report: list the classes, find how each is built and called, write its tests, run them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scaffold.adopt.emit import Adopted, conftest_file, file_path, skip_of, stems_of, test_file
from scaffold.adopt.interpreter import find_python
from scaffold.adopt.process import Child, NoAnswerError
from scaffold.adopt.report import LeftOut, Outcome, Report
from scaffold.adopt.targets import Target, folders_of, read_targets
from scaffold.adopt.workers import each
from scaffold.errors import Fault, ScaffoldError, suggestion
from scaffold.fileset import Edit, File, Plan
from scaffold.in_project import Wishes, plan_in_project
from scaffold.law_texts import texts_for
from scaffold.layout import Layout
from scaffold.places import read_regular
from scaffold.tidy import tidy

Progress = Callable[[int, int, str], None]
GRACE = 10.0
"""Seconds by which a process may be late, since it keeps its limits itself."""
MOST_TOLD = 20
"""Legal names that are listed; more say nothing."""
_SUITES = ("nnx", "state")


@dataclass(frozen=True)
class Wanted:
    """What the user asks for."""

    targets: tuple[str, ...]
    python: str | None = None
    build: str = ""
    call: str = ""
    said: Mapping[str, str] = field(default_factory=dict[str, str])
    baseline: bool = False
    processes: int = 1
    seconds: float = 60.0
    """The limit for each class, to find it, and for each of its tests."""
    force: bool = False


@dataclass(frozen=True)
class Run:
    """What all classes of a run share."""

    wanted: Wanted
    layout: Layout
    path: tuple[str, ...]
    """Folders in which the classes are looked for."""


def adopt(wanted: Wanted, layout: Layout, here: Path, progress: Progress) -> tuple[Plan, Report]:
    """The plan that writes the tests, and what these tests say. Nothing is written here.

    Raises `ScaffoldError` for targets that cannot be used, all of them at once.
    """
    targets = read_targets(wanted.targets, here)
    command = find_python(wanted.python, layout.root)
    path = (*folders_of(targets), str((layout.root / layout.import_root).resolve()))
    run = Run(wanted, layout, path)
    with _children(command, layout.root) as first:
        child = first()
        request = {"do": "list", "targets": [one.to_json() for one in targets], "said": dict(wanted.said)}
        listed = child.ask({**request, **_path(run)}, 600.0)
        _check_listed(listed, targets, wanted)
        classes = [one for one in listed["classes"] if not one["why"]]
        stems = stems_of((one["module"], one["name"]) for one in classes)
        outcomes = each(
            [replace_module(one, stems) for one in classes],
            lambda child, one: _outcome(child, one, run),
            [child],
            first,
            wanted.processes,
            progress,
        )
    left_out = [LeftOut(one["module"], one["name"], one["why"]) for one in listed["classes"] if one["why"]]
    report = Report(tuple(outcomes), tuple(one for one in left_out if "no pytree" not in one.why))
    return _plan(outcomes, run), report


def replace_module(one: Mapping[str, Any], stems: Mapping[tuple[str, str], str]) -> Adopted:
    """A class that was listed, before anything is found of it."""
    return Adopted(one["module"], one["name"], stems[one["module"], one["name"]], {})


class _children:
    """Processes that are ended at the end, whatever happens."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.command, self.folder = command, folder
        self.started: list[Child] = []

    def __enter__(self) -> Callable[[], Child]:
        return self.start

    def start(self) -> Child:
        child = Child(self.command, self.folder)
        self.started.append(child)
        return child

    def __exit__(self, *_: object) -> None:
        for child in self.started:
            child.close()


def _path(run: Run) -> dict[str, Any]:
    return {"folders": list(run.path)}


def _check_listed(listed: Mapping[str, Any], targets: Sequence[Target], wanted: Wanted) -> None:
    """Refuses targets that cannot be imported or hold no class, and what is said of one class where there are more."""
    if "error" in listed:
        raise RuntimeError(f"{listed['error']}\n{listed['traceback']}")
    fix = "write a module that this interpreter can import, or name another with `--python`"
    faults = [Fault(one["target"], f"cannot be looked at: {one['why']}", fix) for one in listed["faults"]]
    named = [one for one in listed["classes"] if one["named"] and one["why"]]
    faults += [
        Fault(f"{one['module']}:{one['name']}", one["why"], "name a class that can be built") for one in named
    ]
    classes = [one for one in listed["classes"] if not one["why"]]
    if not faults and not classes:
        texts = ", ".join(one.text for one in targets)
        faults.append(Fault(texts, "holds no class that jax flattens", "name another module, or a class"))
    if len(classes) > 1 and (wanted.build or wanted.call):
        option = "--build" if wanted.build else "--call"
        faults.append(
            Fault(option, f"is said of one class, and there are {len(classes)}", "name one `pkg.mod:Class`")
        )
    if faults:
        raise ScaffoldError.of(faults)
    if wanted.said:
        _check_said(wanted.said, listed["taken"])


def _check_said(said: Mapping[str, str], taken: Sequence[str]) -> None:
    """Refuses values for arguments that nothing takes."""
    what = "no constructor and no method that was found takes it"
    legal = tuple(taken) if len(taken) <= MOST_TOLD else ()
    faults = [
        Fault(f"--set {name}", what, suggestion(name, taken, "name one of their arguments"), legal)
        for name in said
        if name not in taken
    ]
    if faults:
        raise ScaffoldError.of(faults)


def _outcome(child: Child, one: Adopted, run: Run) -> Outcome:
    """What is found of one class, and what its tests say."""
    wanted = run.wanted
    request = {"do": "adopt", "module": one.module, "name": one.name, "seconds": wanted.seconds}
    said = {"build": wanted.build, "call": wanted.call, "said": dict(wanted.said)}
    found = child.ask({**request, **said, **_path(run)}, wanted.seconds + GRACE)
    if found.get("abstract"):
        return Outcome(one, left_out=found["abstract"])
    if not found.get("built"):
        return Outcome(
            one, why=found.get("why") or found.get("error", ""), unknown=tuple(found.get("unknown", ()))
        )
    one = replace(one, found=found)
    return _held(child, one, run)


def _held(child: Child, one: Adopted, run: Run) -> Outcome:
    """The class held to the laws by the file that is written for it, or by the one that somebody has edited."""
    ours = list(_ours(child, one, run))
    outcome, there = ours[-1], _there(one, run)
    if there is None or run.wanted.force:
        return outcome
    if any(there == each.file.text for each in ours if each.file):
        return replace(outcome, replaces=True)
    return Outcome(outcome.one, file=outcome.file, kept=True, report=_asked(child, one, there, run))


def _ours(child: Child, one: Adopted, run: Run) -> Iterator[Outcome]:
    """What is written, from all that is held to what is left when findings are left out; what rested on them is held then."""
    while True:
        file, before = _file(one, run), len(one.skips)
        outcome = Outcome(one, file=file, report=_asked(child, one, file.text, run), baseline=before)
        yield outcome
        of_style = [finding for finding in outcome.findings if finding["severity"] == "style"]
        if of_style:
            outcome = _without(outcome, of_style, run)
            yield outcome
        if run.wanted.baseline and outcome.findings:
            outcome = _without(outcome, outcome.findings, run)
            yield outcome
        one = outcome.one
        if len(one.skips) == before or not outcome.report.get("rests"):
            return


def _without(outcome: Outcome, skipped: Sequence[Mapping[str, Any]], run: Run) -> Outcome:
    """The same with findings left out, each with its text."""
    skips = dict([*outcome.one.skips, *map(skip_of, skipped)])
    one = replace(outcome.one, skips=[*skips.items()])
    left = [finding for finding in outcome.findings if finding not in skipped]
    report = {**outcome.report, "findings": left}
    return Outcome(one, file=_file(one, run), report=report, baseline=len(skips))


def _asked(child: Child, one: Adopted, text: str, run: Run) -> dict[str, Any]:
    path = str(run.layout.root / file_path(one, run.layout))
    request = {"do": "hold", "text": text, "path": path, "module": f"test_{one.stem}", **_path(run)}
    try:
        return child.ask({**request, "seconds": run.wanted.seconds}, run.wanted.seconds * 5 + GRACE)
    except NoAnswerError as error:
        return {"error": str(error)}


def _replaced(file: File) -> Edit:
    return Edit(file.path, lambda _: file.content)


def _file(one: Adopted, run: Run) -> File:
    [file] = tidy([test_file(one, run.layout)])
    return replace(file, path=file_path(one, run.layout))


def _there(one: Adopted, run: Run) -> str | None:
    place = run.layout.root / file_path(one, run.layout)
    return read_regular(place).decode("utf-8", "replace") if place.is_file() else None


def _plan(outcomes: Sequence[Outcome], run: Run) -> Plan:
    """The plan that writes the tests of what was found; a file that was edited stays as it is."""
    written = [one for one in outcomes if one.file is not None and not one.kept]
    files = [one.file for one in written if one.file is not None and not one.replaces]
    # What the tool has written before is edited, so that it is no conflict.
    edits = [_replaced(one.file) for one in written if one.file is not None and one.replaces]
    extra = [conftest_file(run.layout)] if written else []
    laws = texts_for(_SUITES)
    wishes = Wishes(register=False, force=run.wanted.force)
    plan = plan_in_project(run.layout, [*files, *extra], laws, edits, (), wishes)
    kept = [
        f"{one.file.path}: differs from what would be written, and stays; --force replaces it"
        for one in outcomes
        if one.kept and one.file
    ]
    return replace(plan, notes=(*plan.notes, *kept))
