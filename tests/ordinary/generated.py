"""Skeletons as people write them, generated in a folder of their own, with what the command says."""

from collections.abc import Mapping
from pathlib import Path

from tests.support.forking import forked_pytest
from tests.support.projects import passed, scaffold
from tests.support.trees import write_tree


def generated(folder: Path, skeletons: Mapping[str, str]) -> str:
    """Generate each skeleton of `{name: text}` into `folder / "nets"`; gives what the command said."""
    write_tree(folder, {f"specs/{name}.py": text for name, text in skeletons.items()})
    (folder / "nets").mkdir(parents=True)
    made = scaffold(folder / "nets", "new-module", *(f"--spec=../specs/{name}.py" for name in skeletons))
    assert made.returncode == 0, made.stderr
    return made.stdout + made.stderr


def tried(folder: Path, name: str, skeleton: str, *, least: int = 50) -> str:
    """The module of a skeleton of which every class and method is tried, and whose tests pass, more than `least` of them."""
    whole_suite(folder, name, skeleton)
    assert passed(forked_pytest(folder / "nets", "--numbers=off")) > least
    return (folder / f"nets/{name}.py").read_text("utf-8")


def whole_suite(folder: Path, name: str, skeleton: str) -> str:
    """The tests that are generated for a skeleton of which every class and method is tried."""
    said = generated(folder, {name: skeleton})
    assert "not tried" not in said and "not tested" not in said, said
    return suite_text(folder, name)


def suite_text(folder: Path, name: str) -> str:
    """The tests that were generated for a skeleton."""
    return (folder / f"nets/tests/test_{name}.py").read_text("utf-8")
