"""P2: the leaves are the declared ones."""

import contextlib
import functools
import inspect
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...discover.inference import check_declared
from ...discover.invocation import build_with, given_to_constructor
from ...engine.applicability import ARRAYS_DECLARED, TAKES_DTYPE, Condition, need, not_applicable, of_class
from ...engine.registry import Checks
from ...inspect.arrays import has_dtype, is_array, is_floating, is_inexact, real_dtype
from ...inspect.parameter_values import is_of_item
from ...inspect.references import class_attributes
from ...inspect.static_values import compares_itself
from ...inspect.trees import arrays_of, attributes, is_under, look_up
from ...kinds.pytree import PytreeSuite
from ...kinds.suite import Suite
from ...report import ADVICE, ANY_ERROR, FAULT, Fault, Law, check, check_each, doing, or_else
from ...trace.jaxprs import decompositions
from ...values.dtypes import built_in
from ..ties import STORED_TWICE, TIES, ties_of

LAW = Law(
    number="P2",
    name="manifest",
    statement="The array leaves are exactly the declared ones, with their initial values and of the dtype that is asked for, below sub-modules too, and no array hides elsewhere.",
    protects='Arrays that are no pytree leaves, such as those in a static field or a closure: compiled in as constants, without gradient or update. Equinox warns that "a JAX array is being set as static".',
    mistake="An array is stored as static, in a closure, a partial or a class attribute, or a field is never assigned; a setting is left among the leaves.",
    fix="Store every array in an annotated, assigned field that is flattened, and every setting as static.",
)
CHECKS = Checks(LAW)
IN_32_BITS = "draw in float32 and cast: `jax.random.orthogonal(key, n, dtype=jnp.float32).astype(dtype)`"
VALUES = Condition(
    "no values are declared",
    lambda suite: bool(suite.fixed_values()),
    "value",
    lambda suite: suite.declares_arrays(),
)
FUNCTION = "a static field, `eqx.field(static=True)`, that holds a function of a module: one that each instance makes is compiled anew for each"
HIDDEN = "a field with `static=True`, which a parameter has not; or a child that flatten leaves out"


def is_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


@CHECKS.register(VALUES)
def test_p02_leaves_hold_the_declared_values(subject: Suite) -> None:
    values = subject.named(subject.cached_instance())
    for path, value in subject.fixed_values().items():
        if path in values:
            wanted = np.asarray(value).astype(values[path].dtype)
            message = f"it holds {values[path]}, declared is {value}"
            same = bool(np.all(np.asarray(values[path]) == wanted))
            check(same, path, message, "another initial or preset value")


@CHECKS.register(ARRAYS_DECLARED)
def test_p02_holds_the_same_arrays_at_a_size_of_one(subject: Suite) -> None:
    sizes = dict[str, int]()
    with contextlib.suppress(*ANY_ERROR):  # P5 fails on it
        given = given_to_constructor(subject).items()
        sizes = {name: n for name, n in given if type(n) is int and n > 1}
    need(sizes, "no size is known")
    hint = "a case for a size of one: a flag says what is there"
    for name, size in sizes.items():
        shapes, usual = _shapes_with(subject, name, 1), _shapes_with(subject, name, size)
        gone = [path for path in usual if path not in shapes] if shapes else []
        if gone:  # or it is no size, but a number of layers
            more = _shapes_with(subject, name, size + 1)
            is_size = more.keys() == usual.keys() and more != usual
            message = f"the example holds it, and an instance with {name}=1 does not"
            check(not is_size, ", ".join(gone), message, hint, severity=ADVICE)


def _shapes_with(subject: Suite, name: str, size: int) -> dict[str, Any]:
    """Return the shapes of the arrays at another size by path, or {} if that cannot be built."""
    with contextlib.suppress(*ANY_ERROR), warnings.catch_warnings(action="ignore"):
        return shapes_of(subject.named(build_with(subject, {name: size})))
    return {}


