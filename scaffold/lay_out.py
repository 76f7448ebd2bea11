"""One class, from what is emitted of it to its files: places and imports are added, and the templates lay it all out."""

import ast
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from scaffold.emit.generics import generic_context, readable_context
from scaffold.emit.helpers import HELPERS, helper_faults, helper_imports, helpers_of
from scaffold.emit.imports import import_lines, imported, sorted_lines
from scaffold.emit.members import with_comments
from scaffold.errors import ScaffoldError
from scaffold.files.fileset import File
from scaffold.in_project.layout import Layout
from scaffold.kinds import USUAL_SUITE, Context, kind_of
from scaffold.own_templates import own_template
from scaffold.render import render, render_class, render_named
from scaffold.spec.generics import GENERIC
from scaffold.spec.helpers import emitted_names_faults, helper_names
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import TEST_IMPORTS, stem
from scaffold.spec.types import ClassType
from scaffold.suite.suites import emitted_suite

CONFTEST = "conftest.py.jinja"


def module_files(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> tuple[File, ...]:
    """The files of one class, as the templates lay them out."""
    context = module_context(spec, layout, known)
    helpers = helpers_of(context, layout)
    faults = list(helper_faults(spec, helpers, layout))
    if faults:
        raise ScaffoldError.of(faults)
    own = own_template(spec, layout)
    rendered = [*render(spec.kind, context, own)]
    if context["is_tested"]:
        suite = kind_of(spec.kind).suite_template
        conftest = render_named(USUAL_SUITE, CONFTEST, context) if suite != USUAL_SUITE else ()
        rendered += [*render(suite, context), *conftest]
    rendered += [file for name in helpers for file in render(name.replace("_", "-"), context)]
    # These modules are the user's own, as conftest.py is: written once.
    kept = {"conftest.py", *(f"{name}.py" for name in helpers)}
    return tuple(File(path, text, keep=path.name in kept) for path, text in rendered)


def module_context(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> Context:
    """Everything that the templates of one class lay out: plain JSON."""
    emitted = {
        **with_comments(spec, kind_of(spec.kind).context(spec)),
        **emitted_suite(spec, known),
        **_places(spec, layout),
    }
    emitted |= generic_context(spec, layout, str(emitted.get("bases", "")))
    readable: Context = {**readable_context(spec, emitted), "imports": [], "test_imports": []}
    return {**emitted, **_imports(spec, layout, known, readable)}


def _places(spec: ModuleSpec, layout: Layout) -> Context:
    """Where the files lie and the tests run; of platforms, the spec's word comes before the project's."""
    lower_for = spec.test.lower_for if spec.test.lower_for is not None else layout.settings.lower_for
    return {
        "backend": spec.test.backend or layout.settings.backend or "",
        "lower_for": repr(lower_for) if lower_for else "",
        "stem": spec.stem,
        "source_folder": layout.source.as_posix(),
        "tests_folder": layout.tests.as_posix(),
        "import_root": import_root(layout),
        "serialisation_module": layout.module("serialisation"),
    }


def conftest_file(layout: Layout) -> File:
    """The conftest for tests in a folder that has none."""
    context = {"tests_folder": layout.tests.as_posix(), "import_root": import_root(layout)}
    [(path, text)] = render_named(USUAL_SUITE, CONFTEST, context)
    return File(path, text, keep=True)


def import_root(layout: Layout) -> str:
    """Source of the folder that must be importable, as seen from the conftest in the folder of the tests."""
    up = f"Path(__file__).parents[{len(layout.tests.parts)}]"
    return up if layout.import_root == PurePosixPath(".") else f'{up} / "{layout.import_root}"'


def _imports(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec], context: Context) -> Context:
    """The import blocks, read off the code, which is laid out once without them."""
    code = render_class(spec.kind, context, own_template(spec, layout))
    is_carried = kind_of(spec.kind).is_carried
    test = render_class(kind_of(spec.kind).suite_template, context) if context["is_tested"] else ""
    is_beside = not is_carried and bool(spec.helpers or spec.below)
    faults = list(emitted_names_faults(spec, code)) if is_beside else []
    if faults:
        raise ScaffoldError.of(faults)
    lines = {
        **kind_of(spec.kind).imports,
        **({"Generic": GENERIC} if spec.generic else {}),
        **_of_author(spec, layout),
        **{one.name: _class_import(one, layout, known) for one in spec.classes},
        **helper_imports(layout),
    }
    own_line = f"from {layout.module(spec.stem)} import "
    of_tests = {
        **lines,
        **TEST_IMPORTS,
        **{
            name: _class_import(ClassType(name), layout, {**known, spec.name: spec})
            for name in (spec.name, *context["test_classes"])
        },
        **{name: own_line + name for name in (*context.get("defines", ()), *helper_names(spec))},
    }
    own = _first_party(spec, layout, known, (*lines.values(), *of_tests.values()))
    first = [line for line in spec.imports if line.startswith("from __future__ ")]
    return {
        "imports": [*first, *([""] if first else []), *_block(spec, layout, code, lines, own)],
        "test_imports": import_lines(test, of_tests, own),
    }


def _block(
    spec: ModuleSpec, layout: Layout, code: str, lines: Mapping[str, str], own: tuple[str, ...]
) -> list[str]:
    """The imports of the module; a class that is emitted word for word keeps all that its author imports."""
    if not kind_of(spec.kind).is_carried:
        return import_lines(code, lines, own)
    words = set(re.findall(r"\w+", code))  # in annotations that are texts too
    named = (line for line in spec.imports if words & {*imported(line)} or "*" in imported(line))
    kept = (_absolute(line, layout) for line in named if not line.startswith("from __future__ "))
    return sorted_lines({*filter(None, import_lines(code, lines, own)), *kept}, own)


def _of_author(spec: ModuleSpec, layout: Layout) -> dict[str, str]:
    """The author's imports by the name that each binds; `import a.b` and `import a.c` bind one name."""
    found: dict[str, str] = {}
    for line in spec.imports:
        for name in imported(line):
            found[name] = "\n".join(filter(None, (found.get(name), _absolute(line, layout))))
    return found


def _absolute(line: str, layout: Layout) -> str:
    """A relative import with the whole name of its module, which is seen from that of the class."""
    [statement] = ast.parse(line).body
    if not isinstance(statement, ast.ImportFrom) or not statement.level:
        return line
    above = (layout.package or "").split(".")
    above = above[: len(above) - statement.level + 1]
    module = ".".join(filter(None, (*above, statement.module)))
    return ast.unparse(ast.ImportFrom(module, statement.names, 0) if module else ast.Import(statement.names))


def _class_import(kind: ClassType, layout: Layout, known: Mapping[str, ModuleSpec]) -> str:
    own = known[kind.name].stem if kind.name in known else stem(kind.name)
    return f"from {kind.module or layout.module(own)} import {kind.name}"


def _first_party(
    spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec], lines: Iterable[str]
) -> tuple[str, ...]:
    """The modules of the project among those that the lines import: generated, or lying where imports begin."""
    held = (one.name for one in spec.classes if one.module is None)
    generated = (
        {spec.stem, *(one.stem for one in known.values()), *map(stem, held), *HELPERS}
        if layout.package is None
        else set[str]()
    )
    above = layout.root / layout.import_root
    roots = {line.split()[1].split(".")[0] for line in lines}
    lying = {root for root in roots if (above / f"{root}.py").is_file() or (above / root).is_dir()}
    return tuple(sorted({(layout.package or "").split(".")[0], *generated, *lying} - {""}))
