"""How much it matters what a suite shows that somebody's class was given, which fails on faults alone."""

import importlib
import types
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from seen_broken import broken, suite_of

from by_hand.test_severity import severity_of
from pytree_laws import PytreeLaws, sample
from pytree_laws.report import ADVICE, COST, FAULT

RESULTS = "test_p07_methods_give_what_is_declared"
SIZE_OF_ONE = "test_p07_keeps_its_axes_where_a_size_is_one"
OTHER_SIZES = "test_p07_takes_other_sizes"
ZEROS = "test_p07_equal_arguments_give_no_nan"
NARROW = "test_p07_bfloat16_in_bfloat16_out"
STATIC = "test_p05_aux_is_hashable_and_free_of_arrays"


class Part(eqx.Module):
    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class Laws(PytreeLaws):
    under_test: ClassVar[Any] = Part
    severity = FAULT
    raises_from = ADVICE  # as where a class is adopted

    def inputs(self, seed):
        return {"weight": sample(seed, (3,))}

    def build(self, **inputs):
        return self.under_test(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


class Moved(Part):
    """A name of its library is gone."""

    def total(self):
        return np.sum_of(self.weight)

    def merge(self, other):
        return np.sum_of(self.weight) + other

    def again(self, other):
        return self.merge(other)


def test_a_name_that_a_module_has_no_more_is_a_fault_with_all_methods_that_ask_for_it():
    finding = broken(suite_of(Laws, Moved), RESULTS.removeprefix("test_"))
    assert finding.severity == FAULT
    assert finding.what.endswith("module 'numpy' has no attribute 'sum_of'; so do again, merge")


class Asks(Part):
    """What it asks of a part, an array does not have."""

    @property
    def strategy(self):
        return self.weight.strategy


class TableError(Exception):
    """It is raised by a library of tables."""


TableError.__module__ = "tables.errors"


class Looks(Part):
    @property
    def column(self):
        raise_of_table()


def raise_of_table():
    error = TableError("there is no column `pos`")
    exec("raise error", {"error": error, "__name__": "jax"})  # of another package


@pytest.mark.parametrize("cls", [Asks, Looks])
def test_what_is_asked_of_a_value_that_was_made_up_is_no_finding(cls):
    assert severity_of(RESULTS, type(suite_of(Laws, cls))) is None


class Grid(eqx.Module):
    points: int = eqx.field(static=True)

    def __call__(self, x):
        return x * (1 / (self.points - 1))


class GridLaws(Laws):
    under_test = Grid
    severity: ClassVar[Any] = FAULT

    def inputs(self, seed):
        return {"points": 4}


class DeclaredGrid(GridLaws):
    severity = ADVICE


@pytest.mark.parametrize(("suite", "severity"), [(GridLaws, ADVICE), (DeclaredGrid, FAULT)])
def test_a_size_of_one_that_nobody_asked_for_need_not_be_a_size(suite, severity):
    assert severity_of(SIZE_OF_ONE, suite) == severity


class Edges(eqx.Module):
    weight: jax.Array

    def __init__(self, out_size, key):
        self.weight = jax.random.normal(key, (out_size, 3))

    def __call__(self, x, edges):
        loops = jnp.tile(jnp.arange(len(x)), (2, 1))
        row, column = jnp.concatenate([edges, loops], axis=1)
        return jax.ops.segment_sum((x @ self.weight.T)[row], column, len(x))


class EdgeLaws(Laws):
    under_test = Edges

    def inputs(self, seed):
        return {"out_size": 2, "key": jax.random.key(seed)}

    def arguments(self, seed):
        return sample(seed, (5, 3)), sample(seed, (2, 7), "int", 0, 5)


class Pool(Edges):
    """Its size is that of the features as well."""

    def __init__(self, size, key):
        self.weight = jax.random.normal(key, (3, size))


class PoolLaws(EdgeLaws):
    under_test = Pool

    def inputs(self, seed):
        return {"size": 2, "key": jax.random.key(seed)}

    def arguments(self, seed):
        return sample(seed, (5, 2)), sample(seed, (2, 7), "int", 0, 5)


@pytest.mark.parametrize("suite", [EdgeLaws, PoolLaws])
def test_an_axis_that_is_as_long_as_a_size_by_accident_does_not_follow_it(suite):
    assert severity_of(OTHER_SIZES, suite) is None


class Quotient(eqx.Module):
    """A sum of squares, each divided by a variance, which is positive."""

    def __call__(self, mean, response):
        return jnp.sum(((response - mean) / (mean * (1 - mean))) ** 2)


class QuotientLaws(Laws):
    under_test = Quotient

    def inputs(self, seed):
        return {}

    def arguments(self, seed):
        return tuple(sample(seed + n, (3,)).at[0].set(-2.0).at[1].set(2.0) for n in range(2))


def test_zeros_are_no_numbers_for_what_others_are_divided_by():
    assert severity_of(ZEROS, QuotientLaws) == ADVICE


LIBRARY = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Raises(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        {line}
        return jax.lax.mul(self.weight * x, jnp.ones(3, jnp.float32))
"""


@pytest.mark.parametrize(
    ("name", "line", "severity"), [("narrow", "# for bfloat16", FAULT), ("wide", "", ADVICE)]
)
def test_what_raises_in_bfloat16_matters_where_a_library_speaks_of_it(
    name, line, severity, tmp_path, monkeypatch
):
    (tmp_path / f"{name}_floats.py").write_text(LIBRARY.format(line=line))
    monkeypatch.syspath_prepend(tmp_path)
    cls = importlib.import_module(f"{name}_floats").Raises
    assert severity_of(NARROW, type(suite_of(Laws, cls))) == severity


@jax.tree_util.register_pytree_node_class
class Renews:
    """A method of its part has the name by which dicts are changed, and gives a new one."""

    def __init__(self, weight):
        self.weight, self.names = weight, {"first": 1}

    def __call__(self, x):
        return self.weight * x

    def renewed(self, x):
        return type(self)(self.weight.update(x))

    def tree_flatten(self):
        return (self.weight,), types.MappingProxyType({"names": self.names})

    @classmethod
    def tree_unflatten(cls, aux, children):
        instance = object.__new__(cls)
        (instance.weight,), instance.names = children, aux["names"]
        return instance


@jax.tree_util.register_pytree_node_class
class Renamed(Renews):
    def rename(self, name):
        self.names.update(name)


@pytest.mark.parametrize(("cls", "severity"), [(Renews, ADVICE), (Renamed, FAULT)])
def test_a_call_whose_result_is_used_changes_nothing_in_place(cls, severity):
    assert severity_of(STATIC, type(suite_of(Laws, cls))) == severity


@jax.tree_util.register_pytree_node_class
class Host(Renews):
    def __init__(self, weight):
        self.weight, self.names = np.asarray(weight, np.float64), "a"


def test_steps_that_make_arrays_of_jax_of_those_of_numpy_are_a_cost():
    assert severity_of("test_p09_steps_keep_the_structure", type(suite_of(Laws, Host))) == COST


class Unset(eqx.Module):
    """Its field is set by no constructor, and Equinox leaves marks on it in a round trip."""

    size: int = eqx.field(default=5, init=False)

    def __call__(self, x):
        return self.size * x


class Noted(eqx.Module):
    """It has an attribute beside its fields, which leaves marks as well."""

    size: int = eqx.field(static=True)

    def __init__(self):
        self.size = 5
        object.__setattr__(self, "note", "beside")

    def __call__(self, x):
        return self.size * x


class MarkedLaws(Laws):
    def inputs(self, seed):
        return {}


class UnsetLaws(MarkedLaws):
    under_test = Unset


class NotedLaws(MarkedLaws):
    under_test = Noted


@pytest.mark.parametrize(("laws", "severity"), [(UnsetLaws, FAULT), (NotedLaws, ADVICE)])
def test_a_copy_that_jax_takes_for_another_is_a_fault_and_one_with_marks_is_advice(laws, severity):
    assert severity_of("test_p14_deepcopy", laws) == severity
