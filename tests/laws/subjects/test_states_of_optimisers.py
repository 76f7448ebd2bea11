"""States that optimisers have on purpose, each beside one with a mistake: tuples, flags, functions that are given."""

import collections
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import flax.struct
import jax
import jax.numpy as jnp
import optax
import pytest
from flax import nnx
from harness.runner import run
from right.specimens import PytreeLaws, sample

from pytree_laws import Leaf, Method, case, check, holds
from pytree_laws.inspect.classes import OF_PYTHON
from pytree_laws.laws.values.conditions import conditions_of
from pytree_laws.nnx import NnxLaws
from pytree_laws.report import ADVICE
from tests.laws.seen_broken import broken, hold

ADAM = optax.adam(0.01)


class Chained(PytreeLaws):
    """The state of a chain is a tuple, whose class is Python's."""

    def build(self, seed):
        return ADAM.init({"weight": sample(seed, (3,))})


class Ordered(PytreeLaws):
    """The state of a chain with names is an ordered dict."""

    def build(self, seed):
        return collections.OrderedDict(first=sample(seed, (3,)))


@pytest.mark.parametrize("suite", [Chained, Ordered])
def test_a_state_may_be_a_tuple_or_a_dict(suite):
    outcome = run(suite)
    assert not outcome
    names = {"test_p03_a_trivial_subclass_is_a_pytree_too", "test_p13_equality_has_a_truth_value"}
    assert {name: outcome.skipped[name] for name in names} == dict.fromkeys(names, OF_PYTHON)


class Seen(NamedTuple):
    """Whether something was no number."""

    is_nan: jax.Array


class Flagged(PytreeLaws):
    methods = (
        Method(
            "next_state",
            lambda seed: (sample(seed, (3,)),),
            call=lambda state, updates: Seen(jnp.isnan(updates).any()),
            carry="self",
        ),
    )

    def build(self, seed):
        return Seen(jnp.zeros((), bool))


def test_a_flag_that_stays_for_these_values_follows_the_arguments():
    assert not run(Flagged, only="test_p11")


def test_a_state_that_is_handed_back_does_not():
    class Wrong(Flagged):
        methods = (
            Method(
                "next_state",
                lambda seed: (sample(seed, (3,)),),
                call=lambda state, updates: Seen(state.is_nan | False),
                carry="self",
            ),
        )

    assert "the next instance is the one before" in run(Wrong, only="test_p11").text("P11")


@flax.struct.dataclass
class Training:
    weight: jax.Array
    tx: Any = flax.struct.field(pytree_node=False)


class Given(PytreeLaws):
    def build(self, seed):
        return Training(sample(seed, (3,)), self.optimiser())

    def optimiser(self) -> optax.GradientTransformation:
        return ADAM


def test_a_function_that_is_given_to_all_instances_is_not_new_in_each():
    assert not run(Given, only="test_p05")


def test_one_that_is_made_in_each_is():
    class Wrong(Given):
        def optimiser(self):
            return optax.adam(0.01)

    text = run(Wrong, only="test_p05_aux").text("P5")
    assert "it is new, and unequal, in each instance" in text
    assert broken(Wrong(), "p05_treedef_depends_on_the_configuration_alone").severity == ADVICE
    with pytest.raises(pytest.skip.Exception, match="each instance has a treedef of its own"):
        hold(Wrong(), "p05_the_order_of_keywords_does_not_matter")


class Conditional(Chained):
    @holds
    def test_it_is_a_list(self, state: Any) -> bool:
        return isinstance(state, list)


def test_a_condition_is_skipped_where_the_suite_says_so():
    assert run(Conditional, only="test_it")
    skipped = type("Skipped", (Conditional,), {"skips": ("it_is_a_list: it is a tuple",)})
    assert not run(skipped, only="test_it")


def test_conditions_and_tests_of_a_case_are_listed():
    further = case(type("Further", (Conditional,), {}))
    found: dict[str, Callable[..., None]] = dict(check.tests_of(further()))
    assert "test_p09_every_element" not in found and all(map(callable, found.values()))
    assert len(found) < len(dict(check.tests_of(Conditional())))
    assert [name for name, _ in conditions_of(further())] == ["test_it_is_a_list"]


class Fitted(eqx.Module):
    """A weight with the state of its optimiser; one element of it has no slope, so that Adam takes the root of 0 there."""

    weight: jax.Array
    opt: optax.OptState

    def step(self, x: jax.Array) -> "Fitted":
        grads = jax.grad(lambda weight: jnp.sum((weight * x)[:2] ** 2))(self.weight)
        updates, opt = ADAM.update(grads, self.opt)
        return Fitted(self.weight + updates, opt)

    def stepped(self, x: jax.Array) -> tuple["Fitted", jax.Array]:
        return self.step(x), jnp.sum(x)

    def rooted(self, x: jax.Array) -> "Fitted":
        return Fitted(x * jnp.sqrt(0 * self.weight), self.opt)


def fitted(method: str) -> PytreeLaws:
    class FittedLaws(PytreeLaws):
        leaves = (Leaf("weight", "param", (3,)), Leaf("opt", "module"))
        methods = (Method(method, lambda seed: (sample(seed, (3,)),)),)

        def build(self, seed):
            weight = sample(seed, (3,))
            return Fitted(weight, ADAM.init(weight))

    return FittedLaws()


def test_nobody_differentiates_through_a_step_of_an_optimiser():
    law = "p09_methods_have_true_gradients"
    hold(fitted("step"), law)
    assert "its gradient by `weight` has NaN" in broken(fitted("rooted"), law).what


@pytest.mark.parametrize("method", ["step", "stepped"])
def test_nor_at_arguments_of_zeros_also_where_the_step_gives_more(method):
    hold(fitted(method), "p09_no_gradient_of_a_method_is_nan_at_zeros")


class Trainer(nnx.Module):
    """The same in a module of NNX, whose optimiser is set in place; one weight of it has no slope."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.model = nnx.Linear(3, 2, use_bias=False, rngs=rngs)
        self.optimizer = nnx.Optimizer(self.model, ADAM, wrt=nnx.Param)

    def step(self, x: jax.Array) -> jax.Array:
        loss, grads = nnx.value_and_grad(lambda model: jnp.sum(model(x)[:1] ** 2))(self.model)
        self.optimizer.update(self.model, grads)
        return loss


class Rooted(Trainer):
    """Nothing is set in place: only the root has no slope."""

    def step(self, x: jax.Array) -> jax.Array:
        return jnp.sqrt(jnp.sum(self.model(x) ** 2))


class TrainerLaws(NnxLaws):
    module: type[Trainer] = Trainer
    methods = (Method("step", lambda seed: (sample(seed, (3,)),)),)

    def build(self, rngs: nnx.Rngs) -> Any:
        return self.module(rngs)


def test_nor_where_a_module_of_nnx_sets_the_state_of_its_optimiser_in_place():
    law = "p09_no_gradient_of_a_method_is_nan_at_zeros"
    hold(TrainerLaws(), law)
    rooted = type("RootedLaws", (TrainerLaws,), {"module": Rooted})
    assert "the gradient by them is NaN" in broken(rooted(), law).what
    hold(TrainerLaws(), "p09_methods_have_true_gradients")
