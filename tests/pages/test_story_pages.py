"""Pages that tell a story: every command in them says what the page shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.projects import REPOSITORY
from tests.support.systems import NEEDS_SHELL

pytestmark = NEEDS_SHELL

PAGES = {"lifecycle": 5, "how_to_pytree": 4, "how_to_nnx": 3, "how_to_train_state": 3}
"""How many commands each has."""
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.spread(4)
@pytest.mark.parametrize("page", PAGES)
def test_the_page_is_what_happens(tmp_path: Path, page: str) -> None:
    (tmp_path / "environment").mkdir()
    scripts = str(Path(sys.executable).parent)
    # An environment without the laws is active, so that the project gets their wheel.
    env = {
        **os.environ,
        "VIRTUAL_ENV": str(tmp_path / "environment"),
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
    }
    project = tmp_path / "project"
    project.mkdir()
    blocks = BLOCK.findall((REPOSITORY / f"docs/{page}.md").read_text(encoding="utf-8"))
    assert [kind for kind, _ in blocks] == ["sh", "text"] * PAGES[page]
    for (_, command), (_, shown) in zip(blocks[::2], blocks[1::2], strict=True):
        done = subprocess.run(["sh", "-ec", command], cwd=project, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout == shown, done.stderr
