"""Specs to a plan: contexts, templates, formatting, and what each file meets on disk."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from scaffold.emit.imports import import_lines, imported
from scaffold.emit.saving import MODULES, save_faults, save_imports, save_modules
from scaffold.emit.suites import further_laws, suites
from scaffold.emit.tests import test_context
from scaffold.errors import Fault, ScaffoldError
from scaffold.fileset import Edit, File, Plan, make_plan
from scaffold.kinds import examined, extra, faults_beside, kind_of, law_files, values_for_tests
from scaffold.layout import Layout
from scaffold.render import render, render_class
from scaffold.spec import ModuleSpec
from scaffold.spec.bases import base_faults, with_inherited_call
from scaffold.spec.circles import circle_faults
from scaffold.spec.files import read_spec_file, read_spec_files
from scaffold.spec.names import stem
from scaffold.spec.places import COMMAND_LINE, by_argument, located
from scaffold.spec.read import read_spec
from scaffold.spec.schema import json_schema
from scaffold.spec.shared import tie_faults
from scaffold.spec.toml import write_toml
from scaffold.spec.types import ClassType, walk
from scaffold.tidy import tidy

SCHEMA_NAME = "scaffold.schema.json"
_MODULES_IN_USE = frozenset(
    (
        "jax",
        "jaxlib",
        "jaxtyping",
        "equinox",
        "numpy",
        "optax",
        "flax",
        "pytest",
        "conftest",
    )
)


def load_spec(path: Path, *, where: str = "") -> ModuleSpec:
    """The spec in a TOML file. Raises `ScaffoldError` with all its faults."""
    return read_spec_file(path, where or path.as_posix())


def load_specs(paths: Iterable[Path]) -> tuple[ModuleSpec, ...]:
    """The specs in several TOML files. Raises one `ScaffoldError` with the faults of all of them."""
    return read_spec_files(paths)


def plan_modules(
    specs: Sequence[ModuleSpec], layout: Layout, *, extra: Iterable[File] = (), force: bool = False
) -> Plan:
    """The plan that generates the classes of `specs`, their tests and what the tests need.

    `extra` are files to publish with them, such as a spec that the command line wrote. Nothing is written here.
    """
    specs = [_with_defaults(spec, layout) for spec in specs]
    with _placed(specs, layout):
        known = _known(specs, layout)
        faults = [fault for spec in specs for fault in _place_faults(spec, layout, known)]
        if faults:
            raise ScaffoldError.of(faults)
        files = [file for spec in specs for file in module_files(spec, layout, known)]
    names = dict.fromkeys(name for spec in specs for name in _law_files(spec))
    laws = [File(layout.laws_file.with_name(name), law_suite(name)) for name in names]
    edits = [_registration(spec, layout) for spec in specs] if layout.init_file is not None else []
    return make_plan(layout.root, [*tidy(_unique(files)), *laws, *extra, *edits], force=force)


def _placed(specs: Iterable[ModuleSpec], layout: Layout) -> AbstractContextManager[None]:
    """Faults of these specs get their line, where they are files."""
    tried = {spec.where: (Path(spec.where), layout.root / spec.where) for spec in specs}
    files = {where: next((path for path in paths if path.is_file()), None) for where, paths in tried.items()}
    return located({where: path for where, path in files.items() if path is not None})


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


def _registration(spec: ModuleSpec, layout: Layout) -> Edit:
    from scaffold.registration import register  # here, because only a package needs it

    init_file = layout.init_file
    assert init_file is not None

    def add_import(source: bytes) -> bytes:
        return register(
            source, stem(spec.name), [spec.name], package=layout.package, where=init_file.as_posix()
        )

    return Edit(init_file, add_import)


def _known(specs: Sequence[ModuleSpec], layout: Layout) -> dict[str, ModuleSpec]:
    """The specs of this run, and those on disk of the classes that they hold."""
    known = {spec.name: spec for spec in specs}
    wanted = [name for spec in specs for name in _generated_classes(spec)]
    while wanted:
        name = wanted.pop()
        path = layout.root / layout.spec_file(stem(name))
        if name not in known and path.is_file():
            known[name] = load_spec(path, where=layout.spec_file(stem(name)).as_posix())
            wanted += _generated_classes(known[name])
    circles = list(circle_faults(known))
    if circles:
        raise ScaffoldError.of(circles)
    return known


def _has_spec(layout: Layout, name: str) -> bool:
    return (layout.root / layout.spec_file(stem(name))).is_file()


def _generated_classes(spec: ModuleSpec) -> tuple[str, ...]:
    return tuple(one.name for one in spec.classes if one.module is None)


def _is_in_use(module: str) -> bool:
    """Whether the generated code or its tests may import a module of this name."""
    is_suite = module.endswith("_laws") and (Path(__file__).parent / f"{module}.py").is_file()
    return is_suite or module in sys.stdlib_module_names or module in _MODULES_IN_USE


def _place_faults(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> Iterable[Fault]:
    """What is wrong with the spec in this project."""
    name = stem(spec.name)
    if layout.package is None and _is_in_use(name):
        what = f"`{name}.py` would hide the module `{name}` from every import"
        yield Fault(f"{spec.where}: name", what, "choose another name, or generate into a package")
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
            yield Fault(f"{spec.where}: fields", f"there is no class `{other}`", fix, tuple(sorted(known)))


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


def plan_new(raw: Mapping[str, Any], layout: Layout, *, force: bool = False) -> Plan:
    """The plan for a spec that the command line gave: the class, its tests, and the spec as a file."""
    with by_argument():
        return _plan_new(raw, layout, force=force)


def _plan_new(raw: Mapping[str, Any], layout: Layout, *, force: bool) -> Plan:
    spec = read_spec(raw, COMMAND_LINE, is_class=lambda name: _has_spec(layout, name))
    spec_file = layout.spec_file(stem(spec.name))
    schema_file = layout.specs / SCHEMA_NAME
    extra = (
        File(spec_file, write_toml(raw, f"./{SCHEMA_NAME}")),
        File(schema_file, schema_text(), keep=True),
    )
    return plan_modules([spec], layout, extra=extra, force=force)


def schema_text() -> str:
    """The JSON Schema of specs as a file."""
    return json.dumps(json_schema(), indent=2) + "\n"


def shown_files(target: str, layout: Layout) -> tuple[File, ...]:
    """The module and the test that a spec file, or the spec of the class `target`, gives."""
    path = Path(target) if target.endswith(".toml") else layout.root / layout.spec_file(stem(target))
    spec = load_spec(
        path, where=target if target.endswith(".toml") else layout.spec_file(stem(target)).as_posix()
    )
    spec = _with_defaults(spec, layout)
    with _placed([spec], layout):
        files = tidy(module_files(spec, layout, _known([spec], layout)))
    return tuple(file for file in files if not file.keep)
