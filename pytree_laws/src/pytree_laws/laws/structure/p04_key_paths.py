"""P4: key paths."""

from typing import Any

import jax

from ...engine.registry import Checks
from ...inspect.arrays import same_bits
from ...inspect.trees import flatten, flatten_with_path, path_name, walk
from ...kinds.pytree import PytreeSuite
from ...report import ADVICE, Law, check, doing

LAW = Law(
    number="P4",
    name="key paths",
    statement="The order of leaves is the same with and without paths; paths are unique and walk to their leaf.",
    protects="Wrong or missing key paths: `tree_map_with_path`, `keystr` and error messages then name another leaf than the one that is meant, or none.",
    mistake="flatten_with_keys names the children in another order than flatten_func, or names none.",
    fix="Use register_pytree_with_keys with GetAttrKey(name) for each attribute, in the order of flatten_func.",
)
CHECKS = Checks(LAW)


@CHECKS.register()
def test_p04_order_is_the_same_with_and_without_paths(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    leaves, treedef = flatten(instance)
    pairs, with_paths = flatten_with_path(instance)
    message = f"with paths the treedef is {with_paths}, without {treedef}"
    check(with_paths == treedef, type(instance).__name__, message)
    for (path, leaf), other in zip(pairs, leaves):
        message = "flatten gives another leaf at this position"
        is_moved = any(leaf is each for each in leaves)
        check(leaf is other or (not is_moved and same_bits(leaf, other)), path_name(path), message)


@CHECKS.register()
def test_p04_paths_are_unique_and_lead_to_their_leaf(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    pairs, _ = flatten_with_path(instance)
    names = [path_name(path) for path, _ in pairs]
    for (path, leaf), name in zip(pairs, names):
        check(names.count(name) == 1, name, f"two leaves have this path: {names}")
        if is_nameless(path):
            continue
        with doing(name, "walking the path"):
            got = walk(instance, path)
        check(got is leaf, name, f"the path leads to {got!r:.200}, not to its leaf")


@CHECKS.register(severity=ADVICE)
def test_p04_the_class_is_registered_with_keys(subject: PytreeSuite) -> None:
    for path, _ in flatten_with_path(subject.cached_instance())[0]:
        check(not is_nameless(path), path_name(path), "the class was registered without keys")


def is_nameless(path: Any) -> bool:
    """Whether jax numbers the leaves, since the class was registered without keys."""
    return isinstance(next(iter(path), None), jax.tree_util.FlattenedIndexKey)
