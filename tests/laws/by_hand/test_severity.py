"""How much a finding matters: by its law, by the check, and by what the check found."""

import dataclasses
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from additions import graded
from flax import nnx
from right.modules import AffineLaws

from pytree_laws import LawBroken, Method, PytreeLaws, check_pytree, sample
from pytree_laws.engine.registry import with_tests_of
from pytree_laws.nnx import NnxLaws
from pytree_laws.report import ADVICE, COST, FAULT


@with_tests_of(graded.CHECKS)
class Graded(AffineLaws): ...


def severity_of(test, suite=Graded):
    """How much the finding of a test matters."""
    try:
        getattr(suite(), test)()
    except LawBroken as broken:
        return broken.finding.severity


def test_a_check_and_a_finding_say_how_much_they_matter():
    assert severity_of("test_p91_as_its_law") == FAULT
    assert severity_of("test_p91_as_the_check_says") == COST
    assert severity_of("test_p91_as_the_finding_says") == ADVICE


def severities(build, arguments=None, **declared):
    """How much the findings of a class matter, by test."""
    report = check_pytree(build, arguments, **declared)
    return {one.test: one.severity for one in report.findings}


class Named(nnx.Module):
    """Its graph definition has no hash."""

    def __init__(self, rngs):
        self.names = {"first": 1}
        self.weight = nnx.Param(rngs.params.normal((3,)))

    def __call__(self, x):
        return self.weight * x


def test_nnx_jit_needs_no_hash_of_a_graph_definition():
    found = severities(lambda seed: Named(nnx.Rngs(seed)), lambda seed: (sample(seed, (3,)),))
    assert found == {"test_p05_attributes_are_immutable_and_hashable": ADVICE}


class LeftOut(nnx.Module):
    def __init__(self, size, *, rngs=None):
        self.weight = nnx.Param(rngs.params.normal((size,)))


class NeedsBias(nnx.Module):
    """Its flag has a value at which it raises."""

    def __init__(self, size, use_bias=True):
        self.bias = nnx.Param(jnp.arange(size) + 1.0) if use_bias else None
        self.last = nnx.Param(self.bias[...] * 2)


def test_a_default_of_none_that_no_caller_leaves_is_advice():
    test = "test_p01_builds_in_each_configuration"
    assert severities(lambda seed: LeftOut(3, rngs=nnx.Rngs(seed))) == {test: ADVICE}
    assert severities(lambda seed: NeedsBias(3))[test] == FAULT


class Keeps(nnx.Module):
    """An array that it is given, and a table of NumPy, are none of its Variables."""

    def __init__(self, value):
        self.value = value
        self.table = np.arange(3)


class Computes(nnx.Module):
    def __init__(self, value):
        self.twice = 2 * value


class KeepsLaws(NnxLaws):
    made = Keeps

    def inputs(self, seed):
        return {"value": sample(seed, (3,))}

    def build(self, **inputs):
        return self.made(**inputs)


class ComputesLaws(KeepsLaws):
    made = Computes


def test_a_plain_array_of_a_module_matters_where_the_constructor_made_it():
    test = "test_p02_variables_are_as_declared"
    assert severity_of(test, KeepsLaws) == ADVICE
    assert severity_of(test, ComputesLaws) == FAULT
    assert severity_of("test_p01_shares_no_buffer_with_its_inputs", KeepsLaws) == ADVICE


class Tagged(eqx.Module):
    """A count of NumPy is static."""

    weight: jax.Array
    count: int = eqx.field(static=True)

    def __call__(self, x):
        return self.weight * x + self.count


def test_a_static_number_of_numpy_is_advice():
    found = severities(lambda seed: Tagged(sample(seed, (3,)), np.int64(2)), lambda seed: (sample(seed),))
    assert found and set(found.values()) == {ADVICE}


class Shares(eqx.Module):
    weight: jax.Array
    names: list[str]

    def __init__(self, weight, names=["first"]):  # noqa: B006
        self.weight, self.names = weight, names


class Copies(Shares):
    def __init__(self, weight, names=["first"]):  # noqa: B006
        self.weight, self.names = weight, list(names)


class Starts(NamedTuple):  # with an array of jax, which nobody can change
    weight: jax.Array
    turn: jax.Array = jnp.int32(0)


def test_a_default_that_can_change_matters_where_an_instance_keeps_it():
    test = "test_p01_defaults_are_immutable"
    found = [severities(lambda seed, cls=cls: cls(sample(seed, (3,)))) for cls in (Shares, Copies, Starts)]
    assert [each.get(test) for each in found] == [FAULT, ADVICE, None]
    assert found[-1]["test_p15_no_two_leaves_share_a_buffer"] == COST  # which tells of it alone
    assert severities(lambda seed: Starts(sample(seed, (3,)), jnp.int32(seed)))[test] == ADVICE


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Plain:
    weight: jax.Array


def test_a_dataclass_of_jax_is_not_named_by_its_treedef_on_purpose():
    found = severities(lambda seed: Plain(sample(seed, (3,))))
    assert found["test_p17_the_treedef_names_the_class"] == ADVICE


class Casts(eqx.Module):
    """It gives float32 by its own word."""

    weight: jax.Array

    def __call__(self, x):
        return (self.weight * x).astype(jnp.float32)


