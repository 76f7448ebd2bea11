"""P13: edits, equality and copies."""

import contextlib
import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ...engine.applicability import need, not_applicable
from ...engine.registry import Checks
from ...inspect.classes import OF_PYTHON, is_of_python
from ...inspect.references import snapshot
from ...inspect.static_values import another_value
from ...inspect.trees import changed, flatten_with_path, look_up, path_name, tree_at, walk
from ...kinds.mutable import MutableSuite
from ...kinds.pytree import PytreeSuite
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, FAULT, Law, check, doing
from ...values.comparison import shown
from ...values.randomize import perturb_leaf
from ..ties import TIES, check_ties, read_from, ties_of

LAW = Law(
    number="P13",
    name="edit",
    statement="Replacing one leaf leaves everything else alone; == has a truth value and tells instances apart; an instance is true; copy and replace keep the value or are refused.",
    protects="`eqx.tree_at` that changes more than the leaf that it replaces, `dataclasses.replace` or a copy that gives another value, and `==` between instances that raises.",
    mistake="A dataclass compares arrays with ==, `__eq__` compares static values alone, `__len__` is 0, or its `__post_init__` changes what `replace` passes through it.",
    fix="Use `@dataclass(eq=False)`, and preprocess in a factory instead of `__post_init__`.",
    rests_on=("test_p03_round_trip", "test_p04_", "test_p05_treedef_"),
)
CHECKS = Checks(LAW)
OF_HASHES = "`__hash__` of what `__eq__` compares, or `__hash__ = None`: a set, or the keys of a dict, may hold two that are equal"
OF_ARRAYS = "`__eq__` that compares arrays, whose `==` has no truth value: `@dataclass(eq=False)`"
OF_TUPLES = "a NamedTuple compares its elements, as every tuple does"