@CHECKS.register()
def test_p02_leaves_are_the_declared_ones(subject: Suite) -> None:
    parts = subject.parts_of(subject.cached_instance())
    for leaf in subject.manifest():
        message = f"declared as {leaf.word}, but no {subject.noun}; the {subject.nouns} are {list(parts)}"
        there = any(subject.declared(n) == leaf for n in parts) or subject.may_be_absent(leaf)
        is_hidden = not there and _is_array_at(subject, leaf.path)
        hidden = f"declared as {leaf.word}, it is an array and no {subject.noun}"
        check(not is_hidden, leaf.path, hidden, HIDDEN)
        check_declared(subject, there, leaf.path, message)
    for name, value in parts.items():
        text = f"{type(value).__name__} {value!r:.200}"
        hint = "keep it out of the leaves: `eqx.field(static=True)`, or aux data of a registered class"
        check(name not in subject.static, name, f"declared in `static`, and a {subject.noun}: {text}", hint)
        message = f"a {subject.noun} that is not declared: {text}"
        hint = FUNCTION if inspect.isroutine(value) else ""
        check_declared(subject, subject.declared(name) is not None, name, message, hint)


@or_else(False, AttributeError, LookupError, TypeError, ValueError)
def _is_array_at(subject: Suite, path: str) -> bool:
    """Whether an instance holds an array at a path, as a leaf or not."""
    return is_array(look_up(subject.cached_instance(), path))


@CHECKS.register(of_class("nothing is declared that is found by position", is_tuple), ARRAYS_DECLARED)
def test_p02_fields_of_a_tuple_have_their_declared_positions(subject: PytreeSuite) -> None:
    instance = subject.cached_instance()
    if not is_tuple(type(instance)) or subject.leaves is None:
        not_applicable("nothing is declared that is found by position")
    fields = instance._fields
    declared = list(dict.fromkeys(leaf.path.split(".")[0] for leaf in subject.leaves))
    need({*declared} <= {*fields}, "its own flatten names no fields")
    names = [name for name in fields if name in declared]
    message = f"its fields with leaves are {names}, declared in the order {declared}"
    hint = "what unpacks it, or indexes it, finds another field: keep the order"
    check(names == declared, type(instance).__name__, message, hint)


AN_ARRAY_LATER = (
    "`jnp.asarray` around it: a compiled call or a training step makes an array of it, and traces anew"
)


@CHECKS.register()
def test_p02_leaves_are_as_declared(subject: Suite) -> None:
    parts = subject.parts_of(subject.as_built())
    check_each(subject.check_kind, ((name, part, subject.declared(name)) for name, part in parts.items()))
    for name, part in parts.items():
        leaf, value = subject.declared(name), subject.value_of(part)
        if leaf is None or leaf.is_tree or leaf.word == "python":
            continue
        message = f"declared as {leaf.word}, it must be a jax.Array and is {value!r:.200}"
        becomes_array = isinstance(value, np.ndarray | np.generic | int | float | complex)
        hint, severity = (AN_ARRAY_LATER, ADVICE) if becomes_array else ("", FAULT)
        is_right = isinstance(value, jax.Array) or is_of_item(subject.as_built(), name)
        check(is_right, name, message, hint, severity=severity)
        shape = value.shape if leaf.shape is None else tuple(leaf.shape)
        message = f"the shape is {value.shape}, declared is {shape}"
        check_declared(subject, value.shape == shape, name, message)
        dtype = "key" if leaf.word == "key" else leaf.dtype
        message = f"the dtype is {value.dtype}, declared is {dtype}"
        check_declared(subject, has_dtype(value, dtype), name, message)


