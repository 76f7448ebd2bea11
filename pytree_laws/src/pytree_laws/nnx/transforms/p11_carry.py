"""P11 for NNX modules: what lax.scan carries."""

import functools
from typing import Any

import jax
from flax import nnx

from ...engine.applicability import CARRIES, applies_where, not_applicable
from ...engine.runner import guard
from ...inspect.arrays import aval, is_floating
from ...inspect.trees import arrays_of, named_leaves, new_carry, nodes, structure
from ...report import Law, check, doing
from ...values.closeness import advance_from, check_grads
from ..subject.suite import NnxSuite
from ..subject.variables import copy_of

LAW = Law(
    number="P11",
    name="carry",
    statement="A call keeps the structure, shapes and dtypes of the state, and of the carry that is declared, so that lax.scan can carry it; the carry advances, and gradients pass through it.",
    mistake="An update assigns a new Variable, promotes the dtype or drops an axis; or stop_gradient stands on the carry.",
    fix="Update with `self.variable[...] = value`, in the dtype of the Variable.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


@guard
class NnxCarry(NnxSuite):
    """P11 for NNX modules."""

    def test_p11_scan_carries_the_state(self) -> None:
        instance, arguments = self.cached_example()
        graphdef, state = nnx.split(copy_of(instance))
        name = type(instance).__name__

        def body(carry: Any, _: None) -> tuple[Any, Any]:
            output, after = self.step_of_state(graphdef, carry, *arguments)
            return after, output

        with doing(name, "lax.scan over the state"):  # its values are those of P7
            jax.eval_shape(lambda first: jax.lax.scan(body, first, length=2), state)

    def advance(self, instance: Any, arguments: Any, carry: Any) -> Any:
        """The new carry, by a call on a copy."""
        at = self.carry
        call_arguments = [carry if i == at else argument for i, argument in enumerate(arguments)]
        return new_carry(self.apply(instance, *call_arguments), carry)

    @applies_where(CARRIES)
    def test_p11_the_carry_is_a_fixed_point(self) -> None:
        if self.carry is None:
            not_applicable("no carry is declared")
        instance, arguments = self.cached_example()
        first, at = arguments[self.carry], f"argument {self.carry}"
        advance = functools.partial(self.advance, instance, arguments)
        after = jax.eval_shape(advance, first)
        same = structure(after) == structure(first)
        check(same, at, "its new value has another structure")
        wanted = [aval(leaf) for leaf in jax.tree.leaves(first)]
        got = [aval(leaf) for leaf in jax.tree.leaves(after)]
        check(got == wanted, at, f"its new value is {got}, it was {wanted}")

    @applies_where(CARRIES)
    def test_p11_the_carry_advances(self) -> None:
        if self.carry is None:
            not_applicable("no carry is declared")
        instance, arguments = self.cached_example()
        advance = functools.partial(self.advance, instance, arguments)
        jaxpr = jax.make_jaxpr(advance)(arguments[self.carry]).jaxpr
        same = [new is old for new, old in zip(jaxpr.outvars, jaxpr.invars)]
        message = "the new carry is the old one, whatever the arguments are"
        hint = "the call returns what it was given, and not what it computed"
        check(not same or not all(same), f"argument {self.carry}", message, hint)

    @applies_where(CARRIES)
    def test_p11_gradients_pass_through_the_carry(self) -> None:
        if self.carry is None:
            not_applicable("no carry is declared")
        if self.truncated:
            not_applicable("gradients end at the carry on purpose")
        instance, arguments = self.cached_example()
        carry = arguments[self.carry]
        if list(nodes(carry)):
            not_applicable("the carry is an object, whose state may be held fixed")

        def advance(value: Any) -> list[Any]:
            return arrays_of(self.advance(instance, arguments, value))

        for i, (name, leaf) in enumerate(named_leaves(carry)):
            if is_floating(leaf):
                move = functools.partial(advance_from, advance, carry, i)
                check_grads(f"argument {self.carry}.{name}".rstrip("."), move, leaf)
