"""Main loop of `adopt`: list the classes, find how to build and call each, write and run its tests."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scaffold.adopt import own_findings
from scaffold.adopt.check_targets import check_listed, left_out_of, mistake_of
from scaffold.adopt.emit.class_suite import Adopted, file_path, skip_of, skips_of, test_file
from scaffold.adopt.emit.written import Written, as_recorded, written_before
from scaffold.adopt.journal import Journal
from scaffold.adopt.processes.leaf_order import SEEDS, OtherProcess, leaves_in
from scaffold.adopt.processes.process import Child, NoAnswerError
from scaffold.adopt.processes.versions import LIBRARIES
from scaffold.adopt.processes.workers import each
from scaffold.adopt.report import Outcome, Report, failures
from scaffold.adopt.report.of_parts import without_those_of_parts
from scaffold.adopt.reproduce.shown import Reproductions
from scaffold.adopt.streamed import Streamed
from scaffold.adopt.targets.targets import Target, folders_of, read_targets
from scaffold.adopt.targets.wanted import Wanted
from scaffold.errors import ScaffoldError
from scaffold.files.fileset import File, Plan
from scaffold.fit.fit import Wishes, plan_in_project
from scaffold.history.replaced import numbers_of
from scaffold.in_project.formatter import style_of
from scaffold.in_project.layout import Layout
from scaffold.interpreter import find_python
from scaffold.lifecycle.adopted import adopted_files
from scaffold.render_class import conftest_file
from scaffold.tidy import tidy

Progress = Callable[[int, int, str], None]
Publish = Callable[[Plan], Plan]
GRACE = 10.0
"""Seconds that the parent waits beyond the limit that the child keeps itself."""
IMPORTS = 2.0
"""Factor on the time limit for the import of the targets."""


class Run(Struct, frozen=True):
    """Settings and records that all classes of a run share."""

    wanted: Wanted
    layout: Layout
    path: tuple[str, ...]
    """Folders to import the classes from."""
    written: Written
    other: OtherProcess | None = None
    """Process with another hash seed, for a second look at the order of leaves."""
    reproductions: Reproductions = field(default_factory=Reproductions)

    @property
    def records(self) -> bool:
        """Whether the run records the numbers that the classes compute."""
        return self.wanted.records and self.layout.settings.numbers != "off"


def adopt(
    wanted: Wanted, layout: Layout, here: Path, progress: Progress, publish: Publish | None = None
) -> tuple[Plan, Report]:
    """Plan the tests of each class of the targets, run them, and return the plan and the report.

    With `publish`, each class is written as soon as it is done, and the plan lists the steps carried out.
    Without it, nothing is written. Raises `ScaffoldError` with the faults of all unusable targets.
    """
    targets = read_targets(wanted.targets, here)
    command = find_python(wanted.python, layout.root)
    path = (*folders_of(targets), str((layout.root / layout.import_root).resolve()))
    run = Run(wanted, layout, path, Written(layout, ()))
    journal = Journal(layout.root, wanted.identity(), resume=wanted.resume)
    # The search, the laws and the record see the class as its tests will. To leave out of the record what a checker may refuse
    # would mend P19 alone, and have an example that the annotations forbid pass here and fail there.
    checked_types = layout.pytest.checked_types
    with Children(command, layout.root, wanted.memory_in_bytes, checked_types) as children:
        child = children.start()
        listed = as_recorded(listed_by(child, targets, wanted, path), layout)
        check_listed(listed, targets, wanted)
        classes = [(cls["module"], cls["name"]) for cls in listed["classes"] if not cls["why"]]
        other = OtherProcess(lambda: children.start(SEEDS[1]))
        run = replace(run, written=written_before(layout, classes), other=other)
        streamed = Streamed(lambda outcomes: _plan(outcomes, run), publish, journal) if publish else None
        begun = [_begun(*cls, run) for cls in classes]
        results = each(
            [adopted for adopted in begun if adopted.label not in journal.outcomes],
            lambda child, adopted: _timed(child, adopted, run),
            lambda adopted, why: Outcome(adopted, why=why),
            lambda adopted: adopted.label,
            [child],
            children.start,
            wanted.processes_for(len(classes)),
            progress,
            streamed.begun().add if streamed else lambda _: None,
        )
    done = {**journal.outcomes, **{outcome.one.label: outcome for outcome in results}}
    outcomes = tuple(done[adopted.label] for adopted in begun)
    if mistakes := [mistake_of(outcome) for outcome in outcomes if outcome.mistake]:
        journal.end()
        raise ScaffoldError.of(mistakes)
    report = Report(without_those_of_parts(outcomes), left_out_of(listed), layout.settings.severity)
    if streamed is None:
        return _plan(outcomes, run), report
    journal.end()
    return streamed.plan(layout.root), report


def _timed(child: Child, adopted: Adopted, run: Run) -> Outcome:
    begin = perf_counter()
    return replace(_outcome(child, adopted, run), seconds=perf_counter() - begin)


def _begun(module: str, name: str, run: Run) -> Adopted:
    """Return the listed class, with the tests accepted before unless `baseline` or `force` is set."""
    adopted = Adopted(module, name, run.written.stems[module, name], {})
    return (
        adopted
        if run.wanted.baseline or run.wanted.force
        else replace(adopted, accepted=run.written.accepted(adopted))
    )


class Children:
    """Child processes that are closed on exit, even after an error."""

    def __init__(self, command: Sequence[str], folder: Path, memory: int, checked_types: str = "") -> None:
        self.command, self.folder, self.memory = command, folder, memory
        self.checked_types = checked_types
        self.started: list[Child] = []

    def __enter__(self) -> "Children":
        return self

    def start(self, hash_seed: str = SEEDS[0]) -> Child:
        """Start a child process, which `__exit__` closes."""
        child = Child(self.command, self.folder, self.memory, hash_seed, self.checked_types)
        self.started.append(child)
        return child

    def __exit__(self, *_: object) -> None:
        for child in self.started:
            child.close()


def _path(run: Run) -> dict[str, Any]:
    return {"folders": list(run.path)}


def listed_by(
    child: Child, targets: Sequence[Target], wanted: Wanted, folders: Sequence[str]
) -> dict[str, Any]:
    """Ask the child for the classes of the targets.

    Raises `ScaffoldError` if an import ends the process, or if a library is too old.
    """
    request = {"do": "list", "targets": [target.to_json() for target in targets], "said": dict(wanted.said)}
    try:
        listed = _checked_list(child.ask({**request, "folders": [*folders]}, IMPORTS * wanted.seconds))
    except NoAnswerError as error:
        raise ScaffoldError(
            f"the interpreter did not come back from the import: {error}",
            where=", ".join(target.text for target in targets),
            fix="name the modules that have the classes, or give it more by `--time-limit` or `--memory`",
        ) from None
    child.refuse_old(LIBRARIES[cls["kind"]] for cls in listed["classes"] if cls["kind"] in LIBRARIES)
    return listed


def _checked_list(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer that lists classes. Raises `NoAnswerError` for any other answer."""
    if "error" in answer:
        raise NoAnswerError(str(answer["error"]))
    if not all(isinstance(answer.get(key), list) for key in ("classes", "faults", "taken", "passed_over")):
        raise NoAnswerError("it lists no classes")
    return answer


