"""P10: vmap equals a loop."""

from collections.abc import Callable, Sequence
from typing import Any

import jax

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.arrays import raw, restore_like
from ...inspect.trees import arrays_of, flatten, named_arrays, replace_leaves, stack
from ...report import Law, doing
from ...session import once_per_session
from ...suites.pytree import PytreeSuite
from ...trace.jaxprs import NEEDS_VALUES
from ...trace.programs import result_or_error, result_or_raise, run_batched
from ...values.closeness import check_close
from ...values.randomize import need_equal_draws, perturb_leaf

LAW = Law(
    number="P10",
    name="vmap equals loop",
    statement="The call and the constructor give under vmap what a loop gives, also where only some leaves are mapped.",
    protects="A class that works on one example and fails under `jax.vmap`, or as an ensemble made with `eqx.filter_vmap`, or gives something else there.",
    mistake="A leaf is no array, the call uses Python control flow on values, or unflatten rejects batched leaves and None.",
    fix="Keep the leaves arrays, use jnp.where and lax.cond, and let unflatten only store.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux"),
)


@guard
class Vmap(PytreeSuite):
    """P10."""

    def test_p10_stacked_instances(self) -> None:
        self.need_call()
        instances, arguments = self._rows()
        name = type(instances[0]).__name__
        if not jax.tree.leaves((arrays_of(instances), arguments)):
            not_applicable("there are no arrays to map over")
        with doing(name, "vmap over stacked instances"):
            got = result_or_raise(self._mapped()[0])
        loop = stack([self.apply(instance, *a) for instance, a in zip(instances, arguments)])
        need_equal_draws((instances, arguments))
        check_close(name, "vmap gives {}, a loop {}", got, loop, slack=16)

    def test_p10_one_leaf_mapped(self) -> None:
        instance, arguments = self.cached_example()
        value, back = self.dynamic(instance)
        leaves, _ = flatten(value)
        if not leaves:
            not_applicable("the class has no arrays")
        name = named_arrays(instance)[0][0]
        with doing(name, "vmap over this leaf alone, in_axes None for the others"):
            got = result_or_raise(self._mapped()[1])
        edited = (replace_leaves(value, {0: leaf}) for leaf in (leaves[0], perturb_leaf(leaves[0])))
        loop = stack([self.apply(back(edited), *arguments) for edited in edited])
        need_equal_draws((instance, arguments))
        check_close(name, "vmap gives {}, a loop {}", got, loop, slack=16)

    def _mapped(self) -> list[Any]:
        return mapped(self)

    def _rows(self) -> tuple[list[Any], list[Any]]:
        """Instances of one configuration, and arguments for each."""
        seeds = range(3)
        return list(map(self.cached_instance, seeds)), list(map(self.arguments, seeds))

    def over_instances(self) -> tuple[Callable[..., Any], Sequence[Any]]:
        """The call mapped over instances, and what to give it."""
        instances, arguments = self._rows()
        _, back = self.dynamic(instances[0])
        stacked = stack([self.dynamic(each)[0] for each in instances])
        call = jax.vmap(lambda value, arguments: self.apply(back(value), *arguments))
        return call, (stacked, stack(arguments))

    def over_one_leaf(self) -> tuple[Callable[..., Any], Sequence[Any]]:
        """The call mapped over the first leaf alone, and what to give it."""
        instance, arguments = self.cached_example()
        value, back = self.dynamic(instance)
        leaves, treedef = flatten(value)
        axes = treedef.unflatten([0, *[None] * (len(leaves) - 1)])
        call = jax.vmap(lambda one: self.apply(back(one), *arguments), in_axes=(axes,))
        return call, (replace_leaves(value, {0: stack([leaves[0], perturb_leaf(leaves[0])])}),)

    def test_p10_vmapped_constructor(self) -> None:
        keys = self.keys_of_inputs()
        if not keys:
            not_applicable("the constructor takes no key")
        try:
            drawn = self.drawn_instances()
        except NEEDS_VALUES:
            not_applicable("the constructor decides by the values of arrays")
        need_equal_draws(jax.random.key(0))
        for seed in (0, 1):
            arguments = {name: jax.random.key(seed) for name in keys}
            wanted = self.build(**{**self.inputs(0), **arguments})
            for name, value in named_arrays(wanted):
                got = restore_like(raw(dict(named_arrays(drawn))[name])[seed], value)
                check_close(name, "vmap gives {}, a loop {}", got, value, slack=16)


@once_per_session
def mapped(suite: Any) -> list[Any]:
    """What the call gives over instances, and over one leaf, each under vmap; or an error."""
    made = [result_or_error(suite.over_instances), result_or_error(suite.over_one_leaf)]
    found = iter(run_batched([one for one in made if not isinstance(one, Exception)]))
    return [one if isinstance(one, Exception) else next(found) for one in made]
