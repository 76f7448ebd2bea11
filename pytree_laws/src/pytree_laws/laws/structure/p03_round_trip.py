"""P3: flatten and unflatten."""

import dataclasses
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...discover.inference import settings, with_other_settings, with_other_statics
from ...engine.applicability import need, not_applicable, of_class
from ...engine.registry import Checks
from ...errors import raises_deliberately
from ...inspect.arrays import is_array
from ...inspect.classes import OF_PYTHON, REGISTER, defaults_of, is_equinox, is_of_python
from ...inspect.references import caches_of, package_of, snapshot
from ...inspect.trees import (
    ARRAY,
    attributes,
    clone_as,
    flatten,
    flatten_with_path,
    is_node,
    named_leaves,
    one_level,
    path_name,
    remade,
    unset_fields,
    walk,
)
from ...kinds.mutable import MutableSuite
from ...kinds.pytree import PytreeSuite
from ...report import ADVICE, FAULT, Fault, Law, check, check_each, doing, result_or_error
from ...values.comparison import check_treedef, differ_by_rounding, severity_of_change
from ...values.randomize import perturb_leaf

LAW = Law(
    number="P3",
    name="round trip",
    statement="Flatten and unflatten keep the type, the treedef, every attribute and the leaves themselves, whatever the leaves are; flatten changes nothing.",
    protects="Flatten and unflatten that lose or change data, or an `__init__` that fails when jax unflattens with placeholders such as `object()` or `None`.",
    mistake="Unflatten converts, checks, calls a constructor that does more than store, or lists the children in another order than flatten.",
    fix="Unflatten must only store: `object.__new__(cls)` and plain stores, in the order of flatten. Preprocess in a factory.",
)
CHECKS = Checks(LAW)


def lists_its_parts(cls: type) -> bool:
    """Whether a hand-written flatten lists the parts of a class.

    Equinox and named tuples flatten all fields.
    """
    return not is_equinox(cls) and not issubclass(cls, tuple)


