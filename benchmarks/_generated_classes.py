"""Projects of classes with their generated tests: one made of tested classes, at any depth, and many alike."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks._templates import AFFINE
from scaffold import find_layout, load_spec, plan
from scaffold.publish import publish
from scaffold.spec.model import ModuleSpec
from scaffold.spec.reading.read import read_spec


def composite(folder: Path, depth: int) -> str:
    """A project of a class that holds one of the depth below it, down to `Affine`; the name of its tests."""
    specs = [load_spec(AFFINE), *(read_spec(one, one["name"]) for one in _levels(depth))]
    return _written(folder, specs)[-1]


def _levels(depth: int) -> Iterator[Mapping[str, Any]]:
    below, sizes = "Affine", "size, size"
    for level in range(1, depth + 1):
        name = f"Level{level}"
        yield {
            "name": name,
            "fields": {
                "inner": {"type": below, "init": f"={below}.create({sizes}, dtype=dtype, key=key)"},
                "scale": {"type": "f[size]", "init": "ones"},
            },
            "call": {
                "args": "x: f[size]",
                "returns": "f[size]",
                "body": "return self.scale * jnp.tanh(self.inner(x))",
            },
        }
        below, sizes = name, "size"


def many(folder: Path, number: int) -> list[str]:
    """A project of as many classes, alike but for their names; the names of their tests."""
    source = AFFINE.read_text(encoding="utf-8")
    places = [folder / "specs" / f"affine{index:03}.toml" for index in range(number)]
    places[0].parent.mkdir(parents=True)
    for index, place in enumerate(places):
        place.write_text(source.replace('"Affine"', f'"Affine{index:03}"'), encoding="utf-8")
    return _written(folder, [load_spec(place) for place in places])


def _written(folder: Path, specs: list[ModuleSpec]) -> list[str]:
    folder.mkdir(exist_ok=True)
    (folder / "pyproject.toml").write_text('[tool.scaffold]\nlaws = "wheel"\n', encoding="utf-8")
    layout = find_layout(folder)
    publish(plan(specs, layout))
    tests = sorted(folder.rglob("test_*.py"))
    found = [one for one in tests if one.stem.startswith(("test_affine", "test_level"))]
    return [str(one.relative_to(folder)) for one in found]
