"""Specs to a plan: contexts, templates, formatting, and what each file meets on disk."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from scaffold.emit.imports import import_lines, imported
from scaffold.emit.saving import MODULES, save_faults, save_imports, save_modules
from scaffold.emit.suites import further_laws, suites
from scaffold.emit.tests import test_context
from scaffold.errors import Fault, ScaffoldError
from scaffold.exports import Export
from scaffold.fileset import File, Plan
from scaffold.hidden_names import name_faults
from scaffold.in_project import Wishes, plan_in_project
from scaffold.kinds import examined, extra, faults_beside, kind_of, law_files, values_for_tests
from scaffold.layout import Layout
from scaffold.render import render, render_class
from scaffold.spec import ModuleSpec
from scaffold.spec.bases import base_faults, with_inherited_call
from scaffold.spec.names import class_name_fault, stem
from scaffold.spec.read import read_spec
from scaffold.spec.schema import json_schema
from scaffold.spec.shared import tie_faults
from scaffold.spec.toml import read_toml, write_toml
from scaffold.spec.types import ClassType, walk
from scaffold.spec_files import SpecFiles
from scaffold.tidy import tidy

SCHEMA_NAME = "scaffold.schema.json"


def load_spec(path: Path, *, where: str = "") -> ModuleSpec:
    """The spec in a TOML file. Raises `ScaffoldError` with all its faults."""
    return read_spec(read_toml(path, where or path.as_posix()), where or path.as_posix())


def load_specs(paths: Iterable[Path]) -> tuple[ModuleSpec, ...]:
    """The specs in several TOML files. Raises one `ScaffoldError` with the faults of all of them."""
    found: list[ModuleSpec] = []
    faults: list[Fault] = []
    for path in paths:
        try:
            found.append(load_spec(path))
        except ScaffoldError as error:
            faults += error.faults
    if faults:
        raise ScaffoldError.of(faults)
    return tuple(found)


def plan_modules(
    specs: Sequence[ModuleSpec],
    layout: Layout,
    *,
    extra: Iterable[File] = (),
    force: bool = False,
    register: bool = True,
    add_dependencies: bool = False,
) -> Plan:
    """The plan that generates the classes of `specs`, their tests and what the tests need.

    `extra` are files to publish with them, such as a spec that the command line wrote. Without `register` the package
    does not import them; with `add_dependencies` the project declares what they need. Nothing is written here.
    """
    specs = [_with_defaults(spec, layout) for spec in specs]
    known = _known(specs, layout)
    faults = [fault for spec in specs for fault in _place_faults(spec, layout, known)]
    if faults:
        raise ScaffoldError.of(faults)
    files = (file for spec in specs for file in module_files(spec, layout, known))
    names = dict.fromkeys(name for spec in specs for name in _law_files(spec))
    laws = [File(layout.laws_file.with_name(name), law_suite(name)) for name in names]
    wishes = Wishes(register=register, add_dependencies=add_dependencies, force=force)
    found = [Export(stem(spec.name), spec.name) for spec in specs]
    return plan_in_project(layout, tidy(_unique(files)), laws, extra, found, wishes)


def _with_defaults(spec: ModuleSpec, layout: Layout) -> ModuleSpec:
    """The spec with what the project decides where the spec says nothing."""
    saved = layout.settings.save
    takes_it = spec.save is None and not extra(spec.kind, "ABSTRACT", False)
    return replace(spec, save=saved) if saved and takes_it else spec


def _law_files(spec: ModuleSpec) -> tuple[str, ...]:
    """The law suites that the tests of a class import."""
    return (*law_files(spec.kind), *(f"{name}_laws.py" for name in further_laws(spec)))


def _unique(files: Iterable[File]) -> Iterator[File]:
    """The files, one by one, without those that several classes share."""
    seen: dict[File, None] = {}
    for file in files:
        if file not in seen:
            seen[file] = None
            yield file


def module_files(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> tuple[File, ...]:
    """The files of one class, as the templates lay them out."""
    context = module_context(spec, layout, known)
    rendered = [*render(spec.kind, context), *render("tests", context)]
    # The modules behind `save` are the user's own, as conftest.py is: written once.
    rendered += [file for name in save_modules(spec) for file in render(name.replace("_", "-"), context)]
    kept = {"conftest.py", *(f"{name}.py" for name in save_modules(spec))}
    return tuple(File(path, text, keep=path.name in kept) for path, text in rendered)


def module_context(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
    """Everything that the templates of one class lay out: plain JSON."""
    context: dict[str, Any] = {
        **kind_of(spec.kind).context(spec),
        **(
            {}
            if extra(spec.kind, "ABSTRACT", False)
            else test_context(examined(with_inherited_call(spec, known), known), known)
        ),
        **values_for_tests(spec, known),
        **_platforms(spec, layout),
        "stem": stem(spec.name),
        "source_folder": layout.source.as_posix(),
        "tests_folder": layout.tests.as_posix(),
        "import_root": _import_root(layout),
        "serialisation_module": layout.module("serialisation"),
        "imports": [],
        "test_imports": [],
    }
    context["suite"] = suites(spec, context.get("suite", ""))
    # The import block is read off the code, so the code is laid out once without it.
    code, test = render_class(spec.kind, context), render_class("tests", context)
    classes = {one.name: one for one in spec.classes}
    lines: dict[str, str] = {**extra(spec.kind, "IMPORTS", {})}
    lines |= {name: line for line in spec.imports for name in imported(line)}
    lines |= {name: _class_import(part, layout) for name, part in classes.items()}
    lines |= save_imports(spec, layout)
    of_tests = lines | {
        name: _class_import(ClassType(name), layout) for name in (spec.name, *context["test_classes"])
    }
    own_line = f"from {layout.module(stem(spec.name))} import "
    of_tests |= {name: own_line + name for name in context.get("defines", ())}
    own = _first_party(spec, layout, known, (*lines.values(), *of_tests.values()))
    context["imports"] = import_lines(code, lines, own)
    context["test_imports"] = import_lines(test, of_tests, own)
    return context


def _platforms(spec: ModuleSpec, layout: Layout) -> dict[str, Any]:
    """Where the tests run, and for what they lower the class: the spec's word before the project's."""
    lower_for = spec.test.lower_for if spec.test.lower_for is not None else layout.settings.lower_for
    return {
        "backend": spec.test.backend or layout.settings.backend or "",
        "lower_for": repr(lower_for) if lower_for else "",
    }


def _class_import(kind: ClassType, layout: Layout) -> str:
    return f"from {kind.module or layout.module(stem(kind.name))} import {kind.name}"


def _first_party(
    spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec], lines: Iterable[str]
) -> tuple[str, ...]:
    """The modules of the project among those that the lines import: generated, or lying where imports begin."""
    held = (one.name for one in spec.classes if one.module is None)
    generated = (
        {*map(stem, (spec.name, *known, *held)), *save_modules(spec)}
        if layout.package is None
        else set[str]()
    )
    above = layout.root / layout.import_root
    roots = {line.split()[1].split(".")[0] for line in lines}
    lying = {root for root in roots if (above / f"{root}.py").is_file() or (above / root).is_dir()}
    return tuple(sorted({(layout.package or "").split(".")[0], *generated, *lying} - {""}))


def _import_root(layout: Layout) -> str:
    """Source of the folder that must be importable, from the tests folder `TESTS`."""
    up = f"TESTS.parents[{len(layout.tests.parts) - 1}]" if len(layout.tests.parts) > 1 else "TESTS.parent"
    return up if layout.import_root == PurePosixPath(".") else f'{up} / "{layout.import_root}"'


def _known(specs: Sequence[ModuleSpec], layout: Layout) -> dict[str, ModuleSpec]:
    """The specs of this run, and those on disk of the classes that they hold."""
    known = {spec.name: spec for spec in specs}
    files = SpecFiles(layout, [spec.where for spec in specs])
    wanted = [name for spec in specs for name in _generated_classes(spec)]
    while wanted:
        name = wanted.pop()
        path = None if name in known else files.find(name)
        if path is not None:
            known[name] = load_spec(path, where=files.shown(path))
            wanted += _generated_classes(known[name])
    return known


def _generated_classes(spec: ModuleSpec) -> tuple[str, ...]:
    return tuple(one.name for one in spec.classes if one.module is None)


def _place_faults(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> Iterable[Fault]:
    """What is wrong with the spec in this project."""
    name = stem(spec.name)
    yield from name_faults(name, spec.where, layout)
    if name in MODULES["safetensors"]:
        fix = f"write `{spec.name}Module`, for example"
        yield Fault(f"{spec.where}: name", f"`{name}.py` is where `save` and `load` do their work", fix)
    yield from save_faults(spec, layout)
    yield from _mixture_faults(spec, known)
    yield from (*tie_faults(spec, known), *base_faults(spec, known), *faults_beside(spec, known))
    for other in _generated_classes(spec):
        on_disk = (layout.root / layout.source_file(stem(other))).is_file()
        if other not in known and not on_disk:
            fix = f"generate `{other}` first or with it (`--spec` takes several), or write `package.module:{other}`"
            yield Fault(
                f"{spec.where}: fields",
                f"there is no class `{other}`: looked for it in {layout.specs} and beside the spec",
                fix,
                tuple(sorted(known)),
            )


def _mixture_faults(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """Modules of NNX and pytrees hold none of the other."""
    is_nnx = extra(spec.kind, "VARIABLES", False)
    for field in spec.stored:
        held = [one.name for one in walk(field.type) if isinstance(one, ClassType) and one.module is None]
        for name in (name for name in held if name in known):
            if extra(known[name].kind, "VARIABLES", False) is not is_nnx:
                what = f"`{name}` is {'no' if is_nnx else 'an'} nnx.Module, and `{spec.name}` is {'one' if is_nnx else 'none'}"
                fix = 'write both with `kind = "nnx"`, or neither'
                yield Fault(f"{spec.where}: fields.{field.name}.type", what, fix)


@cache
def law_suite(name: str = "pytree_laws.py") -> str:
    """The text of a law suite, which is copied beside generated tests."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def plan_new(
    raw: Mapping[str, Any],
    layout: Layout,
    *,
    force: bool = False,
    register: bool = True,
    add_dependencies: bool = False,
) -> Plan:
    """The plan for a spec that the command line gave: the class, its tests, and the spec as a file."""
    name = str(raw.get("name", ""))
    is_bad = class_name_fault(name, "name") is not None
    spec = read_spec(raw, "command line" if is_bad else layout.spec_file(stem(name)).as_posix())
    spec_file = layout.spec_file(stem(spec.name))
    schema_file = layout.specs / SCHEMA_NAME
    extra = (
        File(spec_file, write_toml(raw, f"./{SCHEMA_NAME}")),
        File(schema_file, schema_text(), keep=True),
    )
    return plan_modules(
        [spec], layout, extra=extra, force=force, register=register, add_dependencies=add_dependencies
    )


def schema_text() -> str:
    """The JSON Schema of specs as a file."""
    return json.dumps(json_schema(), indent=2) + "\n"


def shown_files(target: str, layout: Layout) -> tuple[File, ...]:
    """The module and the test that a spec file, or the spec of the class `target`, gives."""
    files = SpecFiles(layout)
    path = Path(target) if target.endswith(".toml") else files.demand(target)
    spec = load_spec(path, where=target if target.endswith(".toml") else files.shown(path))
    spec = _with_defaults(spec, layout)
    shown = tidy(module_files(spec, layout, _known([spec], layout)))
    return tuple(file for file in shown if not file.keep)
