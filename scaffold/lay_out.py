"""One module, from what is emitted of its classes to its files: places and imports are added, and the templates lay it all out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from scaffold.emit.generics import generic_context, readable_context
from scaffold.emit.helpers import helper_faults, helpers_of
from scaffold.emit.members import with_comments
from scaffold.emit.merged import merged_code
from scaffold.errors import ScaffoldError
from scaffold.files.fileset import File
from scaffold.import_blocks import Code, import_blocks
from scaffold.in_project.layout import Layout
from scaffold.kind import USUAL_SUITE, Context, kind_of
from scaffold.rendering.own_templates import own_template
from scaffold.rendering.render import render, render_class, render_named
from scaffold.spec.bodies.helpers import emitted_names_faults, suite_names_faults
from scaffold.spec.model import ModuleSpec
from scaffold.spec.source.text import docstring, listed
from scaffold.suite.suites import emitted_suite

CONFTEST = "conftest.py.jinja"
Rendered = tuple[PurePosixPath, str]
_BARE: Context = {"imports": [], "test_imports": [], "has_source_doc": False, "module_doc": ""}
"""What a class has not of its own where it is laid out beside others."""


def module_files(
    classes: ModuleSpec | Sequence[ModuleSpec], layout: Layout, known: Mapping[str, ModuleSpec]
) -> tuple[File, ...]:
    """The files of one module, with one class or with several, as the templates lay them out."""
    specs = (classes,) if isinstance(classes, ModuleSpec) else classes
    contexts = module_contexts(specs, layout, known)
    helpers = helpers_of(contexts[0], layout)
    faults = list(helper_faults(specs[0], helpers, layout))
    if faults:
        raise ScaffoldError.of(faults)
    rendered = [*(_several if len(specs) > 1 else _alone)(specs, contexts, layout)]
    rendered += [file for name in helpers for file in render(name.replace("_", "-"), contexts[0])]
    # These modules are the user's own, as conftest.py is: written once.
    kept = {"conftest.py", *(f"{name}.py" for name in helpers)}
    return tuple(File(path, text, keep=path.name in kept) for path, text in rendered)


def _alone(specs: Sequence[ModuleSpec], contexts: Sequence[Context], layout: Layout) -> Iterator[Rendered]:
    """A class that is a module of its own, and its tests."""
    yield from render(specs[0].kind, contexts[0], own_template(specs[0], layout))
    if contexts[0]["is_tested"]:
        suite = kind_of(specs[0].kind).suite_template
        yield from render(suite, contexts[0])
        yield from render_named(USUAL_SUITE, CONFTEST, contexts[0]) if suite != USUAL_SUITE else ()


def _several(specs: Sequence[ModuleSpec], contexts: Sequence[Context], layout: Layout) -> Iterator[Rendered]:
    """Classes that are one module, their tests, and what else own templates lay out."""
    bare = [{**context, **_BARE} for context in contexts]
    unit = {
        **contexts[0],
        **_source_doc(specs[0].unit.doc if specs[0].unit else ""),
        "parts": merged_code(specs, _codes(specs, bare, layout)),
        "test_doc": docstring(f"Tests of {listed(f'`{spec.name}`' for spec in specs)}.", ""),
        "suites": [*_suites(specs, bare)],
    }
    yield from render("unit", unit)
    yield from render_named(USUAL_SUITE, CONFTEST, contexts[0])
    for spec, context in zip(specs, bare, strict=True):
        if (own := own_template(spec, layout)) is not None:
            files = render(spec.kind, context, own)
            yield from (file for file in files if file[0] != layout.source_file(spec.stem))


def _suites(specs: Iterable[ModuleSpec], contexts: Iterable[Context]) -> Iterator[str]:
    """The test class of each class that has one."""
    for spec, context in zip(specs, contexts, strict=True):
        if context["is_tested"]:
            yield render_class(kind_of(spec.kind).suite_template, context)


def module_context(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> Context:
    """Everything that the templates of a class alone lay out: plain JSON."""
    return module_contexts((spec,), layout, known)[0]


def module_contexts(
    specs: Sequence[ModuleSpec], layout: Layout, known: Mapping[str, ModuleSpec]
) -> list[Context]:
    """The same of each class of a module, with the imports of the whole."""
    emitted = [_emitted(spec, layout, known) for spec in specs]
    readable = [{**readable_context(spec, one), **_BARE} for spec, one in zip(specs, emitted, strict=True)]
    module = "\n".join(merged_code(specs, _codes(specs, readable, layout)))
    tests = "\n".join(_suites(specs, readable))
    unit = specs[0].unit
    faults = [*suite_names_faults(unit, tests)] if unit is not None else []
    built = [spec for spec in specs if not kind_of(spec.kind).is_carried]
    if built and (unit is not None or any(spec.helpers or spec.below for spec in built)):
        faults += emitted_names_faults(specs, module)
    if faults:
        raise ScaffoldError.of(faults)
    blocks = import_blocks(specs, layout, known, Code(module, tests, readable))
    return [{**one, **blocks} for one in emitted]


def _codes(specs: Sequence[ModuleSpec], contexts: Iterable[Context], layout: Layout) -> list[str]:
    """The code of each class."""
    pairs = zip(specs, contexts, strict=True)
    return [render_class(spec.kind, context, own_template(spec, layout)) for spec, context in pairs]


def _emitted(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> Context:
    """What a class and its suite have, without imports."""
    emitted = {
        **with_comments(spec, kind_of(spec.kind).context(spec)),
        **emitted_suite(spec, known),
        **_places(spec, layout),
        **_source_doc(spec.module_doc),
    }
    emitted |= generic_context(spec, layout, str(emitted.get("bases", "")))
    keywords = (f"**{source}" if name == "**" else f"{name}={source}" for name, source in spec.keywords)
    return {**emitted, "bases": ", ".join([str(emitted.get("bases", "")), *keywords])}


def _source_doc(text: str) -> Context:
    """The docstring of the file, where it has one."""
    return {"has_source_doc": bool(text.strip()), "source_doc": docstring(text, "") if text.strip() else ""}


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
