"""Laws of a Module with `equinox.nn.State`, besides the pytree laws."""

import contextlib
import inspect
from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax

from ...declare.methods import Method
from ...discover.configurations import QUIET
from ...discover.invocation import defaults_of_call, trace_call
from ...discover.method_programs import usable_methods
from ...engine.applicability import declares, need, not_applicable, of_methods
from ...engine.registry import Checks
from ...inspect.arrays import has_dtype, is_floating, same_bits
from ...inspect.classes import documents_nan
from ...inspect.trees import (
    arrays_of,
    avals,
    flatten,
    keys_as_data,
    map_arrays,
    named_leaves,
    next_of,
    remade,
    replace_leaves,
    stack,
    structure,
)
from ...kinds.state import StateSuite
from ...laws.transforms.p11_carry import check_fixed_point
from ...report import ADVICE, check, doing
from ...trace.dependencies import handed_to_stop
from ...values.closeness import check_close, check_flow
from ...values.comparison import check_treedef
from ...values.edge_values import has_nan
from ...values.randomize import counted_on, randomize

CHECKS = Checks()

BATCHED = "an update from one example of a batch: average it first, with `jax.lax.pmean` over the axis, and map with in_axes and out_axes None for the state"
CUT_OFF = "`jax.lax.stop_gradient` on what a state was assigned, or on what it is read"


@CHECKS.register(declares("states", "no states are declared"))
def test_p02_states_are_as_declared(subject: StateSuite) -> None:
    leaves = jax.tree.leaves(subject.state(0))
    message = f"{len(leaves)} states, declared are {[leaf.path for leaf in subject.states]}"
    check(len(leaves) == len(subject.states), "state", message)
    for leaf, value in zip(subject.states, leaves):
        check(value.shape == leaf.shape, leaf.path, f"the shape is {value.shape}, declared is {leaf.shape}")
        message = f"the dtype is {value.dtype}, declared is {leaf.dtype}"
        check(has_dtype(value, leaf.dtype), leaf.path, message)
        begins = leaf.value is None or bool((value == leaf.value).all())
        check(begins, leaf.path, f"it begins as {value}, declared is {leaf.value}", "another initial value")


@CHECKS.register()
def test_p05_states_of_one_configuration_have_one_structure(subject: StateSuite) -> None:
    first, second = subject.state(0), subject.state(1)
    message = f"two instances have the states {avals(first)} and {avals(second)}"
    same = structure(first) == structure(second) and avals(first) == avals(second)
    check(same, "state", message, "make the state with `eqx.nn.make_with_state`")


@CHECKS.register()
def test_p09_gradients_flow_through_the_state(subject: StateSuite) -> None:
    need(not subject.truncated, "gradients end at the state on purpose")
    instance, arguments = subject.make(0), list(subject.arguments(0))
    arguments[subject.place(arguments)] = subject.after(0)
    leaves, treedef = flatten((instance, arguments))
    closed, place = cut_off_at_once(subject, instance), subject.place(arguments)
    flows = subject.flowing(instance) - {name[2:] for name in closed if name[:2] == "0."}
    fixed = [name not in flows for name, _ in named_leaves(instance)]
    given = [name for name, _ in named_leaves(tuple(arguments))]
    fixed += [f"1.{name}" in closed and name.partition(".")[0] != str(place) for name in given]
    states = (i for i, name in enumerate(given) if name.partition(".")[0] == str(place))
    for i, leaf in zip(states, subject.states):
        fixed[len(fixed) - len(given) + i] = leaf.unused  # whoever declares it cuts it off on purpose
    places = [i for i, v in enumerate(leaves) if is_floating(v) and not fixed[i]]
    need(places, "nothing has a gradient")

    def run(values: Sequence[Any]) -> Any:
        arguments = treedef.unflatten(replace_leaves(leaves, dict(zip(places, values))))
        return jax.tree.leaves(subject.advance(*arguments))

    check_flow("state", run, [leaves[i] for i in places], CUT_OFF)


