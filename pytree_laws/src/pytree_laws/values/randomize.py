"""Random values: put into trees, and drawn by a class."""

import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
import pytest

from ..inspect.arrays import host, is_array, is_floating, is_inexact, is_key, on_device, raw, restore_like
from ..inspect.trees import arrays_of, replace_leaves
from ..report import ANY_ERROR, Fault, check, or_else
from ..trace.drawn_keys import drawn_with_one_key, keys_used, repeated_keys
from ..trace.jaxprs import NEEDS_VALUES, live_part, mixed_draws, repeated_draws, shares_keys_of_loops
from ..trace.rounds import draws_of_every_round
from .example_values import weights

SHOWN = 0.75
"""Share of the elements that a random mask shows."""
EQUAL_DRAWS = "threefry2x32"
"""Generator whose draws are equal under vmap and in a loop."""


def randomize(tree: Any, seed: int, near: Collection[int] = ()) -> Any:
    """Return the tree with random floats and bools. Floats are positive for an even seed.

    Floats at the positions `near` keep their sign and rough size, unless they are 0. A negative step or bound
    could make a loop endless. Masks vary too, because what a mask hides in the example needs its gradient
    elsewhere.
    """
    rng = np.random.default_rng(seed)

    def draw(leaf: Any, is_near: bool) -> Any:
        if leaf.dtype == bool:
            return _mask(rng, leaf.shape)
        real = 0.1 + rng.random(leaf.shape)
        signed = real if seed % 2 == 0 else rng.standard_normal(leaf.shape)
        value = signed + 1j * real if jnp.iscomplexobj(leaf) else signed
        if is_near:
            original = np.asarray(leaf)
            value = np.where(original == 0, value, original * (0.5 + rng.random(leaf.shape)))
        return np.asarray(value).astype(leaf.dtype)

    places = {
        i: draw(leaf, i in near)
        for i, leaf in enumerate(jax.tree.leaves(tree))
        if is_inexact(leaf) or (is_array(leaf) and leaf.dtype == bool)
    }
    return replace_leaves(tree, jax.device_put(places))


