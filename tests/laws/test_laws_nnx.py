"""The laws of NNX modules: each fails on the mistakes that it is there for, and right modules of every style hold them."""

import jax
import jax.numpy as jnp
import pytest
from harness.nnx_modules import MUTANTS, LinearLaws
from harness.pairs import check_broken
from harness.runner import run
from mutants.nnx import files as mutants_nnx_files
from mutants.nnx import of_other_laws as mutants_nnx_again
from mutants.nnx import states as mutants_nnx_states
from mutants.nnx import ties as mutants_nnx_ties
from right import nnx as good_nnx

from pytree_laws import nnx


@pytest.mark.spread(6)
@pytest.mark.parametrize("suite, law, words", MUTANTS)
def test_the_law_fails_and_names_the_cause(suite, law, words):
    check_broken(suite, law, words)


RIGHT = (
    mutants_nnx_again.FlowingLaws,
    mutants_nnx_files.KeptLaws,
    mutants_nnx_states.RightCell,
    mutants_nnx_states.NoisyLaws,
    mutants_nnx_ties.TiedTableLaws,
)


@pytest.mark.spread(6)
@pytest.mark.parametrize("suite", [LinearLaws, *RIGHT, *good_nnx.GOOD], ids=lambda suite: suite.__name__)
def test_right_modules_hold_every_law(suite):
    outcome = run(suite)
    assert not outcome, "\n".join(message for found in outcome.values() for message in found)
    assert len(outcome.ran) > 40


@jax.custom_vjp
def spike(x):
    return jnp.tanh(x)


spike.defvjp(lambda x: (jnp.tanh(x), x), lambda x, g: (g / jnp.cosh(x) ** 2,))


class SpikingLaws(good_nnx.DenseLaws):
    def inputs(self, seed):
        return {**super().inputs(seed), "activation": spike}


@pytest.mark.slow
def test_a_function_that_jax_does_not_copy_outlives_a_split_and_a_merge():
    assert "P3" not in run(SpikingLaws)


def test_every_law_has_a_test():
    tests = [name for name in dir(nnx.NnxLaws) if name.startswith("test_")]
    assert {f"P{int(name[6:8])}" for name in tests} == set(nnx.LAWS)
