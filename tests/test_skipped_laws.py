"""What a run says of the laws that it skipped."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from pytree_laws.skipped import one_line
from tests.projects import REPOSITORY, run
from tests.support import write_tree

SUITE = '''
"""Tests that are skipped by a file of the laws, as far as pytest can tell, and one that is skipped here."""
from pathlib import Path

import pytest

from pytree_laws.skipped import sum_up_skips, __file__ as there

laws = {"pytest": pytest}
exec(compile("def skip(why): pytest.skip(why)", str(Path(there).with_name("some_law.py")), "exec"), laws)

class TestBoth:
    @pytest.fixture(autouse=True)
    def summed_up(self, request):
        sum_up_skips(request.config)

    @pytest.mark.parametrize("why", ["no bounds are declared", "the class is not called", "the class is not called"])
    def test_law(self, why):
        laws["skip"](why)

    def test_own(self):
        pytest.skip("for a reason of the author's")
'''
LINE = "laws skipped: 2 the class is not called, 1 no bounds are declared"


@pytest.mark.parametrize(("options", "times"), [((), 1), (("-rs",), 0)], ids=["quiet", "-rs"])
def test_skipped_laws_are_summed_up_in_one_line(options: tuple[str, ...], times: int, tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_one.py": SUITE, "test_two.py": "def test_nothing(): pass\n"})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    result = run(command, tmp_path, env={"PYTHONPATH": str(REPOSITORY)})
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines().count(LINE) == times


def test_the_most_frequent_reason_comes_first() -> None:
    assert one_line(Counter({"b": 1, "a": 1, "c": 2})) == "laws skipped: 2 c, 1 a, 1 b"
