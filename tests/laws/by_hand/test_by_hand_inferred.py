"""What suites by hand find out, and what they are told."""

import pathlib
import subprocess
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from harness.runner import PACKAGE

from by_hand.test_by_hand import ENDS, vector
from pytree_laws import LawBroken, PytreeLaws, check_pytree, sample


@pytest.mark.slow
def test_a_compiled_loop_without_end_ends_the_run_and_says_which_law(tmp_path: pathlib.Path):
    (tmp_path / "test_loop.py").write_text(ENDS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-k",
        "p07_jit_equals_eager",
    ]
    env = {"PATH": "", "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode in (1, 70), done.stdout + done.stderr
    assert "P7 of TestLoop took more than 1 seconds" in done.stdout + done.stderr


SCRIPT = """
import equinox as eqx
from pytree_laws import check_pytree


class Empty(eqx.Module):
    pass


print(check_pytree(lambda seed: Empty()).ok)
"""


@pytest.mark.slow
def test_a_script_that_asks_for_the_laws_is_not_run_again_by_them(tmp_path: pathlib.Path):
    (tmp_path / "script.py").write_text(SCRIPT)
    for command in (["script.py"], ["-c", "import script"]):
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        assert {*done.stdout.splitlines()} == {"True"}, done.stdout + done.stderr
        assert command[0] == "-c" or done.stdout == "True\n"


class Stored(eqx.Module):
    """A dataclass, whose constructor stores what it is given."""

    weight: jax.Array


class Stores(PytreeLaws):
    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def build(self, **inputs):
        return Stored(**inputs)


def test_a_module_that_is_a_dataclass_may_keep_the_arrays_that_it_is_given():
    Stores().test_p01_keeps_none_of_its_inputs()
    with pytest.raises(pytest.skip.Exception):
        Stores().test_p01_shares_no_buffer_with_its_inputs()


class Entries(eqx.Module):
    """A dataclass with a factory, which hands on the dict that it is given."""

    entries: dict

    @classmethod
    def of(cls, entries):
        return cls(entries)


class ByTheConstructor(PytreeLaws):
    def inputs(self, seed):
        return {"entries": {"a": sample(seed, (3,))}}

    def build(self, entries):
        return Entries(entries)


class ByTheFactory(ByTheConstructor):
    def build(self, entries):
        return Entries.of(entries)


def test_the_constructor_of_a_dataclass_stores_what_it_is_given_and_a_factory_need_not():
    with pytest.raises(pytest.skip.Exception):
        ByTheConstructor().test_p01_later_changes_of_its_inputs_do_not_reach_it()
    with pytest.raises(LawBroken):
        ByTheFactory().test_p01_later_changes_of_its_inputs_do_not_reach_it()


class Chosen(eqx.Module):
    """A constructor by hand, which stores the array that it is given, or else makes one."""

    weight: jax.Array

    def __init__(self, weight=None, copies=False):
        weight = jnp.zeros(3) if weight is None else weight
        self.weight = jnp.array(weight) if copies else weight


class Choosing(PytreeLaws):
    copies = False

    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def build(self, weight):
        return Chosen(weight, self.copies)


class Copied(Choosing):
    copies = True


class Meant(Choosing):
    kept = ("weight",)
    copies_arrays = False


def found_of_inputs(suite):
    """The severities of what is found of the arrays that a constructor is given, by test."""
    found = {}
    for test in (
        suite().test_p01_keeps_none_of_its_inputs,
        suite().test_p01_shares_no_buffer_with_its_inputs,
    ):
        try:
            test()
        except LawBroken as broken:
            found[broken.finding.test] = broken.finding.severity
            assert "shares its buffer with the input `weight`" in str(broken)
        except pytest.skip.Exception:
            pass
    return found


@pytest.mark.parametrize(
    ("suite", "found"),
    [
        (Choosing, {"test_p01_shares_no_buffer_with_its_inputs": "advice"}),
        (Copied, {}),
        (Meant, {}),
    ],
)
def test_a_constructor_by_hand_that_stores_an_array_as_it_is_given_is_advice(suite, found):
    assert found_of_inputs(suite) == found


@pytest.mark.parametrize("declared", [{"kept": ("weight",)}, {"copies_arrays": True}])
def test_what_a_suite_declares_as_given_must_be_copied(declared):
    told = found_of_inputs(type("Declared", (Choosing,), declared))
    assert told["test_p01_keeps_none_of_its_inputs"] == "fault"
    assert found_of_inputs(type("DeclaredAndCopied", (Copied,), declared)) == {}


class Offset(eqx.Module):
    """A gain, and an offset that is cut off on purpose; nothing says what is trained."""

    gain: jax.Array
    offset: jax.Array

    def __call__(self, x):
        return self.gain * x + jax.lax.stop_gradient(self.offset)


class MarkedOffset(Offset):
    def trainable(self):
        return MarkedOffset(True, False)


class Rounded(Offset):
    """The offset has no gradient, and nothing cuts it off."""

    def __call__(self, x):
        return self.gain * x + jnp.round(self.offset) + (self.offset > 0)


class CutTwice(Offset):
    """The offset is cut off in one place of two."""

    def __call__(self, x):
        return self.gain * x * jax.lax.stop_gradient(self.offset) + self.offset


def checked(cls):
    return check_pytree(lambda seed: cls(sample(seed, (3,)), sample(seed + 1, (3,))), vector)


class WronglyMarkedOffset(Offset):
    def trainable(self):
        return WronglyMarkedOffset(True, True)


def offset(cls):
    """What is inferred of the leaf."""
    [leaf] = (leaf for leaf in checked(cls).leaves if leaf.path == "offset")
    return leaf.role, leaf.unused


def test_a_leaf_that_the_call_cuts_off_is_a_buffer_where_the_class_says_what_is_trained():
    assert offset(MarkedOffset) == ("buffer", False)
    assert not checked(MarkedOffset).findings
    [finding] = checked(WronglyMarkedOffset).findings
    assert (finding.law.number, finding.where) == ("P16", "trainable")
    assert "selects ['gain', 'offset'], declared is ['gain']" in finding.what


@pytest.mark.slow
def test_a_leaf_that_the_call_cuts_off_needs_no_gradient_where_nothing_says_what_is_trained():
    assert offset(Offset) == ("param", True)
    report = checked(Offset)
    assert not report.findings
    assert "test_p09_a_step_moves_the_parameters_alone" in report.passed
    assert offset(Rounded) == offset(CutTwice) == ("param", False)
