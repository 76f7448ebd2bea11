"""P14: copies in files and in memory."""

import functools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from ...engine.applicability import LOADS, OTHER, declares, need, not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import buffer_of, host, is_array, is_key, on_device, restore_like
from ...inspect.files import (
    check_damage_is_refused,
    full_disk,
    half_written,
    has_files,
    is_refused,
    no_flush,
    other_ways,
    path_for,
    shorter_archives,
    smaller_trees,
    suffix_of_files,
)
from ...inspect.references import can_pickle
from ...inspect.trees import changed, flatten, named_leaves, replace_leaves
from ...kinds.mutable import MutableSuite
from ...kinds.pytree import PytreeSuite
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, Fault, Law, check, doing
from ...trace.platforms import holds_placement
from ...values.comparison import check_same_tree
from ...values.randomize import perturb_leaf

LAW = Law(
    number="P14",
    name="save and load",
    statement="deepcopy, pickle and saving by leaf path into a fresh skeleton give back the same treedef and leaves; another configuration, a damaged file, one without a leaf and one with more are refused, and the skeleton stays as it is.",
    protects="Checkpoints, pickles and deep copies that lose values, put them into the wrong leaves, or come back with another treedef, without an error: `eqx.tree_serialise_leaves` stores leaves by order, not by name.",
    mistake="A static value is equal by identity alone, cannot be pickled, or the file is read by position.",
    fix="Keep static values equal by value, and save the leaf paths and the static configuration beside the arrays.",
    rests_on=("test_p03_round_trip", "test_p04_", "test_p05_treedef_depends_on"),
)
CHECKS = Checks(LAW)
SAVES_WHOLE = declares("saves_whole", "it is not said that a save which fails leaves the file as it was")
BESIDE = "write a file beside it, and put that in its place: `os.replace(temporary, path)`"
OWN_FILES = "its own `save` and `load`: a leaf that the file has is to take the place of that of `like`, which `load` does not change"
KEEPS = "what it holds beside arrays, which Python cannot copy: a trace, a lock, a local function"


@CHECKS.register()
def test_p14_deepcopy(subject: Suite) -> None:
    instance = subject.changed_instance()
    cls = type(instance)
    severity = ADVICE if holds_placement(instance) else ""  # Python copies no device, and there is no other
    with doing(cls.__name__, "copy.deepcopy of it", KEEPS, severity=severity):
        deep = subject.deepcopied(instance)
    # Which part answers for a class without a `__deepcopy__` depends on what is held.
    is_copied_by_a_part = not hasattr(cls, "__deepcopy__") and hasattr(instance, "__deepcopy__")
    message = f"copy.deepcopy gives a {type(deep).__name__}, since its `__getattr__` answers for `__deepcopy__` with that of a part"
    hint = "names that begin with `__`, which Python asks for: raise AttributeError for them"
    check(type(deep) is cls or not is_copied_by_a_part, cls.__name__, message, hint, severity=ADVICE)
    subject.check_copy(instance, deep, "copy.deepcopy")
    check_apart(subject, instance, deep)


def check_apart(subject: Suite, instance: Any, copied: Any) -> None:
    """Check that an update of a copy leaves a mutable instance alone."""
    before = subject.snapshot_of(instance)
    for path, value in subject.named(copied).items() if subject.is_mutable else ():
        subject.assign_array(copied, path, perturb_leaf(value))
        message = f"an update of what copy.deepcopy gave changed the {subject.instance_noun}"
        same = subject.snapshot_of(instance) == before
        check(same, path, message, "`__deepcopy__` that hands on the same Variables")


@CHECKS.register()
def test_p14_pickle(subject: Suite) -> None:
    instance = subject.changed_instance()
    cls = type(instance)
    if getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is not cls:
        pytest.skip("the class is not at the top of a module")
    if not all(map(can_pickle, subject.functions_of(instance))):
        pytest.skip("a function that it holds cannot be pickled")
    severity = ADVICE if holds_placement(instance) else ""
    with doing(cls.__name__, "pickle of it", KEEPS, severity=severity):
        copied = subject.pickled(instance)
    subject.check_copy(instance, copied, "pickle")


@CHECKS.register()
def test_p14_save_and_load_into_a_fresh_skeleton(subject: Suite, tmp_path: Any) -> None:
    instance = subject.changed_instance()
    suffix = (suffix_of_files(instance) if has_files(instance) else "") or ".npz"
    subject.save(instance, tmp_path / f"saved{suffix}")
    loaded = subject.load(tmp_path / f"saved{suffix}", subject.spare(1))
    hint = (OWN_FILES,) if has_files(instance) else ()
    subject.check_copy(instance, loaded, "save and load", *hint)
    other = with_other_numbers(instance)
    if isinstance(subject, PytreeSuite) and subject.saves_whole and other is not instance:
        subject.save(other, tmp_path / f"numbers{suffix}")
        hint = "they are leaves, and no settings"
        with doing("load", "a file with other numbers of Python among the leaves", hint):
            loaded = subject.load(tmp_path / f"numbers{suffix}", subject.spare(1))
        subject.check_copy(other, loaded, "save and load")


