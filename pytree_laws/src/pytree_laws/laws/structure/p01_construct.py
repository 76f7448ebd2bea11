"""P1: the constructor."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from ...discover.inference import stores_what_it_is_given
from ...engine.applicability import ACCEPTED, declares, need, not_applicable
from ...engine.first_use import first_build
from ...engine.needed_values import severity_of_needing_values
from ...engine.registry import Checks
from ...errors import is_of_types, message_of
from ...inspect.arrays import as_in_programs, buffer_of, is_constant, is_key, on_device, same_bits
from ...inspect.global_state import globals_of
from ...inspect.parameter_values import may_be_of_numpy
from ...inspect.references import (
    containers_of,
    is_plain_object,
    mutables,
    objects_in,
    reachable,
    scramble,
    snapshot,
    turned_around,
)
from ...inspect.trees import arrays_of, avals, changed, given_arrays, is_under, look_up, structure, under_any
from ...kinds.mutable import MutableSuite
from ...kinds.suite import Suite
from ...patches.type_checks import without_type_checks
from ...report import ADVICE, FAULT, Fault, Law, check, check_each, doing, result_or_error
from ...trace.jaxprs import NEEDS_VALUES
from ...values.comparison import check_same_bits

LAW = Law(
    number="P1",
    name="construct",
    statement="The constructor builds the same instance from the same inputs, holds what it is given, draws from its key alone, refuses invalid inputs, works under jit, and changes nothing around it; parameters have the declared defaults.",
    protects="Constructors with side effects: the caller's arguments are mutated, instances share a mutable default, or another PRNG key is used than the one passed in.",
    mistake="A dict, list or array of the caller is changed or stored as it is, a default is shared by all instances, a key is constant, or a check needs the values of arrays.",
    fix="Copy on the way in (`{**table}`, `list(layers)`, `jnp.array(x)`) and check there; derive randomness from the key alone.",
)
BUILDS, CHECKS = Checks(LAW), Checks(LAW)
"""`BUILDS` runs before all other checks, and reports a constructor that fails on the example."""

KEYS = 8  # that are tried where draws may be equal by chance


@CHECKS.register()
def test_p01_leaves_its_inputs_alone(subject: Suite) -> None:
    inputs = subject.plain_inputs(0)
    before = {name: snapshot(value, identity=True) for name, value in inputs.items()}
    subject.build(**{**subject.inputs(0), **inputs})
    for name, value in inputs.items():
        same = snapshot(value, identity=True) == before[name]
        check(same, name, "the constructor changed its input in place")


@CHECKS.register(rests_on=("test_p01_leaves_its_inputs_alone",))
def test_p01_keeps_none_of_its_inputs(subject: Suite) -> None:
    inputs = subject.plain_inputs(0)
    instance = subject.build(**{**subject.inputs(0), **inputs})
    if not stores_what_it_is_given(subject):
        check_no_container(subject, instance, inputs)
    built, arrays = built_of_arrays(subject, inputs)
    if not subject.copies_arrays:  # a suite that names what is held says that it is copied
        names = () if keeps_arrays(subject) else subject.kept
        arrays = [(name, v) for name, v in arrays if under_any(name, names)]
    check_no_shared_buffer(subject, built, arrays)


# The constructor of a dataclass or NamedTuple stores all as it is, as its callers know.
@CHECKS.register(severity=ADVICE)
def test_p01_a_generated_constructor_is_given_nothing_that_can_change(subject: Suite) -> None:
    need(stores_what_it_is_given(subject), "the constructor is the author's own")
    inputs = subject.plain_inputs(0)
    check_no_container(subject, subject.build(**{**subject.inputs(0), **inputs}), inputs, ADVICE)


# Who stores an array as it was given may mean to: nothing changes it in place but donation.
@CHECKS.register(severity=ADVICE, rests_on=("test_p01_keeps_none_of_its_inputs",))
def test_p01_shares_no_buffer_with_its_inputs(subject: Suite) -> None:
    instance, arrays = built_of_arrays(subject, subject.plain_inputs(0))
    need(arrays, "the constructor is given no arrays")
    if subject.copies_arrays is not None or keeps_arrays(subject):
        not_applicable("whether it copies the arrays that it is given is known")
    check_no_shared_buffer(subject, instance, arrays)


def built_of_arrays(subject: Suite, inputs: Mapping[str, Any]) -> tuple[Any, list[tuple[str, Any]]]:
    """Build an instance, and return it with the arrays that it was given.

    Lists and NumPy arrays that match a leaf become jax arrays, which an instance might hold as given.
    """
    leaves = subject.named(subject.cached_instance())
    arguments = {
        name: on_device(value, leaves[name].dtype)
        if isinstance(value, list | tuple | np.ndarray)
        and name in leaves
        and np.shape(value) == leaves[name].shape
        else value
        for name, value in inputs.items()
    }
    return subject.build(**{**subject.inputs(0), **arguments}), given_arrays(arguments)


def keeps_arrays(subject: Suite) -> bool:
    """Whether arrays are stored as given, by declaration or by a constructor that Python generates."""
    copies = subject.copies_arrays
    return not copies if copies is not None else stores_what_it_is_given(subject)


def check_no_shared_buffer(subject: Suite, instance: Any, arrays: Sequence[tuple[str, Any]]) -> None:
    # Keys are often one for all; what is said to be kept is a copy of its own.
    buffers = {buffer_of(v): n for n, v in arrays if not is_key(v) or n in subject.kept}
    for name, leaf in subject.named(instance).items():
        source = buffers.get(buffer_of(leaf) or -1)
        message = f"it shares its buffer with the input `{source}`: donation takes both"
        check(source is None, name, message, "copy with `jnp.array(x)`, not asarray")


@CHECKS.register(rests_on=("test_p01_leaves_its_inputs_alone", "test_p01_keeps_none_of_its_inputs"))
def test_p01_later_changes_of_its_inputs_do_not_reach_it(subject: Suite) -> None:
    inputs = subject.plain_inputs(0)
    need(not stores_what_it_is_given(subject), "the constructor that Python makes stores what it is given")
    instance = subject.build(**{**subject.inputs(0), **inputs})
    before = subject.snapshot_of(instance)
    # Nobody copies trees of parameters.
    held = {id(value) for place, value in mutables(instance) if subject.role(place) == "tree"}
    for value in (value for _, value in containers_of(inputs) if id(value) not in held):
        scramble(value)
    message = "it changed when the caller's arrays, lists and dicts were changed later"
    check(subject.snapshot_of(instance) == before, type(instance).__name__, message)


@BUILDS.register()
def test_p01_same_inputs_build_the_same_instance(subject: Suite) -> None:
    hint = "randomness that does not come from the key, or state kept in a global"
    first, second = subject.named(subject.cached_instance()), subject.named(subject.make(0))
    check_same_bits(first, second, "two instances of equal inputs differ", hint)


@CHECKS.register()
def test_p01_the_order_of_dict_entries_does_not_matter(subject: Suite) -> None:
    inputs = subject.plain_inputs(0)
    turned = {n: turned_around(value) for n, value in inputs.items()}
    if all(turned[name] is inputs[name] for name in inputs):
        not_applicable("the constructor takes no dict of several entries")
    first = subject.build(**{**subject.inputs(0), **inputs})
    second = subject.build(**{**subject.inputs(0), **turned})
    hint = "entries taken in the order of the dict: jax sorts them by key"
    message = "with the entries of a dict given in another order it differs"
    check_same_bits(subject.named(first), subject.named(second), message, hint)
    same = structure(first) == structure(second)
    # Where no two instances have equal treedefs, the order is not why.
    same = same or structure(first) != structure(subject.build(**{**subject.inputs(0), **inputs}))
    message = "with the entries of a dict given in another order the treedef differs"
    check(same, type(first).__name__, message, hint)


@CHECKS.register(declares("drawn", "nothing is declared as drawn from the key"))
def test_p01_draws_from_its_key(subject: Suite) -> None:
    first = subject.named(subject.cached_instance())
    for path in subject.drawn:
        names = [name for name in first if is_under(name, path) and not subject.is_empty(name)]
        # A module may take a key and draw nothing, as a layer norm does.
        names = [n for n in names if n == path or not is_constant(first[n])]
        # Two keys may draw a few signs alike.
        others = (subject.named(subject.cached_instance(seed)) for seed in range(1, KEYS))
        same = names and all(same_bits(first[n], other[n]) for other in others for n in names if n in other)
        hint = "a constant key, or NumPy's generator: use the key that is given; what is drawn no more goes out of `drawn`"
        check(not same, path, f"declared as drawn from the key, and the same for {KEYS} keys", hint)


@CHECKS.register(declares("rejected", "no invalid inputs are declared"))
def test_p01_rejects_invalid_inputs(subject: Suite) -> None:
    for changes, error in subject.rejected:
        inputs = {**subject.inputs(0), **changes}
        raised = refusal_of(subject.build, inputs, error)
        if is_of_types(raised):  # before any check of the class, which is there without it
            with without_type_checks():
                raised = refusal_of(subject.build, inputs, error)
        if isinstance(raised, error) or is_of_types(raised):
            continue
        message = f"they must raise {error.__name__}, and raised {raised!r}"
        if raised is None:
            message = f"inputs that must raise {error.__name__} were accepted"
        hint = "a check that never runs, as `__post_init__` beside an `__init__`"
        raise Fault(str(dict(changes)), message, hint)


@CHECKS.register(ACCEPTED)
def test_p01_accepts_inputs_at_the_bounds(subject: Suite) -> None:
    for changes in subject.accepted:
        with doing(str(dict(changes)), "the constructor", "a check with `<`, not `<=`"):
            subject.build(**{**subject.inputs(0), **changes})


@CHECKS.register()
def test_p01_changes_no_globals(subject: Suite) -> None:
    first_build(subject).check("build")
    first = subject.make(0)
    subject.make(1)
    before = globals_of(first)
    subject.make(2)
    wrong = changed(before, globals_of(first))
    hint = "a counter or a registry in the module or on the class"
    check(not wrong, ", ".join(wrong), f"the constructor changed {', '.join(wrong)}", hint)


@CHECKS.register(rests_on=("test_p02_leaves_are_",))
def test_p01_builds_under_jit_without_leaking(subject: Suite) -> None:
    strays: list[str] = []
    build, arguments = subject.traceable_build()

    def looked_at(values: Sequence[Any]) -> Any:
        # Inside the trace: kept until it is over, an instance would be a leak itself.
        built = build(values)
        strays.extend(subject.tracers_beside(built))
        return subject.named(built)

    try:
        with warnings.catch_warnings(action="ignore"):  # of static arrays: P5 fails on them
            arrays = jax.eval_shape(looked_at, arguments)
    except NEEDS_VALUES as error:
        need(arguments, "the constructor is given no arrays")
        message = f"under jit the constructor needs values: {message_of(error)[:200]}"
        hint = "a check on the values of arrays: make it where they are no tracers, or use `eqx.error_if` in the call"
        raise Fault("build", message, hint, severity=severity_of_needing_values(arguments)) from error
    instance, hint = subject.cached_instance(), "a value computed from arrays that is stored as static"
    message = f"built under jit it holds a tracer outside of its {subject.nouns}"

    def refuse(place: str) -> None:
        held = result_or_error(look_up, instance, place.partition(".")[2])
        raise Fault(place, message, hint, severity=subject.severity_of_hidden(held))

    check_each(refuse, ([place] for place in strays))
    # A number of Python or an array of NumPy, of which P2 says so, comes out of a program as an array of jax.
    wanted = avals({name: as_in_programs(value) for name, value in subject.named(instance).items()})
    message = f"built under jit its {subject.nouns} are {arrays}, and otherwise {wanted}"
    check(avals(arrays) == wanted, type(instance).__name__, message)


@CHECKS.register(severity=ADVICE)
def test_p01_keeps_no_stream_of_its_rngs(subject: MutableSuite) -> None:
    inputs = subject.inputs(0)
    streams = set(map(id, subject.streams_given(inputs)))
    need(streams, "the constructor takes no rngs")
    for path, variable in subject.parts_of(subject.build(**inputs)).items():
        message = "it is a stream of the `rngs` that the constructor was given"
        hint = "two modules that share it draw each other's keys: `rngs.fork()`"
        check(id(variable) not in streams, path, message, hint)


def check_no_container(
    subject: Suite, instance: Any, inputs: Mapping[str, Any], severity: str = FAULT
) -> None:
    """Check that an instance holds no mutable object of the caller's.

    The content of a plain object that the instance holds is allowed.
    """
    places = {id(value): place for place, value in containers_of(inputs)}
    held = {id(value) for _, value in reachable(instance, "")}
    objects = [value for value in objects_in(inputs) if is_plain_object(value) and id(value) in held]
    within = {id(value) for each in objects for _, value in mutables(each)}
    for place, value in mutables(instance):
        name = places.get(id(value))
        message = f"it is the caller's own {type(value).__name__}, given as `{name}`"
        is_meant = isinstance(value, np.ndarray) and may_be_of_numpy(instance, place)
        is_meant = is_meant or id(value) in within or subject.role(place) == "tree"  # which nobody copies
        check(name is None, place, message, severity=ADVICE if is_meant else severity)


def refusal_of(
    build: Callable[..., Any], inputs: Mapping[str, Any], error: type[BaseException]
) -> Exception | None:
    """Return the error of a constructor, or None.

    An abstract trace comes first: if that raises the expected error, nothing is computed.
    """
    found = result_or_error(lambda: jax.eval_shape(lambda: arrays_of(build(**inputs))))
    if not isinstance(found, error) or isinstance(found, NEEDS_VALUES):
        found = result_or_error(lambda: build(**inputs))
    return found if isinstance(found, Exception) else None
