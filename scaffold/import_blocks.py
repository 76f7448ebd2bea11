"""Import blocks of a module and of its tests, read off their code."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from scaffold.emit.helpers import HELPERS, helper_imports
from scaffold.import_lines import import_lines, imported, sorted_lines
from scaffold.in_project.layout import Layout
from scaffold.kind import Context, kind_of
from scaffold.source.expressions import free_names
from scaffold.spec.grammar.types import ClassType
from scaffold.spec.helpers import helper_names
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import GENERIC, TEST_IMPORTS, stem
from scaffold.spec.rules.known_names import OF_TESTS
from scaffold.spec.rules.pieces import pieces_of_tests


class Code(Struct, frozen=True):
    """A module and its tests without imports, and the contexts of its templates."""

    module: str
    tests: str
    contexts: Sequence[Context]


def import_blocks(
    specs: Sequence[ModuleSpec], layout: Layout, known: Mapping[str, ModuleSpec], code: Code
) -> Context:
    """Return the import blocks for the module of these classes and for its tests."""
    lines: dict[str, str] = {}
    for spec in specs:
        lines |= {
            **kind_of(spec.kind).imports,
            **({"Generic": GENERIC} if spec.generic else {}),
            **_of_author(spec, layout),
            **{class_type.name: _class_import(class_type, layout, known) for class_type in spec.classes},
        }
    lines |= helper_imports(layout)
    of_tests = {**lines, **TEST_IMPORTS}
    for spec, context in zip(specs, code.contexts, strict=True):
        of_tests |= _of_tests(
            spec, context, layout, {**known, **{class_spec.name: class_spec for class_spec in specs}}
        )
    first_party = _first_party(specs, layout, known, (*lines.values(), *of_tests.values()))
    first = sorted({line for spec in specs for line in spec.imports if line.startswith("from __future__ ")})
    block = import_lines(code.module, lines, first_party)
    kept = [*_kept(specs, layout, code.module)]
    block = sorted_lines({*filter(None, block), *kept}, first_party) if kept else block
    return {
        "imports": [*first, *([""] if first else []), *block],
        "test_imports": import_lines(code.tests, of_tests, first_party),
    }


def _kept(specs: Iterable[ModuleSpec], layout: Layout, code: str) -> Iterator[str]:
    """Yield star imports, and imports that a class emitted word for word reads, in quoted annotations too."""
    carried = [
        line
        for spec in specs
        for line in spec.imports
        if kind_of(spec.kind).is_carried or line.endswith(" import *")
    ]
    words = set(re.findall(r"(?<![\w.])\w+", code)) if carried else set[str]()  # and no attributes
    for line in (statement for statement in carried if not statement.startswith("from __future__ ")):
        if words & {*imported(line)} or "*" in imported(line):
            yield _absolute(line, layout)


def _of_tests(
    spec: ModuleSpec, context: Context, layout: Layout, known: Mapping[str, ModuleSpec]
) -> dict[str, str]:
    """Map names to the imports that tests need, from the module and from classes that the example builds."""
    own_line = f"from {layout.module(spec.stem)} import "
    classes = (spec.name, *context["test_classes"])
    names = (*context.get("defines", ()), *helper_names(spec), *(spec.unit.bound if spec.unit else ()))
    if not OF_TESTS.isdisjoint(names):  # a function `sample` of the module is none that draws the examples
        names = [name for name in names if name not in OF_TESTS - _read_by_tests(spec)]
    return {
        **{name: _class_import(ClassType(name), layout, known) for name in classes},
        **{name: own_line + name for name in names},
    }


def _read_by_tests(spec: ModuleSpec) -> set[str]:
    """Return the names that the author's expressions for the tests read."""
    texts = ((piece.text, piece.expression) for piece in pieces_of_tests(spec))
    return {name for text, expression in texts for name in free_names(text, expression=expression)}


def _of_author(spec: ModuleSpec, layout: Layout) -> dict[str, str]:
    """Map each name to the author's imports that bind it, since `import a.b` and `import a.c` bind `a`."""
    imports: dict[str, str] = {}
    for line in spec.imports:
        for name in imported(line):
            imports[name] = "\n".join(filter(None, (imports.get(name), _absolute(line, layout))))
    return imports


def _absolute(line: str, layout: Layout) -> str:
    """Make a relative import absolute, as seen from the package of the class."""
    [statement] = ast.parse(line).body
    if not isinstance(statement, ast.ImportFrom) or not statement.level:
        return line
    above = (layout.package or "").split(".")
    above = above[: len(above) - statement.level + 1]
    module = ".".join(filter(None, (*above, statement.module)))
    return ast.unparse(ast.ImportFrom(module, statement.names, 0) if module else ast.Import(statement.names))


def _class_import(kind: ClassType, layout: Layout, known: Mapping[str, ModuleSpec]) -> str:
    module_stem = known[kind.name].stem if kind.name in known else stem(kind.name)
    return f"from {kind.module or layout.module(module_stem)} import {kind.name}"


def _first_party(
    specs: Sequence[ModuleSpec], layout: Layout, known: Mapping[str, ModuleSpec], lines: Iterable[str]
) -> tuple[str, ...]:
    """Return the top-level modules of the project among the imports: generated modules and modules on
    disk."""
    class_names = {
        class_type.name for spec in specs for class_type in spec.classes if class_type.module is None
    } - known.keys()
    generated = (
        {specs[0].stem, *(spec.stem for spec in known.values()), *map(stem, class_names), *HELPERS}
        if layout.package is None
        else set[str]()
    )
    roots = {line.split()[1].split(".")[0] for line in lines}
    lying = roots & layout.importable
    return tuple(sorted({(layout.package or "").split(".")[0], *generated, *lying} - {""}))