def with_other_numbers(instance: Any) -> Any:
    """Change the Python numbers among the leaves, or return the instance itself if there are none."""
    leaves = enumerate(jax.tree.leaves(instance))
    others = {i: perturb_leaf(leaf) for i, leaf in leaves if isinstance(leaf, bool | int | float)}
    return replace_leaves(instance, others) if others else instance


@CHECKS.register()
def test_p14_save_and_load_into_a_fresh_module(subject: MutableSuite, tmp_path: Any) -> None:
    instance, fresh = subject.changed_instance(), subject.spare(1)
    hosts: dict[str, Any] = {path: host(v) for path, v in subject.named(instance).items()}
    np.savez(tmp_path / "saved.npz", **hosts)
    state = subject.snapshot(fresh)
    with np.load(tmp_path / "saved.npz") as file:
        values = {
            path: restore_like(file[path], subject.value_of(variable))
            for path, variable in subject.parts_of(state).items()
        }
    subject.restore(fresh, subject.with_values(state, values))
    wrong = changed(subject.snapshot_of(instance), subject.snapshot_of(fresh))
    check(not wrong, ", ".join(wrong), "save and load changed it")


@CHECKS.register()
def test_p14_other_paths_types_and_shapes_are_refused(subject: MutableSuite) -> None:
    for label, wrong in subject.wrong_states(subject.snapshot(subject.cached_instance())).items():
        check_refused(subject, wrong, label)


@CHECKS.register(LOADS, OTHER)
def test_p14_the_state_of_another_configuration_is_refused(subject: MutableSuite) -> None:
    other = subject.build(**{**subject.inputs(0), **(subject.other or {})})
    if subject.form_of(other)[1] == subject.form_of(subject.cached_instance())[1]:
        not_applicable("the other configuration has the same state")
    check_refused(subject, subject.snapshot(other), f"the state with {subject.other}")


def check_refused(subject: MutableSuite, state: Any, label: str) -> None:
    """Check that a module refuses a state, and stays as it was."""
    instance = subject.changed_instance()
    before = subject.snapshot_of(instance)
    try:
        subject.restore(instance, state)
    except ANY_ERROR:
        wrong = changed(before, subject.snapshot_of(instance))
        check(not wrong, ", ".join(wrong), f"{label} was refused after a part of it was taken over")
        return
    raise Fault("restore", f"{label} was accepted", "a load that compares nothing")


@CHECKS.register(LOADS, OTHER)
def test_p14_another_configuration_is_refused(subject: Suite, tmp_path: Any) -> None:
    instance, path = saved(subject, tmp_path)
    other = subject.built_abstractly({**subject.inputs(0), **(subject.other or {})})
    refused = is_refused(lambda: subject.load(path, other))
    message = f"a file of one configuration was loaded into another, {subject.other}"
    check(refused, type(instance).__name__, message)


def saved(subject: Suite, folder: Path) -> tuple[Any, Path]:
    """Save an instance, and return it with its file, or skip if the class has no `load`."""
    instance = subject.changed_instance()
    need(has_files(instance), "the class has no load")
    path = folder / f"saved{suffix_of_files(instance)}"
    subject.save(instance, path)
    need(path.exists(), "it saves to another path than the one that it is given")
    return instance, path


@CHECKS.register(LOADS)
def test_p14_a_damaged_file_is_refused(subject: Suite, tmp_path: Any) -> None:
    instance, path = saved(subject, tmp_path)
    check_damage_is_refused(path, lambda: subject.load(path, instance), type(instance).__name__)
    load: Any = type(instance).load
    for name, value in other_ways(load).items():
        subject.save(instance, path)
        other = functools.partial(load, path_for(load, path), instance, **{name: value})
        check_damage_is_refused(path, other, f"load with {name}={value}")


