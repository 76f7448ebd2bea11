"""P15 for NNX modules: Variables and keys."""

import functools
from typing import Any

import jax
from flax import nnx

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.trees import one_level, path_name
from ...report import Law, check
from ...values.randomize import check_keys, check_rows_differ
from ..subject.programs import built_with_key
from ..subject.suite import NnxSuite
from ..subject.variables import bits_of, changed, is_variable, values_of

LAW = Law(
    number="P15",
    name="ownership",
    statement="A snapshot does not follow the module, nor the module its snapshot; no two Variables share a buffer, no Variable is held twice unless it is meant so, and each random draw, and each of its rows, has its own key.",
    mistake="nnx.state and nnx.split return the Variables of the module itself, so that training on overwrites what was to be kept; or one key serves two draws.",
    fix="Make new Variables, `jax.tree.map(lambda x: x, nnx.state(module))`, and draw with `rngs.params()` once per consumer.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


@guard
class NnxOwnership(NnxSuite):
    """P15 for NNX modules."""

    def test_p15_snapshots_do_not_follow_the_module(self) -> None:
        instance = self.make(0)
        state = self.snapshot(instance)
        before = bits_of(state)
        wrong = changed(before, bits_of(instance))
        check(not wrong, ", ".join(wrong), "the snapshot is not the state")
        self.overwrite(instance)
        wrong = changed(before, bits_of(state))
        message = "the snapshot changed with the module: they hold the same Variable"
        check(not wrong, ", ".join(wrong), message)
        self.restore(instance, state)
        wrong = changed(before, bits_of(instance))
        check(not wrong, ", ".join(wrong), "restore did not bring it back")
        self.overwrite(instance)
        wrong = changed(before, bits_of(state))
        message = "after restore the snapshot changed with the module"
        check(not wrong, ", ".join(wrong), message)

    def test_p15_rows_of_a_draw_differ(self) -> None:
        if not self.takes_keys():
            not_applicable("the constructor takes no key")
        first, second = (values_of(built_with_key(self, jax.random.key(seed))) for seed in (0, 1))
        check_rows_differ(first, second)

    def test_p15_no_variable_is_held_twice(self) -> None:
        instance = self.cached_instance()
        if one_level(instance) is None:
            not_applicable("the class is no pytree")
        owners: dict[int, str] = {}
        for name, variable in placed_variables(instance):
            owner = owners.setdefault(id(variable), name)
            free = owner == name or {owner, name} & {*self.tied}
            message = f"it is the same Variable as `{owner}`: one is trained, and not two"
            hint = "`[layer] * depth` holds one layer; `tied` names what is held twice"
            check(bool(free), name, message, hint)

    def test_p15_each_key_is_used_once(self) -> None:
        build, given = self.traceable_build()
        check_keys("build", lambda values: nnx.state(build(values)), given)
        if self.called() and not self.reuses_key:
            instance, arguments = self.cached_example()
            step = functools.partial(self.step_of_state, nnx.graphdef(instance))
            held = nnx.state(instance), arguments
            check_keys("call", lambda both: step(both[0], *both[1]), held)


def placed_variables(module: Any) -> list[tuple[str, Any]]:
    """Every Variable under each of its paths, where `nnx.state` has it under one."""
    pairs = jax.tree_util.tree_leaves_with_path(module, is_leaf=is_variable)
    return [(path_name(path), one) for path, one in pairs if is_variable(one)]
