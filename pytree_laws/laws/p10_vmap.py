"""P10: vmap equals a loop."""

import jax
import pytest

from ..guard import guard
from ..look.arrays import raw, thaw
from ..look.draws import edit
from ..look.jaxprs import NEEDS_VALUES
from ..look.numerics import check_close
from ..look.programs import compiled
from ..look.trees import flatten, named_arrays, put, stack
from ..pytree import PytreeSuite
from ..report import Law, doing

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
        instances = [self.make(seed) for seed in range(3)]
        name = type(instances[0]).__name__
        arguments = [self.arguments(seed) for seed in range(3)]
        _, back = self.dynamic(instances[0])
        stacked = stack([self.dynamic(each)[0] for each in instances])
        if not jax.tree.leaves((stacked, arguments)):
            pytest.skip("there are no arrays to map over")
        mapped = jax.vmap(lambda value, given: self.apply(back(value), *given))
        with doing(name, "vmap over stacked instances"):
            got = compiled(mapped)(stacked, stack(arguments))
        loop = stack([self.apply(each, *a) for each, a in zip(instances, arguments)])
        check_close(name, "vmap gives {}, a loop {}", got, loop, slack=16)

    def test_p10_one_leaf_mapped(self) -> None:
        instance, arguments = self.shared_example()
        value, back = self.dynamic(instance)
        leaves, treedef = flatten(value)
        if not leaves:
            pytest.skip("the class has no arrays")
        edits = [leaves[0], edit(leaves[0])]
        name, mapped = named_arrays(instance)[0][0], put(value, {0: stack(edits)})
        with doing(name, "vmap over this leaf alone, in_axes None for the others"):
            axes = treedef.unflatten([0] + [None] * (len(leaves) - 1))
            inner = jax.vmap(lambda v: self.apply(back(v), *arguments), in_axes=(axes,))
            got = compiled(inner)(mapped)
        loop = stack([self.apply(back(put(value, {0: e})), *arguments) for e in edits])
        check_close(name, "vmap gives {}, a loop {}", got, loop, slack=16)

    def test_p10_vmapped_constructor(self) -> None:
        keys = self.keys_of_inputs()
        if not keys:
            pytest.skip("the constructor takes no key")
        try:
            drawn = self.drawn_instances()
        except NEEDS_VALUES:
            pytest.skip("the constructor decides by the values of arrays")
        for seed in (0, 1):
            given = {name: jax.random.key(seed) for name in keys}
            wanted = self.build(**{**self.inputs(0), **given})
            for name, value in named_arrays(wanted):
                got = thaw(raw(dict(named_arrays(drawn))[name])[seed], value)
                check_close(name, "vmap gives {}, a loop {}", got, value, slack=16)
