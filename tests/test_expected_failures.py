"""`skips` that name one test: the test is run, and has to fail until the entry goes."""

from pathlib import Path

from tests.forking import forked_pytest
from tests.support import write_tree

SUITE = """
import equinox as eqx
import jax
import jax.numpy as jnp

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


def test_what_is_declared_fails_and_is_told_with_its_reason(tmp_path: Path) -> None:
    code, told = run(tmp_path, ENTRIES, WEAK, NEVER)
    assert code == 0 and "declared not to hold: meant" in told and "declared not to hold: not yet" in told


def test_what_holds_by_now_fails_until_its_entry_goes(tmp_path: Path) -> None:
    code, told = run(tmp_path, ENTRIES, STRONG)
    assert code == 1 and "2 failed" in told
    assert f'test_p05_no_leaf_is_weakly_typed {HOLDS_NOW} "p05_no_leaf_is_weakly_typed"' in told
    assert f'test_no_more_than_its_argument {HOLDS_NOW} "no_more_than_its_argument"' in told
    assert run(tmp_path, "", STRONG)[0] == 0


def test_a_part_of_a_name_and_one_with_several_values_are_not_strict(tmp_path: Path) -> None:
    several = '"p05_no_leaf_is_weak: a part", "p03_round_trip_keeps_any_leaves: several", '
    code, told = run(tmp_path, several, STRONG)
    assert code == 0 and "declared not to hold: a part" in told and "several" not in told
