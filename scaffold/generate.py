"""The steps from specs to a plan.

Specs are checked beside each other (`beside`) and emitted as a class (`kinds`, `emit`) and a suite (`suite`).
Modules are then laid out with imports (`render_class`, `import_blocks`) and formatted (`tidy`). Finally
`fileset` compares the files with the disk.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec.structs import replace

from scaffold.beside import check_beside, check_names, generated_classes, with_defaults
from scaffold.emit.constructor.initialised import fan_notes
from scaffold.errors import ScaffoldError
from scaffold.files.fileset import File, Plan
from scaffold.files.places import seen_from_here
from scaffold.fit.fit import Wishes, plan_in_project
from scaffold.history.ancestry import ClassFiles
from scaffold.history.migrations import change_notes, listing_changes
from scaffold.history.records import MODULE, SPEC, TEST, UNITS, Records, adopted_key
from scaffold.in_project.formatter import style_of
from scaffold.in_project.layout import Layout
from scaffold.in_project.spec_files import SpecFiles, file_of
from scaffold.kind import Context
from scaffold.progress import counted
from scaffold.render_class import conftest_file, module_contexts, module_files
from scaffold.rendering.own_templates import check_templates
from scaffold.spec import ModuleSpec
from scaffold.spec.command_line import COMMAND_LINE, by_argument
from scaffold.spec.cycles import cycle_faults
from scaffold.spec.fault_locations import located
from scaffold.spec.files import is_spec_file, read_spec_file, read_spec_files
from scaffold.spec.inheritance import inheriting
from scaffold.spec.reading.read import read_spec
from scaffold.spec.tables.schema import json_schema
from scaffold.spec.tables.toml import write_toml
from scaffold.spec.unit import by_module
from scaffold.suite.as_written import with_builds
from scaffold.suite.examples.untried import assumed_notes, untried_calls, untried_notes
from scaffold.suite.untested import Untested, untested_classes
from scaffold.tidy import tidy

SCHEMA_NAME = "scaffold.schema.json"


def load_spec(path: Path, *, where: str = "") -> ModuleSpec:
    """Read the spec in a file. Raises `ScaffoldError` with all its faults."""
    return read_spec_file(path, where or path.as_posix())


def load_specs(paths: Iterable[Path]) -> tuple[ModuleSpec, ...]:
    """Read the specs in several files. Raises a single `ScaffoldError` with the faults of all files."""
    return read_spec_files(paths)


def plan_modules(
    specs: Sequence[ModuleSpec],
    layout: Layout,
    *,
    extra: Iterable[File] = (),
    force: bool = False,
    register: bool = True,
    add_dependencies: bool = False,
) -> Plan:
    """Plan the classes of `specs`, their tests and what the tests need. Nothing is written.

    `extra` are files to publish with them, such as a spec from the command line. Without `register`, the
    package does not import the classes. With `add_dependencies`, the project declares the packages that they
    need.
    """
    return plan_classes(specs, layout, extra, Wishes(register, add_dependencies, force))


def plan_classes(
    specs: Sequence[ModuleSpec],
    layout: Layout,
    extra: Iterable[File],
    wishes: Wishes,
    adopted: Sequence[ClassFiles] = (),
) -> Plan:
    """Plan like `plan_modules`, with all `wishes`.

    `adopted` are classes of the user's own, whose tests are among `extra`.
    """
    check_names(specs)
    specs = [with_defaults(spec, layout) for spec in specs]
    with _located(specs, layout):
        check_templates(specs, layout)
        specs, known = inheriting(specs, _known(specs, layout))
        known = with_builds(known)
        specs = [known[spec.name] for spec in specs]
        check_beside(specs, known, layout)
        specs = listing_changes(specs, layout, wishes.renamed, wishes.renamed_fields)
        changes = [*change_notes(specs, layout, wishes.renamed, wishes.renamed_fields)]
        untested = untested_classes(
            specs, known, lambda spec: seen_from_here(layout.root / layout.source_file(spec.stem))
        )
        classes: list[ClassFiles] = []
        texts = tidy(
            _unique(_laid_out(by_module(specs), layout, known, classes)),
            style_of(layout, [spec.stem for spec in specs]),
        )
    plan = plan_in_project(layout, texts, extra, classes, wishes, adopted)
    tested = [spec for spec in specs if not any(spec is without.spec for without in untested)]
    untested = [*_not_adopted(untested, layout)]
    notes = (
        *changes,
        *assumed_notes(specs),
        *fan_notes(specs),
        *(without.note for without in untested),
        *untried_notes(tested, known),
    )
    targets = tuple(without.target for without in untested if without.target)
    return replace(
        plan,
        notes=(*plan.notes, *notes),
        without_example=targets,
        untried_calls=untried_calls(tested, known),
    )


def _not_adopted(untested: Sequence[Untested], layout: Layout) -> Iterator[Untested]:
    """Yield the untested classes for which `scaffold adopt` has written no suite."""
    adopted = Records(layout.root).adopted() if untested else ()
    for without in untested:
        if adopted_key(layout.module(without.spec.stem), without.spec.name) not in adopted:
            yield without


def tidy_conftest(layout: Layout) -> File:
    """Return the formatted conftest for a folder of tests that has none."""
    [file] = tidy([conftest_file(layout)], style_of(layout))
    return file


def _laid_out(
    modules: Sequence[Sequence[ModuleSpec]],
    layout: Layout,
    known: Mapping[str, ModuleSpec],
    classes: list[ClassFiles],
) -> Iterator[File]:
    """Yield the files of all modules lazily, so that ruff formats some while others are rendered.

    The owner of each module's files is appended to `classes`.
    """
    for module in counted(modules, "modules laid out:"):
        files = module_files(module, layout, known)
        classes.append(_class_files(module, files, layout))
        yield from files


def _class_files(specs: Sequence[ModuleSpec], files: Iterable[File], layout: Layout) -> ClassFiles:
    """Return the files that a module's classes own alone, and their spec if the command line gave it."""
    spec = specs[0]
    roles = {file.path: _role(file.path, spec, layout) for file in files if not file.keep}
    said = layout.spec_file(spec.stem)
    if spec.where == COMMAND_LINE:
        return ClassFiles(spec.name, spec.stem, said.as_posix(), {**roles, said: SPEC})
    if len(specs) > 1:
        listed = tuple(class_spec.name for class_spec in specs)
        return ClassFiles(f"{UNITS}{spec.stem}", spec.stem, _spec_path(spec, layout), roles, classes=listed)
    return ClassFiles(spec.name, spec.stem, _spec_path(spec, layout), roles)


