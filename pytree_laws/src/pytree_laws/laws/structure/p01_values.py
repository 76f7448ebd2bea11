"""P1, of values: what the constructor draws, has for a default, and holds as it is given."""

import contextlib
import dataclasses
import functools
import inspect
import math
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...discover.inference import stores_what_it_is_given
from ...discover.invocation import build_with, given_to_constructor
from ...engine.applicability import ARRAYS_DECLARED, KEPT, TAKES_KEYS, declares, need, of_leaves
from ...engine.registry import Checks
from ...inspect.arrays import host, is_array, is_key, kind_of, real_dtype, same_bits
from ...inspect.classes import defaults_of, own_functions
from ...inspect.mutations import may_change
from ...inspect.references import MUTABLE, mutables, reachable
from ...inspect.static_values import is_frozen
from ...inspect.trees import arrays_of, given_arrays, is_node, look_up, map_arrays
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, FAULT, check, or_else, result_or_error
from ...trace.jaxprs import constant_draws, without_dead
from ...values.closeness import in_64_bits
from ...values.dtypes import cast
from ...values.randomize import signed

CHECKS = Checks()


@CHECKS.register(
    of_leaves("no standard deviations are declared", lambda leaf: leaf.std, "std"),
    rests_on=("test_p01_draws_from_its_key",),
)
def test_p01_draws_have_the_declared_spread(subject: Suite) -> None:
    declared = {leaf.path: leaf.std for leaf in subject.manifest() if leaf.std}
    need(declared and subject.takes_keys(), "no standard deviations are declared")
    drawn_by_path = subject.drawn_by_path()
    for path in [path for path in declared if path in drawn_by_path and not subject.is_empty(path)]:
        values, std = host(drawn_by_path[path]).astype(np.complex128), declared[path]
        spread = float(np.sqrt(np.mean(np.abs(values) ** 2)))
        message = f"its standard deviation is {spread:.3g}, declared is {std:.3g}"
        slack = max(0.02, 4 / math.sqrt(2 * values.size))
        hint = f"another initialiser, or one with fan-in and fan-out exchanged; if it is right as it is now, declare `std={spread:.3g}`"
        check(abs(spread / std - 1) < slack, path, message, hint)
        mean = values.mean()
        centred = abs(mean) / std < 5 / math.sqrt(values.size)
        text = f"{mean.real:.3g}" if mean.imag == 0 else f"{mean:.3g}"
        hint = "a draw that is not around 0, as `jax.random.uniform` gives it"
        check(centred, path, f"its mean is {text}, and not 0", hint)


@CHECKS.register(TAKES_KEYS, rests_on=("test_p01_draws_from_its_key",))
def test_p01_every_draw_uses_the_key(subject: Suite) -> None:
    jaxpr = without_dead(subject.traced_build().jaxpr)  # a layer may draw what is replaced at once
    wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
    message = f"{len(wrong)} of its draws do not depend on the key that it is given"
    hint = "a constant key, as `jax.random.key(0)` or `nnx.Rngs(0)`, for one of the fields"
    classes = {type(part) for _, part in reachable(subject.cached_instance(), "")} if wrong else set[type]()
    severity = ADVICE if any(map(is_seeded_besides, classes)) else FAULT
    check(not wrong, "build", message, hint, severity=severity)


def is_seeded_besides(cls: type) -> bool:
    """Whether the constructor takes a seed such as `seed: int = 42`, whose draws are constant on purpose."""
    maker = inspect.getattr_static(cls, "__init__")
    return inspect.isfunction(maker) and any("seed" in name for name in inspect.signature(maker).parameters)


@CHECKS.register(declares("defaults", "no defaults are declared"))
def test_p01_parameters_have_the_declared_defaults(subject: Suite) -> None:
    cls = type(subject.cached_instance())
    for path, declared in subject.defaults.items():
        default = _default(cls, *path.split("."))
        message = f"its default is {default!r}, declared is {declared!r}"
        hint = f"who leaves it out gets another result; if it is right as it is now, declare {default!r}"
        check(type(default) is type(declared) and default == declared, path, message, hint)


@or_else(None)
def _default(cls: type, function: str, parameter: str) -> Any:
    """Return the default of a method's parameter, or None if there is no such parameter."""
    return inspect.signature(getattr(cls, function)).parameters[parameter].default


