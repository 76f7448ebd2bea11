"""P13: edits, equality and copies."""

import contextlib
import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import jax

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.arrays import numpy_leaf, raw
from ...inspect.classes import OF_PYTHON, compares_by_equinox, is_of_python
from ...inspect.references import snapshot
from ...inspect.trees import arrays_of, flatten_with_path, map_arrays, path_name, tree_at, walk
from ...report import ANY_ERROR, Law, check, doing
from ...suites.pytree import PytreeSuite
from ...values.comparison import check_same_tree
from ...values.randomize import perturb_leaf

LAW = Law(
    number="P13",
    name="edit",
    statement="Replacing one leaf leaves everything else alone; == has a truth value and tells instances apart; an instance is true; copy and replace keep the value or are refused.",
    protects='`eqx.tree_at` that changes more than the leaf that it was pointed at, and "The truth value of an array with more than one element is ambiguous" from a mere `==`.',
    mistake="A dataclass compares arrays with ==, `__eq__` compares static values alone, `__len__` is 0, or its `__post_init__` changes what `replace` passes through it.",
    fix="Use `@dataclass(eq=False)`, and preprocess in a factory instead of `__post_init__`.",
    lesser={"equality": "advice", "is_true": "advice"},
    rests_on=("test_p03_round_trip", "test_p04_"),
)


@guard
class Edit(PytreeSuite):
    """P13."""

    def test_p13_replacing_one_leaf_leaves_the_rest_alone(self) -> None:
        instance = self.cached_instance()
        before, leaves = snapshot(instance, identity=True), jax.tree.leaves(instance)
        for i, (path, _) in enumerate(flatten_with_path(instance)[0]):
            name, marker = path_name(path), object()
            with doing(name, "replacing this leaf"):
                edited = tree_at(path, instance, marker)
                got = walk(edited, path)
            check(got is marker, name, f"replaced by a marker, it is {got!r:.200}")
            after = enumerate(jax.tree.leaves(edited))
            others = [j for j, leaf in after if leaf is not leaves[j] and j != i]
            check(not others, name, f"replacing it changed the leaves at {others}")
        same = snapshot(instance, identity=True) == before
        check(same, type(instance).__name__, "an edit of a copy changed the original")

    def test_p13_equality_has_a_truth_value(self) -> None:
        skip_arrays(self.cached_instance())
        if is_of_python(type(self.cached_instance())):
            not_applicable(OF_PYTHON)
        # In NumPy's arrays, whose == needs no program for each shape.
        leaf_of = raw if compares_by_equinox(self.cached_instance()) else numpy_leaf
        instance, other = (map_arrays(leaf_of, self.cached_instance(seed)) for seed in (0, 1))
        name = type(instance).__name__
        for what, right in (("itself", instance), ("another", other), ("None", None)):
            with doing(name, f"bool(x == {what})"):
                same = bool(instance == right)
            check(same or right is not instance, name, "x == x is not true")
        message = "two instances with other leaves are equal"
        hint = "`__eq__` compares the static values alone"
        moved = map_arrays(lambda leaf: leaf_of(perturb_leaf(leaf)), self.cached_instance())
        elements = any(leaf.size for leaf in arrays_of(instance))
        apart = not elements or not bool(instance == moved)
        check(apart, name, message, hint)
        with doing(name, "x == y inside jit", "`==` on arrays: `@dataclass(eq=False)`"):
            value, back = self.dynamic(self.cached_instance())
            jax.eval_shape(lambda v, w: (back(v) == back(w), ())[1], value, value)
        with doing(name, "hash(x)"), contextlib.suppress(TypeError):
            hash(self.cached_instance())  # or refused, with a TypeError

    def test_p13_an_instance_is_true(self) -> None:
        instance = self.cached_instance()
        skip_arrays(instance)
        with doing(type(instance).__name__, "bool(x)"):
            true = bool(instance) or not jax.tree.leaves(instance)
        message = "an instance is false, so that `if module:` takes it for none"
        check(true, type(instance).__name__, message, "`__len__` or `__bool__`")

    def test_p13_equal_instances_have_equal_hashes(self) -> None:
        instance = self.cached_instance()
        copied = jax.tree.map(lambda v: v, instance)
        try:
            hashes = hash(instance), hash(copied)
        except TypeError:
            not_applicable("instances have no hash")
        same = hashes[0] == hashes[1] or not bool(instance == copied)
        message = "equal instances have different hashes"
        check(same, type(instance).__name__, message)

    def test_p13_replace_and_copy_keep_the_value(self) -> None:
        fresh, later = self.cached_instance(), self.changed_instance()
        ways: list[tuple[str, Callable[[Any], Any], Any]] = [
            ("copy.copy", copy.copy, fresh),
            ("copy.copy", copy.copy, later),
        ]
        if dataclasses.is_dataclass(type(fresh)):
            # Of a fresh one alone: a constructor that presets an entry presets it again.
            ways.append(("dataclasses.replace", dataclasses.replace, fresh))
        for what, way, instance in ways:
            try:
                copied = way(instance)
            except ANY_ERROR:
                continue  # refused
            check_same_tree(instance, copied, f"{what} without changes")


def skip_arrays(instance: Any) -> None:
    """Skips for a class whose instances are arrays, which `==` compares by element."""
    if compares_by_element(instance):
        not_applicable("the class is an array: `==` compares by element")


def compares_by_element(instance: Any) -> bool:
    """Whether an instance is an array to jax or its users, and `==` gives one of its shape.

    A shape and a dtype alone make no array: a distribution has both, and so has a table.
    """
    to_array, itself = getattr(instance, "__jax_array__", lambda: instance), instance
    with contextlib.suppress(Exception):  # an array of arrays, or a class that is none
        shape, result = to_array().shape, instance == itself
        is_array_like = to_array() is not instance or hasattr(instance, "dtype")
        return is_array_like and getattr(result, "shape", None) == shape
    return False