def _role(path: PurePosixPath, spec: ModuleSpec, layout: Layout) -> str:
    if path == layout.source_file(spec.stem):
        return MODULE
    return TEST if path.parent == layout.tests else path.name.replace(spec.stem, "{stem}")


def _spec_path(spec: ModuleSpec, layout: Layout) -> str:
    """Return the file of a spec relative to the project's root."""
    place = file_of(spec.where)
    file = Path(place) if Path(place).is_file() else layout.root / place
    return Path(os.path.relpath(os.path.realpath(file), layout.real_root)).as_posix()


def _located(specs: Iterable[ModuleSpec], layout: Layout) -> AbstractContextManager[None]:
    """Add line numbers to the faults of specs in files."""
    return located(partial(_files_of, specs, layout))


def _files_of(specs: Iterable[ModuleSpec], layout: Layout) -> dict[str, Path]:
    """Map the `where` of each spec that is a file to that file."""
    places = {spec.where: file_of(spec.where) for spec in specs}
    tried = {where: (Path(place), layout.root / place) for where, place in places.items()}
    files = {where: next((path for path in paths if path.is_file()), None) for where, paths in tried.items()}
    return {where: path for where, path in files.items() if path is not None}


def _unique(files: Iterable[File]) -> Iterator[File]:
    """Yield each file once, because several classes may share it."""
    seen: dict[File, None] = {}
    for file in files:
        if file not in seen:
            seen[file] = None
            yield file


