"""Invariants by name: the words of the tool are those of the laws, and what is none is told with what there is."""

from pathlib import Path

import pytest

from pytree_laws.declare.invariants import INVARIANTS as OF_THE_LAWS
from pytree_laws.declare.invariants import parsed
from scaffold.spec.rules.claims import ALONG, INVARIANTS
from tests.support.projects import scaffold
from tests.support.trees import write_tree

SPEC = """
name = "Unit"

[fields]
gain = "f[n]=ones"

[call]
args = "x: f[n]"
returns = "f[n]"
body = "return self.gain * x"

[test]
{said}
"""


def refused(folder: Path, said: str) -> str:
    write_tree(folder, {"specs/unit.toml": SPEC.format(said=said)})
    result = scaffold(folder, "new-module", "--spec", "specs/unit.toml", "--dry-run")
    assert result.returncode == 2
    return " ".join(result.stderr.split())


def test_the_tool_and_the_laws_know_the_same_names() -> None:
    assert INVARIANTS == OF_THE_LAWS
    assert set(ALONG) < set(INVARIANTS)
    assert [parsed(f"{name} along -2") for name in ALONG] == [(name, -2) for name in ALONG]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('invariants = ["mean 1"]', "`mean 1` is no known invariant legal: mean 0, "),
        ('invariants = ["mean 1"]', "fix: did you mean `mean 0`?"),
        ('invariants = ["linear along 0"]', "`linear` is along no axis"),
        ('positive = ["y"]', "`y` is no array that the constructor or a method is given legal: x"),
    ],
)
def test_what_is_no_invariant_is_a_fault(tmp_path: Path, said: str, told: str) -> None:
    assert told in refused(tmp_path, said)


def test_the_laws_refuse_a_name_that_they_do_not_know() -> None:
    with pytest.raises(
        ValueError, match=r"`mean 1` is no known invariant: mean 0, .*; else write a `@holds`"
    ):
        parsed("mean 1")
