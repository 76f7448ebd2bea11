"""One module, from what is emitted of its classes to its files: the templates lay each class out, and imports are read off that."""

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
"""Stands where the imports of a class go, while it is laid out to find out which they are."""
Rendered = tuple[PurePosixPath, str]


class _Draft(Struct, frozen=True):
    """A class and its suite, laid out without imports, and what the templates were given."""

    spec: ModuleSpec
    context: Context
    """What is emitted, without imports."""
    readable: Context
    """The same as any Python can read it, with marks in the place of imports."""
    module: tuple[Rendered, ...]
    suite: tuple[Rendered, ...]

    @property
    def code(self) -> str:
        """The text of the class."""
        return self._named(self.module, f"{self.spec.stem}.py")

    @property
    def tests(self) -> str:
        """The text of its suite."""
        return self._named(self.suite, f"test_{self.spec.stem}.py")

    def _named(self, files: Iterable[Rendered], name: str) -> str:
        return next((text for path, text in files if path.name == name), "")


def module_files(
    classes: ModuleSpec | Sequence[ModuleSpec], layout: Layout, known: Mapping[str, ModuleSpec]
) -> tuple[File, ...]:
    """The files of one module, with one class or with several, as the templates lay them out."""
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
    """A class that is a module of its own, and its tests."""
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
    """The files with an import block in the place of each mark."""
    block = "\n".join(lines)
    return ((path, text.replace(_MARK, block, 1)) for path, text in files)


def _several(drafts: Sequence[_Draft], blocks: Context, layout: Layout) -> Iterator[Rendered]:
    """Classes that are one module, their tests, and what else own templates lay out."""
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
    """Everything that the templates of a class alone lay out: plain JSON."""
    return module_contexts((spec,), layout, known)[0]


def module_contexts(
    specs: Sequence[ModuleSpec], layout: Layout, known: Mapping[str, ModuleSpec]
) -> list[Context]:
    """The same of each class of a module, with the imports of the whole."""
    drafts = [_drafted(spec, layout, known) for spec in specs]
    blocks = _blocks(drafts, layout, known)
    return [{**draft.context, **blocks} for draft in drafts]


def _blocks(drafts: Sequence[_Draft], layout: Layout, known: Mapping[str, ModuleSpec]) -> Context:
    """The import blocks of a module and of its tests. Raises `ScaffoldError` where names of its parts collide."""
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
    """What the templates make of a class whose imports are not known yet."""
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
    """The folder of templates that lays out a class, as it is written or as its kind is."""
    return AS_WRITTEN if spec.source else spec.kind


def _marks(spec: ModuleSpec) -> Context:
    """What a draft has in the place of imports; nothing where the class is laid out beside others."""
    if spec.unit is not None:
        return {"imports": [], "test_imports": [], "has_source_doc": False, "module_doc": ""}
    return {"imports": [_MARK], "test_imports": [_MARK]}


def _emitted(spec: ModuleSpec, layout: Layout, known: Mapping[str, ModuleSpec]) -> Context:
    """What a class and its suite have, without imports."""
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
    """The values that `templates/as-written` lays out."""
    return {"name": spec.name, "source": spec.source, "fields": [], "properties": []}


def _source_doc(spec: ModuleSpec, doc: str, comment: str) -> Context:
    """The comment above all of the file and its docstring, where it has them."""
    text = "\n\n".join(filter(None, (comment, documented(spec, ("module_doc",), doc, ""))))
    return {"has_source_doc": bool(text), "source_doc": text}


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
