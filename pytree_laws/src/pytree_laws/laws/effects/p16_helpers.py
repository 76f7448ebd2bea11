"""P16: filter specs, lax and keys."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from ...engine.applicability import Condition, applies_where, declares, has_method, not_applicable, of_leaves
from ...engine.runner import guard
from ...inspect.arrays import copied, is_inexact, is_key, on_device
from ...inspect.trees import (
    flatten,
    is_under,
    look_up,
    map_arrays,
    named_leaves,
    path_name,
    replace_leaves,
    with_attribute,
)
from ...report import Law, check, doing
from ...suites.base import Suite
from ...suites.training import Training
from ...trace.jaxprs import draws_of
from ...values.closeness import check_close, close
from ...values.comparison import check_same_tree
from ...values.example_values import sample
from ...values.optimisation import trained_names
from ...values.randomize import perturb_leaf

LAW = Law(
    number="P16",
    name="helpers",
    statement="Filter specs select exactly the declared leaves, sub-modules by their own, on copies, with tied leaves and under jit; `decayed()` selects what is trained but for the declared; partitions are these parts, and `combine` undoes them; the call passes through lax; keys give different draws, and a call that ignores its key draws nothing.",
    protects="A filter spec that picks the wrong leaves: `eqx.partition` and the optimiser then train, or freeze, other arrays than you meant, without an error.",
    mistake="A spec compares leaves by identity or value, the class has buffers and no `trainable()`, or the call ignores its key.",
    fix="Build specs from leaf paths alone, and use the key that is given.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux"),
)

SELECT, PARTITION = "select_", "partition_"
"""How the names begin of a filter spec, and of the method that gives the parts which it tells apart."""
UNUSED_KEY = (
    "a call that does not use its key; `ignores_key = True` says that this is so on "
    'purpose, and in a spec `[test]` with `unused = ["key"]`'
)


IGNORES_KEY = Condition("the call does not say that it ignores its key", lambda suite: suite.ignores_key)


@guard
class Keys(Suite):
    """P16 for classes of every kind."""

    @applies_where(IGNORES_KEY)
    def test_p16_a_call_that_ignores_its_key_draws_nothing(self) -> None:
        instance, arguments = self.cached_example()
        leaves = jax.tree.leaves(arguments)
        keys = [i for i, leaf in enumerate(leaves) if is_key(leaf)]
        if not keys or not self.ignores_key:
            not_applicable("the call takes no key, or does not say that it ignores it")
        drawn = draws_of(self.traced_call().jaxpr)
        message = f"it says that it ignores its key, and {len(drawn)} of its draws have another"
        hint = "the same noise in every call: draw from the key that is given"
        check(not drawn, "call", message, hint)
        given = (
            replace_leaves(arguments, {i: sample(seed, leaves[i].shape, "key") for i in keys})
            for seed in (0, 1)
        )
        one, other = (self.apply(instance, *each) for each in given)
        message = "it says that it ignores its key, and two keys give {} and {}"
        check_close("call", message, one, other, "leave `ignores_key` out")


@guard
class Helpers(Training):
    """P16."""

    def test_p16_filter_specs_select_the_declared_leaves(self) -> None:
        instance = self.cached_instance()
        self._check_specs(instance, "a fresh instance")
        self._check_specs(map_arrays(copied, instance), "a copy")
        self._check_specs(map_arrays(perturb_leaf, instance), "an updated instance")
        one = on_device(np.float32(1))
        tied = map_arrays(lambda leaf: one if is_inexact(leaf) else leaf, instance)
        self._check_specs(tied, "an instance with tied leaves")
        value, back = self.dynamic(instance)
        jax.eval_shape(lambda v: self._check_specs(back(v), "an instance in jit"), value)

    def _check_specs(self, instance: Any, what: str) -> None:
        pairs = named_leaves(instance)
        names = [name for name, _ in pairs]
        selected = {names[i] for i in self.trained(instance)}
        wanted = self.expected_to_train(instance)
        hint = (
            ""
            if hasattr(instance, "trainable")
            else "declared data, buffers and frozen parts need a `trainable()`"
        )
        message = f"on {what} it selects {sorted(selected)}, declared is {sorted(wanted)}"
        check(selected == wanted, "trainable", message, hint)
        for method, paths in self.filters.items():
            marks = zip(names, jax.tree.leaves(getattr(instance, method)()))
            selected = {name for name, mark in marks if mark is True}
            wanted = {n for n in names if any(is_under(n, path) for path in paths)}
            message = f"on {what} it selects {sorted(selected)}, declared is {sorted(wanted)}"
            check(selected == wanted, method, message)

    @applies_where(declares("undecayed", "nothing is declared that does not decay"))
    def test_p16_decay_moves_all_that_is_trained_but_the_declared(self) -> None:
        fresh = self.cached_instance()
        for what, instance in (
            ("a fresh instance", fresh),
            ("a copy", map_arrays(copied, fresh)),
            ("its trained leaves alone", self.weights_of(fresh)),
        ):
            with doing("decayed", f"on {what} it"):
                decayed = marked(instance, instance.decayed())
            wanted = {
                name
                for name in self.expected_to_train(fresh) - denied_below(fresh)
                if not any(is_under(name, path) for path in self.undecayed)
            }
            message = f"on {what} it selects {sorted(decayed)}, wanted is {sorted(wanted)}"
            hint = "all that `trainable()` selects, without `undecayed` and what sub-modules leave out"
            check(decayed == wanted, "decayed", message, hint)

    def weights_of(self, instance: Any) -> Any:
        """The instance as an optimiser has it, with None in the place of what is not trained."""
        leaves, treedef = flatten(instance)
        kept = self.trained(instance)
        chosen = [leaf if i in kept else None for i, leaf in enumerate(leaves)]
        return treedef.unflatten(chosen)

    @applies_where(declares("filters", "no filters are declared"))
    def test_p16_partitions_are_the_declared_parts(self) -> None:
        parted = {
            method: PARTITION + method.removeprefix(SELECT)
            for method in self.filters
            if method.startswith(SELECT)
        }
        instance = self.cached_instance()
        held = {one: p for one, p in parted.items() if hasattr(instance, p)}
        if not held:
            not_applicable("the class has no method that gives the parts of a filter")
        for method, partition in held.items():
            self._check_parts(instance, partition, self.filters[method])

    def _check_parts(self, instance: Any, partition: str, paths: Sequence[str]) -> None:
        """The first part has the leaves below these paths, the second all others, and they fit together."""
        first, second = getattr(instance, partition)()
        names = [name for name, _ in named_leaves(instance)]
        chosen = {n for n in names if any(is_under(n, path) for path in paths)}
        hint = "the chosen leaves come first, and then the rest"
        for what, part, wanted in (("first", first, chosen), ("second", second, set(names) - chosen)):
            got = {name for name, _ in named_leaves(part)}
            message = f"its {what} part has {sorted(got)}, declared is {sorted(wanted)}"
            check(got == wanted, partition, message, hint)
        if hasattr(instance, "combine"):
            with doing("combine", f"of the parts of `{partition}` it"):
                whole = first.combine(second)
            check_same_tree(instance, whole, f"`combine` of `{partition}`")

    def expected_to_train(self, instance: Any) -> set[str]:
        """The paths that are declared as trained; sub-modules decide for themselves."""
        roles = {name: self.role(name) for name, v in named_leaves(instance) if is_inexact(v)}
        wanted = {name for name, role in roles.items() if role in ("param", "tree")}
        wanted = {name for name in wanted if not self.is_frozen(name)}
        return wanted | self.trained_below(instance, lambda leaf: not self.is_frozen(leaf.path))

    @applies_where(
        of_leaves("no flag is declared that freezes a part", lambda leaf: isinstance(leaf.frozen, str))
    )
    def test_p16_a_flag_freezes_and_thaws(self) -> None:
        held = [leaf for leaf in self.manifest() if isinstance(leaf.frozen, str)]
        for leaf in held:
            self._check_flag(leaf.path, str(leaf.frozen))

    def _check_flag(self, path: str, flag: str) -> None:
        """With the flag at each value the part is trained, or nothing of it is."""
        for value in (True, False):
            instance = with_attribute(self.cached_instance(), flag, value)
            names = [name for name, _ in named_leaves(instance)]
            trained = {names[i] for i in self.trained(instance) if is_under(names[i], path)}
            inner = trained_names(look_up(instance, path))
            own = {f"{path}.{name}".rstrip(".") for name in inner}
            wanted = set() if value else own
            message = f"with `{flag} = {value}` it trains {sorted(trained)} of {sorted(own)}"
            hint = "a `trainable()` that does not ask the flag, or asks it the wrong way"
            check(trained == wanted, path, message, hint)

    def test_p16_the_call_passes_through_lax(self) -> None:
        instance, arguments = self.cached_example()
        value, back = self.dynamic(instance)

        def through(value: Any, arguments: Any) -> Any:
            function = jax.checkpoint(lambda *a: self.apply(back(value), *a))
            first = function(*arguments)
            once = jax.lax.cond(True, lambda: first, lambda: function(*arguments))
            loop = jax.lax.while_loop(
                lambda state: state[0] < 1, lambda state: (state[0] + 1, function(*arguments)), (0, once)
            )
            return jax.lax.scan(lambda c, _: (c, function(*arguments)), loop, length=2)

        with doing("call", "cond, while_loop, scan or checkpoint over the call"):
            jax.eval_shape(through, value, arguments)

    @applies_where(has_method("as_function", "the class has no as_function"))
    def test_p16_as_function_passes_through_lax(self) -> None:
        instance = self.cached_instance()
        value, back = self.dynamic(instance)

        def through(value: Any, arguments: Any) -> Any:
            function = back(value).as_function()
            hash(function)
            once = jax.checkpoint(function)(*arguments)
            return once, jax.lax.cond(True, function, function, *arguments)

        with doing("as_function", "checkpoint or cond over the function"):
            jax.eval_shape(through, value, self.arguments(0))

    def test_p16_keys_give_different_draws(self) -> None:
        instance, arguments = self.cached_example()
        leaves = jax.tree.leaves(arguments)
        keys = [i for i, leaf in enumerate(leaves) if is_key(leaf)]
        if not keys:
            not_applicable("the call takes no key")
        compiled = self.compiled_use()

        def draw(seed: int) -> Any:
            drawn = {i: sample(seed, leaves[i].shape, "key") for i in keys}
            return compiled(instance, *replace_leaves(arguments, drawn))

        first = draw(0)
        varies = any(not close(first, draw(seed)) for seed in range(1, 8))
        if self.ignores_key:
            message = "it is said to ignore its key, and another key gives another output"
            check(not varies, "call", message, "`ignores_key = True` that is out of date")
        else:
            check(varies, "call", "eight keys give the same output", UNUSED_KEY)


def marked(instance: Any, spec: Any) -> set[str]:
    """The paths of the leaves at which a filter spec is True."""
    marks = zip(named_leaves(instance), jax.tree.leaves(spec))
    return {name for (name, _), mark in marks if mark is True}


def denied_below(instance: Any) -> set[str]:
    """The paths of the leaves that sub-modules with a `decayed()` of their own leave out."""
    parts = jax.tree_util.tree_flatten_with_path(
        instance, is_leaf=lambda node: node is not instance and hasattr(node, "decayed")
    )[0]
    return {
        f"{path_name(path)}.{name}"
        for path, part in parts
        if hasattr(part, "decayed")
        for name, _ in named_leaves(part)
        if name not in marked(part, part.decayed())
    }