@CHECKS.register(severity=ADVICE)
def test_p12_inference_leaves_the_state_as_it_is(subject: StateSuite) -> None:
    instance, arguments = subject.make(0), list(subject.arguments(0))
    if any(name in QUIET and default is not None for name, default in defaults_of_call(subject).items()):
        not_applicable("the call is told whether it is at inference")
    try:
        at_inference = eqx.nn.inference_mode(instance)
    except TypeError:
        not_applicable("its `inference` is static, which no mode changes")
    if all(leaf is other for leaf, other in zip(*map(jax.tree.leaves, (at_inference, instance)))):
        not_applicable("no part has an `inference` that is another there")
    state = arguments[subject.place(arguments)] = subject.after(0)
    _, after = subject.advance(at_inference, remade(arguments))  # which uses the state up
    for i, (value, other) in enumerate(zip(jax.tree.leaves(state), jax.tree.leaves(after))):
        message = "`eqx.nn.inference_mode` of it updates the state"
        check(same_bits(value, other), f"state {i}", message, "`if not self.inference:` around each update")


TAKES_STATE = of_methods("no method takes the state", lambda method: method.state_at is not None)


@CHECKS.register(TAKES_STATE)
def test_p09_gradients_of_methods_flow_through_the_state(subject: StateSuite) -> None:
    for method in _usable_with_state(subject):
        _check_flow_of(subject, method)


@CHECKS.register(TAKES_STATE)
def test_p07_methods_give_no_nan_where_nothing_is_counted_yet(subject: StateSuite) -> None:
    instance = subject.cached_instance()
    need(not documents_nan(type(instance)), "a docstring of the class says where it gives NaN")
    for method in _usable_with_state(subject):
        arguments = [*method.arguments(0)]
        arguments.insert(method.state_at or 0, subject.state(0))
        message = "with the state that a new instance has it gives NaN"
        hint = "a division by a count of 0: `jnp.maximum(count, 1)`"
        check(not any(map(has_nan, arrays_of(method.use(instance, *arguments)))), method.name, message, hint)


@CHECKS.register(declares("states", "no states are declared"), TAKES_STATE)
def test_p12_methods_update_the_states_that_they_declare_alone(subject: StateSuite) -> None:
    paths = [leaf.path for leaf in subject.states]
    methods = (method for method in subject.methods if method.updates or method.returns)
    for method in (method for method in methods if method.state_at is not None):
        moved = {paths[place] for place in _states_moved(subject, method)}
        for path in sorted(moved - {*method.updates}):
            hint = f"another state than the one that is meant; `updates = ({path!r},)` of the Method says that this is so on purpose"
            check(False, method.name, f"it updates `{path}`", hint)
        # An option may be what moves it.
        kept = () if takes_options(subject, method) else {*method.updates} & {*paths} - moved
        for path in sorted(kept):
            hint = "what it computes is given back, and not set: `state.set(self.count, count)`"
            check(False, method.name, f"it leaves `{path}` as it was, and declares to update it", hint)


def takes_options(subject: StateSuite, method: Method) -> bool:
    """Whether a method has arguments with a default."""
    function = getattr(type(subject.cached_instance()), method.name, None)
    parameters = inspect.signature(function).parameters.values() if callable(function) else ()
    return any(parameter.default is not parameter.empty for parameter in parameters)


def _states_moved(subject: StateSuite, method: Method) -> set[int]:
    """Return the positions of states that a method changes at some point.

    The points are the start, random values, and the state after a call. A share of zeros is 0.
    """
    instance, start = subject.cached_instance(), subject.state(0)
    moved = set[int]()
    for seed in range(4):
        with contextlib.suppress(*(Exception,) * bool(seed)):  # a check in the method may refuse the values
            state = map_arrays(counted_on, randomize(start, seed)) if seed else start
            state = subject.after(0) if seed == 3 else state
            result = use_with_state(method, instance, state, method.arguments(seed))
            pairs = zip(*map(jax.tree.leaves, (state, next_of(state, result))))
            moved |= {place for place, (before, after) in enumerate(pairs) if not same_bits(before, after)}
    return moved


def _usable_with_state(subject: StateSuite) -> list[Method]:
    """Return the methods that take the state, and that work on their examples."""
    names = {method.name for method in usable_methods(subject, declared=True)}
    return [method for method in subject.methods if method.state_at is not None and method.name in names]


