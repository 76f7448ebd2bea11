"""P10: vmap equals a loop."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from ...engine.applicability import not_applicable
from ...engine.runner import guard
from ...inspect.arrays import raw, thaw
from ...inspect.trees import arrays_of, flatten, named_arrays, put, stack
from ...report import Law, doing
from ...suites.pytree import PytreeSuite
from ...trace.jaxprs import NEEDS_VALUES
from ...trace.programs import at_once, given_or_error, given_or_raised
from ...values.closeness import check_close
from ...values.randomize import edit

LAW = Law(
    number="P10",
    name="vmap equals loop",
    statement="The call and the constructor give under vmap what a loop gives, also where only some leaves are mapped.",
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
            got = given_or_raised(self._mapped()[0])
        loop = stack([self.apply(one, *a) for one, a in zip(instances, arguments)])
        check_close(name, "vmap gives {}, a loop {}", got, loop, slack=16)

    def test_p10_one_leaf_mapped(self) -> None:
        instance, arguments = self.shared_example()
        value, back = self.dynamic(instance)
        leaves, _ = flatten(value)
        if not leaves:
            not_applicable("the class has no arrays")
        name = named_arrays(instance)[0][0]
        with doing(name, "vmap over this leaf alone, in_axes None for the others"):
            got = given_or_raised(self._mapped()[1])
        edited = (put(value, {0: one}) for one in (leaves[0], edit(leaves[0])))
        loop = stack([self.apply(back(one), *arguments) for one in edited])
        check_close(name, "vmap gives {}, a loop {}", got, loop, slack=16)

    def _mapped(self) -> list[Any]:
        laws: Any = type(self)
        return mapped(laws)

    def _rows(self) -> tuple[list[Any], list[Any]]:
        """Instances of one configuration, and arguments for each."""
        seeds = range(3)
        return list(map(self.specimen, seeds)), list(map(self.arguments, seeds))

    def over_instances(self) -> tuple[Callable[..., Any], Sequence[Any]]:
        """The call mapped over instances, and what to give it."""
        instances, arguments = self._rows()
        _, back = self.dynamic(instances[0])
        stacked = stack([self.dynamic(each)[0] for each in instances])
        call = jax.vmap(lambda value, given: self.apply(back(value), *given))
        return call, (stacked, stack(arguments))

    def over_one_leaf(self) -> tuple[Callable[..., Any], Sequence[Any]]:
        """The call mapped over the first leaf alone, and what to give it."""
        instance, arguments = self.shared_example()
        value, back = self.dynamic(instance)
        leaves, treedef = flatten(value)
        axes = treedef.unflatten([0, *[None] * (len(leaves) - 1)])
        call = jax.vmap(lambda one: self.apply(back(one), *arguments), in_axes=(axes,))
        return call, (put(value, {0: stack([leaves[0], edit(leaves[0])])}),)

    def test_p10_vmapped_constructor(self) -> None:
        keys = self.keys_of_inputs()
        if not keys:
            not_applicable("the constructor takes no key")
        try:
            drawn = self.drawn_instances()
        except NEEDS_VALUES:
            not_applicable("the constructor decides by the values of arrays")
        for seed in (0, 1):
            given = {name: jax.random.key(seed) for name in keys}
            wanted = self.build(**{**self.inputs(0), **given})
            for name, value in named_arrays(wanted):
                got = thaw(raw(dict(named_arrays(drawn))[name])[seed], value)
                check_close(name, "vmap gives {}, a loop {}", got, value, slack=16)


@functools.cache
def mapped(laws: Any) -> list[Any]:
    """What the call gives over instances, and over one leaf, each under vmap; or an error."""
    suite = laws()
    made = [given_or_error(suite.over_instances), given_or_error(suite.over_one_leaf)]
    found = iter(at_once([one for one in made if not isinstance(one, Exception)]))
    return [one if isinstance(one, Exception) else next(found) for one in made]
