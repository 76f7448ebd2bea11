"""A year in the life of a library of ten classes: at its end every edit is there, and all tests pass."""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from unittest import mock

import pytest

from scaffold import render_class
from scaffold.in_project.spec_files import spec_files
from scaffold.tidy import ruff_program
from tests.support.library import EMPTY, Library, actions
from tests.support.projects import EXAMPLES, bare_pytest, passed, run

CLASSES = (
    *("affine", "whiten", "positive_scale", "leaky_cell", "stack", "linear", "table_bypass", "belief"),
    *("smooth", "gru_cell"),
)
RENDER = render_class.render
HALF = '\n    def half(self):\n        """By hand: half of everything."""\n        return jax.tree.map(lambda leaf: leaf / 2, self)\n'
HAND = '\n\ndef test_by_hand() -> None:\n    """By hand."""\n    assert {name}.__doc__\n'
FILES = {
    **EMPTY,
    "pyproject.toml": EMPTY["pyproject.toml"].replace('[tool.scaffold]\nlaws = "installed"\n', ""),
}


def rendered(version: int):
    """The templates of a later version of the tool: other words in the docstrings of classes and tests."""

    def render(
        name: str, context: Mapping[str, Any], *own: Path | None
    ) -> Iterator[tuple[PurePosixPath, str]]:
        for path, text in RENDER(name, context, *own):
            text = text.replace("Build an instance", "Make an instance") if version > 1 else text
            text = text.replace("The pytree laws on", "What holds of") if version > 2 else text
            yield path, text

    return render


def year(root: Path) -> Library:
    """Ten classes are generated, edited by hand, respecified, renamed, and meet two later versions of the tool."""
    library = Library.at(root, FILES)
    specs = {path.stem: path for path in spec_files(EXAMPLES / "specs") if path.stem in CLASSES}
    assert specs.keys() == {*CLASSES}
    for path in specs.values():
        library.write(f"specs/{path.name}", path.read_text())
    library.new(*(f"specs/{path.name}" for path in specs.values()))

    # spring: four are edited, in code and tests
    for name in ("affine", "linear", "whiten", "stack"):
        library.append(f"lib/{name}.py", HALF)
        library.append(f"tests/test_{name}.py", HAND.format(name=name.title()))

    # summer: two are respecified, and the tool is upgraded
    library.edit("specs/affine.toml", '"zeros"', '"ones"')
    library.edit("specs/whiten.toml", "default = 1e-6", "default = 1e-5")
    with mock.patch.object(render_class, "render", rendered(2)):
        assert "merge" in actions(library.update()).values()

    # autumn: two are renamed, one of them edited, and one goes
    library.edit("specs/linear.py", "class Linear", "class Projection")
    library.edit("specs/leaky_cell.toml", 'name = "LeakyCell"', 'name = "Integrator"')
    with mock.patch.object(render_class, "render", rendered(2)):
        library.update()
        library.destroy("Smooth")

    # winter: the tool is upgraded again
    with mock.patch.object(render_class, "render", rendered(3)):
        assert "collide" not in actions(library.update()).values()
        assert set(library.states().values()) == {"edited"}
    return library


def test_a_year_in_the_life_of_a_library(tmp_path: Path) -> None:
    library = year(tmp_path)
    modules = sorted(path.stem for path in library.path("lib").glob("*.py"))
    kept = {"projection" if n == "linear" else "integrator" if n == "leaky_cell" else n for n in CLASSES} - {
        "smooth"
    }
    assert kept <= {*modules} and not {"linear", "leaky_cell", "smooth"} & {*modules}
    for name in ("affine", "projection", "whiten", "stack"):
        assert library.read(f"lib/{name}.py").endswith(HALF)
        assert HAND.format(name=name.title()) in library.read(f"tests/test_{name}.py")
    unused = run([ruff_program(), "check", "--isolated", "--select", "F401,F811", "lib", "tests"], tmp_path)
    undefined = run([ruff_program(), "check", "--isolated", "--select", "F821", "lib", "tests"], tmp_path)
    assert unused.returncode == 0 and "`jax`" not in undefined.stdout and "`jnp`" not in undefined.stdout
    assert "Make an instance" in library.read("lib/projection.py")
    assert "What holds of `Projection`" in library.read("tests/test_projection.py")
    assert "jnp.ones" in library.read("lib/affine.py") and "1e-5" in library.read("lib/whiten.py")
    init = library.read("lib/__init__.py")
    assert ".projection import Projection" in init and "Linear" not in init and "Smooth" not in init


@pytest.mark.slow
def test_at_the_end_of_the_year_all_laws_hold(tmp_path: Path) -> None:
    year(tmp_path)
    assert passed(bare_pytest(tmp_path)) > 500
