"""What is told once, as what it is: calls that cannot be compiled, treedefs that cannot be compared, and what is no mistake at all."""

import dataclasses
import re
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from by_hand.test_severity import severities
from pytree_laws import LawBroken, Leaf, PytreeLaws, check_pytree, sample
from pytree_laws.inspect.references import references
from pytree_laws.kinds import slopes
from pytree_laws.report import ADVICE, COST, FAULT, OF_LAWS, UNDER_TEST
from pytree_laws.session import Session


class Branch(eqx.Module):
    """It cannot be compiled: what it does depends on a value."""

    scale: jax.Array
    power: int = eqx.field(static=True, default=2)

    def __call__(self, x):
        return self.scale * x**self.power if x.sum() > 0 else x


@pytest.mark.parametrize("used", [(), ("power",)])
def test_a_call_that_cannot_be_compiled_is_one_fault(used: tuple[str, ...]):
    report = check_pytree(
        lambda seed: Branch(sample(seed, (3,))), lambda seed: (jnp.ones(3) + seed,), used=used
    )
    [finding] = report.findings
    assert (finding.law.number, finding.severity) == ("P7", FAULT)
    assert "TracerBoolConversionError" in finding.what and "tracing the function" not in finding.what


@jax.tree_util.register_pytree_node_class
class HoldsArray:
    """Its aux data is an array: two treedefs cannot be compared."""

    def __init__(self, weight, table):
        self.weight, self.table = weight, table

    def tree_flatten(self):
        return (self.weight,), Aux(self.table)

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, aux.table)


@dataclasses.dataclass(frozen=True)
class Aux:
    table: jax.Array


class Opaque:
    """Its == gives an array."""

    def __init__(self, table):
        self.table = table

    def __eq__(self, other):
        return self.table == other.table

    def __hash__(self):
        return 0


def test_treedefs_that_cannot_be_compared_are_a_fault_of_the_class():
    report = check_pytree(lambda seed: HoldsArray(sample(seed, (3,)), jnp.arange(3)))
    assert [one.test for one in report.findings if one.law.number == "P5"] == [
        "test_p05_aux_is_hashable_and_free_of_arrays"
    ]
    report = check_pytree(lambda seed: HoldsArray(sample(seed, (3,)), Opaque(jnp.arange(3) + seed)))
    [finding] = [one for one in report.findings if one.law.number == "P5"]
    assert "cannot be compared" in finding.what
    assert not [one for one in report.findings if UNDER_TEST in one.what]


class Gain(eqx.Module):
    gain: jax.Array

    def __call__(self, x):
        return self.gain * x