@CHECKS.register()
def test_p03_round_trip_keeps_any_leaves(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    need(not is_array(instance), "it is one array, a leaf itself")
    name, (paths, treedef) = type(instance).__name__, flatten_with_path(instance)
    for sort, maker in STAND_INS.items():
        stand_ins = [maker(i) for i in range(len(paths))]
        with doing(name, f"unflatten of {sort} leaves"):
            rebuilt = treedef.unflatten(stand_ins)
        message = f"unflatten of {sort} leaves gave a {type(rebuilt).__name__}"
        # None for a tree of None says that there is nothing.
        severity = ADVICE if rebuilt is None and sort == "None" else FAULT
        check(type(rebuilt) is type(instance), name, message, severity=severity)
        for (path, _), put_in in zip(paths, stand_ins):
            # A flatten that takes trees apart itself leaves None out, and another takes what is no array for metadata.
            with doing(path_name(path), "reading the leaf after a round trip", severity=ADVICE):
                got = walk(rebuilt, path)
            hint = "a conversion in unflatten, or children in another order than flatten"
            check(got is put_in, path_name(path), f"put in {put_in!r}, came back as {got!r:.200}", hint)


@CHECKS.register()
def test_p03_round_trip_keeps_treedef_and_leaves(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    leaves, treedef = flatten(instance)
    again, after = flatten(treedef.unflatten(leaves))
    check_treedef(treedef, after, type(instance).__name__, "the treedef became")
    pairs = zip(named_leaves(instance), again)
    anew = [(i, name, got) for i, ((name, leaf), got) in enumerate(pairs) if got is not leaf]
    severities = severities_of_changes(leaves, treedef) if anew else []

    def refuse(i: int, name: str, got: Any) -> None:
        message = f"came back as {type(got).__name__}, not as the object that was put in"
        raise Fault(name, message, "jnp.asarray or arithmetic in unflatten", severity=severities[i])

    check_each(refuse, anew)


def severities_of_changes(leaves: Sequence[Any], treedef: Any) -> list[str]:
    """Return the severity of each leaf that unflatten makes anew.

    Unflatten may compute an equal leaf if nothing has changed, so the leaves are perturbed first.
    """
    others = [perturb_leaf(leaf) if is_array(leaf) else leaf for leaf in leaves]
    back = result_or_error(lambda: jax.tree.leaves(treedef.unflatten(others)))
    if isinstance(back, Exception) or len(back) != len(others):
        return [FAULT] * len(others)
    return [severity_of_change(*pair) if is_array(pair[0]) else FAULT for pair in zip(others, back)]


@CHECKS.register()
def test_p03_flatten_changes_nothing(subject: PytreeSuite) -> None:
    instance = subject.build(**subject.inputs(0))
    before = dict(attributes(instance))
    flatten_with_path(instance)
    flatten(instance)
    after = attributes(instance)
    names = {**before, **after}
    changed = [n for n in names if after.get(n, ARRAY) is not before.get(n, ARRAY)]
    message = "flatten changed what the instance holds"
    check(not changed, ", ".join(changed), message, "a cache that flatten fills")


@CHECKS.register()
def test_p03_round_trip_keeps_every_attribute(subject: PytreeSuite) -> None:
    check_attributes(subject.cached_instance(), "an attribute that flatten or unflatten leaves out")


@CHECKS.register(severity=ADVICE)
def test_p03_round_trip_keeps_what_lies_beside_its_fields(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    if not (stores_beside_fields(instance) or stores_beside_fields(remade(instance))):
        not_applicable("all that it stores is a field")
    hint = "a value that a base class or a decorator stores on each instance"
    check_attributes(instance, hint, beside=True)


@CHECKS.register(
    of_class("its flatten looks at all fields", lists_its_parts),
    rests_on=("test_p03_round_trip_keeps_every_attribute",),
)
def test_p03_round_trip_keeps_what_the_constructor_is_given(subject: PytreeSuite) -> None:
    for changed, is_built in _with_other_arguments(subject):
        refusal = result_or_error(remade, changed)
        if isinstance(refusal, Exception) and (not is_built or raises_deliberately(refusal, type(changed))):
            continue  # what no constructor gives: a text that it refuses, or a value that does not go with the others
        hint = "aux does not hold it, so that unflatten gives the default of the constructor, or that of the class"
        check_attributes(changed, hint)


def _with_other_arguments(subject: PytreeSuite) -> Iterator[tuple[Any, bool]]:
    """Yield instances with another value of a setting, and whether the constructor built each.

    If another function builds the example, static values that the constructor takes are replaced.
    """
    known = settings(subject)
    yield from ((changed, True) for _, changed in with_other_settings(subject))
    taken = {name for name, _ in defaults_of(type(subject.cached_instance()))} - {*known.values()}
    yield from ((changed, False) for path, changed in with_other_statics(subject) if path in taken)


# What unflatten derives from other values is right again, unless somebody edits it alone.
@CHECKS.register(severity=ADVICE)
def test_p03_round_trip_keeps_changed_static_values(subject: PytreeSuite) -> None:
    for _, changed in with_other_statics(subject):
        if not isinstance(result_or_error(remade, changed), Exception):  # or it goes with no other value
            check_attributes(changed, "unflatten derives the value anew instead of restoring it from aux")


@CHECKS.register(
    of_class("the class is final", lambda cls: not getattr(cls, "__final__", False)), severity=ADVICE
)
def test_p03_a_trivial_subclass_is_a_pytree_too(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    cls = type(instance)
    need(not is_of_python(cls), OF_PYTHON)
    sub = trivial_subclass(cls)
    twin = clone_as(sub, instance)
    check(is_node(twin), cls.__name__, "a subclass of it is no pytree", REGISTER)
    rebuilt = remade(twin)
    message = f"a round trip of a subclass gives a {type(rebuilt).__name__}"
    check(type(rebuilt) is sub, cls.__name__, message, "unflatten names its class")
    leaves = jax.tree.leaves(rebuilt), jax.tree.leaves(instance)
    same = list(map(id, leaves[0])) == list(map(id, leaves[1]))
    check(same, cls.__name__, "a subclass has other leaves", REGISTER)


@CHECKS.register()
def test_p03_round_trip_by_split_and_merge(subject: MutableSuite) -> None:
    instance = subject.cached_instance()
    for label, again in subject.round_trips(instance):
        hint = "a method of one's own that Flax flattens or rebuilds modules with"
        subject.check_copy(instance, again, label, hint)


STAND_INS: Mapping[str, Callable[[int], Any]] = {
    "object": lambda index: object(),
    "None": lambda index: None,
    "str": lambda index: f"leaf {index}",
    "bool": lambda index: index % 2 == 0,
    "abstract": lambda index: jax.ShapeDtypeStruct((index,), jnp.float32),
    "rank": lambda index: np.zeros((1,) * (index % 28 + 4), np.int8),
}
"""Makers of leaves that are no ordinary arrays, by sort. Most make another leaf for each index."""


def trivial_subclass(cls: type) -> type:
    """Make a subclass without a body, or skip if the class refuses subclasses."""
    with warnings.catch_warnings(action="ignore"):
        try:
            return types.new_class("Trivial", (cls,), {}, lambda body: body.update(__module__=cls.__module__))
        except TypeError:
            not_applicable("the class refuses subclasses")


def hint_of_added(instance: Any) -> str:
    """Return the hint for an attribute that a round trip adds.

    Equinox takes an instance that lacks a field for a wrapper.
    """
    missing = ", ".join(f"`{name}`" for name in unset_fields(instance))
    if missing:
        return f"a constructor that does not store {missing}"
    return "unflatten stores what an instance has from its class, or what the constructor has not stored"


def is_beside_fields(instance: Any, name: str) -> bool:
    """Whether an attribute of a dataclass is no field, and has a private or special name."""
    fields = getattr(instance, "__dataclass_fields__", None)
    return fields is not None and name.startswith("_") and name not in fields


def stores_beside_fields(node: Any) -> bool:
    """Whether a node, or a node below it, stores more than its fields."""
    children, _ = one_level(node) or ((), None)
    beside = any(is_beside_fields(node, name) for name in attributes(node))
    return beside or any(map(stores_beside_fields, children))


def check_attributes(instance: Any, hint: str, beside: bool = False) -> None:
    """Check that a round trip keeps the fields, or what the object stores `beside` them."""
    check_same(instance, remade(instance), "", hint, beside, package_of(instance))


def is_foreign(value: Any, package: str) -> bool:
    """Whether the class of a node is from another package, which brings its own unflatten."""
    return package_of(value) != package and not is_equinox(type(value))


def check_same(value: Any, other: Any, above: str, hint: str, beside: bool, package: str) -> None:
    """Check that two objects store the same, and report the place within a node that differs.

    Attributes that another package adds to its own nodes are ignored.
    """
    before, after = attributes(value), attributes(other)
    every = before if is_foreign(value, package) else {**before, **after}
    names = every.keys() - caches_of(type(value))

    def check_attribute(name: str) -> None:
        place, asked = f"{above}{name}", is_beside_fields(value, name) == beside
        if asked:
            check(name in after, place, "the attribute is lost in a round trip", hint)
            message = f"a round trip adds the attribute, with the value {after.get(name)!r:.100}"
            check(name in before, place, message, hint_of_added(value))
        if name in before and name in after:
            check_kept(before[name], after[name], place, hint, beside, asked, package)

    ordered = sorted(names, key=lambda name: (name not in before, name))
    check_each(check_attribute, ((name,) for name in ordered))


def check_kept(was: Any, now: Any, place: str, hint: str, beside: bool, asked: bool, package: str) -> None:
    """Check that a round trip keeps an attribute, or an element of one."""
    if snapshot(was) == snapshot(now):
        return
    pairs = elements(was, now)
    rest = hint, beside, asked, package
    check_each(check_kept, ((first, second, f"{place}[{key!r}]", *rest) for key, first, second in pairs))
    if pairs:
        return
    if is_node(was) and type(was) is type(now):
        check_same(was, now, f"{place}.", hint, beside, package)
        if dataclasses.is_dataclass(was) or is_foreign(was, package):
            return  # whose attributes are all there is
    if is_like(was, now):
        return
    severity = ADVICE if differ_by_rounding(was, now) else ""
    check(not asked, place, f"before a round trip {was!r:.200}, after {now!r:.200}", hint, severity=severity)


def is_like(was: Any, now: Any) -> bool:
    """Whether two functions, or two objects without an `__eq__`, hold the same."""
    if isinstance(was, types.FunctionType) and isinstance(now, types.FunctionType):
        return was.__code__ is now.__code__ and all(
            map(_is_one_cell, was.__closure__ or (), now.__closure__ or ())
        )
    comparable = type(was) is not type(now) or type(was).__eq__ is not object.__eq__
    return not comparable and bool(attributes(was)) and snapshot(attributes(was)) == snapshot(attributes(now))


def _is_one_cell(was: types.CellType, now: types.CellType) -> bool:
    """Whether two closure cells hold the same, or both hold a node, which is compared elsewhere."""
    first, second = was.cell_contents, now.cell_contents
    return (is_node(first) and type(first) is type(second)) or snapshot(first) == snapshot(second)


def elements(was: Any, now: Any) -> list[tuple[Any, Any, Any]]:
    """Pair the elements of two lists, tuples or dicts of one form, each with its key."""
    if type(was) is not type(now) or type(was) not in (list, tuple, dict) or len(was) != len(now):
        return []
    keys, others = ([*each] if isinstance(each, dict) else [*range(len(each))] for each in (was, now))
    return [(key, was[key], now[key]) for key in keys] if keys == others else []
