"""Skeletons as people write them, generated in a folder of their own, with what the command says."""

from collections.abc import Mapping
from pathlib import Path

from tests.support.projects import scaffold
from tests.support.trees import write_tree


def generated(folder: Path, skeletons: Mapping[str, str]) -> str:
    """Generate each skeleton of `{name: text}` into `folder / "nets"`; gives what the command said."""
    write_tree(folder, {f"specs/{name}.py": text for name, text in skeletons.items()})
    (folder / "nets").mkdir(parents=True)
    made = scaffold(folder / "nets", "new-module", *(f"--spec=../specs/{name}.py" for name in skeletons))
    assert made.returncode == 0, made.stderr
    return made.stdout + made.stderr
