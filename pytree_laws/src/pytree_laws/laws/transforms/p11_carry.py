"""P11: the carry of lax.scan."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from ...engine.applicability import CARRIES, need, not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import is_floating
from ...inspect.trees import (
    arrays_of,
    avals,
    differing,
    named_leaves,
    new_carry,
    nodes,
    remade,
    replace_leaves,
    structure,
    without_lost_weakness,
)
from ...kinds.suite import Suite
from ...report import ANY_ERROR, COST, Law, check, doing
from ...values.closeness import check_close, check_grads, in_64_bits

LAW = Law(
    number="P11",
    name="carry",
    statement="A state transition keeps structure, shape, dtype and weak type, also where jax has 64 bits, so that lax.scan can carry it, and gradients pass through it; it changes what it is given. A method that gives another instance hands on the static values that it does not set.",
    protects='A state that cannot be the carry of `lax.scan`, since one step changes its tree structure, shapes or dtypes: "scan body function carry input and carry output must have equal types".',
    mistake="The update promotes the dtype or drops a weak type or an axis, or the initial state was made without a dtype.",
    fix="Make the initial state with an explicit shape and dtype, and compute the next one in the same dtype.",
    rests_on=(
        "test_p02_leaves_are_",
        "test_p03_round_trip",
        "test_p05_aux",
        "test_p05_no_leaf",
        "test_p12_calls_do_not_depend",
    ),
)
CHECKS = Checks(LAW)


@CHECKS.register(CARRIES)
def test_p11_the_carry_is_a_fixed_point(subject: Suite) -> None:
    first, advance = advancing(subject)
    check_fixed_point(f"argument {subject.carry}", first, advance)


def check_fixed_point(
    where: str, first: Any, advance: Callable[[Any], Any], what: str = "its new value", hint: str = ""
) -> None:
    """Check that the next carry has the form of the last, and that a scan gives what a loop gives."""
    before, after = avals(first), jax.eval_shape(advance, first)
    check(structure(after) == structure(first), where, f"{what} has another structure", hint)
    got, wanted = differing(without_lost_weakness(before, avals(after)), before)
    check(not wanted, where, f"{what} is {got}, it was {wanted}", hint)
    scanned, _ = jax.lax.scan(lambda c, _: (advance(c), None), remade(first), length=2)
    check_close(where, "scan gives {}, a loop {}", scanned, advance(advance(first)), slack=16)
    # Of what is weakly typed no more: a scan takes it, and a loop compiles once more.
    got, wanted = differing(avals(after), before)
    check(not wanted, where, f"{what} is {got}, it was {wanted}", severity=COST)


@CHECKS.register(CARRIES)
def test_p11_the_carry_keeps_its_dtypes_with_64_bits_as_well(subject: Suite) -> None:
    first, advance = advancing(subject)
    need(avals(jax.eval_shape(advance, first)) == avals(first), "the carry is no fixed point")
    with in_64_bits(), jax.numpy_dtype_promotion("standard"):
        instance = subject.built_abstractly(subject.inputs(0))
        first, advance = advancing(subject, (instance, subject.arguments(0)))
        try:
            after = jax.eval_shape(advance, first)
        except ANY_ERROR:  # of what the class fixes P7 tells in other dtypes
            return
        message = f"where jax has 64 bits its new value is {avals(after)}, it was {avals(first)}"
        hint = "what has the width that jax gives it, as a sum of bools: `.astype(carry.dtype)`"
        check(not _is_wider(after, first), f"argument {subject.carry}", message, hint)


def _is_wider(after: Any, first: Any) -> bool:
    """Whether an array has more bits than before.

    A module whose arrays have a fixed width may return fewer bits than the example has.
    """
    dtypes = ([getattr(leaf, "dtype", None) for leaf in jax.tree.leaves(tree)] for tree in (after, first))
    new, old = ([getattr(dtype, "itemsize", 0) for dtype in each] for each in dtypes)
    return any(wide > narrow for wide, narrow in zip(new, old, strict=True))


def advancing(
    subject: Suite, example: tuple[Any, Sequence[Any]] | None = None
) -> tuple[Any, Callable[[Any], Any]]:
    """Return the carry of an example, and a function to the next one, or skip if there is no carry."""
    if subject.carry is None:
        not_applicable("no carry is declared")
    instance, arguments = example or subject.example()
    return carried(functools.partial(subject.apply, instance), arguments, subject.carry)


def carried(run: Callable[..., Any], arguments: Sequence[Any], at: int) -> tuple[Any, Callable[[Any], Any]]:
    """Return the argument at a position, and a function from it to its next value.

    The next value comes first in the result.
    """

    def advance(carry: Any) -> Any:
        return new_carry(run(*arguments[:at], carry, *arguments[at + 1 :]), carry)

    return arguments[at], advance


@CHECKS.register(CARRIES)
def test_p11_the_carry_advances(subject: Suite) -> None:
    carry, advance = advancing(subject)
    check_advances(f"argument {subject.carry}", carry, advance)


def check_advances(where: str, carry: Any, advance: Callable[[Any], Any]) -> None:
    """Check that the next carry is computed, and not the last one handed on."""
    jaxpr = jax.make_jaxpr(lambda carry: arrays_of(advance(carry)))(carry).jaxpr
    same = [new is old for new, old in zip(jaxpr.outvars, jaxpr.invars)]
    hint = "it returns what it was given, and not what it computed"
    check(not same or not all(same), where, "the new carry is the old one, whatever the arguments are", hint)


@CHECKS.register(CARRIES)
def test_p11_gradients_pass_through_the_carry(subject: Suite) -> None:
    carry, advance = advancing(subject)
    need(not subject.truncated, "gradients end at the carry on purpose")
    need(not list(nodes(carry)), "the carry is an object, whose state may be held fixed")
    for i, (name, leaf) in enumerate(named_leaves(carry)):
        if is_floating(leaf):

            def move(leaf: Any, i: int = i) -> list[Any]:
                return arrays_of(advance(replace_leaves(carry, {i: leaf})))

            check_grads(f"argument {subject.carry}.{name}".rstrip("."), move, leaf)


@CHECKS.register()
def test_p11_scan_carries_the_instance(subject: Suite) -> None:
    advance, first = subject.scan_program()
    with doing(type(subject.cached_instance()).__name__, "lax.scan over steps"):  # of their values P7 tells
        jax.eval_shape(lambda first: jax.lax.scan(lambda c, _: (advance(c), None), first, length=2), first)
