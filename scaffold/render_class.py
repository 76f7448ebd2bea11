"""Files of a module, rendered by templates from the emitted classes. Imports are read off the result."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from scaffold.emit.as_spelled import documented
from scaffold.emit.generics import generic_context, readable_context
from scaffold.emit.helpers import helper_faults, helpers_of
from scaffold.emit.members.members import with_comments
from scaffold.emit.merged import emitted_names_faults, merged_code, suite_names_faults
from scaffold.errors import ScaffoldError
from scaffold.files.fileset import File
from scaffold.import_blocks import Code, import_blocks
from scaffold.in_project.layout import Layout
from scaffold.kind import AS_WRITTEN, USUAL_SUITE, Context, kind_of
from scaffold.rendering.own_templates import own_template
from scaffold.rendering.render import render, render_class, render_named
from scaffold.source.text import docstring, listed
from scaffold.spec.model import ModuleSpec
from scaffold.suite.suites import emitted_suite

CONFTEST = "conftest.py.jinja"
_MARK = "# imports"
"""Placeholder for the imports of a class while it is rendered to learn them."""
Rendered = tuple[PurePosixPath, str]


class _Draft(Struct, frozen=True):
    """A class and its suite, rendered without imports, and the contexts behind them."""

    spec: ModuleSpec
    context: Context
    """Context without imports."""
    readable: Context
    """Context in the syntax of any Python, with marks in place of imports."""
    module: tuple[Rendered, ...]
    suite: tuple[Rendered, ...]

    @property
    def code(self) -> str:
        """Text of the class."""
        return self._named(self.module, f"{self.spec.stem}.py")

    @property
    def tests(self) -> str:
        """Text of its suite."""
        return self._named(self.suite, f"test_{self.spec.stem}.py")

    def _named(self, files: Iterable[Rendered], name: str) -> str:
        return next((text for path, text in files if path.name == name), "")


def module_files(
    classes: ModuleSpec | Sequence[ModuleSpec], layout: Layout, known: Mapping[str, ModuleSpec]
) -> tuple[File, ...]:
    """Render the files of a module and all its classes."""
    specs = (classes,) if isinstance(classes, ModuleSpec) else classes
    drafts = [_drafted(spec, layout, known) for spec in specs]
    blocks = _blocks(drafts, layout, known)
    context = {**drafts[0].context, **blocks}
    helpers = helpers_of(context, layout)
    faults = list(helper_faults(specs[0], helpers, layout))
    if faults:
        raise ScaffoldError.of(faults)
    rendered = [*(_several(drafts, blocks, layout) if len(specs) > 1 else _alone(drafts[0], context, layout))]
    rendered += [file for name in helpers for file in render(name.replace("_", "-"), context)]
    # These modules are the user's own, as conftest.py is: written once.
    kept = {"conftest.py", *(f"{name}.py" for name in helpers)}
    return tuple(File(path, text, keep=path.name in kept) for path, text in rendered)


def _alone(draft: _Draft, context: Context, layout: Layout) -> Iterator[Rendered]:
    """Render a class that is a module by itself, and its tests."""
    spec = draft.spec
    folder = own_template(spec, layout)
    if folder is None and not context["type_parameters"]:
        yield from _with_imports(draft.module, context["imports"])
    else:
        yield from render(_template_of(spec), context, folder)
    yield from _with_imports(draft.suite, context["test_imports"])
    if draft.suite and kind_of(spec.kind).suite_template != USUAL_SUITE:
        yield from render_named(USUAL_SUITE, CONFTEST, context)


def _with_imports(files: Iterable[Rendered], lines: Sequence[str]) -> Iterator[Rendered]:
    """Replace the mark in each file by the import block."""
    block = "\n".join(lines)
    return ((path, text.replace(_MARK, block, 1)) for path, text in files)


def _several(drafts: Sequence[_Draft], blocks: Context, layout: Layout) -> Iterator[Rendered]:
    """Render classes that share a module, their tests, and further files of the project's own templates."""
    specs = [draft.spec for draft in drafts]
    tested = [draft for draft in drafts if draft.suite]
    file = specs[0].unit
    unit = {
        **drafts[0].context,
        **blocks,
        **(_source_doc(specs[0], file.doc, file.comment) if file is not None else {}),
        "parts": merged_code(specs, [draft.code for draft in drafts]),
        "test_doc": docstring(f"Tests of {listed(f'`{draft.spec.name}`' for draft in tested)}.", ""),
        "suites": [draft.tests for draft in tested],
    }
    of_tests = f"test_{specs[0].stem}.py"
    yield from (file for file in render("unit", unit) if tested or file[0].name != of_tests)
    if tested:
        yield from render_named(USUAL_SUITE, CONFTEST, unit)
    for draft in drafts:
        if (folder := own_template(draft.spec, layout)) is not None:
            files = render(draft.spec.kind, {**draft.context, **_marks(draft.spec)}, folder)
            yield from (file for file in files if file[0] != layout.source_file(draft.spec.stem))