@CHECKS.register()
def test_p13_replacing_one_leaf_leaves_the_rest_alone(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    before, leaves = snapshot(instance, identity=True), jax.tree.leaves(instance)
    for i, (path, _) in enumerate(flatten_with_path(instance)[0]):
        name, marker = path_name(path), object()
        with doing(name, "replacing this leaf"):
            edited = tree_at(path, instance, marker)
            got = walk(edited, path)
        check(got is marker, name, f"replaced by a marker, it is {shown(got)}")
        others = [j for j, leaf in enumerate(jax.tree.leaves(edited)) if leaf is not leaves[j] and j != i]
        check(not others, name, f"replacing it changed the leaves at {others}")
    same = snapshot(instance, identity=True) == before
    check(same, type(instance).__name__, "an edit of a copy changed the original")


@CHECKS.register()
def test_p13_an_update_leaves_the_rest_alone(subject: MutableSuite) -> None:
    instance, other = subject.make(0), subject.make(1)
    (static, _), apart = subject.form_of(instance), subject.snapshot_of(other)
    for path, value in subject.named(instance).items():
        before = subject.snapshot_of(instance)
        subject.assign_array(instance, path, perturb_leaf(value))
        wrong = [name for name in changed(before, subject.snapshot_of(instance)) if name != path]
        check(not wrong, path, f"an update of it changed {', '.join(wrong)}")
        wrong = changed(apart, subject.snapshot_of(other))
        message = f"an update of it changed {', '.join(wrong)} of another {subject.instance_noun}"
        check(not wrong, path, message, "a Variable that was made on the class, or once for all instances")
        same = subject.form_of(instance)[0] == static
        check(same, path, f"an update of it changed the {subject.structure_noun}")


@CHECKS.register(severity=ADVICE)
def test_p13_equality_has_a_truth_value(subject: Suite) -> None:
    instance, other = (subject.comparable(subject.cached_instance(seed)) for seed in (0, 1))
    skip_arrays(instance)
    need(not is_of_python(type(instance)), OF_PYTHON)
    need(type(instance).__eq__ is not tuple.__eq__, OF_TUPLES)
    name, hint = type(instance).__name__, OF_ARRAYS
    moved = subject.comparable(subject.changed_instance())
    for label, right in (("itself", instance), ("another", other), ("an edit", moved), ("None", None)):
        with doing(name, f"bool(x == {label})", hint):
            same = bool(instance == right)
        check(same or right is not instance, name, "x == x is not true")
        elements = any(np.size(value) for value in subject.named(moved).values())
        apart = not same or right is not moved or not elements
        message = f"two {subject.instance_noun}s with other {subject.nouns} are equal"
        check(apart, name, message, "`__eq__` compares the static values alone")
    if subject.is_mutable:
        check_statics_tell_apart(subject, instance)
    with doing(name, "x == y inside jit", hint):
        value, back = subject.to_arrays(subject.cached_instance())
        truth = bool if subject.is_mutable else repr  # that of Equinox is an array there
        jax.eval_shape(lambda v, w: (truth(back(v) == back(w)), ())[1], value, value)
    with doing(name, "hash(x)"), contextlib.suppress(TypeError):
        hash(subject.cached_instance())  # or refused, with a TypeError


def check_statics_tell_apart(subject: Suite, instance: Any) -> None:
    for path in subject.static:
        value = another_value(look_up(instance, path))
        if value is not None:
            edited = subject.with_static(instance, path, value)
            message = f"two {subject.instance_noun}s with other values of it are equal"
            check(not bool(instance == edited), path, message, f"`__eq__` compares the {subject.nouns} alone")


@CHECKS.register(severity=ADVICE)
def test_p13_an_instance_is_true(subject: Suite) -> None:
    instance = subject.cached_instance()
    skip_arrays(instance)
    with doing(type(instance).__name__, "bool(x)"):
        true = bool(instance) or not subject.parts_of(instance)
    message = "an instance is false, so that `if module:` takes it for none"
    check(true, type(instance).__name__, message, "`__len__` or `__bool__`")


@CHECKS.register()
def test_p13_equal_instances_have_equal_hashes(subject: Suite) -> None:
    instance = subject.make(0) if subject.is_mutable else subject.cached_instance()
    name, copied = type(instance).__name__, subject.copied(instance)
    try:
        first, second = hash(instance), hash(copied)
    except TypeError:
        not_applicable("instances have no hash")
    same = first == second or not bool(instance == copied)
    severity = ADVICE if keeps_identity(type(instance)) else FAULT
    check(same, name, f"equal {subject.instance_noun}s have different hashes", OF_HASHES, severity=severity)
    if subject.is_mutable:
        for path, value in subject.named(instance).items():
            subject.assign_array(instance, path, perturb_leaf(value))
        message = f"an update of its {subject.nouns} changed its hash: a dict loses it"
        check(hash(instance) == first, name, message, "`__hash__` goes by values")


def keeps_identity(cls: type) -> bool:
    """Whether a class states that its hash is that of `object`.

    A class with an `__eq__` has to state this, since Python otherwise drops `__hash__`.
    """
    is_written = any("__hash__" in vars(owner) for owner in cls.__mro__[:-1])
    return is_written and cls.__hash__ is object.__hash__


@CHECKS.register(rests_on=("test_p12_a_cold_call_inside",))
def test_p13_replace_and_copy_keep_the_value(subject: Suite) -> None:
    fresh, later = subject.cached_instance(), subject.changed_instance()
    ways: list[tuple[str, Callable[[Any], Any], Any]] = [
        ("copy.copy", copy.copy, fresh),
        ("copy.copy", copy.copy, later),
    ]
    if dataclasses.is_dataclass(type(fresh)) and not subject.is_mutable:
        # Of a fresh one alone: a constructor that presets an entry presets it again.
        ways.append(("dataclasses.replace", dataclasses.replace, fresh))
    for label, way, instance in ways:
        try:
            copied = way(instance)
        except ANY_ERROR:
            continue  # refused
        subject.check_copy(instance, copied, f"{label} without changes")


@CHECKS.register(TIES)
def test_p13_an_edit_keeps_ties(subject: Suite) -> None:
    instance = subject.make(0)
    for name, path in ties_of(subject, instance):
        read_from(subject, instance, name)  # what it caches is cached now
        value = perturb_leaf(subject.named(instance)[path])
        if subject.is_mutable:
            subject.assign_array(instance, path, value)
        edited = instance if subject.is_mutable else subject.with_array(instance, path, value)
        check_ties(subject, edited, "after an edit")


def skip_arrays(instance: Any) -> None:
    """Skip a class whose instances are arrays, so that `==` compares element by element.

    A shape and a dtype alone make no array: a distribution has both, and so has a table.
    """
    to_array, itself = getattr(instance, "__jax_array__", lambda: instance), instance
    with contextlib.suppress(Exception):  # an array of arrays, or a class that is none
        shape, result = to_array().shape, instance == itself
        is_array_like = to_array() is not instance or hasattr(instance, "dtype")
        if is_array_like and getattr(result, "shape", None) == shape:
            not_applicable("the class is an array: `==` compares by element")
