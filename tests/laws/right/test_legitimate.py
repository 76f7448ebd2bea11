"""Legitimate edits pass with at most one declared line, and what that line does not allow is still found."""

import jax
import jax.numpy as jnp
import pytest
from harness.runner import run

from pytree_laws import check_pytree, sample
from right.legitimate_edits import LEGITIMATE, Antithetic, KeyedBase, Layer, LayerLaws, Mixed, SharedMask

LINES = {
    told: [name for name in ("narrowest", "reuses_key", "shares_noise", "truncated") if name in vars(suite)]
    for told, suite in LEGITIMATE.items()
}


@pytest.mark.spread(6)
@pytest.mark.parametrize("told", LEGITIMATE)
def test_a_legitimate_edit_passes(told: str):
    outcome = run(LEGITIMATE[told], on_warning="ignore")
    assert not outcome, "\n".join(message for found in outcome.values() for message in found)


def test_they_are_more_than_ten():
    assert len(LEGITIMATE) >= 13


@pytest.mark.spread(3)
@pytest.mark.parametrize("told", [told for told, names in LINES.items() if names])
def test_the_declared_line_is_needed(told: str):
    suite = LEGITIMATE[told]
    (name,) = LINES[told]
    bare = type("Bare", (suite,), {name: getattr(LayerLaws, name)})
    assert run(bare, on_warning="ignore", first=True)


def found(suite: type, **declared: object) -> str:
    outcome = run(type("Wrong", (suite,), declared), on_warning="ignore")
    return "\n".join(message for messages in outcome.values() for message in messages)


class Halved(Mixed):
    """In float16, where bfloat16 is declared."""

    def __call__(self, x):
        weight, x = self.weight.astype(jnp.float16), x.astype(jnp.float16)
        return jnp.tanh((weight @ x).astype(self.bias.dtype) + self.bias)


@pytest.mark.slow
def test_another_precision_is_found():
    told = found(LayerLaws, cls=Halved, narrowest="bfloat16")
    assert "it casts float32 to float16, which nothing that it is given has" in told


class Branching(Mixed):
    """Of another value under jit, by more than the narrow dtype explains."""

    def __call__(self, x):
        return super().__call__(x) + isinstance(x, jax.core.Tracer)


@pytest.mark.slow
def test_the_tolerance_of_a_narrow_dtype_hides_no_other_value():
    assert "jit gives" in found(LayerLaws, cls=Branching, narrowest="bfloat16")


class TwoDistributions(Antithetic):
    """Two distributions from one key, which are no one draw."""

    def __call__(self, x, key):
        noise = jax.random.normal(key, x.shape, x.dtype) + jax.random.uniform(key, x.shape, x.dtype)
        return jnp.tanh(self.weight @ (x + noise) + self.bias)


@pytest.mark.slow
def test_a_draw_that_is_another_is_found_beside_one_that_is_made_again():
    assert "one key serves" in found(KeyedBase, cls=TwoDistributions, reuses_key=True)


@pytest.mark.slow
def test_a_flag_of_noise_says_nothing_of_constant_keys():
    class Constant(SharedMask):
        def __call__(self, x, key):
            return super().__call__(x, jax.random.key(0))

    base = LEGITIMATE["one mask for all steps of a sequence"]
    assert "depend on nothing" in found(base, cls=Constant)


@pytest.mark.parametrize("skips", [("p17_: its twin is meant",), {"p17_": "its twin is meant"}])
def test_a_skip_says_its_reason_in_a_line_of_its_own(skips):
    report = check_pytree(
        lambda seed: Layer(2, 3, key=jax.random.key(seed)),
        lambda seed: (sample(seed, (3,)),),
        skips=skips,
    )
    assert report.ok
    assert "\ndeclared not to hold: its twin is meant (P17)\n" in str(report)
    assert "twin is meant" not in str(report).splitlines()[-1]