def _mask(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw a mask that shows most elements and has both values, so that numbers behind it matter."""
    mask = np.asarray(rng.random(shape) < SHOWN)
    if mask.size > 1 and mask.all() == mask.any():
        mask.flat[rng.integers(mask.size)] ^= True
    return mask


def places_of_one_sign(trees: Sequence[Any]) -> list[int]:
    """List the positions of floats, such as a scale or a rate, whose elements have one sign in all trees."""
    columns = enumerate(zip(*map(jax.tree.leaves, trees)))
    floats = ((i, leaves) for i, leaves in columns if is_floating(leaves[0]))
    return [i for i, leaves in floats if has_one_sign(np.concatenate([*map(np.ravel, leaves)]))]


def has_one_sign(values: np.ndarray) -> bool:
    return bool((values > 0).all() or (values < 0).all())


def randomize_indices(tree: Any, seed: int, size: int) -> Any:
    """Return the tree with random integers from 0 to below `size` in its integer arrays."""
    rng = np.random.default_rng(seed)

    def draw(leaf: Any) -> Any:
        if not is_array(leaf) or not jnp.issubdtype(leaf.dtype, jnp.integer):
            return leaf
        high = min(size, int(jnp.iinfo(leaf.dtype).max))
        return on_device(rng.integers(0, high, leaf.shape), leaf.dtype)

    return jax.tree.map(draw, tree)


def counted_on(array: Any) -> Any:
    """Add 3 to an integer array, since a reset of a count that is 0 would not show."""
    return array + 3 if jnp.issubdtype(array.dtype, jnp.integer) else array


def perturb_leaf(leaf: Any, sign: int = 1) -> Any:
    """Return another value of the same shape and dtype. Integers stay valid indices if possible."""
    if is_key(leaf):
        return restore_like(raw(leaf) + np.uint32(sign + 2), leaf)
    if not is_array(leaf) and isinstance(leaf, int | float | complex):
        return not leaf if isinstance(leaf, bool) else leaf + sign
    value = np.asarray(leaf)
    if value.dtype == bool:
        return on_device(~value)
    if not is_inexact(leaf):
        rolled = np.roll(value.ravel(), 1).reshape(value.shape)
        changed = value + 1 if np.array_equal(rolled, value) else rolled
        return on_device(changed, leaf.dtype)
    shift = np.asarray(weights(7, value.shape)) * sign
    return on_device(value + shift.astype(value.dtype), leaf.dtype)


IN_LOOP = re.compile(r"In (scan|while)\b")


def check_keys(where: str, run: Callable[[Any], Any], arguments: Any, drawn: Callable[[], str] = str) -> None:
    """Check with jax's key-reuse checker that no key is consumed twice.

    `drawn` returns the end of a message: the outputs drawn with a reused key.
    """
    try:
        with warnings.catch_warnings(action="ignore"), jax.debug_key_reuse(True):
            try:
                jax.eval_shape(run, arguments)
            except NEEDS_VALUES:
                run(arguments)
    except jax.errors.KeyReuseError as error:
        if IN_LOOP.match(str(error)) and not shares_keys_of_loops(jax.make_jaxpr(run)(arguments).jaxpr):
            return  # jax 0.10 takes keys that were split under vmap for used ones, where they go into a loop
        # Some of several keys are used, and then others of them. Before 0.10 jax took `keys[0]` for a draw.
        is_doubtful = "In slice," in str(error) or jax.__version_info__ < (0, 10)
        if is_doubtful and not _serves_twice(run, arguments):
            return
        if not _is_used_twice_by_results(run, arguments):
            return  # a layer is drawn anew, and nothing has its first draw
        message = f"a key is used twice{drawn()}: {str(error).splitlines()[0]}"
        hint = "one key split per consumer: `key1, key2 = jax.random.split(key)`"
        raise Fault(where, message, hint) from error
    except ANY_ERROR:
        return  # the check is experimental; other laws report real errors


@or_else(True)
def _serves_twice(run: Callable[[Any], Any], arguments: Any) -> bool:
    """Whether two draws use a key of equal value."""
    closed = jax.make_jaxpr(lambda given: arrays_of(run(given)))(arguments)
    (uses,) = keys_used([(closed, jax.tree.leaves(arguments))])
    return isinstance(uses, Exception) or bool(repeated_keys(uses))


@or_else(True)
def _is_used_twice_by_results(run: Callable[[Any], Any], arguments: Any) -> bool:
    """Whether a key is consumed twice for the results, not counting discarded values."""
    closed = live_part(jax.make_jaxpr(lambda given: arrays_of(run(given)))(arguments))
    with warnings.catch_warnings(action="ignore"), jax.debug_key_reuse(True):
        jax.eval_shape(jax.extend.core.jaxpr_as_fun(closed), *jax.tree.leaves(arguments))
    return False


def check_rows_differ(first: Mapping[str, Any], second: Mapping[str, Any], where: str = "") -> None:
    """Check that no drawn array repeats a row. `second` is drawn from another key."""
    for name, value in first.items():
        is_drawn = is_floating(value) and name in second
        is_repeated = is_drawn and rows_are_one_draw(host(value), host(second[name]))
        hint = "one key for all of them: `jax.vmap(draw)(jax.random.split(key, n))`"
        check(not is_repeated, f"{name}{where}", "its rows are one and the same draw", hint)


def rows_are_one_draw(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether all rows along some axis are equal. `others` is a draw from another key.

    If the two draws share a value, as signs do, rows may be equal by chance.
    """
    if values.size < 2 or np.isin(values, others).any():
        return False
    axes = [axis for axis, size in enumerate(values.shape) if 1 < size < values.size]
    return any(np.all(values == values.take([0], axis)) for axis in axes)


def check_held_draws(where: str, trace: Callable[[], Any]) -> None:
    """Check that a stored key serves a single draw, which may be repeated."""
    mixed = list(mixed_draws(trace().jaxpr))
    message = f"one key serves {'; '.join(mixed)}"
    check(not mixed, where, message, "one key split per consumer, or `jax.random.fold_in(self.key, number)`")


EACH_ROUND = "a key for each round: a scan over `jax.random.split(key, n)`, or `jax.random.fold_in(key, i)`; `reuses_key = True` says that this is so on purpose"


def check_draws(where: str, trace: Callable[[], Any], names: Sequence[str] = ()) -> None:
    """Check that no two draws use keys computed alike, and that loops draw anew in each round.

    Keys may be folded or raw. `names` are the outputs of the trace.
    """
    try:
        jaxpr = trace().jaxpr
    except NEEDS_VALUES:
        return
    repeated = list(repeated_draws(jaxpr))
    drawn = drawn_with_one_key(jaxpr, names) if repeated else ""
    message = f"{len(repeated)} of its draws have the key of an earlier one{drawn}"
    check(not repeated, where, message, "one key split per consumer: `key1, key2 = jax.random.split(key)`")
    same = [str(draw.outvars[0].aval) for draw in draws_of_every_round(jaxpr)]
    message = f"each round of its loop draws the same numbers, {', '.join(same)}"
    check(not same, where, message, EACH_ROUND)


def redraws(suite: Any) -> bool:
    """Whether the call may draw the same again: from a key that only the instance holds, or by `reuses_key`.

    For example, a random path has one value at each time, however often it is evaluated.
    """
    key_flags = map(is_key, suite.named(suite.cached_instance()).values())
    takes_key = any(map(is_key, jax.tree.leaves(suite.arguments(0))))
    return suite.reuses_key or (any(key_flags) and not takes_key and not suite.is_mutable)


def signed(sign: int, value: Any) -> Any:
    """Negate an inexact array if `sign` is negative."""
    return restore_like(-raw(value), value) if sign < 0 and is_inexact(value) else value


def need_equal_draws(tree: Any) -> None:
    """Skip the test if a key's generator may draw differently under vmap than in a loop.

    So does `rbg`: https://docs.jax.dev/en/latest/jax.random.html#advanced-rng-configuration.
    """
    keys = [leaf for leaf in jax.tree.leaves(tree) if is_key(leaf)]
    for name in sorted({str(jax.random.key_impl(key)) for key in keys} - {EQUAL_DRAWS}):
        pytest.skip(f"the generator `{name}` promises no equal draws under vmap")
