"""A record beside a class that changes: what is new is written, and what is gone is told with its reason."""

import re
from pathlib import Path
from unittest.mock import ANY

import pytest

from tests.support.forking import forked_pytest
from tests.support.trees import write_tree

ONE = ("-k", "numbers_are_those_of_the_record")
HELD = """
import equinox as eqx
import jax


class Held(eqx.Module):
    mass: jax.Array

    def doubled(self, x):
        return 2 * self.mass * x
"""
LAWS_OF_HELD = """
from pytree_laws import Leaf, Method, PytreeLaws, sample

from held import Held


class TestHeld(PytreeLaws):
    leaves = (Leaf("mass", "data", (3,)),)
    methods = (Method("doubled", lambda seed: (sample(seed, (3,)),)),)

    def inputs(self, seed):
        return {"mass": sample(seed, (3,))}

    def build(self, **inputs):
        return Held(**inputs)
"""


def of_held(folder: Path, mode: str = "record") -> tuple[int, str]:
    """The exit code and the output of a run of P19 in a mode."""
    ran = forked_pytest(folder, *ONE, f"--numbers={mode}")
    return ran.returncode, ran.stdout


def test_a_new_method_is_recorded_beside_what_is_held(tmp_path: Path) -> None:
    write_tree(tmp_path, {"held.py": HELD, "test_held.py": LAWS_OF_HELD})
    assert of_held(tmp_path) == (0, ANY)
    record = tmp_path / "numbers/held.txt"
    before = record.read_text("utf-8")
    grown = HELD + "\n    def momentum(self):\n        return 3 * self.mass\n"
    write_tree(tmp_path, {"held.py": grown.replace("2 * self.mass", "2.5 * self.mass")})
    code, printed = of_held(tmp_path)
    assert code == 1 and "it does not compute what is recorded" in printed
    assert record.read_text("utf-8") == before, "nothing is written beside what moved"
    write_tree(tmp_path, {"held.py": grown})
    code, printed = of_held(tmp_path, "check")
    assert code == 1 and "it computes what is not recorded yet" in printed
    code, printed = of_held(tmp_path)
    assert code == 0 and re.search(r"recorded \d new numbers of Held in numbers/held.txt; commit", printed)
    after = record.read_text("utf-8").splitlines()
    assert "momentum: float32[3]" in after and {*before.splitlines()} <= {*after}
    assert of_held(tmp_path, "check") == (0, ANY)


def test_numbers_that_are_gone_are_told_with_what_raises_there_now(tmp_path: Path) -> None:
    optional = HELD.replace("doubled(self, x)", "doubled(self, x, times=2)").replace(
        "2 * self", "times * self"
    )
    write_tree(tmp_path, {"held.py": optional, "test_held.py": LAWS_OF_HELD})
    assert of_held(tmp_path) == (0, ANY)
    raising = optional.replace("times * self.mass", "(2 if times == 2 else self.count) * self.mass")
    write_tree(tmp_path, {"held.py": raising})
    code, printed = of_held(tmp_path)
    assert (
        code == 1 and "doubled(times=3): it is recorded, and no longer there (with other options)" in printed
    )
    assert ": it raises AttributeError: 'Held' object has no attribute 'count'" in printed


@pytest.mark.parametrize(
    ("example", "changed"),
    [
        ("sample(seed, (3,)),)),)", "sample(seed + 1, (3,)),)),)"),
        ("(sample(seed, (3,)),)),)", "(sample(seed, (3,)),), call=lambda one, x: one.doubled(x + 1)),)"),
        ("Held(**inputs)", "Held(inputs['mass'][::-1])"),
        ('"mass": sample(seed', '"mass": sample(seed + 1'),
    ],
)
def test_another_example_is_no_fault_of_the_class(tmp_path: Path, example: str, changed: str) -> None:
    write_tree(tmp_path, {"held.py": HELD, "test_held.py": LAWS_OF_HELD})
    assert of_held(tmp_path) == (0, ANY)
    write_tree(tmp_path, {"test_held.py": LAWS_OF_HELD.replace(example, changed)})
    code, printed = of_held(tmp_path, "check")
    assert code == 1 and "the example has changed since its numbers were recorded" in printed
    code, printed = of_held(tmp_path)
    assert code == 0 and re.search(r"recorded \d+ new numbers of Held, whose example changed, in", printed)
    assert of_held(tmp_path, "check") == (0, ANY)
    write_tree(tmp_path, {"held.py": HELD.replace("2 *", "3.0 *")})
    code, printed = of_held(tmp_path)
    assert code == 1 and "it does not compute what is recorded" in printed


def test_a_changed_example_of_one_method_excuses_no_other(tmp_path: Path) -> None:
    two = HELD + "\n    def halved(self):\n        return self.mass / 2\n"
    write_tree(tmp_path, {"held.py": two, "test_held.py": LAWS_OF_HELD})
    assert of_held(tmp_path) == (0, ANY)
    other = LAWS_OF_HELD.replace("sample(seed, (3,)),)),)", "sample(seed + 1, (3,)),)),)")
    write_tree(tmp_path, {"test_held.py": other, "held.py": two.replace("/ 2", "/ 3.0")})
    code, printed = of_held(tmp_path)
    assert code == 1 and "halved: at 0 it is" in printed and "doubled: " not in printed
