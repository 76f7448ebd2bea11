"""A jax, Equinox or Flax that is older than the laws need is told before a class is looked at."""

from pathlib import Path

import pytest

from scaffold.adopt.processes.versions import release_of
from scaffold.in_project.dependencies import FLOORS
from tests.support.projects import REPOSITORY, scaffold
from tests.support.trees import read_tree, write_tree

CLASSES = {
    "layers.py": "import equinox as eqx\nimport jax\n\n\nclass Gain(eqx.Module):\n    gain: jax.Array\n",
    "nets.py": "from flax import nnx\n\n\nclass Net(nnx.Module):\n    pass\n",
    "data.py": "from typing import NamedTuple\n\nimport jax\n\n\nclass Pair(NamedTuple):\n    x: jax.Array\n    y: jax.Array\n",
}


def installed(folder: Path, name: str, version: str) -> None:
    """Metadata by which an interpreter takes another version for the one that is installed."""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    write_tree(folder, {f"old/{name}-{version}.dist-info/METADATA": metadata})


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    ("name", "version", "target"),
    [
        ("jax", "0.5.3", "data"),
        ("jax", "0.5.3", "layers"),
        ("equinox", "0.13.2", "layers:Gain"),
        ("flax", "0.12.3.dev1", "nets"),
    ],
)
def test_an_old_library_is_told_in_one_line(
    name: str, version: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path, CLASSES)
    installed(tmp_path, name, version)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "old"))
    before = read_tree(tmp_path)
    result = scaffold(tmp_path, "adopt", target)
    assert (result.returncode, result.stdout) == (2, "")
    needed = f"it has {name} {version}, and the laws need {FLOORS[name]} or newer"
    assert needed in result.stderr and f"install `{name}>={FLOORS[name]}` there" in result.stderr
    assert "Traceback" not in result.stderr
    assert read_tree(tmp_path) == before


@pytest.mark.slow
def test_an_old_library_that_no_class_is_made_of_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path, CLASSES)
    installed(tmp_path, "flax", "0.10.0")
    installed(tmp_path, "equinox", "0.11.0")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "old"))
    result = scaffold(tmp_path, "adopt", "data")
    assert "adopted" in result.stdout, result.stderr


@pytest.mark.parametrize(
    ("version", "release"),
    [("0.6.0", (0, 6, 0)), ("0.12.0.1", (0, 12, 0, 1)), ("0.7.0rc1", (0, 7, 0)), ("unknown", ())],
)
def test_a_release_is_read_off_a_version(version: str, release: tuple[int, ...]) -> None:
    assert release_of(version) == release


def test_the_page_names_the_oldest_versions() -> None:
    page = (REPOSITORY / "docs" / "adopt.md").read_text(encoding="utf-8")
    names = {"jax": "jax", "equinox": "Equinox", "flax": "Flax"}
    assert all(f"{names[name]} older than {floor}" in page for name, floor in FLOORS.items())