class Marked(eqx.Module):
    """Its base stores a mark on each instance, as libraries do that check how a class is made."""

    weight: jax.Array

    def __init__(self, weight):
        self.weight = weight
        object.__setattr__(self, "_is_made", True)


class Chained(eqx.Module):
    parts: list[Marked]

    def __call__(self, x):
        return self.parts[0].weight * x


def test_what_lies_beside_the_fields_of_a_part_in_a_list_is_advice():
    found = severities(lambda seed: Chained([Marked(sample(seed, (3,)))]), lambda seed: (sample(seed, (3,)),))
    assert {severity for test, severity in found.items() if "p03" in test} == {ADVICE}


class IgnoresItsKey(Casts):
    def __call__(self, x, key):
        return self.weight * x


class UsesAnotherKey(Casts):
    def __call__(self, x, key):
        return self.weight * x + jax.random.normal(jax.random.key(0), x.shape, x.dtype)


@pytest.mark.parametrize(
    ("cls", "test", "severity"),
    [
        (IgnoresItsKey, "test_p16_keys_give_different_draws", ADVICE),
        (UsesAnotherKey, "test_p12_draws_use_a_key_that_is_given", FAULT),
    ],
)
def test_a_key_that_nothing_is_drawn_with_is_advice(cls, test, severity):
    found = severities(
        lambda seed: cls(sample(seed, (3,))), lambda seed: (sample(seed, (3,)), jax.random.key(seed))
    )
    assert found[test] == severity


class LooksAtData(eqx.Module):
    indices: tuple[int, ...] = eqx.field(static=True)

    def __init__(self, indices):
        self.indices = tuple(np.asarray(indices).tolist())


class LooksAtDraws(eqx.Module):
    scale: float = eqx.field(static=True)

    def __init__(self, key):
        self.scale = float(jax.random.normal(key, ()))


class Looking(PytreeLaws):
    def inputs(self, seed):
        return {"indices": jnp.arange(3)}

    def build(self, **inputs):
        return LooksAtData(**inputs)


class LookingAtDraws(PytreeLaws):
    def inputs(self, seed):
        return {"key": jax.random.key(seed)}

    def build(self, **inputs):
        return LooksAtDraws(**inputs)


def test_a_constructor_may_look_at_the_data_that_it_is_given():
    assert severity_of("test_p01_builds_under_jit_without_leaking", Looking) == ADVICE
    assert severity_of("test_p01_builds_under_jit_without_leaking", LookingAtDraws) == FAULT


@jax.tree_util.register_pytree_node_class
class Derives:
    """A static value is computed anew."""

    def __init__(self, weight, sizes):
        self.weight, self.sizes = weight, sizes
        self.count = len(sizes)

    def tree_flatten(self):
        return (self.weight,), (self.sizes, self.count)

    @classmethod
    def tree_unflatten(cls, aux, children):
        self = object.__new__(cls)
        self.weight, self.sizes = children[0], aux[0]
        self.count = len(self.sizes)
        return self


@jax.tree_util.register_pytree_node_class
class AsTheyCome:
    """Its leaves are in the order in which its attributes were set."""

    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def tree_flatten(self):
        return tuple(vars(self).values()), tuple(vars(self))

    @classmethod
    def tree_unflatten(cls, aux, children):
        self = object.__new__(cls)
        vars(self).update(zip(aux, children, strict=True))
        return self


def test_what_only_an_edit_by_hand_could_break_is_advice():
    found = severities(lambda seed: Derives(sample(seed, (3,)), (3, 2)))
    assert found["test_p03_round_trip_keeps_changed_static_values"] == ADVICE
    found = severities(lambda seed: AsTheyCome(sample(seed, (3,)), sample(seed + 1, (3,))))
    assert found["test_p05_the_order_of_attributes_does_not_matter"] == ADVICE


class Standardised(Casts):
    """A mean of the data, which a property hands out behind `stop_gradient`."""

    mean: jax.Array

    @property
    def fixed(self):
        return jax.lax.stop_gradient(self.mean)

    def __call__(self, x):
        return self.weight * x

    def centred(self, x):
        return self.weight * (x - self.fixed)


@pytest.mark.slow
def test_what_a_method_cuts_off_is_advice():
    found = severities(
        lambda seed: Standardised(sample(seed, (3,)), sample(seed + 1, (3,))),
        lambda seed: (sample(seed, (3,)),),
        methods=(Method("centred", lambda seed: (sample(seed, (3,)),)),),
    )
    assert found["test_p09_methods_have_true_gradients"] == ADVICE


class Listed(Casts):
    """It gives an output for each element."""

    def __call__(self, x):
        return list(self.weight * x)


def test_as_many_outputs_as_elements_are_no_lost_axes():
    found = severities(lambda seed: Listed(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    assert not [test for test in found if "keeps_its_axes" in test]


class Record(NamedTuple):
    weight: jax.Array
    settings: dict[str, float] = {}  # noqa: RUF012


class Noted(Record):
    def note(self, value):
        self.settings["last"] = value


def test_a_dict_that_records_share_is_advice_unless_their_class_changes_it():
    test = "test_p01_instances_share_nothing_mutable"
    found = [severities(lambda seed, cls=cls: cls(sample(seed, (3,))))[test] for cls in (Record, Noted)]
    assert found == [ADVICE, FAULT]