@CHECKS.register()
def test_p01_instances_share_nothing_mutable(subject: Suite) -> None:
    first, second = subject.cached_instance(), subject.cached_instance(1)
    shared_ids = {id(value) for _, value in mutables(first)} - held_by_tests(subject)
    for place, value in mutables(second):
        message = f"two instances hold one and the same {type(value).__name__}"
        # Of what lies within frozen settings that both hold an author may think as of a constant.
        is_constant = _is_within_settings(first, second, place) or never_changes(subject, place)
        check(id(value) not in shared_ids, place, message, severity=ADVICE if is_constant else FAULT)


def never_changes(subject: Suite, where: str) -> bool:
    """Whether an adopted class is a tuple, and none of its code changes a shared value in place."""
    is_adopted = not subject.declares_arrays() or subject.severity == FAULT
    instance = subject.cached_instance()
    return is_adopted and isinstance(instance, tuple) and not may_change(instance, where)


def _is_within_settings(first: Any, second: Any, place: str) -> bool:
    """Whether a place lies within a frozen dataclass, other than a node, that two instances share."""
    parts = place.split(".")
    for size in range(1, len(parts)):
        with contextlib.suppress(*ANY_ERROR):  # a place of which look_up knows nothing
            held = look_up(first, ".".join(parts[:size]))
            is_settings = dataclasses.is_dataclass(held) and is_frozen(held) and not is_node(held)
            if is_settings and held is look_up(second, ".".join(parts[:size])):
                return True
    return False


def held_by_tests(subject: Suite) -> set[int]:
    """Return the ids of mutable values in the test file's constants.

    The suite itself gives them to all instances.
    """
    constants = vars(sys.modules[type(subject).__module__])
    given = [value for name, value in constants.items() if name.isupper()]
    return {id(value) for each in given for _, value in mutables(each)}


@CHECKS.register()
def test_p01_defaults_are_immutable(subject: Suite) -> None:
    instance = subject.cached_instance()
    value_ids = {id(value) for _, value in reachable(instance, "")}
    leaf_ids = {id(leaf) for leaf in arrays_of(instance)}  # that two instances share is told by P15
    for where, function in own_functions(type(instance)):
        for name, default in defaults_of(function):
            message = f"the default of `{name}` is one {type(default).__name__} for all"
            hint = "write `None` or a tuple, and make a new one in the body"
            if isinstance(default, jax.Array):
                # Nobody can change it, and nobody has it once an instance was donated.
                message = (
                    f"the default of `{name}` is one array for all: none is left once an instance is donated"
                )
                hint = "a function that makes the instance makes a new one"
            can_change = isinstance(default, MUTABLE) or (
                is_array(default) and not isinstance(default, np.generic)
            )
            is_kept = id(default) in value_ids and not never_changes(subject, name)
            is_fault = is_kept and not isinstance(default, jax.Array)
            is_told = isinstance(default, jax.Array) and (
                id(default) in leaf_ids or not _stores_default(subject, where, name, default)
            )
            check(not can_change or is_told, where, message, hint, severity=FAULT if is_fault else ADVICE)


def _stores_default(subject: Suite, where: str, name: str, default: jax.Array) -> bool:
    """Whether instances hold the array that is the default of an argument, and no copy of it.

    A constructor is tried. A class method may store it, and a call does not.
    """
    if not where.endswith(("__init__", "__new__")):
        return not where.endswith("__call__")
    made = result_or_error(lambda: build_with(subject, {name: default}, abstractly=False))
    return isinstance(made, Exception) or any(leaf is default for leaf in arrays_of(made))


@CHECKS.register(KEPT)
def test_p01_keeps_the_values_that_it_is_given(subject: Suite) -> None:
    for sign in (1, -1):
        inputs = subject.plain_inputs(0)
        names = [name for name in subject.kept if name in inputs]
        for name in names:
            inputs[name] = map_arrays(functools.partial(signed, sign), inputs[name])
        try:
            instance = subject.build(**{**subject.inputs(0), **inputs})
        except (TypeError, ValueError):
            continue  # refused by a check
        leaves = subject.named(instance)
        wanted = given_arrays({name: inputs[name] for name in names})
        fixed = subject.fixed_values()
        for name, value in wanted:
            if any(path == name or path.endswith(f".{name}") for path in fixed):
                continue
            got, bare = leaves.get(name), name.rpartition(".")[2]
            with contextlib.suppress(AttributeError, KeyError):
                got = look_up(instance, name) if got is None else got
            message = f"it was given {value}, and holds {got}"
            hint = f"arithmetic on `{bare}` in the constructor that is not declared"
            if is_array(got) and not is_key(value):
                value = jnp.asarray(value, jnp.result_type(got))
            check(not is_array(got) or same_bits(got, value), name, message, hint)


