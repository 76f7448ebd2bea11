"""P14: copies in files and in memory."""

import copy
import functools
import pickle
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np
import pytest

from ...engine.applicability import LOADS, OTHER, applies_where, not_applicable
from ...engine.runner import guard
from ...inspect.arrays import buffer_of, copied, is_array, is_key, on_device, restore_like
from ...inspect.files import check_damage_is_refused, is_refused, shorter_archives, smaller_trees
from ...inspect.references import atoms_of, can_pickle
from ...inspect.trees import (
    arrays_of,
    flatten,
    keys_as_data,
    map_arrays,
    named_arrays,
    named_leaves,
    replace_leaves,
)
from ...report import ANY_ERROR, Fault, Law, check, doing
from ...suites.pytree import PytreeSuite
from ...values.comparison import check_same_structure, check_same_tree

LAW = Law(
    number="P14",
    name="save and load",
    statement="deepcopy, pickle and saving by leaf path into a fresh skeleton give back the same treedef and leaves; another configuration, a damaged file, one without a leaf and one with more are refused, and the skeleton stays as it is.",
    protects="A checkpoint that loads into the wrong leaves without an error: `eqx.tree_serialise_leaves` stores leaves in order, and no names.",
    mistake="A static value is equal by identity alone, cannot be pickled, or the file is read by position.",
    fix="Keep static values equal by value, and save the leaf paths and the static configuration beside the arrays.",
    rests_on=("test_p03_round_trip", "test_p04_"),
)


KEEPS = "what it holds beside arrays, which Python cannot copy: a trace, a lock, a local function"


@guard
class Save(PytreeSuite):
    """P14."""

    def test_p14_deepcopy(self) -> None:
        instance = self.changed_instance()
        copies = {id(leaf): copied(leaf) for leaf in arrays_of(instance)}
        with doing(type(instance).__name__, "copy.deepcopy of it", KEEPS):
            deep = copy.deepcopy(instance, {**copies, **atoms_of(instance)})
        check_same_tree(instance, deep, "copy.deepcopy")

    def test_p14_pickle(self) -> None:
        instance = self.changed_instance()
        cls = type(instance)
        if getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is not cls:
            pytest.skip("the class is not at the top of a module")
        if not all(map(can_pickle, atoms_of(instance).values())):
            pytest.skip("a function that it holds cannot be pickled")
        with doing(cls.__name__, "pickle of it", KEEPS):
            copied = pickle.loads(pickle.dumps(keys_as_data(instance)))
        check_same_structure(keys_as_data(instance), copied, "pickle")
        copied = map_arrays(lambda v, like: restore_like(v, like), copied, instance)
        check_same_tree(instance, copied, "pickle")

    def test_p14_save_and_load_into_a_fresh_skeleton(self, tmp_path: Any) -> None:
        instance = self.changed_instance()
        self.save(instance, tmp_path / "saved.npz")
        loaded = self.load(tmp_path / "saved.npz", self.make(1))
        check_same_tree(instance, loaded, "save and load")

    @applies_where(LOADS, OTHER)
    def test_p14_another_configuration_is_refused(self, tmp_path: Any) -> None:
        path = tmp_path / "saved.npz"
        instance = self.saved(path)
        if self.other is None:
            not_applicable("no other configuration is declared")
        other = self.built_abstractly({**self.inputs(0), **self.other})
        try:
            self.load(path, other)
        except ANY_ERROR:
            return
        message = f"a file of one configuration was loaded into another, {self.other}"
        raise Fault(type(instance).__name__, message, "")

    def saved(self, path: Any) -> Any:
        """An instance that was saved; skips where the class has no load of its own."""
        instance = self.changed_instance()
        if not hasattr(instance, "load"):
            not_applicable("the class has no load")
        self.save(instance, path)
        return instance

    @applies_where(LOADS)
    def test_p14_a_damaged_file_is_refused(self, tmp_path: Any) -> None:
        path = tmp_path / "saved"
        instance = self.saved(path)
        name = type(instance).__name__
        check_damage_is_refused(path, lambda: self.load(path, instance), name)

    @applies_where(LOADS)
    def test_p14_a_file_without_a_leaf_is_refused(self, tmp_path: Any) -> None:
        path = tmp_path / "saved"
        instance = self.saved(path)
        hint = "what a file does not have is no reason to keep the skeleton's value"
        skeleton = self.make(1)
        shorter = list(shorter_archives(path)) or self._hollow_files(instance, path)
        for what, file in shorter:
            path.write_bytes(file)
            refused = is_refused(lambda: self.load(path, skeleton))
            check(refused, what, "a file that lacks this leaf was loaded", hint)

    @applies_where(LOADS)
    def test_p14_a_file_with_more_than_the_skeleton_is_refused(self, tmp_path: Any) -> None:
        path = tmp_path / "saved"
        self.saved(path)
        skeletons = list(smaller_trees(self.cached_instance(1)))
        if not skeletons:
            not_applicable("no container holds arrays")
        for what, skeleton in skeletons:
            refused = is_refused(functools.partial(self.load, path, skeleton))
            message = "a file was loaded that has an entry more than the skeleton"
            check(refused, what, message, "compare the paths of both, in both directions")

    @applies_where(LOADS)
    def test_p14_keys_keep_their_implementation(self, tmp_path: Any) -> None:
        instance = self.saved(tmp_path / "saved")
        keys = [i for i, leaf in enumerate(flatten(instance)[0]) if is_key(leaf)]
        if not keys:
            not_applicable("the class holds no typed keys")
        changed = with_other_keys(instance, keys)
        self.save(changed, tmp_path / "saved")
        with doing("load", "a file with keys of another implementation"):
            loaded = self.load(tmp_path / "saved", with_other_keys(self.cached_instance(1), keys))
        check_same_tree(changed, loaded, "save and load, of other keys,")

    def _hollow_files(self, instance: Any, path: Any) -> Iterator[tuple[str, bytes]]:
        """Files of instances with None for an array, as far as they can be saved."""
        for i, (name, leaf) in enumerate(named_leaves(instance)):
            save = functools.partial(self.save, replace_leaves(instance, {i: None}), path)
            if is_array(leaf) and not is_refused(save):
                yield name, path.read_bytes()

    @applies_where(LOADS)
    def test_p14_load_leaves_the_skeleton_alone(self, tmp_path: Any) -> None:
        self.saved(tmp_path / "saved")
        skeleton = self.make(1)
        loaded = self.load(tmp_path / "saved", skeleton)
        check_same_tree(self.cached_instance(1), skeleton, "load changed its skeleton")
        owned = {buffer_of(leaf) or id(leaf) for _, leaf in named_arrays(skeleton)}
        for name, leaf in named_arrays(loaded):
            message = "what was loaded shares its buffer with the skeleton"
            check((buffer_of(leaf) or id(leaf)) not in owned, name, message)


def with_other_keys(instance: Any, places: Sequence[int]) -> Any:
    """The instance with keys of another implementation at these positions."""
    leaves, _ = flatten(instance)
    return replace_leaves(instance, {i: other_key(leaves[i]) for i in places})


def other_key(key: Any) -> Any:
    """Keys of the same shape that another implementation has made."""
    known = "rbg" if "fry" in str(jax.random.key_impl(key)) else "threefry2x32"
    one = jax.eval_shape(lambda: jax.random.key_data(jax.random.key(7, impl=known)))
    data = np.arange(one.size, dtype=one.dtype).reshape(one.shape)
    every = on_device(np.broadcast_to(data, (*key.shape, *one.shape)))
    return jax.random.wrap_key_data(every, impl=known)
