"""Plan of generated files together with the changes that their project needs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct, field
from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.fileset import Edit, File, Plan, make_plan
from scaffold.files.places import read_regular
from scaffold.fit.add_dependencies import Addition, addition
from scaffold.fit.reach import find_reach
from scaffold.history.ancestry import ClassFiles
from scaffold.history.carried_over import History
from scaffold.history.copies import with_copies
from scaffold.history.withdrawals import withdrawals
from scaffold.in_project.dependencies import undeclared
from scaffold.in_project.law_files import WHEEL
from scaffold.in_project.layout import Layout
from scaffold.registration.exports import Export, dependency_notes, exports


class Wishes(Struct, frozen=True):
    """Options of a user for the changes in the project."""

    register: bool | None = True
    """Whether the package imports the classes. None keeps the choice made when they were new."""
    add_dependencies: bool = False
    force: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Former name of each renamed class."""
    renamed_fields: Mapping[str, str] = field(default_factory=dict[str, str])
    """New name of each renamed field, by `Class.field` with the former names."""


def plan_in_project(
    layout: Layout,
    files: Sequence[File],
    extra: Iterable[File | Edit],
    classes: Sequence[ClassFiles],
    wishes: Wishes,
    adopted: Sequence[ClassFiles] = (),
) -> Plan:
    """Plan the files and the changes that they need in the project.

    `adopted` are the user's own classes, of which only the tests are written. Raises `ScaffoldError` if the
    project cannot take the files.
    """
    history = History(layout, _placed_tests(classes, layout), wishes.renamed, wishes.force, adopted)
    history.check_records()
    new_exports = history.to_register(wishes.register)
    _check_stems(
        layout, [Export(class_files.stem, name) for class_files in classes for name in class_files.names]
    )
    missing = undeclared(layout, files)
    added = addition(missing, layout) if wishes.add_dependencies else Addition()
    register = wishes.register is not False
    edits, left_out = (
        exports(new_exports, layout, missing, register=register, adding=wishes.add_dependencies)
        if classes
        else ([], [])  # tests alone, which no package imports
    )
    reach = find_reach(layout)
    notes = [
        *dependency_notes(missing, adding=wishes.add_dependencies),
        *left_out,
        *reach.notes(),
        *_unseen(layout, classes),
        *added.notes,
    ]
    wanted = [*_named(files, layout), *extra]
    wanted = [*reach.adapted(wanted, layout), *withdrawals(history.departed(), layout)]
    has_tests = any(layout.tests in request.path.parents for request in wanted)
    laws = layout.law_files.requests() if has_tests and layout.laws == WHEEL else ()
    plan = make_plan(layout.root, [*wanted, *edits, *added.edits, *laws], force=wishes.force)
    plan = history.applied(plan, wishes.register)
    plan = with_copies(layout.law_files.without_former(plan) if wanted else plan)
    notes += plan.notes
    return replace(plan, notes=tuple(notes), commands=added.commands)


def _placed_tests(classes: Iterable[ClassFiles], layout: Layout) -> list[ClassFiles]:
    """Return the classes with their tests under the names of this project."""
    return [
        replace(
            class_files, roles={_name_here(path, layout): role for path, role in class_files.roles.items()}
        )
        for class_files in classes
    ]


def _named(files: Iterable[File], layout: Layout) -> Iterator[File]:
    """Yield the files, with tests under names that pytest collects in this project."""
    for file in files:
        yield replace(file, path=_name_here(file.path, layout))


def _name_here(path: PurePosixPath, layout: Layout) -> PurePosixPath:
    is_test = path.parent == layout.tests and path.name.startswith("test_")
    return layout.test_file(path.stem.removeprefix("test_")) if is_test else path


def _check_stems(layout: Layout, new_exports: Iterable[Export]) -> None:
    init_file = layout.init_file
    if init_file is None or not (layout.root / init_file).is_file():
        return
    from scaffold.registration.edits import stem_faults  # here, because only a package needs it

    source, where = read_regular(layout.root / init_file), init_file.as_posix()
    faults: list[Fault] = []
    for export in new_exports:
        faults += stem_faults(source, export.stem, [export.name], where=where)
    if faults:
        raise ScaffoldError.of(faults)


def _unseen(layout: Layout, classes: Iterable[ClassFiles]) -> Iterator[str]:
    """Yield a note for each setting that hides the tests from pytest."""
    config = layout.pytest
    for name in (name for class_files in classes for name in class_files.names):
        for option in config.blind_spots(f"Test{name}", "test_p01_"):
            yield f"{config.file}: by `{option}` pytest will not see `Test{name}`; add what it begins with"
    below = [(config.folder / path).resolve() for path in config.testpaths]
    tests = (layout.root / layout.tests).resolve()
    if below and not any(tests.is_relative_to(folder) for folder in below):
        yield f"{config.file}: `testpaths` leaves out {layout.tests}; bare `pytest` will not run what is there"
