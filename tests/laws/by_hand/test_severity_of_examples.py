"""How much a finding matters that comes of what an example gives, and not of the class."""

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import pytest
from flax.core import FrozenDict
from flax.training.train_state import TrainState
from jax.experimental import checkify

from by_hand.test_severity import severities, severity_of
from pytree_laws import Method, PytreeLaws, check_pytree, sample
from pytree_laws.report import ADVICE, FAULT


class Dense:
    def apply(self, x):
        return 2 * x


class Runs(eqx.Module):
    """It is given a method of an object, as the states of Flax are."""

    weight: jax.Array
    function: object = eqx.field(static=True)

    def __call__(self, x):
        return self.function(self.weight * x)


class RunsLaws(PytreeLaws):
    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "function": Dense().apply}

    def build(self, **inputs):
        return Runs(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


class Makes(Runs):
    """It makes the object itself."""

    def __init__(self, weight):
        self.weight = weight
        self.function = Dense().apply


class MakesLaws(RunsLaws):
    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def build(self, **inputs):
        return Makes(**inputs)


class Whole(eqx.Module):
    """It is given a part that makes a function in its constructor."""

    part: Makes

    def __call__(self, x):
        return 2 * self.part(x)


class WholeLaws(RunsLaws):
    def inputs(self, seed):
        return {"part": Makes(sample(seed, (3,)))}

    def build(self, **inputs):
        return Whole(**inputs)


def test_a_function_that_is_new_in_each_instance_is_of_the_class_that_makes_it_and_of_none_that_is_given_it():
    tests = (
        "p05_aux_is_hashable_and_free_of_arrays",
        "p05_treedef_depends_on_the_configuration_alone",
        "p06_one_trace_serves_all_instances",
    )
    for test in tests[:2]:
        assert severity_of(f"test_{test}", MakesLaws) == FAULT
    for test in tests:
        assert [severity_of(f"test_{test}", suite) for suite in (RunsLaws, WholeLaws)] == [None, None]


class MakesAState(eqx.Module):
    """It gives a state of Flax a function that is another one in each instance."""

    state: TrainState

    def __init__(self, weight):
        apply = lambda params, x: params * x  # noqa: E731
        self.state = TrainState(
            step=0, apply_fn=apply, params=jnp.array(weight), tx=IDENTITY, opt_state=optax.EmptyState()
        )

    def __call__(self, x):
        return self.state.apply_fn(self.state.params, x)


IDENTITY = optax.identity()


def test_a_function_that_the_class_gives_to_a_part_of_a_library_is_its_own():
    found = severities(lambda seed: MakesAState(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert found["test_p05_aux_is_hashable_and_free_of_arrays"] == FAULT


class Pair(eqx.Module):
    first: jax.Array
    second: jax.Array


class HoldsPairs(eqx.Module):
    pair: Pair
    other: Pair

    def __call__(self, x):
        return (self.pair.first + self.pair.second - self.other.first * self.other.second) * x


class HoldsPairsLaws(RunsLaws):
    def inputs(self, seed):
        first, second, third = (sample(seed + place, (3,)) for place in range(3))
        return {"pair": Pair(first, second), "other": Pair(first + 0, third)}

    def build(self, **inputs):
        return HoldsPairs(**inputs)


def test_arrays_of_parts_that_are_given_are_no_draws_of_the_class():
    assert severity_of("test_p15_no_two_parameters_are_the_same_draw", HoldsPairsLaws) is None


class Turned(eqx.Module):
    values: jax.Array

    def __call__(self, x):
        return self.values * x

    @property
    def turned(self):
        return jnp.matrix_transpose(self.values)


def test_ranks_that_a_property_refuses_are_those_of_the_example():
    found = severities(lambda seed: Turned(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert found["test_p07_methods_give_what_is_declared"] == ADVICE


class Checked(Turned):
    """Nothing reads what the check gives: under jit there is none."""

    def __call__(self, x):
        eqx.error_if(self.values, self.values > 100, "it is too large")
        return self.values * x


def test_a_check_whose_result_nobody_uses_is_named():
    report = check_pytree(lambda seed: Checked(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    [lost] = (one for one in report.findings if one.test == "test_p12_throws_no_update_away")
    assert lost.what == "nothing uses the result of a check, as `eqx.error_if`" and lost.severity == FAULT


class Shared(eqx.Module):
    """It is given parts of libraries that keep a dict of their own."""

    weight: jax.Array
    error: checkify.Error
    tree: FrozenDict

    def __call__(self, x):
        return self.weight * x


NOTHING, EMPTY = checkify.Error({}, {}, {}, {}), FrozenDict()


def test_what_a_library_keeps_in_its_own_nodes_is_no_fault_of_the_class():
    found = severities(
        lambda seed: Shared(sample(seed, (3,)), NOTHING, EMPTY), lambda seed: (sample(seed, (3,)),)
    )
    assert FAULT not in (found.get("test_p05_aux_is_hashable_and_free_of_arrays"),)
    assert "test_p01_instances_share_nothing_mutable" not in found


@jax.tree_util.register_pytree_node_class
class Restricted:
    """Its constructor, which unflatten calls, takes two texts alone."""

    def __init__(self, weight, kind="major"):
        if kind not in ("major", "product"):
            raise ValueError("kind is major or product")
        self.weight, self.kind = weight, kind

    def __call__(self, x):
        return self.weight * x if self.kind == "major" else self.weight + x

    def tree_flatten(self):
        return (self.weight,), (self.kind,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, *aux)


class RestrictedLaws(RunsLaws):
    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "kind": "major"}

    def build(self, **inputs):
        return Restricted(**inputs)


def test_a_text_that_a_constructor_refuses_is_put_into_no_instance():
    assert severity_of("test_p03_round_trip_keeps_what_the_constructor_is_given", RestrictedLaws) is None


@jax.tree_util.register_pytree_node_class
class Jittable:
    """Its flatten takes apart all that it holds, as those of distrax do."""

    def __init__(self, scale):
        self.scale, self.offset = scale, jnp.ones(3)

    def __call__(self, x):
        return self.scale * x + self.offset

    def tree_flatten(self):
        return jax.tree.flatten(vars(self))

    @classmethod
    def tree_unflatten(cls, aux, children):
        instance = object.__new__(cls)
        instance.__dict__.update(jax.tree.unflatten(aux, children))
        return instance


def test_a_flatten_that_leaves_none_out_is_advice():
    found = severities(lambda seed: Jittable(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert found["test_p03_round_trip_keeps_any_leaves"] == ADVICE
    assert FAULT not in found.values()


class Mapped(dict):
    """A dict of its own that is registered without keys."""


jax.tree_util.register_pytree_node(
    Mapped,
    lambda node: (tuple(node.values()), tuple(node)),
    lambda aux, children: Mapped(zip(aux, children, strict=True)),
)


class Sized(eqx.Module):
    weight: jax.Array
    size: int = eqx.field(static=True)


class HoldsParts(eqx.Module):
    parts: dict

    def __call__(self, x):
        return self.parts["a"].weight * x


class HoldsPartsLaws(RunsLaws):
    static: ClassVar = {"parts.0.size": 3}
    kind = dict

    def inputs(self, seed):
        return {"parts": self.kind(a=Sized(sample(seed, (3,)), 3))}

    def build(self, **inputs):
        return HoldsParts(**inputs)


@pytest.mark.parametrize("kind", [dict, Mapped])
def test_a_position_in_a_dict_is_found(kind):
    laws = type("Laws", (HoldsPartsLaws,), {"kind": kind})
    assert severity_of("test_p05_static_values_are_the_declared_ones", laws) is None


class OfTwoSizes(eqx.Module):
    """It has no call, and a method of other shapes."""

    weight: jax.Array
    size: int = eqx.field(static=True)
    order: int = eqx.field(static=True)

    def scaled(self):
        return self.weight * jnp.ones(7)


class OfTwoSizesLaws(PytreeLaws):
    methods = (Method("scaled"),)

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "size": 5, "order": 2}

    def build(self, **inputs):
        return OfTwoSizes(**inputs)


def test_a_method_that_raises_is_told_of_a_class_of_sizes_that_is_not_called():
    assert severity_of("test_p07_methods_give_what_is_declared", OfTwoSizesLaws) == FAULT
