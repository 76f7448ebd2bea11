"""What a run says at its end: findings by class and cause, what rests on them, and what was skipped."""

import re
from pathlib import Path

import pytest

from pytree_laws.engine.summary import count_text, more_laws, resting_lines, undeclared
from tests.support.forking import forked_pytest
from tests.support.projects import bare_pytest
from tests.support.trees import write_tree

SUITE = '''
"""Tests that are skipped by a file of the laws, as far as pytest can tell, and one that is skipped here."""
from pathlib import Path

import pytest

from pytree_laws.engine.summary import register_summary, __file__ as there

laws = {"pytest": pytest}
exec(compile("def skip(why): pytest.skip(why)", str(Path(there).with_name("some_law.py")), "exec"), laws)

class TestBoth:
    @pytest.fixture(autouse=True)
    def summed_up(self, request):
        register_summary(request.config)

    @pytest.mark.parametrize("why", ["the class is not at the top of a module"] * 3)
    def test_law(self, why):
        laws["skip"](why)

    def test_own(self):
        pytest.skip("for a reason of the author's")
'''
BROKEN = """
import pytest

from pytree_laws import LawBroken
from pytree_laws.report import Finding
from pytree_laws.laws import LAWS
from test_both import TestBoth as Both, laws

class TestBroken(Both):
    def test_p05_no_leaf_is_weakly_typed(self):
        raise LawBroken(Finding(LAWS["P5"], "test_p05_no_leaf_is_weakly_typed", "weight", "it is weakly typed", severity="cost"))

    def test_p03_round_trip(self):
        raise LawBroken(Finding(LAWS["P3"], "test_p03_round_trip", "bias", "it is lost\\nwith more", "a hint"))

    @pytest.mark.parametrize("law", [9, 11])
    def test_p11_carries(self, law):
        laws["skip"]("it rests on P5, which is broken")

    def test_p06_one_trace(self):
        laws["skip"]("it rests on P5, which is broken")

    def test_that_is_no_law(self):
        assert False
"""
LINE = "more laws with: reference, --numbers=record, other, dtypes and 23 others; see pytest --laws"
AFFINE = '''
"""A suite of a class of eight lines, as `new-module` writes it."""
import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import Leaf, Output, PytreeLaws, sample

class Affine(eqx.Module):
    weight: jax.Array
    bias: jax.Array

    @classmethod
    def create(cls, out_size, in_size, *, key):
        weight = jax.nn.initializers.lecun_normal(1, 0)(key, (out_size, in_size))
        return cls(weight, jnp.zeros((out_size,)))

    def __call__(self, x):
        return self.weight @ x + self.bias

class Base(PytreeLaws):
    leaves = (Leaf("weight", "param", (2, 3), std=0.5774), Leaf("bias", "param", (2,), value=0.0))
    static = {}
    drawn = ("weight",)
    returns = (Output((2,)),)

    def inputs(self, seed):
        return {"out_size": 2, "in_size": 3, "key": jax.random.key(seed)}

    def build(self, **inputs) -> Affine:
        return Affine.create(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, instance, *arguments):
        (x,) = arguments
        return instance(x)

class TestAffine(Base):
    pass
'''
FURTHER = """
from test_affine import Base

class TestReference(Base):
    def reference(self, instance, x):
        return instance.weight @ x + instance.bias

class TestOwn(Base):
    def test_p11_the_carry_advances(self):
        assert True

class TestUnannotated(Base):
    def build(self, **inputs):
        return super().build(**inputs)
"""
TOLD = """test_broken.py::TestBroken: 1 fault, 1 cost
  fault  P3 round trip, at `bias`: it is lost
  cost   P5 static, at `weight`: it is weakly typed
  follow from P5: P6, P11 (3 tests)
"""


def pytest_of(folder: Path, *options: str) -> tuple[int, str]:
    result = (bare_pytest if "-n" in options else forked_pytest)(folder, *options)
    return result.returncode, result.stdout


@pytest.mark.slow  # its neighbours are tried in every run
@pytest.mark.spread(4)
@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ((), []),
        (("-v",), [LINE]),
        (("-v", "-ra"), [LINE]),
        (("-v", "-n", "1", "-p", "pytree_laws.summary"), [LINE]),
        (("-v", "-p", "no:pytree_laws"), [LINE.removesuffix("; see pytest --laws")]),
    ],
    ids=["quiet", "usual", "-ra", "workers", "no plugin"],
)
def test_a_class_of_eight_lines_skips_nothing(
    options: tuple[str, ...], lines: list[str], tmp_path: Path
) -> None:
    write_tree(tmp_path, {"test_affine.py": AFFINE})
    code, told = pytest_of(tmp_path, *options)
    assert code == 0, told
    assert re.search(r"^(=+ )?\d+ passed in", told, re.MULTILINE), told
    assert [line for line in told.splitlines() if line.startswith(("more laws", "SKIPPED"))] == lines


@pytest.mark.spread(2)
@pytest.mark.parametrize("first", ["", "gc.freeze()\n"], ids=["nothing frozen", "as Python 3.12 begins"])
def test_the_garbage_collector_is_tuned_while_a_law_runs_and_not_after(tmp_path: Path, first: str) -> None:
    within = "class TestWithin(Base):\n    def test_p01_of_this_file(self): assert gc.get_threshold()[0] == 10_000 and gc.get_freeze_count()\n"
    after = "def test_after(): assert gc.get_threshold()[0] == 700 and not gc.get_freeze_count()\n"
    text = f"import gc\nfrom test_affine import Base\ngc.set_threshold(700)\n{first}{within}{after}"
    write_tree(tmp_path, {"test_affine.py": AFFINE, "test_within.py": text})
    result = bare_pytest(tmp_path, "-rA", "-k", "of_this_file or after")
    assert result.returncode == 0 and "2 passed" in result.stdout, result.stdout


