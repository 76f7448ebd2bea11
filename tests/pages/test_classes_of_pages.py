"""The classes that the pages about specs show: each is generated as it stands there, and its tests pass."""

import re
from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import REPOSITORY, passed, scaffold
from tests.support.trees import write_tree

ELSEWHERE = ("Regressor", "networks:", "my_study.", "[tool.scaffold]")
"""What a block names that is no class of its page."""


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a language that a page shows, but for those that are about something else."""
    text = (REPOSITORY / f"docs/{page}.md").read_text(encoding="utf-8")
    shown = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for block in shown if not any(word in block for word in ELSEWHERE)]


SKELETONS = blocks("skeletons", "py")
TABLES = [
    block if block.startswith("name") else f'name = "Example{number}"\n{block}'
    for number, block in enumerate(blocks("spec", "toml"))
]
NAMES = {block.split('"')[1]: block for block in TABLES}


def with_those_it_names(name: str) -> dict[str, str]:
    """The block of a class, and those of the classes that it names."""
    others = [other for other in NAMES if re.search(rf"\b{other}\b", NAMES[name])]
    return {f"specs/{each.lower()}.toml": NAMES[each] for each in others}


def hold(folder: Path, specs: dict[str, str]) -> None:
    """Generate specs, and run the tests of their classes."""
    write_tree(folder, {".git/": "", **specs})
    made = scaffold(folder, "new-module", *(f"--spec={path}" for path in specs))
    assert made.returncode == 0, made.stderr
    assert passed(forked_pytest(folder, "--numbers=off")) > 0


@pytest.mark.spread(12)
@pytest.mark.parametrize("number", range(len(SKELETONS)))
def test_the_skeletons_of_the_page_hold(tmp_path: Path, number: int) -> None:
    hold(tmp_path, {f"specs/example_{number}.py": SKELETONS[number]})


@pytest.mark.spread(14)
@pytest.mark.parametrize("name", NAMES)
def test_the_tables_of_the_page_hold(tmp_path: Path, name: str) -> None:
    hold(tmp_path, with_those_it_names(name))
