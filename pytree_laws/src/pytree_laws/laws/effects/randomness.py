"""P12, P15 and P16, of the noise of a call in each configuration."""

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...discover.configurations import QUIET, TracedConfiguration, traced_configurations
from ...discover.evaluation import severity_of_values
from ...discover.inference import with_other_statics
from ...discover.invocation import defaults_of_call, trace_call
from ...engine.applicability import Condition, need, not_applicable
from ...engine.first_use import example_call
from ...engine.registry import Checks
from ...inspect.arrays import is_floating, is_inexact, is_key
from ...inspect.branches import asks_for_argument, draws_in_methods, passes_argument
from ...inspect.references import parts_of
from ...inspect.trees import nodes, replace_leaves
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, FAULT, check
from ...trace.dependencies import inputs_reaching
from ...trace.jaxprs import constant_draws, draws_of, is_key_type
from ...values.closeness import check_close, close
from ...values.example_values import sample
from ...values.randomize import randomize

CHECKS = Checks()

KEYS = 8  # that are tried where noise may be equal by chance
UNUSED_KEY = (
    "a call that does not use its key; `ignores_key = True` says that this is so on "
    'purpose, and in a spec `[test]` with `unused = ["key"]`'
)
OF_KEY = "`inference=key is None`, which overrules the flag of a part once a key is given: `inference=True if key is None else None` leaves it to the flag"
IGNORES_KEY = Condition("the call does not say that it ignores its key", lambda suite: suite.ignores_key)


def _traced(subject: Suite) -> list[TracedConfiguration]:
    subject.need_call()
    return [traced for traced in traced_configurations(subject) if traced.trace is not None and traced.inputs]


def _keys(subject: Suite, configuration: TracedConfiguration) -> list[int]:
    """Return the positions of keys that each call draws from: given keys, or the keys of an NNX module."""
    holds = subject.is_mutable
    positions = [i for i, (_, v) in enumerate(configuration.inputs) if holds and is_key(v)]
    return keys_given(configuration) or positions


@CHECKS.register(rests_on=("test_p12_draws_use_a_key",))
def test_p12_draws_use_the_key_in_each_configuration(subject: Suite) -> None:
    for traced in _traced(subject):
        jaxpr, where = traced.trace[0].jaxpr, traced.configuration.place("call")
        drawn = draws_of(jaxpr)
        if not drawn or may_be_seeded(traced):
            continue
        wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
        hint = "a constant key where none is given: raise there, or draw nothing"
        check(not wrong, where, f"{len(wrong)} of its draws depend on nothing that it is given", hint)
        keys = {jaxpr.invars[i] for i in keys_given(traced)}
        others = list(constant_draws(jaxpr, keys))
        message = f"it is given a key, and none of its {len(drawn)} draws uses it"
        hint = "a key that is held, or made, in the place of the one that is given"
        check(not keys or len(others) < len(drawn), where, message, hint)


@CHECKS.register()
def test_p16_a_flag_that_ends_the_noise_does(subject: Suite) -> None:
    quiet = [each for each in _traced(subject) if each.is_quiet and _keys(subject, each)]
    quiet = [each for each in quiet if not is_overruled(subject, each)]
    need(quiet, "no flag is known that ends the noise of the call")
    # Who writes so may mean that a key alone asks for noise.
    is_by_key = asks_for_argument(type(subject.cached_instance()), QUIET)
    hint = OF_KEY if is_by_key else "noise that is drawn in spite of the flag"
    for traced in quiet:
        keys = _keys(subject, traced)
        first = outputs(traced, with_key(traced, keys, 0))
        for seed in range(1, KEYS):
            other = outputs(traced, with_key(traced, keys, seed))
            message = f"nothing is random there, and two keys give {first} and {other}"
            where, severity = traced.configuration.place("call"), ADVICE if is_by_key else FAULT
            check(close(first, other), where, message, hint, severity=severity)