@pytest.mark.slow  # whole suites with every line; the next tests name single ones
def test_a_test_that_does_not_apply_is_neither_collected_nor_reported(tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_affine.py": AFFINE, "test_further.py": FURTHER})
    code, told = pytest_of(tmp_path, "-rA")
    assert code == 0 and "SKIPPED" not in told, told
    ran = {suite: set(re.findall(rf"::{suite}::(\w+)", told)) for suite in ("TestAffine", "TestUnannotated")}
    assert ran["TestAffine"] == ran["TestUnannotated"] and len(ran["TestAffine"]) > 80
    for law in (
        "p14_a_damaged_file_is_refused",
        "p12_methods_change_no_globals",
        "p16_keys_give_different_draws",
    ):
        assert f"test_{law}" not in ran["TestAffine"]
    assert "::TestReference::test_p19_random_values_give_those_of_the_reference" in told
    assert "::TestAffine::test_p19_random_values_give_those_of_the_reference" not in told
    assert (
        told.count("::test_p11_the_carry_advances") == 1 and "::TestOwn::test_p11_the_carry_advances" in told
    )


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("test", "why"),
    [
        ("p11_the_carry_advances", "no carry is declared"),
        ("p16_keys_give_different_draws", "the call takes no key"),
    ],
)
def test_a_test_that_is_named_is_kept_and_says_why(test: str, why: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_affine.py": AFFINE})
    code, told = pytest_of(tmp_path, "-rs", f"test_affine.py::TestAffine::test_{test}")
    assert code == 0 and f"NotApplicable: {why}" in told and "1 skipped" in told, told


def test_laws_that_are_left_out_are_told_by_suite(tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_affine.py": AFFINE, "test_further.py": FURTHER})
    code, told = pytest_of(tmp_path, "--laws", "-n", "1")
    assert code == 0 and "passed" not in told, told
    first, second = told.split("test_further.py::TestReference\n")
    assert "test_affine.py::TestAffine\n" in first and "  with `reference`: P19 (2 tests)\n" in first
    assert re.search(r"  does not apply, since the class has no load: P14 \(\d+ tests\)\n", first), first
    assert "with `reference`" not in second.partition("test_further.py::")[0]


def test_what_tells_most_comes_first() -> None:
    names = undeclared(["tuples", "dtypes", "", "reference", "dtypes", "carry"])
    assert names == ("reference", "dtypes", "carry", "tuples")
    assert more_laws(names) == "more laws with: reference, dtypes, carry, tuples"
    assert more_laws((*names, "used")) == "more laws with: reference, dtypes, carry, tuples and 1 other"


# Under xdist the process that writes the end has imported no suite: it must be told, and nothing breaks where it is not.
@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("options", "times"),
    [((), 1), (("-n", "1"), 0), (("-n", "1", "-p", "pytree_laws.summary"), 1)],
    ids=["one process", "workers", "workers and the plugin"],
)
def test_findings_are_told_by_class_and_cause(options: tuple[str, ...], times: int, tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_both.py": SUITE, "test_broken.py": BROKEN})
    code, told = pytest_of(tmp_path, *options)
    assert code == 1 and "3 failed, 11 skipped" in told, told
    assert told.count(TOLD) == times and len(re.findall("= pytree laws =", told)) == times
    assert "at `weight`: it is weakly typed" in told


def test_severities_are_counted_and_what_rests_is_told_by_number() -> None:
    found = [{"severity": one} for one in ("advice", "fault", "fault", "cost", "advice")]
    assert count_text(found) == "2 faults, 1 cost, 2 advice" and count_text([]) == ""
    why = "it rests on P2, which is broken"
    skipped = {"test_p11_x": why, "test_p05_x": why, "test_p05_y": why, "test_p01_z": "another reason"}
    assert resting_lines(skipped) == ["follow from P2: P5, P11 (3 tests)"]


@pytest.mark.parametrize(("options", "shown"), [((), 0), (("--tb=long",), 1)], ids=["auto", "long"])
def test_a_broken_law_is_shown_without_its_code(options: tuple[str, ...], shown: int, tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_affine.py": AFFINE.replace("value=0.0", "value=1.0")})
    code, told = pytest_of(tmp_path, "-k", "p02 and TestAffine", *options)
    assert code == 1 and "P2 manifest, at `bias`: it holds [0. 0.], declared is 1.0" in told
    assert told.count("def test_p02_leaves_hold_the_declared_values(") == shown, told


MISFIT = """
from test_affine import Affine, Base, Output, sample
from pytree_laws import Method

class Turned(Affine):
    def turned(self, x):
        return x @ self.weight

    def doubled(self):
        return 2 * self.bias

class TestTurned(Base):
    methods = (Method("turned", lambda seed: (sample(seed, (3,)),)), Method("doubled", returns=(Output((3,)),)))
    guessed = ("turned",)

    def build(self, **inputs):
        return Turned.create(**inputs)
"""


def test_a_method_that_is_not_tried_is_told_beside_what_its_test_finds(tmp_path: Path) -> None:
    write_tree(tmp_path, {"test_affine.py": AFFINE, "test_turned.py": MISFIT})
    code, told = pytest_of(tmp_path, "-k", "methods_give_what and Turned")
    assert code == 1 and "at `doubled, output 0`: the shape is (2,)" in told, told
    said = "test_turned.py::TestTurned: not tried: the example of `turned` is a guess, and does not fit"
    assert told.count(f"\n{said}") == 1, told