@CHECKS.register(KEPT)
def test_p01_keeps_the_dtype_that_it_is_given(subject: Suite) -> None:
    inputs = cast(subject.inputs(0), real_dtype("float"), "bfloat16")
    narrow = {name for name, value in given_arrays(inputs) if jnp.result_type(value) == jnp.bfloat16}
    for name, leaf in subject.named(subject.built_abstractly(inputs)).items():
        declared, is_kept = subject.declared(name), name in subject.kept and name in narrow
        if is_kept and declared is not None and declared.dtype == "float":
            message = f"it was given in bfloat16, and no dtype was asked for: it holds {leaf.dtype}"
            hint = "a cast to the default dtype: `dtype` is that which is asked for, or None"
            # Where none can be asked for, the class may compute in that of jax on purpose.
            severity = FAULT if subject.takes_dtype else ADVICE
            check(leaf.dtype == jnp.bfloat16, name, message, hint, severity=severity)


@CHECKS.register(KEPT)
def test_p01_stores_integers_in_the_declared_dtype(subject: Suite) -> None:
    need(not stores_what_it_is_given(subject), "the constructor that Python makes stores what it is given")
    inputs, leaves = subject.plain_inputs(0), subject.named(subject.cached_instance())
    arrays = {n: leaves[n].dtype for n in subject.kept if n in leaves and is_array(inputs.get(n))}
    integers = {name: str(dtype) for name, dtype in arrays.items() if kind_of(dtype) == "int"}
    wanted = {n: dtype for n, dtype in integers.items() if getattr(subject.declared(n), "dtype", "") == dtype}
    need(wanted, "no array of integers is given whose dtype is declared")
    for name, dtype in wanted.items():
        other = jnp.asarray(inputs[name]).astype("int8" if dtype == "int16" else "int16")
        try:
            instance = subject.build(**{**subject.inputs(0), **inputs, name: other})
        except (TypeError, ValueError):
            continue  # refused by a check
        got = subject.named(instance)[name].dtype
        message = f"given as {other.dtype} it is {got}, declared is {dtype}"
        check(str(got) == dtype, name, message, f"`jnp.array({name}, jnp.{dtype})`")


@CHECKS.register(ARRAYS_DECLARED)
def test_p01_integers_have_the_declared_dtype_with_64_bits_as_well(subject: Suite) -> None:
    leaves = subject.named(subject.cached_instance())
    declared = {name: getattr(subject.declared(name), "dtype", None) for name in leaves}
    wanted = {name: dtype for name, dtype in declared.items() if dtype in ("int32", "uint32")}
    need(wanted, "no array of integers has a declared dtype that jax could widen")
    inputs = subject.inputs(0)
    with in_64_bits(), jax.numpy_dtype_promotion("standard"):
        try:
            got = subject.named(subject.built_abstractly(inputs))
        except ANY_ERROR:  # what the class refuses in other dtypes
            return
    for name, dtype in wanted.items():
        found = str(got[name].dtype) if name in got else dtype
        hint = f"an array of jax's own integers: `jnp.zeros(shape, jnp.{dtype})`"
        check(found == dtype, name, f"where jax has 64 bits it is {found}, declared is {dtype}", hint)


@CHECKS.register(KEPT)
def test_p01_keeps_the_order_that_it_is_given(subject: Suite) -> None:
    arguments, instance = given_to_constructor(subject), subject.cached_instance()
    tuples = {n: v for n in subject.kept if type(v := arguments.get(n)) is tuple}
    # Of tuples of arrays another test asks whether their values stay in place.
    plain = {n: v for n, v in tuples.items() if not any(map(is_array, jax.tree.leaves(v)))}
    stored = {n: v for n, v in plain.items() if type(at := getattr(instance, n, None)) is tuple and at == v}
    turned = {n: v[::-1] for n, v in stored.items() if v[::-1] != v}
    need(turned, "no tuple is declared that is held as it is given")
    for name, value in turned.items():
        try:
            instance = build_with(subject, {name: value})
        except ANY_ERROR:
            continue  # it need not be legal
        got = getattr(instance, name)
        check(got == value, name, f"it was given {value}, and holds {got}", "a sort that is not declared")