@CHECKS.register()
def test_p15_rows_of_a_batch_differ_in_their_noise(subject: Suite) -> None:
    traced = next(iter(_traced(subject)), None)
    keys = _keys(subject, traced) if traced else []
    if traced is None or not keys or not draws_of(traced.trace[0].jaxpr):
        not_applicable("the call draws nothing from a key that it is given")
    shapes = {draw.outvars[0].aval.shape for draw in draws_of(traced.trace[0].jaxpr)}
    need(shapes != {()}, "the call draws single numbers, as whether to mirror an image")
    batch = rows_given(traced)
    noise = [outputs(traced, {**batch, **with_key(traced, keys, seed)}) for seed in range(KEYS)]
    for i, results in enumerate(zip(*noise)):
        message = "each row of the batch has one and the same noise"
        hint = "one key for all rows: `jax.random.split(key, len(x))`; `shares_noise = True` says that this is so on purpose"
        wrong = not subject.shares_noise and rows_share_noise([*batch.values()], results)
        check(not wrong, f"output {i}", message, hint, severity=ADVICE if draws_weights(traced) else FAULT)


def draws_weights(traced: TracedConfiguration) -> bool:
    """Whether each draw has the shape of a matrix in the instance.

    Such a call draws its weights, once for all rows.
    """
    held = {v.shape for name, v in traced.inputs if name.startswith("0.") and is_inexact(v) and v.ndim > 1}
    return all(draw.outvars[0].aval.shape in held for draw in draws_of(traced.trace[0].jaxpr))


def is_overruled(suite: Any, traced: TracedConfiguration) -> bool:
    """Whether the call itself decides about its draws, so that a flag of the constructor decides nothing."""
    use = example_call(suite)
    keywords = defaults_of_call(suite) if use is None else use.given
    says = any(name in QUIET and value is not None for name, value in keywords.items())
    instance = suite.cached_instance()
    own, classes = type(instance), [type(node) for _, node, _ in nodes(instance)]
    says = says or any(passes_argument(cls, QUIET) for cls in classes)
    # Noise that a key asks for, in a part or beside draws of its own, is not the flag's alone.
    says = says or any(
        asks_for_argument(cls, QUIET) for cls in classes if cls is not own or draws_in_methods(own)
    )
    return says and not traced.configuration.given


def may_be_seeded(traced: TracedConfiguration) -> bool:
    """Whether a static integer may be the seed, for lack of a key."""
    settings = [v for _, _, aux in nodes(traced.instance) for v in parts_of(aux)]
    return not any(is_key(v) for _, v in traced.inputs) and any(type(v) is int for v in settings)


def keys_given(configuration: TracedConfiguration) -> list[int]:
    """Return the positions of the call's keys among the inputs of the trace."""
    return [i for i, (name, v) in enumerate(configuration.inputs) if name.startswith("1") and is_key(v)]


def with_key(configuration: TracedConfiguration, keys: Sequence[int], seed: int) -> dict[int, Any]:
    """Return keys of another seed for these positions."""
    return {i: sample(seed + 10, configuration.inputs[i][1].shape, "key") for i in keys}


def rows_given(configuration: TracedConfiguration) -> dict[int, Any]:
    """Return the arguments that have rows, each with all rows equal to its first, by position."""
    return {
        i: jnp.broadcast_to(v[:1], v.shape)
        for i, (name, v) in enumerate(configuration.inputs)
        if name.startswith("1") and is_inexact(v) and v.ndim > 1 and len(v) > 1
    }


def outputs(traced: TracedConfiguration, changes: Mapping[int, Any]) -> list[Any]:
    """Run the traced call on random values, with some of its inputs replaced."""
    values = randomize([v for _, v in traced.inputs], 2)
    return traced.program(*(changes.get(i, v) for i, v in enumerate(values)))


def rows_share_noise(arguments: Sequence[Any], results: Sequence[Any]) -> bool:
    """Whether results of several keys differ by the same noise in each row.

    Noise that is constant within a row does not count.
    """
    first = results[0]
    is_batch = is_floating(first) and first.ndim > 1 and any(len(v) == len(first) for v in arguments)
    if not is_batch or len(first) < 2:
        return False
    noise = [np.asarray(output).astype(np.float64) - np.asarray(first) for output in results[1:]]
    same = all(np.allclose(result, result[:1], rtol=1e-4, atol=1e-6) for result in noise)
    return same and any(np.ptp(result[0]) > 1e-6 for result in noise)


