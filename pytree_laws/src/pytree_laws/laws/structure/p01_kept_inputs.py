"""P1, of what the constructor is given: it is held as it is."""

import contextlib
import functools

import jax
import jax.numpy as jnp

from ...discover.invocation import build_with, given_to_constructor
from ...engine.applicability import ARRAYS_DECLARED, KEPT, need
from ...engine.registry import Checks
from ...inspect.arrays import is_array, is_key, kind_of, real_dtype, same_bits
from ...inspect.trees import given_arrays, look_up, map_arrays
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, FAULT, check
from ...values.closeness import in_64_bits
from ...values.dtypes import cast
from ...values.randomize import signed

CHECKS = Checks()


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
    need(not isinstance(subject.cached_instance(), tuple), "a tuple stores what it is given")
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
