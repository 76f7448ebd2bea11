"""Distributions that generated code needs and the project does not declare, read off its imports."""

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
"""Modules that are available once a distribution is declared."""
FLOORS = {"jax": "0.6.0", "equinox": "0.13.3", "flax": "0.12.4"}
"""Oldest versions with which the generated code is tested, as `docs/conditions.md` lists them."""
_PRESUMED = ("equinox",)
"""Distributions presumed to be there if the project declares nothing, since most classes need them."""
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
"""Further files in which projects declare dependencies."""


class Dependencies(Struct, frozen=True):
    """Undeclared modules, for each file of the package and for its tests."""

    by_module: tuple[tuple[str, tuple[str, ...]], ...] = ()
    tests: tuple[str, ...] = ()

    @property
    def package(self) -> tuple[str, ...]:
        """Undeclared modules of the whole package, sorted."""
        return tuple(sorted({name for _, names in self.by_module for name in names}))

    def of(self, module: str) -> tuple[str, ...]:
        """Return the undeclared modules of a file of the package."""
        return dict(self.by_module).get(module, ())

    def requirements(self) -> tuple[str, ...]:
        """Return the package's requirements, with their oldest versions."""
        return tuple(map(requirement, self.package))

    def to_json(self) -> dict[str, object]:
        """Return the undeclared modules of the package and of its tests as plain JSON."""
        return {"package": list(self.package), "tests": list(self.tests)}


def requirement(name: str) -> str:
    """Return the requirement for a module's distribution, with its oldest version."""
    distributed = name.replace("_", "-")
    return f"{distributed}>={FLOORS[name]}" if name in FLOORS else distributed


def undeclared(layout: Layout, files: Iterable[File]) -> Dependencies:
    """Return the modules that the files import without a declaration.

    The result is empty for a loose folder, which declares nothing.
    """
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
    """Return the further modules that the tests import without a declaration."""
    sources = [file.text for file in files if file.path.parent == layout.tests]
    needed = {name for text in sources for name in _outermost_imports(text)}
    if PACKAGE in needed and layout.laws == WHEEL:  # no index gives it, and nothing installs what it needs
        needed |= {*law_wheel().requires}
    needed -= known | {(layout.package or "").partition(".")[0], "conftest"}
    needed -= {module for name in known for module in _brought_by(name)}
    missing = {name for name in needed if not _lies_there(layout, name)}
    return _heads(missing - _tested(layout)) if missing else ()


def _heads(modules: Iterable[str]) -> tuple[str, ...]:
    """Sort the modules, without those that the distribution of another brings."""
    names = set(modules)
    brought = {module for name in names for module in _brought_by(name) if module != name}
    return tuple(sorted(names - brought))


def _brought_by(module: str) -> tuple[str, ...]:
    """Return the modules that come with a module's distribution."""
    return BRINGS.get(module.replace("_", "-"), ())


def _outermost_imports(text: str) -> frozenset[str]:
    """Return the top-level names of the modules that a file imports, found by a regex."""
    return frozenset(re.findall(r"^(?:import|from) (\w+)[\w.]*(?: import| as|$)", text, re.MULTILINE))


def _lies_there(layout: Layout, name: str) -> bool:
    folders = (layout.root / layout.import_root, layout.root / layout.tests)
    return (name == PACKAGE and layout.laws == WHEEL) or any(
        (at / f"{name}.py").is_file() or (at / name).is_dir() for at in folders
    )


# -- what is declared --------------------------------------------------------------------------------------------------


def _declared(layout: Layout) -> Iterator[str]:
    """Yield the modules of the declared dependencies, and of what these bring."""
    stated = _requirements(layout)
    for text in _PRESUMED if stated is None else stated:
        name = distribution(text)
        yield name.replace("-", "_")
        yield from _brought_by(name)


def _requirements(layout: Layout) -> list[str] | None:
    """Return the declared requirements, or None if the project declares nothing anywhere."""
    project = table(layout.document, "project")
    is_elsewhere = "dependencies" in texts(project.get("dynamic")) or not project
    elsewhere = _written_elsewhere(layout.root) if is_elsewhere else frozenset[str]()
    stated = list(of_package(layout.document))
    if "dependencies" not in project and not stated and not elsewhere:
        return None
    return [*stated, *sorted(elsewhere)]


def _tested(layout: Layout) -> frozenset[str]:
    """Return the modules that any group, extra or other file declares, since tests run with them."""
    stated = (*of_groups(layout.document), *_written_elsewhere(layout.root))
    names = {distribution(text) for text in stated}
    return frozenset({name.replace("-", "_") for name in names}).union(*map(_brought_by, names))


def _written_elsewhere(root: Path) -> frozenset[str]:
    """Return every word of the further files, because their formats do not tell names apart."""
    places = (place for pattern in _ELSEWHERE for place in root.glob(pattern) if place.is_file())
    read = (read_regular(place).decode("utf-8", "replace") for place in places)
    return frozenset(word for text in read for word in re.findall(r"[A-Za-z][\w.-]*", text))
