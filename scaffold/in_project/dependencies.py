"""What generated code needs to be imported, and whether the project declares it.

Read off the imports of the files that are to be written; nothing is installed here but by `uv add`, when asked to.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from scaffold.files.fileset import File
from scaffold.files.places import read_regular
from scaffold.in_project.import_graph import ImportGraph
from scaffold.in_project.law_files import WHEEL
from scaffold.in_project.layout import Layout
from scaffold.in_project.packages import table
from scaffold.in_project.requirements import distribution, of_groups, of_package, texts
from scaffold.law_wheel import PACKAGE, law_wheel

BRINGS = {
    "jax": ("jax", "jaxlib", "numpy", "scipy"),
    "equinox": ("equinox", "jax", "jaxtyping", "numpy"),
    "optax": ("optax", "jax", "numpy"),
    "flax": ("flax", "jax", "optax", "numpy"),
    "diffrax": ("diffrax", "equinox", "jax", "jaxtyping", "numpy", "lineax", "optimistix"),
    "optimistix": ("optimistix", "equinox", "jax", "jaxtyping", "numpy", "lineax"),
    "lineax": ("lineax", "equinox", "jax", "jaxtyping", "numpy"),
    "chex": ("chex", "jax", "numpy"),
    "pytree-laws": ("pytree_laws", "jax", "numpy", "pytest"),
}
"""Modules that are there where a distribution is declared."""
FLOORS = {"jax": "0.6.0", "equinox": "0.13.3", "flax": "0.12.4"}
"""The oldest versions that the generated code is tried with; docs/conditions.md."""
_PRESUMED = ("equinox",)
"""What is needed where the project does not say: what most classes cannot do without, and it is there, or nothing works."""
_ELSEWHERE = (
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "noxfile.py",
    "environment.yml",
    "environment.yaml",
    "requirements*.txt",
    "requirements/*.txt",
    "requirements*.in",
)
"""Where else projects say what they need."""


class Dependencies(Struct, frozen=True):
    """What the project does not declare: what each file of the package needs, and what its tests need."""

    by_module: tuple[tuple[str, tuple[str, ...]], ...] = ()
    tests: tuple[str, ...] = ()

    @property
    def package(self) -> tuple[str, ...]:
        """What the package needs, sorted."""
        return tuple(sorted({name for _, names in self.by_module for name in names}))

    def of(self, module: str) -> tuple[str, ...]:
        """What one file of the package needs."""
        return dict(self.by_module).get(module, ())

    def requirements(self) -> tuple[str, ...]:
        """What the package needs, with the oldest version that will do."""
        return tuple(map(requirement, self.package))

    def to_json(self) -> dict[str, object]:
        """As plain JSON: what is undeclared, for the package and for its tests."""
        return {"package": list(self.package), "tests": list(self.tests)}


def requirement(name: str) -> str:
    """A distribution, and the oldest version of it that will do."""
    distributed = name.replace("_", "-")
    return f"{distributed}>={FLOORS[name]}" if name in FLOORS else distributed


def undeclared(layout: Layout, files: Iterable[File]) -> Dependencies:
    """What the files import and the project does not declare; nothing where no project says what it needs."""
    if layout.package is None and "project" not in layout.document:
        return Dependencies()
    files = [file for file in files if file.path.suffix == ".py"]
    module_texts = {
        layout.module(file.path.stem): file.text for file in files if file.path.parent == layout.source
    }
    graph = ImportGraph(layout.root / layout.import_root, module_texts)
    declared = frozenset(_declared(layout)) | sys.stdlib_module_names
    foreign = {name: graph.foreign(name) - declared for name in module_texts}
    if any(foreign.values()) and layout.package is not None:
        # What the package cannot be imported without is needed already, whatever we add.
        already = ImportGraph(graph.folder).foreign(layout.package)
        foreign = {name: needed - already for name, needed in foreign.items()}
    by_module = {name.rpartition(".")[2]: _heads(needed) for name, needed in sorted(foreign.items())}
    known = declared.union(*foreign.values(), {name.partition(".")[0] for name in module_texts})
    return Dependencies(tuple(by_module.items()), _of_tests(layout, files, known))


def _of_tests(layout: Layout, files: Iterable[File], known: frozenset[str]) -> tuple[str, ...]:
    """What the tests need besides."""
    sources = [file.text for file in files if file.path.parent == layout.tests]
    needed = {name for text in sources for name in _outermost_imports(text)}
    if PACKAGE in needed and layout.laws == WHEEL:  # no index gives it, and nothing installs what it needs
        needed |= {*law_wheel().requires}
    needed -= known | {(layout.package or "").partition(".")[0], "conftest"}
    needed -= {module for name in known for module in _brought_by(name)}
    missing = {name for name in needed if not _lies_there(layout, name)}
    return _heads(missing - _tested(layout)) if missing else ()


def _heads(modules: Iterable[str]) -> tuple[str, ...]:
    """The modules, sorted, without what one of the others brings."""
    names = set(modules)
    brought = {module for name in names for module in _brought_by(name) if module != name}
    return tuple(sorted(names - brought))


def _brought_by(module: str) -> tuple[str, ...]:
    """The modules that come with the distribution of a module."""
    return BRINGS.get(module.replace("_", "-"), ())


def _outermost_imports(text: str) -> frozenset[str]:
    """The outermost names of the modules that a file imports, by its lines."""
    return frozenset(re.findall(r"^(?:import|from) (\w+)[\w.]*(?: import| as|$)", text, re.MULTILINE))


def _lies_there(layout: Layout, name: str) -> bool:
    folders = (layout.root / layout.import_root, layout.root / layout.tests)
    return (name == PACKAGE and layout.laws == WHEEL) or any(
        (at / f"{name}.py").is_file() or (at / name).is_dir() for at in folders
    )


# -- what is declared --------------------------------------------------------------------------------------------------


def _declared(layout: Layout) -> Iterator[str]:
    """The modules of what the project needs when it is installed, and of what that brings."""
    stated = _requirements(layout)
    for text in _PRESUMED if stated is None else stated:
        name = distribution(text)
        yield name.replace("-", "_")
        yield from _brought_by(name)


def _requirements(layout: Layout) -> list[str] | None:
    """What the project says it needs; None where it says nothing of it at all."""
    project = table(layout.document, "project")
    is_elsewhere = "dependencies" in texts(project.get("dynamic")) or not project
    elsewhere = _written_elsewhere(layout.root) if is_elsewhere else frozenset[str]()
    stated = list(of_package(layout.document))
    if "dependencies" not in project and not stated and not elsewhere:
        return None
    return [*stated, *sorted(elsewhere)]


def _tested(layout: Layout) -> frozenset[str]:
    """The modules of what is declared in any group, extra or file, since tests are run with them."""
    stated = (*of_groups(layout.document), *_written_elsewhere(layout.root))
    names = {distribution(text) for text in stated}
    return frozenset({name.replace("-", "_") for name in names}).union(*map(_brought_by, names))


def _written_elsewhere(root: Path) -> frozenset[str]:
    """Every word in the other files that say what a project needs: which of them are names cannot be told."""
    places = (place for pattern in _ELSEWHERE for place in root.glob(pattern) if place.is_file())
    read = (read_regular(place).decode("utf-8", "replace") for place in places)
    return frozenset(word for text in read for word in re.findall(r"[A-Za-z][\w.-]*", text))
