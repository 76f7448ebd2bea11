"""How much a dtype matters that is not the one that a class was given."""

import importlib

import jax
import jax.numpy as jnp
import pytest

from by_hand.test_severity import Casts, severities, severity_of
from pytree_laws import Leaf, Method, Output, PytreeLaws, check_pytree, sample
from pytree_laws.report import ADVICE, FAULT, LawWarning

WEAK = (Leaf("weight", "param", (), "float32"),)


class Mixes(Casts):
    """A table of float32 meets what it is given."""

    def __call__(self, x):
        return self.weight * x * jnp.ones(3, jnp.float32)


class Raises(Casts):
    """An operation that takes one dtype meets a table of float32."""

    def __call__(self, x):
        return jax.lax.mul(self.weight * x, jnp.ones(3, jnp.float32))


@pytest.mark.spread(5)
@pytest.mark.parametrize(("cls", "severity"), [(Casts, ADVICE), (Mixes, ADVICE), (Raises, FAULT)])
def test_what_leaves_bfloat16_is_advice_and_what_raises_in_it_a_fault(cls, severity):
    found = severities(lambda seed: cls(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert found["test_p07_bfloat16_in_bfloat16_out"] == severity


OPTION = "enable_x64"
ASKS = """
import warnings

import jax

if not jax.config.jax_{option}:
    warnings.warn("set jax_{option}")
"""
READS = """
'''A library that reads the setting: jax_{option}.'''
import jax

IS_WIDE = jax.config.jax_{option}
"""
KERNEL = """
import jax
import jax.numpy as jnp

from {library} import precision
from by_hand.test_severity import Casts


class Mixes(Casts):
    def __call__(self, x):
        return jax.lax.mul(self.weight * x, jnp.ones(3, jnp.float32))
"""


@pytest.mark.filterwarnings("ignore:set jax")
@pytest.mark.parametrize(("library", "source", "severity"), [("asks", ASKS, ADVICE), ("reads", READS, FAULT)])
def test_bfloat16_is_no_matter_in_a_library_that_asks_for_64_bits(
    library, source, severity, tmp_path, monkeypatch
):
    files = {
        "__init__": "",
        "precision": source.format(option=OPTION),
        "kernels": KERNEL.format(library=library),
    }
    for name, text in files.items():
        path = tmp_path / library / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    cls = importlib.import_module(f"{library}.kernels").Mixes
    found = severities(lambda seed: cls(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert found["test_p07_bfloat16_in_bfloat16_out"] == severity


def test_an_array_that_was_made_before_jax_was_switched_to_64_bits_has_its_dtype():
    made_before = jnp.asarray(1.0)
    with jax.enable_x64(True):
        report = check_pytree(
            lambda seed: Casts(made_before + 0), lambda seed: (sample(seed, (3,)),), leaves=WEAK
        )
    assert not [finding for finding in report.findings if finding.law.number == "P2"]


class Narrow(Casts):
    """It takes one dtype, and says so."""

    def __call__(self, x):
        if x.dtype != jnp.float32:
            raise ValueError("x is to be float32")
        return self.weight * x


def test_a_dtype_that_a_class_refuses_in_its_own_words_is_no_finding():
    found = severities(lambda seed: Narrow(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert "test_p07_bfloat16_in_bfloat16_out" not in found


class Transformed(Casts):
    """An option chooses between a signal and its transform."""

    def __call__(self, x, in_frequencies: bool = False):
        return jnp.fft.fft(self.weight * x) if in_frequencies else self.weight * x


class Rounded(Casts):
    """An option gives what it computes with fewer bits."""

    def __call__(self, x, quickly: bool = False):
        out = self.weight * x
        return out.astype(jnp.float16) if quickly else out


@pytest.mark.parametrize(("cls", "severity"), [(Transformed, ADVICE), (Rounded, FAULT)])
def test_an_option_may_give_numbers_of_another_kind(cls, severity):
    found = severities(lambda seed: cls(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert found["test_p07_has_the_same_dtypes_in_each_configuration"] == severity


class OneDtype(PytreeLaws):
    """What is fixed at one dtype, by a suite that promises no other."""

    leaves = (Leaf("weight", "param", (3,)),)
    returns = (Output((3,)),)
    methods = (Method("fixed", lambda seed: (sample(seed, (3,)),), (Output((3,)),)),)
    one_dtype = True

    def build(self, seed):
        return Fixed(sample(seed, (3,)))

    def arguments(self, seed):
        return (sample(seed, (3,)),)


class Fixed(Casts):
    def __call__(self, x):
        return (self.weight * x).astype(jnp.float32)

    def fixed(self, x):
        return self(x)


class EachDtype(OneDtype):
    one_dtype = False


DTYPE_TESTS = (
    "test_p07_bfloat16_in_bfloat16_out",
    "test_p07_fixed_dtypes_are_those_of_64_bits_as_well",
    "test_p07_methods_in_bfloat16_give_bfloat16",
    "test_p07_methods_have_fixed_dtypes_with_64_bits_as_well",
)


@pytest.mark.parametrize("test", DTYPE_TESTS)
def test_a_cast_is_judged_alike_in_16_and_in_64_bits(test):
    with pytest.warns(LawWarning, match=r"it is float32[^\n]*\n.*\(advice\)\Z"):
        assert severity_of(test, OneDtype) is None
    assert severity_of(test, EachDtype) == ADVICE


def normalized(x):
    """Normalizes the last axis, in float32 whatever it is given."""
    x = x.astype(jnp.float32)
    return x / jnp.linalg.norm(x)


class Normalizes(Casts):
    def __call__(self, x):
        return normalized(self.weight * x)


class Undocumented(Casts):
    def __call__(self, x):
        x = (self.weight * x).astype(jnp.float32)
        return x / jnp.linalg.norm(x)


@pytest.mark.parametrize(("cls", "is_told"), [(Normalizes, False), (Undocumented, True)])
def test_a_docstring_that_says_float32_means_it(cls, is_told):
    found = severities(lambda seed: cls(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert ("test_p07_bfloat16_in_bfloat16_out" in found) is is_told
    assert ("test_p07_fixed_dtypes_are_those_of_64_bits_as_well" in found) is False