def _outcome(child: Child, adopted: Adopted, run: Run) -> Outcome:
    """Ask the child how the class is built and called, then write its tests and run them."""
    wanted = run.wanted
    request = {"do": "adopt", "module": adopted.module, "name": adopted.name, "seconds": wanted.seconds}
    said = {"build": wanted.build, "call": wanted.call, "said": dict(wanted.said), "imports": wanted.imports}
    answer = child.ask({**request, **said, **_path(run)}, wanted.seconds + GRACE)
    if answer.get("abstract"):
        return Outcome(adopted, left_out=answer["abstract"])
    if answer.get("internal"):
        error = {"test": "the search", "what": answer["error"], "where": answer["internal"]}
        return Outcome(adopted, why=answer["error"], report={"errors": [error]})
    if not answer.get("built"):
        why = answer.get("why") or answer.get("error", "")
        return Outcome(
            adopted,
            why=why,
            mistake=answer.get("mistake", ""),
            unknown=tuple(answer.get("unknown", ())),
            report={"findings": own_findings.of_flattening(adopted.name, why)},
        )
    adopted = replace(adopted, found=answer, skips=skips_of(answer))
    return _held(child, adopted, run)


def _held(child: Child, adopted: Adopted, run: Run) -> Outcome:
    """Run the laws in the new test file, or in the existing file if the user has edited it."""
    *_, outcome = _ours(child, adopted, run)
    if run.wanted.force or outcome.file is None:
        return outcome
    there = run.written.edited(adopted, outcome.file.path, outcome.file.text)
    if there is None or not there.keeps:
        return outcome
    report = _asked(child, adopted, there.text, run)
    return Outcome(outcome.one, file=outcome.file, kept=True, stays=there.why, report=report)


