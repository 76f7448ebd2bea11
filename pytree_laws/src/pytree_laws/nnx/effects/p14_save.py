"""P14 for NNX modules: copies in files and in memory."""

import copy
import functools
import pickle
import sys
from typing import Any

import numpy as np
import pytest
from flax import nnx

from ...engine.applicability import LOADS, OTHER, applies_where, not_applicable
from ...engine.runner import guard
from ...inspect.arrays import host, is_key, on_device, restore_like
from ...inspect.files import check_damage_is_refused
from ...inspect.references import can_pickle
from ...report import ANY_ERROR, Fault, Law, check, doing
from ..subject.suite import NnxSuite
from ..subject.variables import (
    STATE_METHODS,
    bits_of,
    changed,
    check_copy,
    functions_of,
    shapes_of,
    value_of,
    values_of,
    variables_of,
)

LAW = Law(
    number="P14",
    name="save and load",
    statement="deepcopy, pickle, and saving by path into a fresh module, give back the same configuration and state, and share nothing with the module; a state with other paths, types or shapes, and a damaged file, are refused.",
    mistake="`__getstate__` or `__deepcopy__` leaves something out; or the state is loaded with nnx.update, which adds unknown paths to the module, or with nnx.merge, which goes by position.",
    fix="Leave copying to Flax, and compare paths, types and shapes before `nnx.update(module, state)`.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


@guard
class NnxSave(NnxSuite):
    """P14 for NNX modules."""

    def test_p14_deepcopy(self) -> None:
        instance = self.changed_module()
        held = functions_of(instance)  # some of jax's own are copied with it
        functions = all(copy.deepcopy(one) is one for one in held)
        with doing(type(instance).__name__, "copy.deepcopy", STATE_METHODS):
            copied = copy.deepcopy(instance)
        check_copy(instance, copied, "copy.deepcopy", STATE_METHODS, functions)
        before = bits_of(instance)
        self.overwrite(copied)
        wrong = changed(before, bits_of(instance))
        message = "an update of what copy.deepcopy gave changed the module"
        check(not wrong, ", ".join(wrong), message, STATE_METHODS)

    def test_p14_pickle(self) -> None:
        instance = self.changed_module()
        cls = type(instance)
        if getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is not cls:
            pytest.skip("the class is not at the top of a module")
        if any(map(is_key, values_of(instance).values())):
            pytest.skip("it holds typed keys, which jax does not pickle")
        if not all(map(can_pickle, functions_of(instance))):
            pytest.skip("a function that it holds cannot be pickled")
        with doing(cls.__name__, "pickle", STATE_METHODS):
            copied = pickle.loads(pickle.dumps(instance))
        check_copy(instance, copied, "pickle", STATE_METHODS)

    def test_p14_save_and_load_into_a_fresh_module(self, tmp_path: Any) -> None:
        instance, fresh = self.changed_module(), self.make(1)
        hosts: dict[str, Any] = {p: host(v) for p, v in values_of(instance).items()}
        np.savez(tmp_path / "saved.npz", **hosts)
        state = self.snapshot(fresh)
        with np.load(tmp_path / "saved.npz") as file:
            for path, variable in variables_of(state).items():
                variable.set_value(restore_like(file[path], value_of(variable)))
        self.restore(fresh, state)
        wrong = changed(bits_of(instance), bits_of(fresh))
        check(not wrong, ", ".join(wrong), "save and load changed it")

    def test_p14_other_paths_types_and_shapes_are_refused(self) -> None:
        instance = self.cached_instance()
        flat = dict(nnx.to_flat_state(self.snapshot(instance)))
        *_, (path, one) = flat.items()  # the last, so that others come first
        less = {p: v for p, v in flat.items() if p != path}
        other = type("Other", (nnx.Variable,), {})
        wrong = {
            "a path left out": less,
            "an unknown path": {**flat, ("unknown",): one},
            "a renamed path": {**less, (*path[:-1], "unknown"): one},
            "another shape": {**flat, path: one.replace(on_device(np.zeros((7, 7, 7), np.float32)))},
            "another type": {**flat, path: other(value_of(one))},
        }
        for what, state in wrong.items():
            self._check_refused(nnx.from_flat_state(state), what)

    @applies_where(LOADS, OTHER)
    def test_p14_another_configuration_is_refused(self) -> None:
        other, instance = self.make_other(), self.cached_instance()
        if shapes_of(other) == shapes_of(instance):
            not_applicable("the other configuration has the same state")
        self._check_refused(self.snapshot(other), f"the state with {self.other}")

    def _check_refused(self, state: Any, what: str) -> None:
        instance = self.changed_module()
        before = bits_of(instance)
        try:
            self.restore(instance, state)
        except ANY_ERROR:
            wrong = changed(before, bits_of(instance))
            message = f"{what} was refused after a part of it was taken over"
            check(not wrong, ", ".join(wrong), message)
            return
        raise Fault("restore", f"{what} was accepted", "a load that compares nothing")

    def saved(self, path: Any) -> Any:
        """A module that its own `save` has saved; skips where it has none."""
        instance = self.changed_module()
        if not hasattr(instance, "load"):
            not_applicable("the module has no load")
        instance.save(path)
        return instance

    def test_p14_own_save_and_load(self, tmp_path: Any) -> None:
        instance, like = self.saved(tmp_path / "saved"), self.make(1)
        loaded = type(instance).load(tmp_path / "saved", like)
        wrong = changed(bits_of(instance), bits_of(loaded))
        check(not wrong, ", ".join(wrong), "save and load changed it")
        message = "save and load changed the graph definition"
        same = nnx.graphdef(loaded) == nnx.graphdef(instance)
        check(same, type(instance).__name__, message)

    def test_p14_load_shares_nothing_with_its_skeleton(self, tmp_path: Any) -> None:
        instance, like = self.saved(tmp_path / "saved"), self.make(1)
        before = bits_of(like)
        loaded = type(instance).load(tmp_path / "saved", like)
        wrong = changed(before, bits_of(like))
        check(not wrong, ", ".join(wrong), "load changed the skeleton")
        self.overwrite(loaded)
        wrong = changed(before, bits_of(like))
        message = "the skeleton changed with what was loaded: they hold the same Variable"
        check(not wrong, ", ".join(wrong), message)

    def test_p14_a_file_of_another_configuration_is_refused(self, tmp_path: Any) -> None:
        instance, other = self.saved(tmp_path / "saved"), self.make_other()
        try:
            type(instance).load(tmp_path / "saved", other)
        except ANY_ERROR:
            return
        message = f"a file of one configuration was loaded into another, {self.other}"
        raise Fault(type(instance).__name__, message, "")

    @applies_where(LOADS)
    def test_p14_a_damaged_file_is_refused(self, tmp_path: Any) -> None:
        path = tmp_path / "saved"
        instance = self.saved(path)
        load = functools.partial(type(instance).load, path, instance)
        check_damage_is_refused(path, load, type(instance).__name__)
