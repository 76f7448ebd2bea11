"""What an author says of a class himself: conditions that hold, further configurations, tolerances, sizes that fit."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from harness.mutants import Node, NodeLaws, node
from harness.runner import run
from right.specimens import Leaf, PytreeLaws, sample

from pytree_laws import case, holds
from pytree_laws.values.closeness import close, tolerating
from pytree_laws.values.comparison import compare, recording_differences


class Conditions(NodeLaws):
    """Its class doubles, and adds a bias."""

    @holds
    def test_zero_gives_the_bias(self, instance, x):
        return self.close(instance(0 * x), instance.bias)

    @holds
    def test_it_grows_with_x(self, instance, x):
        return bool(
            ((instance(x + 1) - instance(x)) / instance.weight > 0).all()
        )  # a value, which is not known under jit


def told(suite, name="conditions"):
    return run(suite, only="test_").text(name)


def test_conditions_that_hold_pass():
    outcome = run(Conditions, only="test_")
    assert not outcome
    assert {"test_zero_gives_the_bias", "test_it_grows_with_x"} <= set(outcome.ran)


def test_a_condition_that_is_false_says_what_it_is_and_what_differs():
    class Wrong(Conditions):
        cls = node(__call__=lambda self, x: self.weight * (x - 1) * self.scale + self.bias)

    text = told(Wrong)
    assert (
        "[test_zero_gives_the_bias] `close(instance(0 * x), instance.bias)` does not hold, with seed 0\n"
        in text
    )
    assert "at (0,), and 7.6e-06 is allowed" in text
    assert "test_it_grows" not in text


def test_a_condition_is_tried_on_several_examples():
    class Later(NodeLaws):
        @holds
        def test_it_is_the_first(self, instance, x):
            return self.close(x, sample(0, (3,)))

    assert "does not hold, with seed 1\n" in told(Later)


class BeginsAsNothing(NodeLaws):
    """Of a class whose bias is declared to begin as zero."""

    leaves = tuple(
        dataclasses.replace(leaf, value=0) if leaf.path == "bias" else leaf for leaf in NodeLaws.leaves
    )

    def build(self, **inputs):
        made = super().build(**inputs)
        return type(made)(made.weight, jnp.zeros_like(made.bias), made.scale)


@pytest.mark.slow
def test_a_condition_is_tried_as_training_may_leave_the_instance():
    class OfTheStart(BeginsAsNothing):
        @holds
        def test_zero_stays(self, instance, x):
            return self.close(instance(0 * x), 0 * x)

    class OfTheStartAlone(BeginsAsNothing):
        @holds(at_start=True)
        def test_zero_stays(self, instance, x):
            return self.close(instance(0 * x), 0 * x)

    assert "does not hold, with seed 2, as training may leave it (`at_start=True` says" in told(OfTheStart)
    assert not told(OfTheStartAlone)


@pytest.mark.slow
def test_a_condition_is_tried_in_each_dtype():
    class Half(Conditions):
        dtypes = ("bfloat16",)
        cls = node(__call__=lambda self, x: Node.__call__(self, x + (x.dtype == jnp.bfloat16)))

    text = told(Half)
    assert "`close(instance(0 * x), instance.bias)` does not hold, with seed 0, in bfloat16\n" in text


def test_a_condition_is_tried_under_jit_where_it_can_be():
    def traced(self, x):
        return Node.__call__(self, x) + isinstance(x, jax.core.Tracer)

    class Traced(Conditions):
        cls = node(__call__=traced)

    text = told(Traced)
    assert "does not hold under jax.jit, with seed 0\n  called eagerly it does" in text


def test_an_error_in_a_condition_says_with_what_it_was_tried():
    class Fails(NodeLaws):
        @holds
        def test_it_has_an_inverse(self, instance, x):
            return self.close(instance.inverse(instance(x)), x)

    with pytest.raises(AttributeError) as caught:
        Fails().test_it_has_an_inverse()
    assert caught.value.__notes__ == ["while `close(instance.inverse(instance(x)), x)` was tried with seed 0"]


@pytest.mark.parametrize(
    ("left", "right", "difference"),
    [
        (jnp.ones(2), jnp.ones(2) + 1e-4, "1 is not 1.0001 at (0,), and 7.6e-06 is allowed"),
        (jnp.ones(2), np.ones(2, np.float16), "float32[2] and float16[2] are not of one dtype and shape"),
        (jnp.ones(2), jnp.ones(3), "float32[2] and float32[3] are not of one dtype and shape"),
        (jnp.arange(2), jnp.arange(2) + 1, "0 is not 1 at (0,)"),
        ((1.0,), [1.0], "(1.0,) and [1.0] differ in structure"),
        ("a", "b", "'a' is not 'b'"),
        (jax.random.key(0), jax.random.key(1), "0 is not 1 at (1,)"),
        (jnp.array([jnp.nan, 1.0]), jnp.array([jnp.nan, 2.0]), "1 is not 2 at (1,), and 7.6e-06 is allowed"),
        (jnp.array([jnp.inf]), jnp.array([-jnp.inf]), "inf is not -inf at (0,), and 7.6e-06 is allowed"),
    ],
)
def test_what_is_not_close_says_why_and_is_not_close_under_jit_either(left, right, difference):
    with recording_differences() as differences:
        assert not compare(left, right)
    assert differences == [difference]
    if not isinstance(left, str):
        assert not jax.jit(compare)(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (jnp.ones(2), jnp.ones(2) + 1e-6),
        (jnp.ones(()), 1.0),
        (1000 * jnp.ones(2), 1000 * jnp.ones(2) + 1e-3),
        (jnp.ones(2, jnp.bfloat16), jnp.ones(2, jnp.bfloat16) + 0.02),
        (jnp.array([jnp.nan, jnp.inf]), jnp.array([jnp.nan, jnp.inf])),
        ({"a": jnp.arange(2), "b": jax.random.key(0)}, {"a": jnp.arange(2), "b": jax.random.key(0)}),
        (jnp.ones(2) + 1j, jnp.ones(2) + 1.000001j),
        (True, True),
        (None, None),
    ],
)
def test_what_is_close_is_so_under_jit_too(left, right):
    assert compare(left, right)
    assert jax.jit(compare)(left, right)


def test_a_tolerance_is_one_number_or_one_by_dtype():
    one, other = jnp.ones(2), jnp.ones(2) + 0.01
    assert compare(one, other, 0.02) and not compare(one, other, 0.001)
    assert compare(one, other, {"float32": 0.02}) and not compare(one, other, {"bfloat16": 0.02})
    assert compare(one + 0j, other + 0j, {"float32": 0.02})
    assert not compare(one, one + 1e-6, 1e-7)


def test_a_declared_tolerance_serves_every_law():
    one, other = jnp.ones(2), jnp.ones(2) + 0.01
    with tolerating(0.02):
        assert close(one, other)
    assert not close(one, other)

    class Rough(NodeLaws):
        cls = node(__call__=lambda self, x: Node.__call__(self, x) + 0.001 * isinstance(x, jax.core.Tracer))

    class Tolerant(Rough):
        tolerance = 0.01

    law = "test_p07_jit_equals_eager"
    assert "P7" in run(Rough, only=law) and not run(Tolerant, only=law)


class Longer(Conditions):
    leaves = (Leaf("weight", "param", (5,)), Leaf("bias", "param", (5,)))
    returns = ()

    def inputs(self, seed):
        return {"weight": sample(seed, (5,)), "bias": sample(seed + 1, (5,)), "scale": 2}

    def arguments(self, seed):
        return (sample(seed, (5,)),)


def test_a_case_is_held_to_the_cheap_laws_and_to_its_authors_own_conditions():
    case(Longer)
    outcome = run(Longer)
    assert not outcome
    ran = {*outcome.ran, *outcome.skipped}
    assert {
        "test_p02_leaves_are_the_declared_ones",
        "test_p07_jit_equals_eager",
        "test_zero_gives_the_bias",
    } <= ran
    assert not any(
        name.startswith(("test_p06", "test_p09", "test_p10", "test_p14", "test_p18")) for name in ran
    )
    assert len(ran) < len({*(every := run(Conditions)).ran, *every.skipped}) / 2


def test_a_case_is_a_suite_of_its_own():
    class Wrong(Longer):
        leaves = (Leaf("weight", "param", (5,)), Leaf("bias", "param", (4,)))

    assert "P2" in run(case(Wrong), only="test_p02")
    assert not run(Longer, only="test_p02")


class Attention:
    """Holds heads that must divide its size."""

    def __init__(self, size, heads):
        self.weight, self.heads = jnp.ones((size,)), heads

    def __call__(self, x):
        return (self.weight * x).reshape(self.heads, -1)


jax.tree_util.register_pytree_node(
    Attention, lambda self: ((self.weight,), self.heads), lambda aux, children: None
)


class AttentionLaws(PytreeLaws):
    def inputs(self, seed):
        return {"size": 3, "heads": 2}

    def build(self, **inputs):
        return Attention(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)

    def call(self, instance, x):
        return instance(x)


FIT = "it has size = 3, heads = 2. Others are chosen in its spec by `[test]` with `sizes = { size = 6, heads = 2 }`, in Python by `@test("


def test_a_call_that_fails_for_its_sizes_says_which_to_declare():
    text = run(AttentionLaws, only="test_p07").text("P7")
    assert "raised TypeError: cannot reshape array of shape (3,)" in text
    assert FIT in text


def test_a_constructor_that_refuses_its_sizes_says_which_to_declare():
    class Refused(AttentionLaws):
        def build(self, size, heads):
            if size % heads:
                raise ValueError("`size` must be divisible by `heads`")
            return Attention(size, heads)

    assert FIT in run(Refused, only="test_p01").text("P1")


def test_sizes_that_fit_no_better_are_not_proposed():
    class Short(AttentionLaws):
        def inputs(self, seed):
            return {"size": 7, "heads": 2}

    text = run(Short, only="test_p07").text("P7")
    assert "it has size = 7, heads = 2. Others are chosen in its spec by `sizes` of `[test]`" in text


def test_an_error_that_has_nothing_to_do_with_sizes_says_nothing_of_them():
    class Broken(AttentionLaws):
        def call(self, instance, x):
            raise ValueError("no route")

    assert "sizes" not in run(Broken, only="test_p07").text("P7")
