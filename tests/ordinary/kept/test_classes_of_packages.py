"""Classes of the standard library and of installed packages, which no author wrote for the tool.

As they are written, they come out word for word. With `Module` as a base and a role at each field, they are read as any
skeleton. What is refused is on the list of refusals, and nothing raises.
"""

import ast
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scaffold.adopt.as_spec.examples import Examples
from scaffold.adopt.as_spec.say import skeleton_of, spec_of
from scaffold.adopt.as_spec.source import ClassSource, source_in
from scaffold.beside import check_beside
from scaffold.errors import ScaffoldError
from scaffold.import_lines import sorted_lines
from scaffold.in_project.layout import find_layout
from scaffold.render_class import module_files
from tests.skeletons.refused import REFUSALS

STANDARD = sorted(
    name
    for name in sys.stdlib_module_names
    if (found := importlib.util.find_spec(name)) is not None
    and (found.origin or "").endswith(".py")
    and name not in ("this", "antigravity", "idlelib", "turtledemo")
)
FILES = 25
"""How many files of a package are taken, one in so many."""
PACKAGES = (
    *("chex", "copier", "diffrax", "equinox", "flax", "flowjax", "hypothesis", "jax", "jaxlie", "jaxtyping"),
    *("jinja2", "lineax", "click", "optax", "optimistix", "paramax", "_pytest", "rich", "tinygp", "tomlkit"),
)


def classes_in(path: Path) -> Iterator[tuple[str, str]]:
    """The text of a file, and the name of each of its classes; nothing of a file that does not parse."""
    try:
        text = path.read_text(encoding="utf-8")
        body = ast.parse(text).body
    except (SyntaxError, UnicodeDecodeError):
        return
    classes = (one for one in body if isinstance(one, ast.ClassDef))
    yield from ((text, one.name) for one in classes if not one.name.startswith("Test"))  # pytest's own


def source_of(text: str, name: str, path: Path) -> ClassSource:
    """A class taken out of the text of its file."""
    # As long as any relative import goes up.
    module = ".".join(part for part in path.with_suffix("").parts if part.isidentifier())
    return source_in(
        text, {"file": str(path), "module": module, "name": name, "kind": "registered", "public": {}}
    )


def emitted(skeleton: str, name: str, folder: Path) -> str | list[str]:
    """The module of a skeleton, or what is refused of it and is not on the list."""
    try:
        spec, layout = spec_of(skeleton, name), find_layout(folder)
        check_beside([spec], {name: spec}, layout)
        return module_files(spec, layout, {name: spec})[0].text
    except ScaffoldError as error:
        said = (fault.what for fault in error.faults)
        return [one for one in said if not any(re.search(each.says, one) for each in REFUSALS)]


def unlisted(text: str, name: str, path: Path, folder: Path) -> list[str]:
    """What is refused of a class and is not on the list; and whether its statement comes out otherwise."""
    module = emitted(skeleton_of(source_of(text, name, path), {}, Examples({})), name, folder)
    if isinstance(module, list):
        return module
    same = statement(module, name) == statement(text, name)
    return [] if same else [f"{path}: {name} comes out otherwise"]


def as_module(text: str, *, keeps_bases: bool) -> str:
    """A class statement with `Module` among its bases, or in the place of these, and `data()` at each field without a value."""
    node = ast.parse(text).body[-1]
    assert isinstance(node, ast.ClassDef)
    if not keeps_bases:
        node.bases, node.keywords, node.decorator_list = [], [], []
    own = [one for one in node.bases if ast.unparse(one) != "object"]
    node.bases = [*own, ast.parse("skeleton.Module", mode="eval").body]
    for one in node.body:
        if (
            isinstance(one, ast.AnnAssign)
            and one.value is None
            and "ClassVar" not in ast.unparse(one.annotation)
        ):
            one.value = ast.parse("skeleton.data()", mode="eval").body
    return ast.unparse(node)


def unlisted_of_module(text: str, name: str, path: Path, folder: Path) -> list[str]:
    """What is refused of a class that is made a Module, and is not on the list."""
    source = source_of(text, name, path)
    future = [one for one in source.imports if one.startswith("from __future__ ")]
    imports = [*(one for one in source.imports if one not in future), "from scaffold import skeleton"]
    head = "\n".join([*future, *sorted_lines(imports, ())])
    found: list[str] = []
    for keeps_bases in (False, True):
        parts = (head, source.above, as_module(source.text, keeps_bases=keeps_bases), source.below)
        module = emitted("\n\n\n".join(filter(None, parts)) + "\n", name, folder)
        found += module if isinstance(module, list) else []
        assert isinstance(module, list) or ast.parse(module)
    return found


def statement(text: str, name: str) -> str:
    return ast.dump([one for one in ast.parse(text).body if getattr(one, "name", "") == name][-1])


def check_module(path: Path, folder: Path) -> int:
    """How many classes a file has, all of which come out or are refused by the list."""
    names = dict.fromkeys(name for _, name in classes_in(path))
    for look in (unlisted, unlisted_of_module):
        found = [(name, look(text, name, path, folder)) for text, name in classes_in(path)]
        assert [one for one in found if one[1]] == [], path
    return len(names)


@pytest.mark.spread(62)
@pytest.mark.parametrize("name", STANDARD)
def test_classes_of_the_standard_library_are_refused_by_the_list_alone(name: str, tmp_path: Path) -> None:
    origin = importlib.util.find_spec(name).origin  # type: ignore[union-attr]
    check_module(Path(origin), tmp_path)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_classes_of_packages_are_refused_by_the_list_alone(name: str, tmp_path: Path) -> None:
    origin = importlib.util.find_spec(name).origin  # type: ignore[union-attr]
    files = sorted(Path(origin).parent.rglob("*.py"))  # type: ignore[arg-type]
    spread = files[:: max(1, len(files) // FILES)]
    assert sum(check_module(path, tmp_path) for path in spread) > 0
