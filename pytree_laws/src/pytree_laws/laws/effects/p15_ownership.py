"""P15: buffers and keys."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ...engine.applicability import TAKES_DTYPE, applies_where, not_applicable
from ...engine.runner import guard
from ...inspect.arrays import buffer_of, host, is_inexact, is_key, same_bits
from ...inspect.trees import arrays_of, given_arrays
from ...report import ANY_ERROR, Law, check, doing
from ...suites.base import Suite
from ...suites.pytree import PytreeSuite
from ...trace.jaxprs import has_repeated_parts
from ...trace.programs import compiled
from ...values.randomize import check_draws, check_held_draws, check_keys, check_rows_differ

LAW = Law(
    number="P15",
    name="ownership",
    statement="No two leaves and no two instances share a buffer, an instance can be donated, and each random draw has its own key: no two draws and no rows of one are equal.",
    protects='"Attempt to donate the same buffer twice", arrays that are deleted under somebody else\'s hands, and key reuse, by which two random draws are the same numbers.',
    mistake="One array object is stored twice, a module-level constant is stored as a leaf, or one key serves two draws.",
    fix="Copy with `jnp.array(x)`; use one key split per consumer: `key1, key2 = jax.random.split(key)`.",
    lesser={"share_a_buffer": "cost"},
    rests_on=("test_p03_round_trip",),
)


@guard
class Ownership(Suite):
    """P15 for classes of every kind."""

    def test_p15_no_two_leaves_share_a_buffer(self) -> None:
        check_buffers(self)

    def test_p15_no_two_parameters_are_the_same_draw(self) -> None:
        first, second = (self.named(self.cached_instance()), self.named(self.cached_instance(1)))
        given = {host(v).tobytes() for _, v in given_arrays(self.plain_inputs(0))}
        drawn: dict[Any, str] = {}
        for name, leaf in first.items():
            is_drawn = is_inexact(leaf) and leaf.size > 1 and name in second
            # A copy that no gradient reaches, as a slow target, begins as what it is of.
            is_drawn = is_drawn and not getattr(self.declared(name), "unused", False)
            if is_drawn and not same_bits(leaf, second[name]):
                bits = host(leaf).tobytes()
                twin = drawn.setdefault((leaf.shape, bits), name)
                told, hint = f"it is the same draw as `{twin}`", "one key for two draws"
                check(twin == name or bits in given, name, told, hint)

    def test_p15_rows_of_a_draw_differ(self) -> None:
        keys = {n: v for n, v in self.inputs(1).items() if is_key(v)}
        if not keys:
            not_applicable("the constructor takes no key")
        # What is given is the same in both, and so is no draw.
        drawn_anew = self.build(**{**self.inputs(0), **keys})
        check_rows_differ(self.named(self.cached_instance()), self.named(drawn_anew))


@guard
class PytreeOwnership(PytreeSuite):
    """P15 for pytrees."""

    def test_p15_donation(self) -> None:
        check_buffers(self)  # else it is destroyed
        value, _ = self.dynamic(self.make(0))
        expected = [host(leaf) for leaf in arrays_of(value)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of donated buffers that were of no use
            got = compiled(lambda donated: donated, donate_argnums=0)(value)
        pairs = zip(expected, map(host, arrays_of(got)))  # by bits: NaN is kept as well
        same = all(one.tobytes() == other.tobytes() for one, other in pairs)
        check(same, "jit", "donation changed the values")
        with doing("build", "using a fresh instance after one was donated"):
            self.use(self.make(0), *self.arguments(0))

    def test_p15_each_key_is_used_once(self) -> None:
        for where, run, given in self._programs():
            check_keys(where, run, given)

    def test_p15_each_draw_has_a_key_of_its_own(self) -> None:
        check_draws("build", self.traced_build)
        if self.called():
            look = check_held_draws if self.redraws() else check_draws
            look("call", self.traced_call)

    def test_p15_one_more_draw_has_a_key_of_its_own(self) -> None:
        inputs = self.inputs(0)
        counts = {n: v + 1 for n, v in inputs.items() if type(v) is int and v > 0}
        if not counts or not self.keys_of_inputs():
            not_applicable("the constructor takes no key, or no number")
        for name, count in counts.items():
            self._check_draws_with(name, count)

    def _check_draws_with(self, name: str, count: int) -> None:
        """The draws of the constructor with one input changed, which need not be legal."""
        build, given = self.traceable_build({name: count})
        try:
            found = jax.make_jaxpr(lambda values: arrays_of(build(values)))(given)
        except ANY_ERROR:
            return
        check_draws(f"build with {name}={count}", lambda: found)

    @applies_where(TAKES_DTYPE)
    def test_p15_parts_of_a_complex_draw_differ(self) -> None:
        build, given = self.traceable_build({"dtype": jnp.dtype("complex64")})
        try:
            found = jax.make_jaxpr(lambda values: arrays_of(build(values)))(given)
        except ANY_ERROR:
            not_applicable("the class holds no complex numbers")
        message = "the imaginary part of a complex number is its real part again"
        hint = "one key for both parts, or one of two draws in both places"
        right = not has_repeated_parts(found.jaxpr)
        check(right, "build with dtype complex64", message, hint)

    def redraws(self) -> bool:
        """Whether the call draws from a key that the instance holds, and is given none; or says so.

        It then draws the same in each call, and may do so within one: a random path has one
        value at each time, however often it is asked for it.
        """
        held = map(is_key, jax.tree.leaves(self.cached_instance()))
        given = any(map(is_key, jax.tree.leaves(self.arguments(0))))
        return self.reuses_key or (any(held) and not given)

    def _programs(self) -> Iterator[tuple[str, Callable[[Any], Any], Any]]:
        """The constructor and the call as functions of one pytree of arrays, and that."""
        build, given = self.traceable_build()

        def built(values: Any) -> Any:
            arrays = arrays_of(build(values))
            return arrays, draws_from(arrays)  # who holds a key may draw from it

        yield "build", built, given
        if self.called() and not self.redraws():
            value, back = self.dynamic(self.cached_instance())
            inputs = value, self.arguments(0)
            yield "call", lambda both: self.apply(back(both[0]), *both[1]), inputs


def draws_from(arrays: Sequence[Any]) -> list[jax.Array]:
    """One draw from each key that is held."""
    bits = jax.vmap(jax.random.bits)
    return [bits(array.reshape(-1)) for array in arrays if is_key(array)]


def check_buffers(suite: Suite) -> None:
    """No two leaves of one instance, or of two, lie in the same memory."""
    owners: dict[int, str] = {}
    instances = {"": suite.cached_instance(), "another instance's ": suite.cached_instance(1)}
    for whose, instance in instances.items():
        for name, leaf in suite.named(instance).items():
            owner = owners.setdefault(buffer_of(leaf) or id(leaf), whose + name)
            message = f"it shares its buffer with {owner}"
            check(owner == whose + name, whose + name, message)