def keys_of_call(arguments: Any) -> Callable[[int], Any]:
    """Return a function from a seed to the arguments with new keys, or skip if they have no keys."""
    leaves = jax.tree.leaves(arguments)
    keys = [i for i, leaf in enumerate(leaves) if is_key(leaf)]
    need(keys, "the call takes no key")
    return lambda seed: replace_leaves(arguments, {i: sample(seed, leaves[i].shape, "key") for i in keys})


@CHECKS.register(IGNORES_KEY)
def test_p16_a_call_that_ignores_its_key_draws_nothing(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    with_keys = keys_of_call(arguments)
    drawn = draws_of(subject.traced_call().jaxpr)
    message = f"it says that it ignores its key, and {len(drawn)} of its draws have another"
    check(not drawn, "call", message, "the same noise in every call: draw from the key that is given")
    result, other = (subject.apply(instance, *with_keys(seed)) for seed in (0, 1))
    message = "it says that it ignores its key, and two keys give {} and {}"
    check_close("call", message, result, other, "leave `ignores_key` out")


@CHECKS.register(rests_on=("test_p08_every_parameter", "test_p12_draws_use"))
def test_p16_keys_give_different_draws(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    with_keys = keys_of_call(arguments)
    compiled = subject.compiled_ways()[0]

    def draw(instance: Any, seed: int) -> Any:
        return subject.output_of(compiled(instance, *with_keys(seed)))

    def has_draws_that_differ(instance: Any) -> bool:
        first = draw(instance, 0)
        return any(not close(first, draw(instance, seed)) for seed in range(1, 8))

    # What begins empty, or without noise, gives the same whatever is drawn.
    varies = has_draws_that_differ(instance) or has_draws_that_differ(subject.elsewhere(instance))
    if subject.ignores_key:
        message = "it is said to ignore its key, and another key gives another output"
        check(not varies, "call", message, "`ignores_key = True` that is out of date")
    else:
        is_dropped = drops_its_draws(subject.traced_call().jaxpr)
        severity = severity_of_values(subject) if is_dropped else ADVICE
        # As noise of which a setting is the scale, 0 in the example.
        of_statics = () if is_dropped else (other for _, other in with_other_statics(subject))
        others, again = itertools.tee(itertools.chain(_with_noise(instance), of_statics))
        varies = varies or holds_for_some(
            others, has_draws_that_differ
        )  # built where the example does not tell
        varies = varies or _follows_a_key_at_a_flag(subject, itertools.chain([instance], again))
        check(varies, "call", "eight keys give the same output", UNUSED_KEY, severity=severity)


def _follows_a_key_at_a_flag(subject: Suite, instances: Iterable[Any]) -> bool:
    """Whether an output depends on a key at another value of an argument, such as `deterministic=False`."""
    given = [c.configuration.given for c in traced_configurations(subject) if c.configuration.size == 1]
    pairs = itertools.product(instances, filter(None, given))
    return holds_for_some(pairs, lambda pair: follows_a_key(trace_call(subject, *pair)[0][0].jaxpr))


def _with_noise(instance: Any) -> Iterator[Any]:
    """Yield instances with 0.5 in place of a Python float that is 0, such as the `p` of a `Dropout`."""
    zeros = (i for i, leaf in enumerate(jax.tree.leaves(instance)) if type(leaf) is float and leaf == 0)
    return (replace_leaves(instance, {i: 0.5}) for i in zeros)


def drops_its_draws(jaxpr: Any) -> bool:
    """Whether a call draws, and its outputs depend on no given key.

    Classes of one interface take a key that only some of them draw with. An estimate may be exact whatever is
    drawn.
    """
    return bool(draws_of(jaxpr)) and not follows_a_key(jaxpr)


def follows_a_key(jaxpr: Any) -> bool:
    """Whether an output depends on a key among the inputs."""
    marks = zip(jaxpr.invars, inputs_reaching(jaxpr))
    return any(is_key_type(variable.aval) for variable, mark in marks if mark)


def holds_for_some(cases: Iterable[Any], condition: Callable[[Any], bool]) -> bool:
    """Whether a condition is true in some case. Cases that raise are passed over."""
    for case in cases:
        with contextlib.suppress(*ANY_ERROR):
            if condition(case):
                return True
    return False