def test_what_a_law_raises_is_no_error_of_the_class(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(slopes, "rounding_of", None)  # as a mistake in the law would have it
    report = check_pytree(lambda seed: Gain(sample(seed, (3,))), lambda seed: (jnp.ones(3) + seed,))
    [finding] = [one for one in report.findings if OF_LAWS in one.what]
    place = r"slopes\.py:\d+ of pytree_laws, and no line of the class, raised TypeError: "
    assert re.match(place, finding.what)
    assert finding.hint.endswith("report it with this line and the class")


class HoldsTwo(nnx.Module):
    """A Variable of two arrays."""

    def __init__(self, rngs):
        self.both = nnx.Variable((rngs.params.normal((3, 3)), jnp.zeros(3)))


def test_a_variable_that_holds_a_tuple_is_no_array():
    assert not severities(lambda seed: HoldsTwo(nnx.Rngs(seed)))


class Inner(eqx.Module):
    """A dataclass that refuses assignments by itself."""

    size: int = 1


class HoldsInner(eqx.Module):
    weight: jax.Array
    inner: Inner = eqx.field(static=True)


def test_a_module_of_equinox_is_frozen():
    assert not severities(lambda seed: HoldsInner(sample(seed, (3,)), Inner()))


class Draws(nnx.Module):
    """No float goes in."""

    def __init__(self, size):
        self.size = size

    def __call__(self, key):
        return jax.random.normal(key, (self.size,))


def test_what_holds_no_float_is_asked_for_none_in_bfloat16():
    assert not severities(lambda seed: Draws(3), lambda seed: (jax.random.key(seed),))


class Guarded:
    """A function that answers no question about itself."""

    def __getattr__(self, name):
        raise KeyError(name)

    def __call__(self, x):
        return x


def test_what_a_class_raises_that_is_asked_for_an_attribute_is_not_ours():
    assert ("(wrapped)", None) in references(Guarded())


class Roots(eqx.Module):
    shift: jax.Array

    def __call__(self, x):
        return jnp.sqrt((x + self.shift) ** 2 - x**2 - 2 * x * self.shift - self.shift**2 + 1e-9)


def test_nan_by_rounding_is_no_overflow():
    report = check_pytree(lambda seed: Roots(0.1 * sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    [hint] = [one.hint for one in report.findings if "in 64 bits" in one.what]
    assert "rounding makes negative" in hint


TABLE = jnp.arange(3.0)


class OfATable(eqx.Module):
    """Each instance holds one and the same array."""

    table: jax.Array

    def __init__(self):
        self.table = TABLE


def test_a_shared_buffer_costs_and_is_no_fault_of_donation():
    found = severities(lambda seed: OfATable())
    assert found["test_p15_donation"] == COST


class Grid:
    """It has no == of its own."""


class OnGrid(eqx.Module):
    weight: jax.Array
    size: int = eqx.field(static=True)
    grid: Grid = eqx.field(static=True)


def test_a_static_value_that_is_new_in_each_instance_is_told_once():
    found = severities(
        lambda seed: OnGrid(sample(seed, (3,)), 3, Grid()),
        leaves=(Leaf("weight", "param", (3,)),),
        static={"size": 3},
    )
    assert [test for test in found if "p05" in test or "p14_save" in test] == [
        "test_p05_treedef_depends_on_the_configuration_alone"
    ]


class Forgets(eqx.Module):
    weight: jax.Array
    bias: jax.Array

    def __call__(self, x):
        return self.weight * x + 0 * self.bias


def test_a_leaf_that_changes_nothing_is_told_by_one_law():
    found = severities(
        lambda seed: Forgets(sample(seed, (3,)), sample(seed + 1, (3,))),
        lambda seed: (sample(seed, (3,)),),
        leaves=(Leaf("weight", "param", (3,)), Leaf("bias", "param", (3,))),
    )
    assert found == {"test_p08_every_parameter_changes_the_output": ADVICE}


@eqx.filter_jit
def embedded(embed, weight, x):
    return jnp.tanh(weight * embed(x))


class Embeds(eqx.Module):
    """A lambda that each instance makes is given to a compiled function of the module."""

    weight: jax.Array
    embed: Any

    def __init__(self, weight):
        self.weight, self.embed = weight, lambda x: 1.0 * x

    def __call__(self, x):
        return embedded(self.embed, self.weight, x)


def test_what_each_instance_makes_is_new_in_it_and_not_in_each_use():
    report = check_pytree(lambda seed: Embeds(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    of_traces = [finding.what for finding in report.findings if finding.law.number == "P6"]
    assert len(of_traces) == 1 and "a second instance was traced anew" in of_traces[0], of_traces


class Fixed(nnx.Module):
    """Its scale is computed, and in no Variable."""

    def __init__(self):
        self.scale = jnp.array([0.25, 0.5]).reshape(1, 2)

    def __call__(self, x):
        return x * self.scale


def test_an_array_in_no_variable_is_one_fault():
    report = check_pytree(lambda seed: Fixed(), lambda seed: (sample(seed, (1, 2)),))
    assert [finding.what for finding in report.findings] == ["a plain ArrayImpl, in no Variable"]


class Unbuilt(Branch):
    def __init__(self):
        raise KeyError("nothing to build")


def test_a_constructor_that_fails_is_told_by_the_law_of_constructors():
    [finding] = check_pytree(lambda seed: Unbuilt(), lambda seed: (jnp.ones(3),)).findings
    assert (finding.law.number, finding.test) == ("P1", "test_p01_same_inputs_build_the_same_instance")


class Direction(eqx.Module):
    """The direction of a vector, of which zeros have none."""

    gain: jax.Array

    def __call__(self, x):
        size = jnp.linalg.norm(x)
        safe = jnp.where(size > 0, x / size, 0.0)
        return self.gain * safe + x / jnp.linalg.norm(x)


class Length(Direction):
    """The length of a vector, which has no slope at zeros."""

    def __call__(self, x):
        return jnp.linalg.norm(self.gain * x)


class Twice(eqx.Module):
    direction: Direction

    def __call__(self, x):
        return 2 * jax.vmap(self.direction)(jnp.stack([x, x]))


class DirectionLaws(PytreeLaws):
    leaves = (Leaf("gain", "param", (3,)),)

    cls = Direction

    def build(self, seed):
        return self.cls(sample(seed, (3,)))

    def arguments(self, seed):
        return (sample(seed, (3,)),)


class TwiceLaws(DirectionLaws):
    leaves = (Leaf("direction.gain", "param", (3,)),)

    def build(self, seed):
        return Twice(super().build(seed))


@pytest.mark.parametrize(
    ("cls", "law", "line"),
    [
        (Direction, "p07_equal_arguments_give_no_nan", "return self.gain * safe + x / jnp.linalg.norm(x)"),
        (
            Length,
            "p09_no_gradient_is_nan_where_the_output_is_finite",
            "return jnp.linalg.norm(self.gain * x)",
        ),
    ],
)
def test_a_nan_of_a_part_is_told_with_its_line_and_the_whole_follows(cls: type, law: str, line: str):
    part, whole, alone = (
        type("Laws", (base,), {"cls": cls})() for base in (DirectionLaws, TwiceLaws, TwiceLaws)
    )
    part.session = whole.session = Session()
    with pytest.raises(LawBroken) as broken:
        getattr(part, f"test_{law}")()
    assert broken.value.finding.made_at.endswith(line) and "  made at: " in str(broken.value)
    with pytest.raises(pytest.skip.Exception, match=rf"it rests on P\d of `{cls.__name__}`, which is broken"):
        getattr(whole, f"test_{law}")()
    with pytest.raises(LawBroken, match="made at"):
        getattr(alone, f"test_{law}")()


def test_a_nan_at_zeros_is_told_with_the_ways_to_say_that_it_is_meant():
    with pytest.raises(
        LawBroken, match="a docstring of the class says where it gives NaN, or the example has"
    ):
        DirectionLaws().test_p07_equal_arguments_give_no_nan()
