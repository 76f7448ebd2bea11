"""P8: nothing is stale after an edit."""

from typing import Any

import jax

from ...engine.runner import guard
from ...inspect.arrays import is_array, same_bits
from ...inspect.trees import arrays_of, attributes, named_leaves, replace_leaves
from ...report import ANY_ERROR, Law, check
from ...suites.pytree import PytreeSuite
from ...values.closeness import check_close, close
from ...values.precision import is_half
from ...values.randomize import perturb_leaf, randomize

LAW = Law(
    number="P8",
    name="never stale",
    statement="After an edit of any leaf the compiled call equals the eager one; an edit of a parameter changes the output; with leaves of another size it is as a fresh instance of that size, or refuses.",
    protects="A compiled function that goes on with old values, since what it captured while it was traced is a constant in it.",
    mistake="A value derived from a leaf, or a compiled function that closes over the instance, was stored at construction.",
    fix="Derive in a property or in the call, and make the instance an argument of the compiled function.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux"),
)


@guard
class NeverStale(PytreeSuite):
    """P8."""

    def test_p08_compiled_calls_see_every_edit(self) -> None:
        instance, arguments = self.cached_example()
        compiled = self.compiled_use()
        compiled(instance, *arguments)
        for i, (name, leaf) in enumerate(named_leaves(instance)):
            if is_array(leaf):
                edited = replace_leaves(instance, {i: perturb_leaf(leaf)})
                got = compiled(edited, *arguments)
                message = "after an edit the compiled call gives {}, eager {}"
                check_close(name, message, got, self.apply(edited, *arguments))

    def test_p08_every_parameter_changes_the_output(self) -> None:
        self.need_call()
        compiled = self.compiled_use()
        for i, (name, _) in enumerate(named_leaves(self.cached_instance())):
            needed = self.role(name) == "param" and not self.is_unused(name)
            if needed or name in self.used:
                seen = any(self._changes_output(compiled, i, s) for s in range(4))
                hint = "a parameter that is not used, or a stored value derived from it"
                message = f"an edit of this {self.role(name)} changes no output"
                check(seen, name, message, hint)

    def _changes_output(self, compiled: Any, i: int, seed: int) -> bool:
        """Whether an edit of a leaf shows: at the start, or at a generic point."""
        instance, arguments = (self.cached_instance(), [self.arguments(seed) for seed in (0, 1)])
        if seed:
            instance, arguments = randomize((instance, arguments), seed, self.held_fixed(instance))
        leaf = jax.tree.leaves(instance)[i]
        edits = [replace_leaves(instance, {i: perturb_leaf(leaf, sign)}) for sign in (1, -1)]
        before = [compiled(instance, *each) for each in arguments]
        after = [[compiled(each, *a) for a in arguments] for each in edits]
        return any(self._differ(before, each) for each in after)

    def _differ(self, before: Any, after: Any) -> bool:
        """Whether results of one program differ by more than rounding; in 16 bits, in which rounding hides an edit, at all."""
        if not is_half(self.narrowest):
            return not close(before, after)
        pairs = zip(arrays_of(before), arrays_of(after), strict=True)
        return not all(same_bits(left, right) for left, right in pairs)

    def test_p08_assignment_is_refused_or_seen(self) -> None:
        _, arguments = self.cached_example()
        for i, (name, leaf) in enumerate(named_leaves(self.cached_instance())):
            if not is_array(leaf) or name not in attributes(self.cached_instance()):
                continue
            instance = self.make(0)
            self.apply(instance, *arguments)
            try:
                setattr(instance, name, perturb_leaf(leaf))
            except ANY_ERROR:
                continue  # refused
            got = self.apply(instance, *arguments)
            fresh = self.apply(replace_leaves(self.make(0), {i: perturb_leaf(leaf)}), *arguments)
            message = "after an assignment the call gives {}, a fresh instance {}"
            hint = "a method compiled with a static self, or a cache keyed by the instance"
            check_close(name, message, got, fresh, hint)
