"""`scaffold adopt --check`: find classes without a suite in the sources and records, without jax."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from scaffold.adopt.targets.source_classes import Definition, Modules
from scaffold.adopt.targets.targets import Target, folders_of, read_targets
from scaffold.errors import Fault, ScaffoldError
from scaffold.history.records import TEST, Record
from scaffold.in_project.layout import Layout
from scaffold.lifecycle.adopted import classes_of
from scaffold.lifecycle.check import DRIFT, Row, check
from scaffold.lifecycle.project_specs import ProjectSpecs


class Coverage(Struct, frozen=True):
    """Classes of the targets with their test files, and the state of the recorded files."""

    suites: dict[str, str]
    """Test file by `pkg.mod:Class`, empty for a class without a suite."""
    rows: tuple[Row, ...]

    @property
    def without(self) -> list[str]:
        """Classes without a suite."""
        return [name for name, path in self.suites.items() if not path]

    @property
    def is_clean(self) -> bool:
        """Whether each class has a suite, and no recorded test file has drifted."""
        return not self.without and not any(row.state in DRIFT for row in self.rows)

    def summary(self) -> str:
        """Format a line for each class without a suite and each drifted file, then the counts."""
        lines = [f"no suite     {name}" for name in self.without]
        lines += [
            f"{row.state:<11}  {row.path}{f': {row.why}' if row.why else ''}"
            for row in self.rows
            if row.state in DRIFT
        ]
        total = f"{len(self.suites)} class{'es' * (len(self.suites) != 1)}"
        return "\n".join([*lines, f"{total}: {len(self.without)} without a suite"])

    def to_json(self) -> dict[str, object]:
        """Return the classes and files as plain JSON."""
        classes = [{"class": name, "suite": path or None} for name, path in self.suites.items()]
        return {"ok": self.is_clean, "classes": classes, "files": [row.to_json() for row in self.rows]}


def check_coverage(texts: Sequence[str], layout: Layout, here: Path) -> Coverage:
    """Find the suite of each class of the targets.

    Raises `ScaffoldError` for targets that are not in the project.
    """
    targets = read_targets(texts, here)
    folders = (layout.root / layout.import_root, *map(Path, folders_of(targets)))
    modules = Modules(tuple(dict.fromkeys(folder.resolve() for folder in folders)))
    project = ProjectSpecs(layout)
    records = [*project.records.values(), *project.adopted.records]
    suites = {**dict(_written_by_hand(modules, layout)), **dict(_recorded(modules, records))}
    classes = {
        f"{definition.module}:{definition.name}": suites.get(definition, "")
        for definition in _wanted(modules, targets)
    }
    return Coverage(classes, tuple(_rows(layout, project, set(classes.values()))))


def _wanted(modules: Modules, targets: Sequence[Target]) -> list[Definition]:
    """List the named classes, and the pytree classes of each module that is named alone."""
    wanted: dict[Definition, None] = {}
    faults: list[Fault] = []
    for target in targets:
        module = modules.find(target.module)
        named = modules.resolve(target.module, target.name) if target.name else None
        if module is None or isinstance(named, str):
            problem = "is not in this project, whose source is read"
            faults.append(Fault(target.text, problem, "write a module or a class of this project"))
        elif isinstance(named, Definition):
            wanted[named] = None
        else:
            wanted.update(dict.fromkeys(filter(modules.is_pytree, modules.public(module, target.whole))))
    if faults:
        raise ScaffoldError.of(faults)
    return [*wanted]


def _recorded(modules: Modules, records: Sequence[Record]) -> Iterator[tuple[Definition, str]]:
    """Yield each generated or adopted class with its test file."""
    for record in records:
        test = record.of(TEST)
        for definition in (modules.resolve(record.module, name) for name in classes_of(record)):
            if test is not None and isinstance(definition, Definition):
                yield definition, str(test.path)


def _written_by_hand(modules: Modules, layout: Layout) -> Iterator[tuple[Definition, str]]:
    """Yield the classes that a test file imports, if the file subclasses `...Laws`."""
    folder = layout.root / layout.tests
    for path in sorted(folder.rglob("*.py")):
        if not layout.pytest.collects(path.name):
            continue
        tests = Modules((path.parent,)).find(path.stem)
        bases = (
            [base for node in tests.body if isinstance(node, ast.ClassDef) for base in node.bases]
            if tests
            else []
        )
        if tests and any(ast.unparse(base).endswith("Laws") for base in bases):
            for dotted in tests.imports.values():
                module, _, name = dotted.rpartition(".")
                definition = modules.resolve(module, name)
                if isinstance(definition, Definition):
                    yield definition, path.relative_to(layout.root).as_posix()


def _rows(layout: Layout, project: ProjectSpecs, suites: set[str]) -> Iterator[Row]:
    """Yield the check rows of these test files, and of records that cannot be read."""
    damaged = {str(path) for path, _ in project.adopted.damaged()}
    yield from (row for row in check(layout).rows if row.path in suites | damaged)
