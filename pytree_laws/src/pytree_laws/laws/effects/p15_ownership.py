"""P15: buffers and keys."""

import itertools
import warnings
from typing import Any

import jax
import jax.numpy as jnp

from ...discover.copied_parts import drawn_fields, is_copied_module
from ...engine.applicability import TAKES_DTYPE, TAKES_KEYS, need, not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import buffer_of, host, is_inexact, is_key, on_device, same_bits
from ...inspect.classes import is_of_library
from ...inspect.parameter_values import is_of_item
from ...inspect.trees import arrays_of, changed, look_up, numbers_of
from ...kinds.mutable import MutableSuite
from ...kinds.pytree import PytreeSuite
from ...kinds.suite import Suite
from ...report import ANY_ERROR, COST, Law, check, doing
from ...trace.drawn_keys import drawn_with_one_key, trace_named
from ...trace.jaxprs import has_repeated_parts
from ...trace.programs import compiled
from ...values.randomize import check_draws, check_held_draws, check_keys, check_rows_differ, redraws

LAW = Law(
    number="P15",
    name="ownership",
    statement="No two leaves and no two instances share a buffer, an instance can be donated, and each random draw has its own key: no two draws and no rows of one are equal.",
    protects="Leaves that share a buffer with each other or with the caller, so that donating one of them fails, or deletes an array that is still in use; and a PRNG key that two draws use, which are then the same.",
    mistake="One array object is stored twice, a module-level constant is stored as a leaf, or one key serves two draws.",
    fix="Copy with `jnp.array(x)`; use one key split per consumer: `key1, key2 = jax.random.split(key)`.",
    rests_on=("test_p03_round_trip",),
)
CHECKS = Checks(LAW)
SAME_DRAW, USED_ONCE, OWN_KEYS = "test_p15_no_two_par", "test_p15_each_key_is", "test_p15_each_draw_has"
"""Prefixes of tests for a key in two draws, each of more cases than the last.

Only the first that fails reports the key.
"""


@CHECKS.register(severity=COST)
def test_p15_no_two_leaves_share_a_buffer(subject: Suite) -> None:
    check_buffers(subject)


@CHECKS.register()
def test_p15_no_two_parameters_are_the_same_draw(subject: Suite) -> None:
    inputs = jax.tree.leaves(subject.inputs(0))
    if all(is_inexact(value) or isinstance(value, bool | float) for value in inputs):
        not_applicable("the constructor takes no key, and no number that may be a seed")
    first, second = (subject.named(subject.cached_instance()), subject.named(subject.cached_instance(1)))
    given_bytes = {host(v).tobytes() for v in arrays_of(subject.plain_inputs(0))}
    drawn: dict[Any, str] = {}
    parts = subject.parts_of(subject.cached_instance())
    for name, leaf in first.items():
        is_drawn = is_inexact(leaf) and leaf.size > 1 and name in second
        # A copy that no gradient reaches, as a slow target, begins as what it is of.
        is_drawn = is_drawn and not getattr(subject.declared(name), "unused", False)
        is_drawn = is_drawn and subject.role(name) not in ("data", "buffer", "state")
        # So may another Variable than a parameter, as a moving average.
        if isinstance(subject, MutableSuite):
            is_drawn = is_drawn and isinstance(parts.get(name), subject.param_type)
        if is_drawn and not same_bits(leaf, second[name]):
            bits = host(leaf).tobytes()
            twin = drawn.setdefault((leaf.shape, bits), name)
            is_free = twin == name or bits in given_bytes or is_copied_module(subject, name, twin)
            check(is_free, name, f"it is the same draw as `{twin}`", "one key for two draws")


@CHECKS.register(TAKES_KEYS)
def test_p15_rows_of_a_draw_differ(subject: Suite) -> None:
    # What is given is the same in both, and so is no draw.
    first, second = (subject.named(subject.built_with_key(jax.random.key(seed))) for seed in (0, 1))
    check_rows_differ(first, second)


@CHECKS.register()
def test_p15_snapshots_do_not_follow_the_module(subject: MutableSuite) -> None:
    instance = subject.make(0)
    state = subject.snapshot(instance)
    before = subject.snapshot_of(state)
    check_unchanged(subject, before, instance, "the snapshot is not the state")
    subject.overwritten(instance)
    message = "the snapshot changed with the module: they hold the same Variable"
    check_unchanged(subject, before, state, message)
    subject.restore(instance, state)
    check_unchanged(subject, before, instance, "restore did not bring it back")
    subject.overwritten(instance)
    check_unchanged(subject, before, state, "after restore the snapshot changed with the module")


def is_wrapped(subject: MutableSuite, instance: Any, first: str, second: str) -> bool:
    """Whether one of two paths leads through a wrapper of Flax, such as `nnx.RNN(self.cell)`.

    A wrapper shares the module that it is given on purpose.
    """
    names = [path.split(".") for path in (first, second)]
    pairs = zip(*(path[::-1] for path in names), strict=False)
    alike = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    above = [path[: len(path) - alike] for path in names]
    # Of `cell.kernel` and `rnn.cell.kernel` the name of the part is alike as well; of `a.kernel` and `rnn.cell.kernel` it is not.
    holders = above if not all(above) else [path[:-1] for path in above]
    nodes = [look_up(instance, ".".join(holder)) for holder in holders if holder]
    return any(is_of_library(type(node)) and not isinstance(node, subject.containers) for node in nodes)


