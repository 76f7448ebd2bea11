"""Inference from instances of declarations that a suite does not make, which laws then check."""

import contextlib
import dis
import inspect
from collections.abc import Collection, Container, Iterator
from types import CodeType, FrameType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from ..declare.leaf_spec import Leaf, Output
from ..declare.render import block, render, render_static
from ..inspect.arrays import is_array, is_inexact, is_key, real_dtype
from ..inspect.call_recorder import recording_calls
from ..inspect.classes import LIBRARIES, is_of_library
from ..inspect.references import parts_of
from ..inspect.static_values import another_value, static_fault
from ..inspect.trees import attributes, avals, clone_as, named_leaves, nodes, one_level, structure
from ..report import ANY_ERROR, Fault, or_else
from ..session import once_per_session
from ..trace.dependencies import stopped_inputs
from ..values.optimisation import has_spec
from .invocation import PLAIN, build_with, example_construction, trace_call


@once_per_session
def inferred_leaves(suite: Any) -> tuple[Leaf, ...]:
    """Return the leaves of the example, each with the role that its class shows."""
    first, second = (suite.cached_instance(), dict(named_leaves(suite.cached_instance(1))))
    cut_off = cut_off_leaves(suite)
    spec = jax.tree.leaves(first.trainable()) if has_spec(first) else None  # None: all arrays are trained
    return tuple(
        inferred_leaf(
            name,
            leaf,
            second.get(name),
            is_trained=None if spec is None else spec[i],
            is_cut_off=name in cut_off,
        )
        for i, (name, leaf) in enumerate(named_leaves(first))
    )


# A call that fails, or does not end, is told by other laws.
@or_else(frozenset(), Exception, pytest.skip.Exception)
def cut_off_leaves(suite: Any) -> Collection[str]:
    """Return the paths of leaves that gradients would reach without `stop_gradient`."""
    if not suite.called():
        return frozenset()
    (closed, _), inputs = trace_call(suite, suite.cached_instance(), {})
    pairs = zip(inputs, stopped_inputs(closed.jaxpr))
    return {name[2:] for (name, _), mark in pairs if mark and name[:2] == "0."}


def inferred_leaf(name: str, leaf: Any, other: Any, *, is_trained: bool | None, is_cut_off: bool) -> Leaf:
    """Declare a leaf as two instances show it. A shape that they do not share is left out."""
    if not is_array(leaf):
        return Leaf(name, "python")
    shape = leaf.shape if leaf.shape == jnp.shape(other) else None
    if is_key(leaf):
        return Leaf(name, "key", shape)
    if not is_inexact(leaf):
        return Leaf(name, "buffer", shape, name_of(leaf.dtype))
    # What an optimiser is given is the caller's to say, where a class has no `trainable()`.
    unused = is_cut_off and is_trained is None
    through = "data" if is_trained is False else "param"
    role = "buffer" if is_cut_off and not unused else through
    return Leaf(name, role, shape, name_of(leaf.dtype), unused=unused)


def name_of(dtype: Any) -> str:
    """Return the name by which a dtype is declared. A default dtype has the name of its kind."""
    if jnp.issubdtype(dtype, jax.dtypes.prng_key):
        return "key"
    names = ("float", "int", "complex", "bool")
    return next((name for name in names if real_dtype(name) == dtype), str(dtype))


@once_per_session
def inferred_statics(suite: Any) -> dict[str, Any]:
    """Return the static values, by path, that two instances of the example share."""
    first, second = (dict(suite.statics_of(suite.cached_instance(seed))) for seed in (0, 1))
    return {path: v for path, v in first.items() if same_value(v, second.get(path))}


def with_other_statics(suite: Any) -> Iterator[tuple[str, Any]]:
    """Yield instances with one static value changed, made without the constructor.

    Static values of sub-modules concern the sub-modules.
    """
    instance = suite.cached_instance()
    for path in suite.statics():
        value = None if "." in path else another_value(getattr(instance, path))
        if value is not None:
            yield path, suite.with_static(instance, path, value)


@or_else(False)  # a value whose == has no truth value
def same_value(value: Any, other: Any) -> bool:
    """Whether two static values are equal and of the same type."""
    return type(value) is type(other) and bool(value == other)


def settings(suite: Any) -> dict[str, str]:
    """Map plain arguments of the constructor to the attributes that store them under their names.

    For example, `rate` may be stored as `rate` or `_rate`.
    """
    invocation = example_construction(suite)
    if invocation is None:
        return {}
    stored, given = attributes(suite.cached_instance()), invocation.given
    plain = [name for name in invocation.varied() if type(given[name]) in PLAIN]
    pairs = ((name, attribute) for name in plain for attribute in (name, f"_{name}") if attribute in stored)
    return {name: attribute for name, attribute in pairs if same_value(stored[attribute], given[name])}


def with_other_settings(suite: Any) -> Iterator[tuple[str, Any]]:
    """Yield instances built with another value of one setting.

    If the constructor refuses a text, the text is put into the attribute.
    """
    instance = suite.cached_instance()
    for name, attribute in settings(suite).items():
        other = another_value(attributes(instance)[attribute])
        try:
            yield name, build_with(suite, {name: other}, abstractly=False)
        except ANY_ERROR:
            if isinstance(other, str):
                yield name, clone_as(type(instance), instance, **{attribute: other})


