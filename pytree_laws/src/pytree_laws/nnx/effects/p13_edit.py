"""P13 for NNX modules: updates, equality and copies."""

import copy
from typing import Any

import jax
from flax import nnx

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.static_values import another_value
from ...inspect.trees import look_up
from ...report import ANY_ERROR, Law, check, doing
from ...values.randomize import perturb_leaf
from ..subject.suite import NnxSuite
from ..subject.variables import (
    STATE_METHODS,
    bits_of,
    changed,
    check_copy,
    copy_of,
    value_of,
    values_of,
    variables_of,
    with_setting,
)

LAW = Law(
    number="P13",
    name="edit",
    statement="An update of one Variable leaves everything else alone; == has a truth value and tells modules apart; a module is true; its hash stays; a copy keeps the value or is refused.",
    mistake="`__eq__` compares arrays, or static values alone, `__len__` is 0, or modules share a Variable that was made on the class.",
    fix="Leave == and hash to identity, as nnx.Module does, and make each Variable in `__init__`.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


@guard
class NnxEdit(NnxSuite):
    """P13 for NNX modules."""

    def test_p13_an_update_leaves_the_rest_alone(self) -> None:
        instance, other = self.make(0), self.make(1)
        before, apart = nnx.graphdef(instance), bits_of(other)
        for path, variable in variables_of(instance).items():
            bits = bits_of(instance)
            variable.set_value(perturb_leaf(value_of(variable)))
            wrong = [one for one in changed(bits, bits_of(instance)) if one != path]
            check(not wrong, path, f"an update of it changed {', '.join(wrong)}")
            wrong = changed(apart, bits_of(other))
            message = f"an update of it changed {', '.join(wrong)} of another module"
            hint = "a Variable that was made on the class, or once for all modules"
            check(not wrong, path, message, hint)
            same = nnx.graphdef(instance) == before
            check(same, path, "an update of it changed the graph definition")

    def test_p13_equality_has_a_truth_value(self) -> None:
        instance, other = self.cached_instance(), self.cached_instance(1)
        name, moved = type(instance).__name__, copy_of(instance)
        self.overwrite(moved)
        rights = {"itself": instance, "another": other, "an update": moved, "None": None}
        hint = "`__eq__` that compares arrays: `==` on them has no truth value"
        for what, right in rights.items():
            with doing(name, f"bool(x == {what})", hint):
                same = bool(instance == right)
            check(same or right is not instance, name, "x == x is not true")
            message = "two modules with other Variables are equal"
            apart = not same or right is not moved or not values_of(moved)
            check(apart, name, message, "`__eq__` compares the static values alone")
        self._check_statics_tell_apart(instance)
        graphdef, state = nnx.split(instance)
        with doing(name, "x == y inside jit", hint):
            jax.eval_shape(lambda s: (self._equal(graphdef, s), ())[1], state)

    def _equal(self, graphdef: Any, state: Any) -> bool:
        left, right = (nnx.merge(graphdef, state, copy=True) for _ in range(2))
        return bool(left == right)

    def _check_statics_tell_apart(self, instance: Any) -> None:
        for path in self.static:
            value = another_value(look_up(instance, path))
            if value is not None:
                edited = with_setting(instance, path, value)
                message = "two modules with other values of it are equal"
                hint = "`__eq__` compares the Variables alone"
                check(not bool(instance == edited), path, message, hint)

    def test_p13_a_module_is_true(self) -> None:
        instance = self.cached_instance()
        with doing(type(instance).__name__, "bool(x)"):
            true = bool(instance)
        message = "a module is false, so that `if module:` takes it for none"
        check(true, type(instance).__name__, message, "`__len__` or `__bool__`")

    def test_p13_hashes_are_equal_and_stay(self) -> None:
        instance = self.make(0)
        name, copied = type(instance).__name__, copy_of(instance)
        try:
            first, second = hash(instance), hash(copied)
        except TypeError:
            not_applicable("modules have no hash")
        same = first == second or not bool(instance == copied)
        check(same, name, "equal modules have different hashes")
        self.overwrite(instance)
        message = "an update of its Variables changed its hash: a dict loses it"
        check(hash(instance) == first, name, message, "`__hash__` goes by values")

    def test_p13_a_shallow_copy_keeps_the_value(self) -> None:
        instance = self.changed_module()
        try:
            copied = copy.copy(instance)
        except ANY_ERROR:
            return  # refused
        check_copy(instance, copied, "copy.copy", STATE_METHODS)
