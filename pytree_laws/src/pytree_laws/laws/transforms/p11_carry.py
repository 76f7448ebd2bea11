"""P11: what lax.scan carries."""

import functools
from collections.abc import Callable
from typing import Any

import jax

from ...engine.applicability import CARRIES, applies_where, not_applicable
from ...engine.runner import guard
from ...inspect.arrays import is_floating
from ...inspect.trees import arrays_of, avals, named_leaves, new_carry, nodes, replace_leaves, structure
from ...report import Law, check, doing
from ...suites.training import Training
from ...values.closeness import advance_from, check_close, check_grads

LAW = Law(
    number="P11",
    name="carry",
    statement="A state transition keeps structure, shape, dtype and weak type, so that lax.scan can carry it, and gradients pass through it; it changes what it is given.",
    protects='"scan body function carry input and carry output must have equal types", met at the first loop, or a carry whose dtype drifts from step to step.',
    mistake="The update promotes the dtype or drops a weak type or an axis, or the initial state was made without a dtype.",
    fix="Make the initial state with an explicit shape and dtype, and compute the next one in the same dtype.",
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip", "test_p05_aux", "test_p05_no_leaf"),
)


@guard
class Carry(Training):
    """P11."""

    @applies_where(CARRIES)
    def test_p11_the_carry_is_a_fixed_point(self) -> None:
        if self.carry is None:
            not_applicable("no carry is declared")
        instance, arguments = self.make(0), list(self.arguments(0))
        at = self.carry
        where, first = f"argument {at}", arguments[at]

        def advance(carry: Any) -> Any:
            call_arguments = [*arguments[:at], carry, *arguments[at + 1 :]]
            return new_carry(self.apply(instance, *call_arguments), carry)

        after = jax.eval_shape(advance, first)
        same = structure(after) == structure(first)
        check(same, where, "its new value has another structure")
        message = f"its new value is {avals(after)}, it was {avals(first)}"
        check(avals(after) == avals(first), where, message)
        got, _ = jax.lax.scan(lambda c, _: (advance(c), None), first, length=2)
        loop = advance(advance(first))
        check_close(where, "scan gives {}, a loop {}", got, loop, slack=16)

    def _advance(self) -> tuple[Any, Callable[[Any], list[Any]]]:
        """The example carry, and how one call advances it; skips where there is none."""
        if self.carry is None:
            not_applicable("no carry is declared")
        instance, arguments = self.make(0), list(self.arguments(0))
        at = self.carry

        def advance(carry: Any) -> list[Any]:
            call_arguments = [*arguments[:at], carry, *arguments[at + 1 :]]
            return arrays_of(new_carry(self.apply(instance, *call_arguments), carry))

        return arguments[at], advance

    @applies_where(CARRIES)
    def test_p11_the_carry_advances(self) -> None:
        carry, advance = self._advance()
        jaxpr = jax.make_jaxpr(advance)(carry).jaxpr
        same = [new is old for new, old in zip(jaxpr.outvars, jaxpr.invars)]
        message = "the new carry is the old one, whatever the arguments are"
        hint = "the call returns what it was given, and not what it computed"
        check(not same or not all(same), f"argument {self.carry}", message, hint)

    @applies_where(CARRIES)
    def test_p11_gradients_pass_through_the_carry(self) -> None:
        carry, advance = self._advance()
        if self.truncated:
            not_applicable("gradients end at the carry on purpose")
        if list(nodes(carry)):
            not_applicable("the carry is an object, whose state may be held fixed")
        for i, (name, leaf) in enumerate(named_leaves(carry)):
            if is_floating(leaf):
                move = functools.partial(advance_from, advance, carry, i)
                check_grads(f"argument {self.carry}.{name}".rstrip("."), move, leaf)

    def test_p11_scan_carries_the_instance(self) -> None:
        instance = self.cached_instance()
        value, back = self.dynamic(instance)
        examples = self.arguments(0), self.arguments(1)
        trains = self.called() and bool(self.trained(instance))

        def body(carry: Any, _: None) -> tuple[Any, None]:
            inside, moments = back(carry[0]), carry[1]
            if trains:
                values, moments = self.step(inside, moments, examples)
                inside = replace_leaves(inside, dict(zip(self.trained(inside), values)))
            return (self.dynamic(inside)[0], moments), None

        with doing(type(instance).__name__, "lax.scan over training steps"):
            state = value, self.start(instance)
            jax.eval_shape(lambda first: jax.lax.scan(body, first, length=2), state)