def statics_of(instance: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes that the treedef holds, of the instance and of the nodes below it."""
    for place, node, aux in nodes(instance):
        above = "" if node is instance else f"{place}."
        children = {id(child) for child in (one_level(node) or ((), ()))[0]}
        for name, value in attributes(node).items():
            plain = id(value) not in children and static_fault(value) is None
            plain = plain and not holds_children(node, name, value, children)
            if plain and is_in_aux(node, name, value, aux):
                yield above + name, value


@or_else(False)  # a flatten that refuses it
def holds_children(node: Any, name: str, value: Any, children: Container[int]) -> bool:
    """Whether an attribute is a tuple of children (by id), so that a longer tuple adds children."""
    if type(value) is not tuple or not value or not all(id(member) in children for member in value):
        return False
    longer = clone_as(type(node), node, **{name: another_value(value)})
    return len(jax.tree.leaves(longer)) > len(jax.tree.leaves(node))


@or_else(False)  # a flatten that refuses it
def is_in_aux(node: Any, name: str, value: Any, aux: Any) -> bool:
    """Whether an attribute is part of the treedef, which changes with it."""
    other = (None,) if type(value) is tuple and not value else another_value(value)
    if other is None:
        return any(part is value for part in parts_of(aux)) and value is not None
    changed = clone_as(type(node), node, **{name: other})
    return structure(changed) != structure(node)


@once_per_session
@or_else((), Exception, pytest.skip.Exception)  # what fails, or does not end, is told by other laws
def inferred_outputs(suite: Any) -> tuple[Output, ...]:
    """Return the outputs in the trace of the example call, or nothing without a trace."""
    outputs = suite.traced_outputs() if suite.called() else ()
    return tuple(Output(tuple(output.shape), name_of(output.dtype)) for output in outputs)


def fits(suite: Any, seed: int) -> bool:
    """Whether the arguments of a seed have the shapes and dtypes of the example."""
    return avals(suite.arguments(seed)) == avals(suite.arguments(0))


def stores_what_it_is_given(suite: Any) -> bool:
    """Whether the suite calls the constructor that `dataclass` or NamedTuple generates.

    Such a constructor stores its arguments unchanged. A function of the author that calls it counts as a
    constructor like any other.
    """
    cls = type(suite.cached_instance())
    return has_a_generated_constructor(cls) and not is_called_by_its_author(suite, cls)


def has_a_generated_constructor(cls: type) -> bool:
    """Whether `dataclass` or NamedTuple generates the constructor, and no `__post_init__` stores values."""
    if issubclass(cls, tuple):
        return True
    owners = [owner for owner in cls.__mro__ if not is_of_library(owner)]
    code = getattr(inspect.unwrap(cls.__init__), "__code__", None)
    generated = getattr(code, "co_filename", "").startswith("<string>")
    fields = getattr(cls, "__dataclass_fields__", {}).values()
    converts = any("converter" in field.metadata for field in fields)
    steps = (getattr(owner, "__post_init__", None) for owner in owners)
    return generated and not (converts or any(map(_stores, filter(None, steps))))


def _stores(function: Any) -> bool:
    """Whether a function assigns attributes, or may assign them, and does not only check."""
    code = getattr(function, "__code__", None)
    if code is None or not {"__setattr__", "setattr", "__dict__", "vars"}.isdisjoint(code.co_names):
        return True
    return any(step.opname in ("STORE_ATTR", "STORE_SUBSCR") for step in dis.get_instructions(code))


def is_called_by_its_author(suite: Any, cls: type) -> bool:
    """Whether a function in the module of the class, outside the suite, calls its constructor."""
    makers = [getattr(cls, name, None) for name in ("__init__", "__new__")]
    codes = {getattr(inspect.unwrap(maker), "__code__", None) for maker in makers if maker}
    suites = {id(code) for code in codes_of(type(suite))}
    callers: list[FrameType] = []

    def note(frame: FrameType) -> None:
        if frame.f_back is not None:
            callers.append(frame.f_back)

    inputs = suite.inputs(0)
    with recording_calls(codes, note):
        suite.build(**inputs)
    return any(
        first.f_globals.get("__name__") == cls.__module__ and id(first.f_code) not in suites
        for first in map(first_own_frame, callers)
    )


def first_own_frame(frame: FrameType) -> FrameType:
    """Return the first frame, from this one upwards, that is not of a library."""
    while frame.f_back is not None:
        module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if module not in (*LIBRARIES, "jaxtyping", "beartype"):
            break
        frame = frame.f_back
    return frame


def codes_of(suite: type) -> Iterator[CodeType]:
    """Yield the code of all functions of a suite, and of functions inside these."""
    members = [value for owner in suite.__mro__ for value in vars(owner).values()]
    functions = (getattr(value, "__func__", value) for value in members)
    todo = [function.__code__ for function in functions if hasattr(function, "__code__")]
    while todo:
        code = todo.pop()
        yield code
        todo += [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def suggest_declaration(suite: Any, whole: bool = True) -> str:
    """Return a declaration of the class that an author can paste.

    Without `whole`, it contains only the parts that the suite declares.
    """
    statics = dict(suite.statics_of(suite.cached_instance()))
    if not whole:
        are_declared = suite.declares_statics()
        statics = {n: v for n, v in statics.items() if n in suite.static or (are_declared and "." not in n)}
    arrays = whole or suite.declares_arrays()
    outputs = inferred_outputs(suite) if whole or suite.returns else ()
    parts = [suite.written_manifest() if arrays else "", render_static(statics)]
    return "\n".join(filter(None, [*parts, block("returns", [render(output) for output in outputs])]))


def check_declared(suite: Any, holds: bool, where: str, message: str, hint: str = "") -> None:
    """Check a declaration, and on failure suggest the declaration that would hold."""
    __tracebackhide__ = True
    if not holds:
        hints = [hint] if hint else []
        with contextlib.suppress(Exception, pytest.skip.Exception):  # it is broken
            hints.append(f"if the class is right, the declaration is\n{suggest_declaration(suite, False)}")
        raise Fault(where, message, "\n  or: ".join(hints))