def check_unchanged(subject: MutableSuite, before: Any, now: Any, message: str) -> None:
    wrong = changed(before, subject.snapshot_of(now))
    check(not wrong, ", ".join(wrong), message)


@CHECKS.register()
def test_p15_no_variable_is_held_twice(subject: MutableSuite) -> None:
    owners: dict[int, str] = {}
    instance = subject.cached_instance()
    for name, variable in subject.placed_variables(instance):
        owner = owners.setdefault(id(variable), name)
        free = owner == name or {owner, name} & {*subject.tied} or is_wrapped(subject, instance, owner, name)
        hint = "`[layer] * depth` holds one layer; `tied` names what is held twice"
        check(bool(free), name, f"it is the same Variable as `{owner}`: one is trained, and not two", hint)


@CHECKS.register()
def test_p15_donation(subject: PytreeSuite) -> None:
    check_buffers(subject)  # else it is destroyed
    value, _ = subject.to_arrays(subject.make(0))
    # Of a table of NumPy, jax makes a narrower one at each call, donated or not.
    expected = [host(leaf if isinstance(leaf, jax.Array) else on_device(leaf)) for leaf in numbers_of(value)]
    with warnings.catch_warnings(action="ignore"):  # of donated buffers that were of no use
        got = compiled(lambda donated: donated, donate_argnums=0)(value)
    pairs = zip(expected, map(host, arrays_of(got)))  # by bits: NaN is kept as well
    same = all(wanted.tobytes() == other.tobytes() for wanted, other in pairs)
    check(same, "jit", "donation changed the values")
    with doing("build", "using a fresh instance after one was donated"):
        subject.use(subject.make(0), *subject.arguments(0))


@CHECKS.register(rests_on=(SAME_DRAW,))
def test_p15_each_key_is_used_once(subject: Suite) -> None:
    build, inputs = subject.traceable_build()

    def built(values: Any) -> Any:
        arrays = list(subject.named(build(values)).values())
        # Who holds a key may draw from it.
        draws = [jax.vmap(jax.random.bits)(v.reshape(-1)) for v in arrays if is_key(v)]
        return arrays if subject.is_mutable else (arrays, draws)

    def drawn() -> str:
        return drawn_with_one_key(subject.traced_build().jaxpr, drawn_fields(subject))

    check_keys("build", built, inputs, drawn)
    if subject.called() and not redraws(subject):
        instance, arguments = subject.cached_example()
        call, value = subject.pure_call(instance)
        check_keys("call", lambda both: call(both[0], *both[1]), (value, arguments))


@CHECKS.register(rests_on=(SAME_DRAW, USED_ONCE))
def test_p15_each_draw_has_a_key_of_its_own(subject: PytreeSuite) -> None:
    check_draws("build", subject.traced_build, drawn_fields(subject))
    if subject.called():
        look = check_held_draws if redraws(subject) else check_draws
        look("call", subject.traced_call)


@CHECKS.register(rests_on=(SAME_DRAW, USED_ONCE, OWN_KEYS))
def test_p15_one_more_draw_has_a_key_of_its_own(subject: PytreeSuite) -> None:
    counts = {n: v + 1 for n, v in subject.inputs(0).items() if type(v) is int and v > 0}
    need(counts and subject.keys_of_inputs(), "the constructor takes no key, or no number")
    for name, count in counts.items():
        _check_draws_with(subject, name, count)


def _check_draws_with(subject: PytreeSuite, name: str, count: int) -> None:
    """Check the draws of the constructor with one input changed, if the change is legal."""
    try:
        jaxpr, names = trace_named(*subject.traceable_build({name: count}))
    except ANY_ERROR:
        return
    check_draws(f"build with {name}={count}", lambda: jaxpr, names)


@CHECKS.register(TAKES_DTYPE)
def test_p15_parts_of_a_complex_draw_differ(subject: PytreeSuite) -> None:
    build, arguments = subject.traceable_build({"dtype": jnp.dtype("complex64")})
    try:
        jaxpr = jax.make_jaxpr(lambda values: arrays_of(build(values)))(arguments)
    except ANY_ERROR:
        not_applicable("the class holds no complex numbers")
    message = "the imaginary part of a complex number is its real part again"
    hint = "one key for both parts, or one of two draws in both places"
    check(not has_repeated_parts(jaxpr.jaxpr), "build with dtype complex64", message, hint)


def check_buffers(suite: Suite) -> None:
    """Check that no two leaves share memory, in one instance or in two."""
    owners: dict[int, str] = {}
    instances = {"": suite.cached_instance(), "another instance's ": suite.cached_instance(1)}
    for whose, instance in instances.items():
        for name, leaf in suite.named(instance).items():
            if is_of_item(instance, name):
                continue
            owner = owners.setdefault(buffer_of(leaf) or id(leaf), whose + name)
            hint = "one array for all, as a default or a constant of the module is" if whose else ""
            check(
                owner == whose + name,
                whose + name,
                f"it shares its buffer with `{owner}`",
                hint,
                severity=COST,
            )