def module_context(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> Context:
    """Return the complete context of a module with a single class."""
    return module_contexts((spec,), layout, known)[0]


def module_contexts(
    specs: Sequence[ModuleSpec], layout: Layout, known: Mapping[str, ModuleSpec]
) -> list[Context]:
    """Return the context of each class of a module, with the imports of the whole module."""
    drafts = [_drafted(spec, layout, known) for spec in specs]
    blocks = _blocks(drafts, layout, known)
    return [{**draft.context, **blocks} for draft in drafts]


def _blocks(drafts: Sequence[_Draft], layout: Layout, known: Mapping[str, ModuleSpec]) -> Context:
    """Return the import blocks of a module and of its tests.

    Raises `ScaffoldError` where names of its classes collide.
    """
    specs = [draft.spec for draft in drafts]
    module = "\n".join(merged_code(specs, [draft.code for draft in drafts]))
    tests = "\n".join(draft.tests for draft in drafts)
    unit = specs[0].unit
    faults = [*suite_names_faults(unit, tests)] if unit is not None else []
    built = [spec for spec in specs if not spec.source]
    if built and (unit is not None or any(spec.helpers or spec.below for spec in built)):
        faults += emitted_names_faults(specs, module)
    if faults:
        raise ScaffoldError.of(faults)
    return import_blocks(specs, layout, known, Code(module, tests, [draft.readable for draft in drafts]))


def _drafted(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> _Draft:
    """Render a class and its suite before their imports are known."""
    context = _emitted(spec, layout, known)
    readable = {**readable_context(spec, context), **_marks(spec)}
    folder = own_template(spec, layout)
    if folder is None:
        module = tuple(render(_template_of(spec), readable))
    else:
        module = ((layout.source_file(spec.stem), render_class(spec.kind, readable, folder)),)
    suite = tuple(render(kind_of(spec.kind).suite_template, readable)) if context["is_tested"] else ()
    return _Draft(spec, context, readable, module, suite)


def _template_of(spec: ModuleSpec) -> str:
    """Return the folder of templates for a class: `as-written`, or the folder of its kind."""
    return AS_WRITTEN if spec.source else spec.kind


def _marks(spec: ModuleSpec) -> Context:
    """Return the placeholders for imports, which are empty where the class shares its module."""
    if spec.unit is not None:
        return {"imports": [], "test_imports": [], "has_source_doc": False, "module_doc": ""}
    return {"imports": [_MARK], "test_imports": [_MARK]}


def _emitted(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> Context:
    """Return the context of a class and its suite, without imports."""
    emitted = {
        **with_comments(spec, _as_written(spec) if spec.source else kind_of(spec.kind).context(spec)),
        **emitted_suite(spec, known),
        **_places(spec, layout),
        **_source_doc(spec, spec.module_doc, spec.module_comment),
    }
    emitted |= generic_context(spec, layout, str(emitted.get("bases", "")))
    keywords = (f"**{source}" if name == "**" else f"{name}={source}" for name, source in spec.keywords)
    return {**emitted, "bases": ", ".join([str(emitted.get("bases", "")), *keywords])}


def _as_written(spec: ModuleSpec) -> Context:
    return {"name": spec.name, "source": spec.source, "fields": [], "properties": []}


def _source_doc(spec: ModuleSpec, doc: str, comment: str) -> Context:
    """Return the comment at the top of the file and the module's docstring."""
    text = "\n\n".join(filter(None, (comment, documented(spec, ("module_doc",), doc, ""))))
    return {"has_source_doc": bool(text), "source_doc": text}


def _places(spec: ModuleSpec, layout: Layout) -> Context:
    """Return the paths of the files and the platforms of the tests. The spec overrides the project."""
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
    """Return the conftest for a folder of tests that has none."""
    context = {"tests_folder": layout.tests.as_posix(), "import_root": import_root(layout)}
    [(path, text)] = render_named(USUAL_SUITE, CONFTEST, context)
    return File(path, text, keep=True)


def import_root(layout: Layout) -> str:
    """Return source for the folder to put on the path, relative to the conftest of the tests."""
    up = f"Path(__file__).parents[{len(layout.tests.parts)}]"
    return up if layout.import_root == PurePosixPath(".") else f'{up} / "{layout.import_root}"'