@CHECKS.register(LOADS, SAVES_WHOLE)
def test_p14_a_save_that_fails_leaves_the_file_as_it_was(subject: Suite, tmp_path: Any) -> None:
    instance, path = saved(subject, tmp_path)
    before, other = path.read_bytes(), subject.spare(1)
    for failing in (full_disk(len(before) // 2), no_flush(), half_written()):
        with failing:
            failed = is_refused(lambda: subject.save(other, path))
        if not failed:  # it writes, or flushes, in another process or not at all
            hint = "an error of it that nobody hears of"
            with doing("save", "reading what it wrote where the disk was full", hint):
                loaded = subject.load(path, subject.spare(1))
                subject.check_copy(other, loaded, "save without an error, and load,")
            subject.save(instance, path)
            continue
        message = "a save that failed half-way did not leave the file as it was"
        check(path.is_file() and path.read_bytes() == before, type(instance).__name__, message, BESIDE)
        left = sorted(file.name for file in tmp_path.iterdir() if file != path)
        message = f"a save that failed half-way left {', '.join(left)} behind"
        check(not left, type(instance).__name__, message, "`finally: os.remove(temporary)`")


@CHECKS.register(LOADS, SAVES_WHOLE)
def test_p14_a_save_writes_beside_the_file_that_is_there(subject: Suite, tmp_path: Any) -> None:
    (instance, path), former = saved(subject, tmp_path), tmp_path / "former"
    before = path.read_bytes()
    try:
        former.hardlink_to(path)  # it shows what becomes of the file itself, whatever has its name in the end
    except OSError:
        not_applicable("files have no second name here")
    subject.save(subject.spare(1), path)
    message = "a save wrote into the file that was there, of which an interruption would leave a part"
    check(former.read_bytes() == before, type(instance).__name__, message, BESIDE)


@CHECKS.register(LOADS)
def test_p14_a_file_without_a_leaf_is_refused(subject: PytreeSuite, tmp_path: Any) -> None:
    instance, path = saved(subject, tmp_path)
    hint = "what a file does not have is no reason to keep the skeleton's value"
    skeleton = subject.spare(1)
    for label, file in list(shorter_archives(path)) or _hollow_files(subject, instance, path):
        path.write_bytes(file)
        refused = is_refused(lambda: subject.load(path, skeleton))
        check(refused, label, "a file that lacks this leaf was loaded", hint)


def _hollow_files(subject: PytreeSuite, instance: Any, path: Any) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each array, and a file with None in its place, if that can be saved."""
    for i, (name, leaf) in enumerate(named_leaves(instance)):
        save = functools.partial(subject.save, replace_leaves(instance, {i: None}), path)
        if is_array(leaf) and not is_refused(save):
            yield name, path.read_bytes()


@CHECKS.register(LOADS)
def test_p14_a_file_with_more_than_the_skeleton_is_refused(subject: PytreeSuite, tmp_path: Any) -> None:
    _, path = saved(subject, tmp_path)
    skeletons = list(smaller_trees(subject.cached_instance(1)))
    need(skeletons, "no container holds arrays")
    for label, skeleton in skeletons:
        refused = is_refused(functools.partial(subject.load, path, skeleton))
        message = "a file was loaded that has an entry more than the skeleton"
        check(refused, label, message, "compare the paths of both, in both directions")


@CHECKS.register(LOADS)
def test_p14_keys_keep_their_implementation(subject: PytreeSuite, tmp_path: Any) -> None:
    instance, path = saved(subject, tmp_path)
    keys = [i for i, leaf in enumerate(flatten(instance)[0]) if is_key(leaf)]
    need(keys, "the class holds no typed keys")
    changed = with_other_keys(instance, keys)
    subject.save(changed, path)
    with doing("load", "a file with keys of another implementation"):
        loaded = subject.load(path, with_other_keys(subject.cached_instance(1), keys))
    check_same_tree(changed, loaded, "save and load, of other keys,")


@CHECKS.register(LOADS)
def test_p14_load_leaves_the_skeleton_alone(subject: Suite, tmp_path: Any) -> None:
    (_, path), skeleton = saved(subject, tmp_path), subject.spare(1)
    loaded = subject.load(path, skeleton)
    subject.check_copy(subject.cached_instance(1), skeleton, "load changed its skeleton:")
    owned = {buffer_of(leaf) or id(leaf) for leaf in subject.named(skeleton).values()}
    for name, leaf in subject.named(loaded).items():
        message = "what was loaded shares its buffer with the skeleton"
        check((buffer_of(leaf) or id(leaf)) not in owned, name, message)


def with_other_keys(instance: Any, places: Sequence[int]) -> Any:
    """Replace the keys at these positions by keys of another implementation."""
    leaves, _ = flatten(instance)
    return replace_leaves(instance, {i: other_key(leaves[i]) for i in places})


def other_key(key: Any) -> Any:
    """Return keys of the same shape from another implementation."""
    known = "rbg" if "fry" in str(jax.random.key_impl(key)) else "threefry2x32"
    key_shape = jax.eval_shape(lambda: jax.random.key_data(jax.random.key(7, impl=known)))
    data = np.arange(key_shape.size, dtype=key_shape.dtype).reshape(key_shape.shape)
    every = on_device(np.broadcast_to(data, (*key.shape, *key_shape.shape)))
    return jax.random.wrap_key_data(every, impl=known)