@CHECKS.register(TAKES_DTYPE)
def test_p02_the_dtype_reaches_every_float_leaf(subject: Suite) -> None:
    inputs = {**subject.inputs(0), "dtype": jnp.bfloat16}
    hint = "an array that is made without `dtype`, or a sub-module that is not given it"
    float_leaves = (
        (name, value)
        for name, value in subject.named(subject.built_abstractly(inputs)).items()
        if (leaf := subject.declared(name)) is not None and leaf.dtype == "float" and not leaf.is_tree
    )
    for name, value in (*float_leaves, *leaves_below(subject)):
        message = f"built with dtype bfloat16, it is {value.dtype}"
        check(not is_inexact(value) or value.dtype == jnp.bfloat16, name, message, hint)


def leaves_below(subject: Suite) -> list[tuple[str, Any]]:
    """Return the leaves of sub-trees in a bfloat16 build that usually have the default dtype.

    A sub-tree among the inputs has bfloat16 already.
    """
    usual, before = real_dtype("float"), subject.named(subject.cached_instance())
    return [
        (name, value)
        for name, value in subject.named(built_in(subject, "bfloat16", 0)).items()
        if (leaf := subject.declared(name)) is not None
        and leaf.is_tree
        and leaf.dtype == "float"
        and is_floating(value)
        and getattr(before.get(name), "dtype", None) == usual
        and subject.follows_dtype(name)
    ]


@CHECKS.register(TAKES_DTYPE, rests_on=("test_p02_the_dtype_reaches",))
def test_p02_it_can_be_built_in_half_precision(subject: Suite) -> None:
    if not list(decompositions(subject.traced_build().jaxpr)):
        not_applicable("the constructor decomposes no matrix, and jax has all else in each dtype")
    build, values = subject.traceable_build({"dtype": jnp.bfloat16})
    closed = jax.make_jaxpr(lambda values: arrays_of(subject.to_tree(build(values))[0]))(values)
    for equation in decompositions(closed.jaxpr):
        name, avals = equation.primitive.name, [v.aval for v in equation.invars]
        with doing("build", f"with dtype bfloat16 `{name}` of {avals[0].str_short()}", IN_32_BITS):
            jax.jit(functools.partial(equation.primitive.bind, **equation.params)).lower(*avals)


@CHECKS.register(rests_on=("test_p02_leaves_are_the_",))
def test_p02_no_array_hides_elsewhere(subject: Suite) -> None:
    check_nothing_hides(subject, subject.cached_instance())
    if subject.is_mutable and subject.called():
        instance, arguments = subject.example()
        subject.call(instance, *arguments)
        check_nothing_hides(subject, instance)


def check_nothing_hides(subject: Suite, instance: Any) -> None:
    def check_place(place: str, value: Any) -> None:
        kind, array = type(value).__name__, subject.value_of(value)
        check(array is value, place, f"a {kind} that is not part of the state")
        # `shape` may be a property that refuses; without elements nothing hides.
        if is_array(value) and value.size:
            message = f"an array of shape {value.shape} that is not a {subject.noun}"
            is_compared = any(map(compares_itself, holders(instance, place)))
            severity = ADVICE if is_compared else subject.severity_of_hidden(value)
            raise Fault(place, message, severity=severity)

    check_each(check_place, [*subject.outside_of(instance), *class_attributes(instance)])


def holders(instance: Any, place: str) -> Iterator[Any]:
    """Yield the objects on the way from an instance to a place, which begins with the name of its class."""
    names = place.split(".")[1:-1]
    for count in range(1, len(names) + 1):
        with contextlib.suppress(*ANY_ERROR):  # a place of which look_up knows nothing
            yield look_up(instance, ".".join(names[:count]))


def shapes_of(leaves: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.shape for name, value in leaves.items()}


@CHECKS.register(TIES)
def test_p02_shared_arrays_are_stored_once(subject: Suite) -> None:
    instance = subject.cached_instance()
    for name, path in ties_of(subject, instance):
        inside = [part for part in subject.parts_of(instance) if is_under(part, name)]
        stored = bool(inside) or name in attributes(instance)
        check(not stored, name, f"declared as tied to `{path}`, it is stored itself", STORED_TWICE)