def _check_flow_of(subject: StateSuite, method: Method) -> None:
    leaves, treedef = flatten((method.arguments(0), method.arguments(1)))
    places = [i for i, v in enumerate(leaves) if is_floating(v)]
    # Made here: a trace would leave its tracers in them.
    instance, state = subject.cached_instance(), subject.state(0)

    def run(values: Sequence[Any]) -> Any:
        arguments = treedef.unflatten(replace_leaves(leaves, dict(zip(places, values))))
        return _second_result(method, instance, state, arguments)

    values = [leaves[i] for i in places]
    marks = handed_to_stop(jax.make_jaxpr(run)(values).jaxpr) if places else []
    places = [place for place, is_cut_off in zip(places, marks) if not is_cut_off]
    if places:
        check_flow(method.name, run, [leaves[i] for i in places], CUT_OFF)


def _second_result(method: Method, instance: Any, state: Any, examples: Sequence[Sequence[Any]]) -> list[Any]:
    """Use a method twice, and return the second result, which reads the state left by the first use."""
    result = None
    for arguments in examples:
        result = use_with_state(method, instance, state, arguments)
        following = next_of(state, result)
        state = state if following is None else following
    return jax.tree.leaves(remade(result))


def use_with_state(method: Method, instance: Any, state: Any, arguments: Sequence[Any]) -> Any:
    """Use a method on a copy of the state, which the method uses up."""
    return method.use(instance, *arguments[: method.state_at], remade(state), *arguments[method.state_at :])


def cut_off_at_once(subject: StateSuite, instance: Any) -> set[str]:
    """Return the leaves, `0.weight`, and arguments, `1.0`, that the call hands to `stop_gradient`.

    Such an input says nothing of the state.
    """
    (closed, _), inputs = trace_call(subject, instance, {})
    return {name for (name, _), mark in zip(inputs, handed_to_stop(closed.jaxpr)) if mark}


@CHECKS.register()
def test_p11_the_state_is_a_fixed_point(subject: StateSuite) -> None:
    instance, arguments = subject.make(0), list(subject.arguments(0))
    place = subject.place(arguments)

    def advance(state: Any) -> Any:
        return subject.advance(instance, [*arguments[:place], state, *arguments[place + 1 :]])[1]

    with doing("call", "the call for its next state", BATCHED):
        jax.eval_shape(advance, subject.state(0))
    check_fixed_point(f"argument {place}", subject.state(0), advance, "the next state", BATCHED)


@CHECKS.register()
def test_p10_an_ensemble_has_a_state_for_each(subject: StateSuite) -> None:
    _, back = subject.to_arrays(subject.make(0))
    values = [subject.to_arrays(subject.make(seed))[0] for seed in range(2)]
    arguments = [subject.arguments(seed) for seed in range(2)]
    mapped = jax.vmap(lambda value, arguments: subject.advance(back(value), arguments)[1])
    got = mapped(stack(values), stack(arguments))
    loop = stack([subject.after(seed) for seed in range(2)])
    check_close("state", "vmap gives {}, a loop {}", got, loop, slack=16)


@CHECKS.register()
def test_p12_the_next_state_depends_on_the_arguments_alone(subject: StateSuite) -> None:
    first = subject.after(0)
    subject.after(1)
    message = "the same call gave the state {}, and later {}"
    check_close("state", message, first, subject.after(0), "a value that is kept elsewhere")


@CHECKS.register()
def test_p14_the_state_is_saved_with_the_instance(subject: StateSuite, tmp_path: Any) -> None:
    saved = keys_as_data((subject.make(0), subject.after(0)))
    eqx.tree_serialise_leaves(tmp_path / "saved.eqx", saved)
    like = keys_as_data((subject.make(1), subject.state(1)))
    loaded = eqx.tree_deserialise_leaves(tmp_path / "saved.eqx", like)
    check_treedef(structure(saved), structure(loaded), "save and load", "the structure became")
    for i, (before, after) in enumerate(zip(jax.tree.leaves(saved), jax.tree.leaves(loaded))):
        check(same_bits(before, after), f"leaf {i}", f"it was {before!r:.200}, and is {after!r:.200}")
