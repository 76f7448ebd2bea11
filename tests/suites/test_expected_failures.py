"""`skips` that name one test: the test is run, and has to fail until the entry goes."""

from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES
from tests.support.trees import write_tree

SUITE = """
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float

from pytree_laws import PytreeLaws, holds, sample


class Scale(eqx.Module):
    gain: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x


class TestScale(PytreeLaws):
    skips = (SKIPS)

    def build(self, seed: int) -> Scale:
        return Scale(jnp.full(3, VALUE) + seed)

    def arguments(self, seed: int) -> tuple[jax.Array, ...]:
        return (sample(seed, (3,)),)

    @holds
    def test_no_more_than_its_argument(self, scale: Scale, x: jax.Array) -> bool:
        return jnp.all(jnp.abs(scale(x)) CONDITION)
"""
WEAK, STRONG = "2.0", "jnp.float32(2.0)"
NEVER, ALWAYS = "< 0", ">= 0"
HOLDS_NOW = "holds, and `skips` of TestScale says that it does not: delete its entry"


def run(folder: Path, skips: str, value: str, condition: str = ALWAYS) -> tuple[int, str]:
    suite = SUITE.replace("SKIPS", skips).replace("VALUE", value).replace("CONDITION", condition)
    write_tree(folder, {"test_scale.py": suite})
    result = forked_pytest(folder, "test_scale.py", "-rs", "-k", "weakly or p03 or no_more", "--numbers=off")
    return result.returncode, result.stdout


ENTRIES = '"p05_no_leaf_is_weakly_typed: meant", "no_more_than_its_argument: not yet", '


@pytest.mark.slow
def test_what_is_declared_fails_and_is_told_with_its_reason(tmp_path: Path) -> None:
    code, told = run(tmp_path, ENTRIES, WEAK, NEVER)
    assert code == 0 and "declared not to hold: meant" in told and "declared not to hold: not yet" in told


@pytest.mark.slow
def test_what_holds_by_now_fails_until_its_entry_goes(tmp_path: Path) -> None:
    code, told = run(tmp_path, ENTRIES, STRONG)
    assert code == 1 and "2 failed" in told
    assert f'test_p05_no_leaf_is_weakly_typed {HOLDS_NOW} "p05_no_leaf_is_weakly_typed"' in told
    assert f'test_no_more_than_its_argument {HOLDS_NOW} "no_more_than_its_argument"' in told
    assert run(tmp_path, "", STRONG)[0] == 0


@pytest.mark.slow  # a run of its own
def test_a_part_of_a_name_is_not_strict(tmp_path: Path) -> None:
    code, told = run(tmp_path, '"p05_no_leaf_is_weak: a part", ', STRONG)
    assert code == 0 and "declared not to hold: a part" in told


@pytest.mark.slow  # a run of its own
def test_one_of_several_values_may_hold(tmp_path: Path) -> None:
    closure = (EXAMPLES / "loop_condition.py").read_text(encoding="utf-8")
    suite = (EXAMPLES / "tests/test_loop_condition.py").read_text(encoding="utf-8")
    head, own_import = "class TestLoopCondition(ClosureLaws):\n", "from loop_condition import LoopCondition\n"
    assert head in suite and own_import in suite
    suite = suite.replace(own_import, "").replace(
        head, f'{head}    skips = ("it_passes_through: several",)\n'
    )
    write_tree(tmp_path, {"test_loop_condition.py": f"{closure}\n\n{suite}"})
    result = forked_pytest(tmp_path, "test_loop_condition.py", "-rs", "-k", "it_passes", "--numbers=off")
    assert result.returncode == 0 and " passed" in result.stdout


# -- sets of laws ------------------------------------------------------------------------------------------------------


def of_set(folder: Path, line: str, *arguments: str) -> tuple[int, str]:
    lines = f'    {line}\n    sharding = {{"size": "model"}}'  # of which the later set has laws
    suite = SUITE.replace("    skips = (SKIPS)", lines).replace("VALUE", STRONG)
    suite = suite.replace("gain: jax.Array", 'gain: Float[jax.Array, " size"]').replace("CONDITION", ALWAYS)
    write_tree(folder, {"test_scale.py": suite})
    result = forked_pytest(folder, "test_scale.py", "-rs", "--numbers=off", *arguments)
    return result.returncode, result.stdout + result.stderr


@pytest.mark.slow  # a run of its own, as others near it
def test_a_suite_is_asked_no_law_that_is_newer_than_the_set_it_names(tmp_path: Path) -> None:
    former, latest = (
        of_set(tmp_path / one, f'laws = "{one}"', "--collect-only")[1] for one in ("0.1", "0.2")
    )
    assert "test_p20_" in latest
    assert "test_p20_" not in former
    assert "test_p15_" in former
    code, summary = of_set(tmp_path / "run", 'laws = "0.1"', "-k", "p03")
    assert code == 0
    assert "newer laws, not asked: P20 (3 tests)" in summary and 'ask them with `laws = "0.2"`' in summary
    assert "newer laws" not in of_set(tmp_path / "later", 'laws = "0.2"', "-k", "p03")[1]


def test_a_set_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    code, told = of_set(tmp_path, 'laws = "9.9"')
    assert code == 2
    assert "TypeError: `laws` of TestScale is '9.9'; this version of pytree-laws has 0.1, 0.2" in told


@pytest.mark.slow  # three whole runs of a suite
def test_a_suite_says_how_many_of_its_tests_must_run(tmp_path: Path) -> None:
    code, told = of_set(tmp_path / "few", "must_run = 10")
    assert code == 0 and "must_run" not in told
    code, told = of_set(tmp_path, "must_run = 1000")
    assert code == 1 and " tests ran, and its `must_run` is 1000" in told
    assert of_set(tmp_path, "must_run = 1000", "-k", "p03")[0] == 0  # which chooses among them
