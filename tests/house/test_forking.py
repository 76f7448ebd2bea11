"""A run that is forked is a run of `pytest` as a user's, but that jax is imported already, and that two plugins are left out."""

import re
import sys
from pathlib import Path

import pytest

from tests.support.forking import NEEDLESS, forked_pytest
from tests.support.projects import bare_pytest
from tests.support.trees import write_tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked")
SHOWN = """
import os, sys
def test_it():
    names = ("JAX_PLATFORMS", "PYTHONDONTWRITEBYTECODE", "HOME")
    print([os.getcwd(), sys.argv, sys.path, __name__, [os.environ.get(name) for name in names]])
    print("told", file=sys.stderr)
    assert {}
"""


def without_time(text: str) -> str:
    return re.sub(r"in \d+\.\d+s", "", text)


@pytest.mark.parametrize("holds", ["True", "False"])
def test_it_sees_the_same(holds: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"tests/test_a.py": SHOWN.format(holds), "pyproject.toml": ""})
    plain, forked = bare_pytest(tmp_path, *NEEDLESS, "-s"), forked_pytest(tmp_path, "-s")
    assert (forked.args, forked.returncode, forked.stderr) == (plain.args, plain.returncode, plain.stderr)
    assert without_time(forked.stdout) == without_time(plain.stdout)
    assert forked.returncode == (0 if holds == "True" else 1) and str(tmp_path) in forked.stdout


def test_jax_is_there_and_each_run_is_a_process_of_its_own(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {"test_a.py": "import sys\n\ndef test_a(): assert 'jax' in sys.modules; sys.left = 1\n"}
    )
    write_tree(tmp_path, {"test_b.py": "import sys\n\ndef test_b(): assert not hasattr(sys, 'left')\n"})
    assert [forked_pytest(tmp_path, f"test_{name}.py").returncode for name in "ab"] == [0, 0]
    assert bare_pytest(tmp_path, "test_a.py").returncode == 1