def _ours(child: Child, adopted: Adopted, run: Run) -> Iterator[Outcome]:
    """Yield the outcome of each version of the new file, as findings become skips.

    After a skip the tests run again, because tests that rested on the skipped test can run then.
    """
    while True:
        file, before = _file(adopted, run), len(adopted.skips)
        outcome = Outcome(adopted, file=file, report=_asked(child, adopted, file.text, run), baseline=before)
        yield outcome
        accepted = [finding for finding in outcome.findings if skip_of(finding)[0] in adopted.accepted]
        if accepted:
            outcome = _without(outcome, accepted, run)
            yield outcome
        failing = [*failures(outcome.findings, run.layout.settings.severity)]
        if run.wanted.baseline and failing:
            outcome = _without(outcome, failing, run)
            yield outcome
        adopted = outcome.one
        if len(adopted.skips) == before or not outcome.report.get("rests"):
            return


def _without(outcome: Outcome, skipped: Sequence[Mapping[str, Any]], run: Run) -> Outcome:
    """Turn findings into skips, each with the text of the finding as its reason."""
    skips = dict([*outcome.one.skips, *map(skip_of, skipped)])
    adopted = replace(outcome.one, skips=[*skips.items()])
    left = [finding for finding in outcome.findings if finding not in skipped]
    report = {**outcome.report, "findings": left}
    return Outcome(adopted, file=_file(adopted, run), report=report, baseline=len(skips))


def _asked(child: Child, adopted: Adopted, text: str, run: Run) -> dict[str, Any]:
    tests = file_path(adopted, run.layout)
    path = str(run.layout.root / tests)
    file = {"text": text, "path": path, "module": f"test_{adopted.stem}", **_path(run)}
    records = run.records and not (run.layout.root / numbers_of(tests)).exists()
    request = {"do": "run", **file, "seconds": run.wanted.seconds, "records": records}
    try:
        report = child.ask(request, run.wanted.seconds * 5 + GRACE)
        report = _with_quiet_leaves(_with_order(report, child, adopted, file, run), adopted)
    except NoAnswerError as error:
        return {"error": str(error)}
    try:
        return run.reproductions.added_to(report, child, adopted, run.path)
    except NoAnswerError:  # a reproduction has ended the process, but the findings stay
        return report


def _with_order(
    report: dict[str, Any], child: Child, adopted: Adopted, file: Mapping[str, Any], run: Run
) -> dict[str, Any]:
    """Add a finding if a registered class has another order of leaves in the second process."""
    if run.other is None or adopted.found["kind"] != "registered" or "findings" not in report:
        return report
    orders = leaves_in(child, file), run.other.leaves(file)
    if None in orders or orders[0] == orders[1]:
        return report
    finding = own_findings.of_order(adopted.name, *(order or [] for order in orders))
    return {**report, "findings": [*report["findings"], finding]}


def _with_quiet_leaves(report: dict[str, Any], adopted: Adopted) -> dict[str, Any]:
    """Add advice on leaves that the suite declares without a gradient, because the call shows none."""
    if "findings" not in report:
        return report
    return {**report, "findings": [*report["findings"], *own_findings.of_quiet_leaves(adopted.found)]}


def _file(adopted: Adopted, run: Run) -> File:
    [file] = tidy([test_file(adopted, run.layout)], style_of(run.layout))
    return replace(file, path=file_path(adopted, run.layout))


def _plan(outcomes: Sequence[Outcome], run: Run) -> Plan:
    """Return the plan that writes the tests and records. A test file that has to stay becomes a note."""
    written = {
        outcome.file: outcome.one for outcome in outcomes if outcome.file is not None and not outcome.stays
    }
    extra = [conftest_file(run.layout)] if written else []
    numbers = [numbers for outcome in outcomes if (numbers := _numbers(outcome)) is not None]
    adopted = [
        adopted_files(adopted_class.module, adopted_class.name, file.path)
        for file, adopted_class in written.items()
    ]
    wishes = Wishes(register=False, force=run.wanted.force, renamed=run.written.renamed)
    plan = plan_in_project(run.layout, [*written, *numbers, *extra], (), (), wishes, adopted)
    stay = [f"{outcome.file.path}: {outcome.stays}" for outcome in outcomes if outcome.stays and outcome.file]
    return replace(plan, notes=(*plan.notes, *stay))


def _numbers(outcome: Outcome) -> File | None:
    """Return the record of the numbers that a class computes.

    An existing record stays, and only `pytest --numbers=update` changes it.
    """
    text = str(outcome.report.get("numbers", ""))
    if outcome.file is None or not text:
        return None
    return File(numbers_of(outcome.file.path), text, keep=True)
