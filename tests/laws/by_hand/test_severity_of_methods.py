"""How much it matters what a method does that nobody declared, and a flatten that takes apart what it holds."""

import types

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from by_hand.test_severity import severity_of
from pytree_laws import Leaf, Method, PytreeLaws, sample
from pytree_laws.report import ADVICE, FAULT


class Laws(PytreeLaws):
    cls: type = object

    def build(self, seed):
        return self.cls(sample(seed, (3,)))

    def arguments(self, seed):
        return (sample(seed, (3,)),)


def laws_of(cls, **names):
    return type("Suite", (Laws,), {"cls": cls, **names})


@jax.tree_util.register_pytree_node_class
class Counts:
    """It counts what it saw, and hands the count on."""

    def __init__(self, weight):
        self.weight, self.seen = weight, 0

    def __call__(self, x):
        return self.weight * x

    def tree_flatten(self):
        return (self.weight,), (self.seen,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        instance = object.__new__(cls)
        (instance.weight,), (instance.seen,) = children, aux
        return instance


@jax.tree_util.register_pytree_node_class
class Sets(Counts):
    def reset(self):
        self.seen += 1


@jax.tree_util.register_pytree_node_class
class Gives(Counts):
    def scaled(self, x: jax.Array):
        self.seen += 1
        return self.weight * x


@pytest.mark.parametrize(
    ("cls", "method", "severity"),
    [
        (Sets, Method("reset", lambda seed: ()), ADVICE),
        (Gives, Method("scaled", lambda seed: (sample(seed, (3,)),)), FAULT),
    ],
)
def test_a_method_that_gives_nothing_back_is_there_to_change_its_instance(cls, method, severity):
    suite = laws_of(cls, methods=(method,))
    assert severity_of("test_p12_methods_leave_the_instance_alone", suite) == severity


@jax.tree_util.register_pytree_with_keys_class
class Jittable:
    """It takes what is no array for metadata, as distributions of distrax do."""

    def __init__(self, scale):
        self.parts = [scale]

    def __call__(self, x):
        return self.scale * x

    @property
    def scale(self):
        return self.parts[0]

    def tree_flatten_with_keys(self):
        children, aux = self.tree_flatten()
        return [(jax.tree_util.GetAttrKey("scale"), child) for child in children], aux

    def tree_flatten(self):
        return self.parts, ()

    @classmethod
    def tree_unflatten(cls, aux, children):
        instance = object.__new__(cls)
        instance.parts = [child for child in children if hasattr(child, "dtype")]
        return instance


def test_a_leaf_that_is_no_array_and_taken_for_metadata_is_advice():
    assert severity_of("test_p03_round_trip_keeps_any_leaves", laws_of(Jittable)) == ADVICE


@jax.tree_util.register_pytree_node_class
class Split:
    """It flattens its attributes, and gives None for what is no array."""

    def __init__(self, scale):
        self.scale, self.name = scale, "normal"

    def __call__(self, x):
        return self.scale * x

    def tree_flatten(self):
        leaves, treedef = jax.tree.flatten(vars(self))
        are_arrays = [isinstance(leaf, jax.Array) for leaf in leaves]
        children = [leaf if is_array else None for leaf, is_array in zip(leaves, are_arrays, strict=True)]
        names = tuple(None if is_array else leaf for leaf, is_array in zip(leaves, are_arrays, strict=True))
        return children, (names, tuple(are_arrays), treedef)

    @classmethod
    def tree_unflatten(cls, aux, children):
        names, are_arrays, treedef = aux
        triples = zip(children, names, are_arrays, strict=True)
        instance = object.__new__(cls)
        vars(instance).update(
            treedef.unflatten([child if is_array else name for child, name, is_array in triples])
        )
        return instance


def test_axes_for_a_flatten_that_leaves_none_out_are_advice():
    assert severity_of("test_p10_one_leaf_mapped", laws_of(Split)) == ADVICE


@jax.tree_util.register_pytree_node_class
class Tagged(Counts):
    """Its tags are a list, which nothing changes."""

    def __init__(self, weight):
        self.weight, self.seen = weight, []
        self.seen.append("first")


@jax.tree_util.register_pytree_node_class
class Proxied(Tagged):
    """It gives away no dict that could change, and no value with a hash."""

    def __init__(self, weight):
        self.weight, self.seen = weight, types.MappingProxyType({"first": 1})


@jax.tree_util.register_pytree_node_class
class Tags(Tagged):
    def tag(self, name):
        self.seen.append(name)


@pytest.mark.parametrize(("cls", "severity"), [(Tagged, ADVICE), (Proxied, ADVICE), (Tags, FAULT)])
def test_a_list_in_aux_is_a_fault_where_a_method_changes_it(cls, severity):
    assert severity_of("test_p05_aux_is_hashable_and_free_of_arrays", laws_of(cls)) == severity


@jax.tree_util.register_pytree_node_class
class Keyless(Counts):
    """What it is given decides what a property finds."""

    def __init__(self, weight):
        self.weight, self.seen = weight, {"first": 1}

    @property
    def second(self):
        return self.seen["second"]


@jax.tree_util.register_pytree_node_class
class Nameless(Keyless):
    @property
    def second(self):
        return self.sen["first"]


class Nothing:
    """It stands for a part until somebody has placed it."""


@jax.tree_util.register_pytree_node_class
class Unplaced(Keyless):
    @property
    def second(self):
        return Nothing().size


@pytest.mark.parametrize(("cls", "severity"), [(Keyless, ADVICE), (Nameless, FAULT), (Unplaced, ADVICE)])
def test_what_nobody_declared_may_be_for_other_values(cls, severity):
    assert severity_of("test_p07_methods_give_what_is_declared", laws_of(cls)) == severity


class Kept:
    """It keeps a value out of the leaves."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)


@jax.tree_util.register_pytree_node_class
class Unwraps(Counts):
    """It stores a value in a wrapper, and hands it out without one, as classes of pytreeclass do."""

    def __init__(self, weight):
        self.weight, self.seen = weight, Kept(3)

    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        return value.value if isinstance(value, Kept) else value

    def tree_flatten(self):
        return (self.weight,), (vars(self)["seen"],)


def test_a_static_value_is_looked_up_as_it_is_stored():
    suite = laws_of(Unwraps, static={"seen.value": 3})
    assert severity_of("test_p05_static_values_are_the_declared_ones", suite) is None


@jax.tree_util.register_pytree_node_class
class Whole(Counts):
    """It has no place for None, which stands for the axes of what is not mapped."""

    def __init__(self, weight):
        self.weight, self.seen = weight, 2 * weight

    def tree_flatten(self):
        return (self.weight, self.seen), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        if None in children and children != (None, None):
            raise TypeError("no part may be None")
        instance = object.__new__(cls)
        instance.weight, instance.seen = children
        return instance


def test_a_leaf_that_cannot_be_mapped_alone_is_advice():
    assert severity_of("test_p10_one_leaf_mapped", laws_of(Whole)) == ADVICE


class Decays(eqx.Module):
    """Its state is where it began, and each step gives that back."""

    start: jax.Array

    def __call__(self, x):
        return self.start * x

    def step(self, x: jax.Array) -> "Decays":
        return self


def test_a_state_that_stays_is_advice_where_nobody_declared_what_the_class_holds():
    step = Method("step", lambda seed: (sample(seed, (3,)),), carry="self")
    of_nobody = laws_of(Decays, methods=(step,))
    declared = laws_of(Decays, methods=(step,), leaves=(Leaf("start", "param", (3,)),))
    ways = [severity_of("test_p11_methods_carry_the_instance", suite) for suite in (of_nobody, declared)]
    assert ways == [ADVICE, FAULT]


class Stored(eqx.Module):
    """Its flag asks for another value in what it holds, which is set together with it."""

    weight: jax.Array
    power: float
    is_stored: bool = eqx.field(static=True, default=False)

    def __call__(self, x):
        return self.weight * x * (jnp.log(self.power) if self.is_stored else 1.0)


class StoredLaws(Laws):
    cls = Stored

    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "power": -1.0, "is_stored": False}

    def build(self, **inputs):
        return Stored(**inputs)


class DeclaredStored(StoredLaws):
    leaves = (Leaf("weight", "param", (3,)),)


@pytest.mark.parametrize(("suite", "severity"), [(StoredLaws, ADVICE), (DeclaredStored, FAULT)])
def test_a_flag_that_nobody_gave_may_ask_for_other_values(suite, severity):
    assert severity_of("test_p07_computes_what_its_trace_does_in_each_configuration", suite) == severity


@jax.tree_util.register_pytree_node_class
class Keyed(Counts):
    """A tree of None is None, as a function over it that returns nothing has it."""

    @classmethod
    def tree_unflatten(cls, aux, children):
        return None if children == (None,) else super().tree_unflatten(aux, children)


def test_none_for_a_tree_of_none_is_advice():
    assert severity_of("test_p03_round_trip_keeps_any_leaves", laws_of(Keyed)) == ADVICE


class Applies(eqx.Module):
    """It is given a function, which is another one each time that somebody asks for inputs."""

    weight: jax.Array
    function: object = eqx.field(static=True)

    def __call__(self, x):
        return self.function(self.weight * x)


class AppliesLaws(PytreeLaws):
    def inputs(self, seed):
        return {"weight": sample(seed, (3,)), "function": lambda x: 2 * x}

    def build(self, **inputs):
        return Applies(**inputs)

    def arguments(self, seed):
        return (sample(seed, (3,)),)


def test_the_order_of_keywords_is_tried_with_the_same_values():
    assert severity_of("test_p05_the_order_of_keywords_does_not_matter", AppliesLaws) is None
