"""docs/ci.md: its commands have the exit codes that it names, and its hooks are those of this repository."""

import re

import pytest
import yaml

from tests.support.library import EMPTY, Library, spec
from tests.support.projects import REPOSITORY, scaffold

PAGE = (REPOSITORY / "docs/ci.md").read_text(encoding="utf-8")


def test_the_hooks_of_the_page_are_those_for_other_repositories() -> None:
    [block] = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    [repository] = yaml.safe_load(block)["repos"]
    offered = {
        one["id"]: one
        for one in yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    }
    for hook in repository["hooks"]:
        assert hook["entry"].startswith(offered[hook["id"]]["entry"]), hook["id"]


@pytest.mark.parametrize("command", [("check",), ("adopt", "--check", "lib")], ids=" ".join)
def test_the_exit_codes_are_those_of_the_page(command: tuple[str, ...], library: Library) -> None:
    assert f"| `scaffold {' '.join(command[:2])}" in PAGE
    assert scaffold(library.root, *command).returncode == 0
    test = library.path("tests/test_dense.py")
    text = test.read_bytes()
    test.unlink()
    assert scaffold(library.root, *command).returncode == 1
    assert not test.exists()
    test.write_bytes(text)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library.at(tmp_path_factory.mktemp("ci"), EMPTY)
    library.generate(dense=spec("Dense"))
    return library
