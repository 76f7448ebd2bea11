"""P16 for NNX modules: `map_variables` and keys."""

from collections.abc import Mapping
from typing import Any

import jax
from flax import nnx

from ...engine.applicability import applies_where, declares, not_applicable
from ...engine.runner import guard
from ...inspect.arrays import is_key, same_bits
from ...inspect.trees import flatten
from ...laws.effects.p16_helpers import UNUSED_KEY
from ...report import Law, check, doing
from ...values.closeness import close
from ...values.randomize import perturb_leaf
from ..subject.suite import NnxSuite
from ..subject.variables import bits_of, changed, is_variable, value_of, variables_of

LAW = Law(
    number="P16",
    name="helpers",
    statement="`map_variables` maps the values of the Variables of a type, and leaves the others, the module and its state alone; keys give different draws, and a call that ignores its key draws nothing.",
    mistake="`is_leaf` is missing: jax.tree.map then goes past the Variables, and an isinstance test in the function is never true.",
    fix="Write `is_leaf=lambda node: isinstance(node, nnx.Variable)`, and `node.replace(function(node.get_value()))`.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


MAPS = declares("map_variables", "no `map_variables` is declared")


@guard
class NnxHelpers(NnxSuite):
    """P16 for NNX modules."""

    def mapped(self, functions: Mapping[Any, Any], tree: Any) -> dict[str, Any]:
        helper = type(self).map_variables
        if helper is None:
            not_applicable("no `map_variables` is declared")
        with doing("map_variables", f"a map over a {type(tree).__name__}"):
            state = helper(functions, tree)
        message = f"it gave a {type(state).__name__} and no nnx.State"
        check(isinstance(state, nnx.State), "map_variables", message)
        return variables_of(state)

    @applies_where(MAPS)
    def test_p16_map_variables_dispatches_by_type(self) -> None:
        instance = self.make(0)
        held = variables_of(instance)
        kinds = {type(value) for value in held.values() if is_variable(value)} | {nnx.Param}
        for kind in sorted(kinds, key=lambda kind: kind.__name__):
            for tree in (instance, nnx.state(instance)):
                before = bits_of(instance)
                got = self.mapped({kind: perturb_leaf}, tree)
                wrong = changed(before, bits_of(instance))
                message = "map_variables edited it in place"
                check(not wrong, ", ".join(wrong), message)
                self._check_mapped(held, got, kind)

    def _check_mapped(self, held: Any, got: Any, kind: type) -> None:
        check(list(got) == list(held), "map_variables", f"it gave the paths {[*got]}")
        for path, one in held.items():
            hit = isinstance(one, kind)
            wanted = perturb_leaf(value_of(one)) if hit else value_of(one)
            same = type(got[path]) is type(one) and same_bits(value_of(got[path]), wanted)
            did = "did not apply the function" if hit else "did not leave it alone"
            message = f"a map over {kind.__name__} {did}: {got[path]}"
            check(same, path, message)
            message = "the new state holds the Variable of the module"
            check(got[path] is not one, path, message)

    @applies_where(MAPS)
    def test_p16_map_variables_prefers_the_nearest_type(self) -> None:
        instance = self.make(0)
        functions = {nnx.Variable: lambda v: v, nnx.Param: perturb_leaf}
        got = self.mapped(functions, instance)
        for path, variable in variables_of(instance).items():
            same = same_bits(value_of(got[path]), value_of(variable))
            is_param = isinstance(variable, nnx.Param)
            message = "the function of a base class was applied, or none"
            check(same is not is_param, path, message)

    def test_p16_keys_give_different_draws(self) -> None:
        instance, arguments = self.cached_example()
        leaves, treedef = flatten(arguments)
        keys = [i for i, leaf in enumerate(leaves) if is_key(leaf)]
        if not keys:
            not_applicable("the call takes no key")
        compiled = self.by_nnx_jit()

        def draw(seed: int) -> Any:
            drawn = [jax.random.fold_in(leaf, seed) if i in keys else leaf for i, leaf in enumerate(leaves)]
            return compiled(instance, *treedef.unflatten(drawn))[0]

        first = draw(0)
        varies = any(not close(first, draw(seed)) for seed in range(1, 8))
        if self.ignores_key:
            message = "it is said to ignore its key, and another key gives another output"
            check(not varies, "call", message, "`ignores_key = True` that is out of date")
        else:
            check(varies, "call", "eight keys give the same output", UNUSED_KEY)