def _known(specs: Sequence[ModuleSpec], layout: Layout) -> dict[str, ModuleSpec]:
    """Return the specs of this run and the specs on disk of the classes that they use, by class name."""
    known = {spec.name: spec for spec in specs}
    files = SpecFiles(layout, [spec.where for spec in specs])
    wanted = [name for spec in specs for name in generated_classes(spec)]
    looked_for = {*known}
    while wanted:
        name = wanted.pop()
        path = None if name in looked_for else files.find(name)
        looked_for.add(name)
        if path is not None:
            beside = read_spec_files([path], files.shown)
            known |= {spec.name: spec for spec in beside if spec.name not in known}
            wanted += [other for spec in beside for other in generated_classes(spec)]
    cycles = cycle_faults(known)
    if cycles:
        raise ScaffoldError.of(cycles)
    return known


def plan_new(
    raw: Mapping[str, Any],
    layout: Layout,
    *,
    force: bool = False,
    register: bool = True,
    add_dependencies: bool = False,
) -> Plan:
    """Plan a spec from the command line: the class, its tests, and the spec as a file."""
    with by_argument():
        return _plan_new(raw, layout, Wishes(register, add_dependencies, force))


def _plan_new(raw: Mapping[str, Any], layout: Layout, wishes: Wishes) -> Plan:
    spec = read_spec(raw, COMMAND_LINE, is_class=lambda name: SpecFiles(layout).find(name) is not None)
    spec_file = layout.spec_file(spec.stem)
    schema_file = layout.specs / SCHEMA_NAME
    extra = (
        File(spec_file, write_toml(raw, f"./{SCHEMA_NAME}")),
        File(schema_file, schema_text(), keep=True),
    )
    return plan_classes([spec], layout, extra, wishes)


def schema_text() -> str:
    """Return the JSON Schema of specs as the text of a file."""
    return json.dumps(json_schema(), indent=2) + "\n"


def shown_files(target: str, layout: Layout) -> tuple[File, ...]:
    """Return the module and the test that a spec file, or the spec of the class `target`, gives."""
    specs = _targeted(target, layout)
    with _located(specs, layout):
        check_templates(specs, layout)
        known = _known(specs, layout)
        shown = tidy(
            _unique(file for module in by_module(specs) for file in module_files(module, layout, known)),
            style_of(layout, [spec.stem for spec in specs]),
        )
    return tuple(file for file in shown if not file.keep)


def shown_contexts(target: str, layout: Layout) -> dict[str, Context]:
    """Return the contexts of the templates for `target`, by class name."""
    specs = _targeted(target, layout)
    with _located(specs, layout):
        check_templates(specs, layout)
        known = _known(specs, layout)
        contexts = [
            context for module in by_module(specs) for context in module_contexts(module, layout, known)
        ]
    return {str(context["name"]): context for context in contexts}


def specs_of(target: str, layout: Layout) -> tuple[list[ModuleSpec], dict[str, ModuleSpec]]:
    """Return the specs of a file, or of the class `target`, and all specs that they use, by name."""
    specs = _targeted(target, layout)
    with _located(specs, layout):
        return specs, _known(specs, layout)


def _spec_of(name: str, files: SpecFiles, layout: Layout) -> Path:
    """Find the spec of a class, in the folder of specs or in its record. Raises `ScaffoldError`."""
    record = Records(layout.root).of_class(name)
    recorded = layout.root / record.spec if record is not None else None
    return recorded if files.find(name) is None and recorded and recorded.is_file() else files.demand(name)


def _targeted(target: str, layout: Layout) -> list[ModuleSpec]:
    """Return the specs of a file, or all specs of the file that describes the class `target`."""
    files = SpecFiles(layout)
    is_file = is_spec_file(target)
    path = Path(target) if is_file else _spec_of(target, files, layout)
    specs = load_specs([path]) if is_file else read_spec_files([path], files.shown)
    return listing_changes([with_defaults(spec, layout) for spec in specs], layout, {}, {})
