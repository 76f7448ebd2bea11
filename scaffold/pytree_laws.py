"""The pytree laws: what every class that jax flattens must hold, as tests.

Subclass `PytreeLaws` in a test file, declare the leaves, and say how to build and call the
class; pytest then runs every law on it. A law that should not hold for a class is
overridden like any method, or deselected with `-k`:

    class TestAffine(PytreeLaws):
        leaves = (Leaf("weight", "param", (3, 2)), Leaf("bias", "param", (3,)))
        returns = (Output((3,)),)

        def inputs(self, seed):
            return {"out_size": 3, "in_size": 2, "key": jax.random.key(seed)}

        def build(self, **inputs):
            return Affine.create(**inputs)

        def arguments(self, seed):
            return (sample(seed, (2,)),)

        def call(self, affine, *arguments):
            return affine(*arguments)

`LAWS` states each law, the usual mistake behind a failure, and its fix. The file needs jax,
numpy and pytest, and Equinox only where the class is an Equinox Module.
"""

import collections
import contextlib
import copy
import dataclasses
import functools
import importlib.util
import inspect
import io
import itertools
import math
import os
import pickle
import random
import re
import sys
import traceback
import types
import warnings
import weakref
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.core import Tracer

# Whatever the class under test raises is a finding about it, and no error of the suite.
ANY_ERROR: tuple[type[Exception], ...] = (Exception,)

Guarded = TypeVar("Guarded", bound=type)

# law -> (name, statement, usual mistake, fix)
LAWS = {
    "P1": (
        "construct",
        "The constructor builds the same instance from the same inputs, holds what it is given, draws from its key alone, refuses invalid inputs, works under jit, and changes nothing around it.",
        "A dict, list or array of the caller is changed or stored as it is, a default is shared by all instances, a key is constant, or a check needs the values of arrays.",
        "Copy on the way in (`{**table}`, `list(layers)`, `jnp.array(x)`) and check there; derive randomness from the key alone.",
    ),
    "P2": (
        "manifest",
        "The array leaves are exactly the declared ones, with their initial values, and no array hides elsewhere.",
        "An array is stored as static, in a closure, a partial or a class attribute, or a field is never assigned; a setting is left among the leaves.",
        "Store every array in an annotated, assigned field that is flattened, and every setting as static.",
    ),
    "P3": (
        "round trip",
        "Flatten and unflatten keep the type, the treedef, every attribute and the leaves themselves, whatever the leaves are; flatten changes nothing.",
        "Unflatten converts, checks, calls a constructor that does more than store, or lists the children in another order than flatten.",
        "Unflatten must only store: `object.__new__(cls)` and plain stores, in the order of flatten. Preprocess in a factory.",
    ),
    "P4": (
        "key paths",
        "The order of leaves is the same with and without paths; paths are unique and walk to their leaf.",
        "flatten_with_keys names the children in another order than flatten_func, or names none.",
        "Use register_pytree_with_keys with GetAttrKey(name) for each attribute, in the order of flatten_func.",
    ),
    "P5": (
        "static",
        "The aux data of every node is immutable, hashable and equal by value; the treedef depends on the configuration alone, not on the order of keywords, and survives calls; the call follows its static values; no leaf is weakly typed.",
        "A dict, list, array, NaN, lambda, partial or bound method is static, or an array was made without a dtype.",
        "Keep flat tuples of int, bool, str and module-level functions as static, arrays as leaves, and give every array a dtype.",
    ),
    "P6": (
        "one trace",
        "One trace serves all instances of a configuration, also after a round trip and a training step; another configuration is traced anew.",
        "A static value is new in each instance, or a leaf changes its dtype, weak type or Python type along the way.",
        "Make static values equal by value, keep dtypes fixed in updates, and keep settings in the treedef.",
    ),
    "P7": (
        "jit equals eager",
        "The call gives the same values and dtypes with and without jit, as declared, leaves the instance alone, and computes in the dtype that it is given, also on the way; arguments of zeros or ones give no NaN, and large ones overflow nowhere on the way.",
        "The call branches on values, keeps state on self, mixes dtypes, or makes an array with a fixed or default dtype.",
        "Return new state instead of storing it; make arrays with `dtype=x.dtype`; broadcast explicitly.",
    ),
    "P8": (
        "never stale",
        "After an edit of any leaf the compiled call equals the eager one; an edit of a parameter changes the output.",
        "A value derived from a leaf, or a compiled function that closes over the instance, was stored at construction.",
        "Derive in a property or in the call, and make the instance an argument of the compiled function.",
    ),
    "P9": (
        "gradient and step",
        "Every element of every parameter has a gradient, at the start or elsewhere, which is no NaN where the output is finite; gradients flow through data, and not through buffers; a derivative rule of its own agrees with small steps; a step of AdamW with weight decay moves the parameters alone and keeps structure, shapes and dtypes.",
        "A parameter is not used by the call, or a buffer is among the trained arrays (weight decay moves what gradients skip).",
        "Use each parameter in the call; apply stop_gradient to buffers where they are used, and to nothing else; leave data and buffers out of `trainable()`.",
    ),
    "P10": (
        "vmap equals loop",
        "The call and the constructor give under vmap what a loop gives, also where only some leaves are mapped.",
        "A leaf is no array, the call uses Python control flow on values, or unflatten rejects batched leaves and None.",
        "Keep the leaves arrays, use jnp.where and lax.cond, and let unflatten only store.",
    ),
    "P11": (
        "carry",
        "A state transition keeps structure, shape, dtype and weak type, so that lax.scan can carry it, and gradients pass through it; it changes what it is given.",
        "The update promotes the dtype or drops a weak type or an axis, or the initial state was made without a dtype.",
        "Make the initial state with an explicit shape and dtype, and compute the next one in the same dtype.",
    ),
    "P12": (
        "purity",
        "A call leaves no tracer behind, changes nothing, prints nothing, throws no update away, and draws from a key that it is given.",
        "The call appends to a list, or caches on self, in cached_property, in lru_cache or in a module-level dict; a print or a constant key is left over.",
        "Return what has to be remembered; compute tables in the constructor as buffers, or anew in each call.",
    ),
    "P13": (
        "edit",
        "Replacing one leaf leaves everything else alone; == has a truth value and tells instances apart; an instance is true; copy and replace keep the value or are refused.",
        "A dataclass compares arrays with ==, `__eq__` compares static values alone, `__len__` is 0, or its `__post_init__` changes what `replace` passes through it.",
        "Use `@dataclass(eq=False)`, and preprocess in a factory instead of `__post_init__`.",
    ),
    "P14": (
        "save and load",
        "deepcopy, pickle and saving by leaf path into a fresh skeleton give back the same treedef and leaves; another configuration, a damaged file and one without a leaf are refused, and the skeleton stays as it is.",
        "A static value is equal by identity alone, cannot be pickled, or the file is read by position.",
        "Keep static values equal by value, and save the leaf paths and the static configuration beside the arrays.",
    ),
    "P15": (
        "ownership",
        "No two leaves and no two instances share a buffer, an instance can be donated, and each random draw has its own key: no two draws and no rows of one are equal.",
        "One array object is stored twice, a module-level constant is stored as a leaf, or one key serves two draws.",
        "Copy with `jnp.array(x)`; use one key split per consumer: `key1, key2 = jax.random.split(key)`.",
    ),
    "P16": (
        "helpers",
        "Filter specs select exactly the declared leaves, sub-modules by their own, on copies, with tied leaves and under jit; the call passes through lax; keys give different draws.",
        "A spec compares leaves by identity or value, the class has buffers and no `trainable()`, or the call ignores its key.",
        "Build specs from leaf paths alone, and use the key that is given.",
    ),
    "P17": (
        "identity",
        "The treedef differs from that of a twin class with the same fields.",
        "register_dataclass (flax.struct too) does not record the class in the treedef, so jit and scan mix two such classes up.",
        "Use register_pytree_with_keys, or an Equinox Module.",
    ),
    "P18": (
        "backend",
        "The tests run on the platform that was asked for and on no other; the class commits nothing to a device; the call and its gradient lower for every platform in `lower_for`.",
        "jax fell back to the CPU, an array was put on a device by name, or the call uses a primitive that a platform lacks.",
        "Let the caller place arrays (no `device_put` in the class), and use primitives that every target has.",
    ),
}

TRAINED = ("param", "module", "tree")
ROLES = ("param", "data", "buffer", "key", "module", "tree", "python", "state")


@dataclasses.dataclass(frozen=True)
class Leaf:
    """A declared leaf, or a declared sub-tree of leaves.

    `path` is written as `layers.0.weight`. The role is `param` (a trained array), `data`
    (an array that is never trained, through which gradients flow), `buffer` (one behind
    `stop_gradient`), `key` (typed PRNG keys), `module` (a sub-tree that decides itself
    what is trained), `tree` (a sub-tree of parameters), `python` (no array, held fixed)
    or `state` (kept by `equinox.nn.State`, no leaf). A shape of None is not checked, and
    data or a buffer without a shape may be a sub-tree of such; the dtype `float` is the default float dtype. `value` is what each element holds after
    construction, `std` the standard deviation with which the constructor draws them.
    `unused` says that the example call does not depend on all of its elements, `frozen`
    that nothing of a parameter or a sub-tree is trained, though gradients pass through.
    """

    path: str
    role: str
    shape: tuple[int, ...] | None = None
    dtype: str = "float"
    value: complex | None = None
    std: float | None = None
    unused: bool = False
    frozen: bool = False

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"Leaf {self.path}: role {self.role!r} is none of {ROLES}")

    @property
    def is_tree(self) -> bool:
        """Whether it stands for every leaf below its path."""
        unshaped = self.role in ("data", "buffer") and self.shape is None
        return self.role in ("module", "tree") or unshaped


@dataclasses.dataclass(frozen=True)
class Output:
    """A declared output of the call; a dtype of None is not checked."""

    shape: tuple[int, ...]
    dtype: str | None = "float"


def sample(
    seed: int,
    shape: Sequence[int] = (),
    dtype: str = "float",
    low: int = 0,
    high: int = 2,
) -> jax.Array:
    """Well-spread example values: floats in (0.1, 1), integers in [low, high)."""
    if dtype == "key":
        key = jax.random.key(seed)
        return jax.random.split(key, tuple(shape)) if shape else key
    rng = np.random.default_rng(seed)
    size = math.prod(shape)
    order = rng.permutation(size).reshape(shape)
    kind = real_dtype(dtype)
    if jnp.issubdtype(kind, jnp.bool_):
        return on_device(order % 2 == 0, kind)
    if jnp.issubdtype(kind, jnp.integer):
        return on_device((order + seed) % (high - low) + low, kind)
    spread = 0.1 + 0.9 * (order + rng.uniform(0.1, 0.9, shape)) / max(size, 1)
    if jnp.issubdtype(kind, jnp.complexfloating):
        return on_device(spread + 1j * np.flip(spread), kind)
    return on_device(spread, kind)


def on_device(value: Any, dtype: Any = None) -> jax.Array:
    """A jax array of the values, where jnp.asarray would compile a program for each shape."""
    return jax.device_put(np.array(value, dtype))


def generic(tree: Any, seed: int) -> Any:
    """The tree with random floats and bools: positive floats for an even seed."""
    rng = np.random.default_rng(seed)

    def draw(leaf: Any) -> Any:
        if leaf.dtype == bool:
            return rng.random(leaf.shape) < 0.5
        real = 0.1 + rng.random(leaf.shape)
        signed = real if seed % 2 == 0 else rng.standard_normal(leaf.shape)
        value = signed + 1j * real if jnp.iscomplexobj(leaf) else signed
        return np.asarray(value).astype(leaf.dtype)

    places = {
        i: draw(leaf)
        for i, leaf in enumerate(jax.tree.leaves(tree))
        if is_inexact(leaf) or (is_array(leaf) and leaf.dtype == bool)
    }
    return put(tree, jax.device_put(places))


def generic_indices(tree: Any, seed: int, size: int) -> Any:
    """The tree with random values from 0 to below `size` in its integer arrays."""
    rng = np.random.default_rng(seed)

    def draw(leaf: Any) -> Any:
        if not is_array(leaf) or not jnp.issubdtype(leaf.dtype, jnp.integer):
            return leaf
        high = min(size, int(jnp.iinfo(leaf.dtype).max))
        return on_device(rng.integers(0, high, leaf.shape), leaf.dtype)

    return jax.tree.map(draw, tree)


# --- Failures ------------------------------------------------------------------------------


class LawBroken(AssertionError):
    """A class breaks one of the `LAWS`."""


class Fault(Exception):
    """What a law found, and where; `guarded` makes a `LawBroken` of it."""


def check(holds: bool, where: str, what: str, hint: str = "") -> None:
    __tracebackhide__ = True
    if not holds:
        raise Fault(where, what, hint)


def check_close(
    where: str, told: str, got: Any, wanted: Any, hint: str = "", slack: float = 1.0
) -> None:
    """`close`, or a fault that shows both; only then, since to show a tree takes long."""
    __tracebackhide__ = True
    if not close(got, wanted, slack):
        raise Fault(where, told.format(got, wanted), hint)


@contextlib.contextmanager
def doing(where: str, what: str, hint: str = "") -> Iterator[None]:
    """Says what was being done when the class under test raised an error."""
    __tracebackhide__ = True
    try:
        yield
    except Fault:
        raise
    except ANY_ERROR as error:
        told = f"{what} raised {type(error).__name__}: {str(error)[:500]}"
        raise Fault(where, told, hint) from error


def broken(
    law: str, where: str, what: str, hint: str = "", *, laws: Mapping[str, Any] = LAWS
) -> LawBroken:
    """The failure of a law; `hint` says more exactly than `LAWS` what to look for."""
    name, statement, mistake, fix = laws[law]
    lines = [f"{law} {name}, at `{where}`: {what}"]
    lines += [f"  look for: {hint}"] if hint else []
    lines += [f"  law: {statement}", f"  usual mistake: {mistake}", f"  fix: {fix}"]
    return LawBroken("\n".join(lines))


def guarded(test: Callable[..., None]) -> Callable[..., None]:
    """A law whose every failure says which law it is, and what to do."""
    law = f"P{int(test.__name__[6:8])}"

    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        if any(part in test.__name__ for part in getattr(self, "skips", ())):
            pytest.skip("the class declares that this does not hold for it")
        try:
            under_test = doing(type(self).__name__, "the class under test")
            with one_failure_of_calls(self), under_test:
                suite: Any = type(self)
                stop_if_broken(self, "P1", "build", first_build(suite).error)
                test(self, *args, **kwargs)
        except Fault as fault:
            specimen.cache_clear()  # it may be what is broken
            where, what, hint, *other = fault.args
            failure = broken(
                other[0] if other else law, where, what, hint, laws=self.laws
            )
            raise failure.with_traceback(fault.__traceback__) from fault.__cause__

    return run


def guard(suite: Guarded) -> Guarded:
    """Guards every law that a suite defines."""
    for name, test in list(vars(suite).items()):
        if name.startswith("test_"):
            setattr(suite, name, guarded(test))
    return suite


@contextlib.contextmanager
def settings() -> Iterator[None]:
    """What all laws run under: quick compilation, and products in full precision.

    What they compile runs once or twice. By default a GPU or a TPU rounds what goes into
    a product, as `jit` and eager calls need not do alike.
    """
    name = "jax_disable_most_optimizations"
    before = jax.config.values[name]
    jax.config.update(name, True)
    try:
        with jax.default_matmul_precision("highest"):
            yield
    finally:
        jax.config.update(name, before)


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """`jax.jit` that compiles faster, where that can be: most programs run once or twice."""
    return jax.jit(function, compiler_options=quick_options(), **options)


@functools.cache
def quick_options() -> dict[str, Any] | None:
    """On the CPU, XLA compiles in a third of the time without its fusion emitters."""
    options = {"xla_cpu_use_fusion_emitters": False}
    try:
        jax.jit(lambda x: x, compiler_options=options)(np.float32(0))
    except ANY_ERROR:  # another platform, or a version that has no such option
        return None
    return options


@dataclasses.dataclass(frozen=True)
class FirstUse:
    """What the first use of a constructor or a call raised, changed and printed."""

    error: Exception | None
    changed: tuple[str, ...]
    printed: str

    def check(self, where: str) -> None:
        told = f"the first use changed {', '.join(self.changed)}"
        check(not self.changed, where, told, "a `with` block keeps a setting to itself")
        hint = "a print that was left over from debugging"
        check(not self.printed, where, f"it printed {self.printed!r:.100}", hint)


def first_use(use: Callable[[], Any]) -> FirstUse:
    before, out, error = surroundings(), io.StringIO(), None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            use()
        except ANY_ERROR as raised:
            error = raised
    after = surroundings()
    changed = tuple(name for name in before if before[name] != after.get(name))
    return FirstUse(error, changed, out.getvalue())


@functools.cache
def first_build(laws: type) -> FirstUse:
    """The constructor on the example inputs: its error stops every law."""
    suite = laws()
    inputs = suite.inputs(0)
    return first_use(lambda: suite.build(**inputs))


@functools.cache
def first_call(laws: type) -> FirstUse:
    """The call on the example arguments: its error stops every law of calls."""
    suite = laws()
    instance, arguments = suite.make(0), suite.arguments(0)
    return first_use(lambda: suite.call(instance, *arguments))


@functools.cache
def specimen(laws: type) -> Any:
    """The instance of the example that laws share which change nothing."""
    return laws().make(0)


@contextlib.contextmanager
def one_failure_of_calls(suite: Any) -> Iterator[None]:
    """Whatever fails as the call on the example does is reported once, as that."""
    __tracebackhide__ = True
    try:
        yield
    except Fault as fault:
        if len(fault.args) > 3:  # it is that report
            raise
        laws: Any = type(suite)
        tried = suite.called() and first_build(laws).error is None
        error = first_call(laws).error if tried else None
        if error is not None and repr(fault.__cause__) == repr(error):
            stop_if_broken(suite, "P7", "call", error)
        raise


_REPORTED: set[tuple[type, str]] = set()


def stop_if_broken(suite: Any, law: str, what: str, error: Exception | None) -> None:
    """Fails once for a class whose example fails, and skips what depends on it."""
    __tracebackhide__ = True
    if error is None:
        return
    if (type(suite), what) in _REPORTED:
        pytest.skip(f"the example `{what}` fails, as the first failure of {law} says")
    _REPORTED.add((type(suite), what))
    told = f"`{what}` on the example raised {type(error).__name__}: {str(error)[:500]}"
    hint = "the laws that depend on it are skipped until it works"
    raise Fault(what, told, hint, law) from error


# --- Leaves --------------------------------------------------------------------------------


def real_dtype(name: str) -> Any:
    """The dtype of a declaration; `float`, `int` and `complex` follow jax_enable_x64."""
    python = {"float": float, "int": int, "complex": complex, "bool": bool}
    return jnp.result_type(python[name]) if name in python else jnp.dtype(name)


def has_dtype(value: Any, name: str | None) -> bool:
    """Whether an array has a declared dtype; None allows any."""
    if name == "key" or is_key(value):
        return name in ("key", None) and is_key(value)
    return name is None or jnp.result_type(value) == real_dtype(name)


def is_fixed_inexact(name: str) -> bool:
    """Whether a declared dtype is a float or complex one other than the default."""
    if name in ("float", "key", "None"):
        return False
    return jnp.issubdtype(real_dtype(name), jnp.inexact)


def is_array(value: Any) -> bool:
    return isinstance(value, jax.Array | np.ndarray | np.generic)


def is_constant(value: Any) -> bool:
    """Whether all of several elements are equal."""
    if is_key(value) or jnp.size(value) < 2:
        return False
    values = np.asarray(value)
    return bool(np.all(values == values.flat[0]))


def is_key(value: Any) -> bool:
    return is_array(value) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key)


def is_inexact(value: Any) -> bool:
    return is_array(value) and jnp.issubdtype(value.dtype, jnp.inexact)


def is_floating(value: Any) -> bool:
    return is_array(value) and jnp.issubdtype(value.dtype, jnp.floating)


def flatten(tree: Any) -> tuple[list[Any], Any]:
    return jax.tree.flatten(tree)


def flatten_with_path(tree: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return jax.tree_util.tree_flatten_with_path(tree)


def structure(tree: Any) -> Any:
    return jax.tree.structure(tree)


def path_name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


def named_leaves(tree: Any) -> list[tuple[str, Any]]:
    """Leaf paths and leaves, in the order of flatten."""
    pairs = jax.tree_util.tree_leaves_with_path(tree)
    return [(path_name(path), leaf) for path, leaf in pairs]


def arrays_of(tree: Any) -> list[Any]:
    return [leaf for leaf in jax.tree.leaves(tree) if is_array(leaf)]


def inexact_places(tree: Any) -> list[int]:
    """The positions of the leaves that have a gradient."""
    return [i for i, leaf in enumerate(jax.tree.leaves(tree)) if is_inexact(leaf)]


def put(tree: Any, places: Mapping[int, Any]) -> Any:
    """`tree` with the leaves at these positions replaced."""
    leaves, treedef = flatten(tree)
    return treedef.unflatten([places.get(i, leaf) for i, leaf in enumerate(leaves)])


def map_arrays(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """`jax.tree.map` over the arrays alone: other leaves stay as they are in `tree`."""
    return jax.tree.map(
        lambda leaf, *rest: function(leaf, *rest) if is_array(leaf) else leaf,
        tree,
        *others,
    )


def aval(leaf: Any) -> tuple[Any, ...]:
    """Shape, dtype and weak type, which is what a trace depends on."""
    weak = bool(getattr(leaf, "weak_type", False))
    return (
        (jnp.shape(leaf), str(leaf.dtype), weak) if hasattr(leaf, "dtype") else (leaf,)
    )


def avals(tree: Any) -> dict[str, tuple[Any, ...]]:
    return {name: aval(leaf) for name, leaf in named_leaves(tree)}


def raw(value: Any) -> np.ndarray:
    """A NumPy copy, with keys as their data."""
    return np.array(jax.random.key_data(value) if is_key(value) else value)


def numpy_leaf(value: Any) -> Any:
    """An array as NumPy's, and a key as it is, which NumPy has none of."""
    return value if is_key(value) else np.array(value)


def host(value: Any) -> np.ndarray:
    """A NumPy copy, with keys as their data and small floats widened."""
    array = raw(value)
    return array.astype(np.float64) if array.dtype.kind == "V" else array


# By how many times eps two programs for the same function may differ, where it is not 64.
# jax's own tests give a TPU, whose exp and tanh are less exact, 1e-3 in float32.
ROUNDINGS = {"tpu": 8192}


def close(left: Any, right: Any, slack: float = 1.0) -> bool:
    """Equal structure and dtypes, and values up to rounding."""
    leaves = zip(jax.tree.leaves(left), jax.tree.leaves(right))
    return structure(left) == structure(right) and all(
        close_leaf(one, other, slack) for one, other in leaves
    )


def close_leaf(left: Any, right: Any, slack: float) -> bool:
    if not is_inexact(left) or not is_inexact(right):
        return same_bits(left, right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    wide = np.complex128 if jnp.iscomplexobj(left) else np.float64
    one, other = np.asarray(left).astype(wide), np.asarray(right).astype(wide)
    steps = ROUNDINGS.get(jax.default_backend(), 64)
    rounding = steps * slack * float(jnp.finfo(left.dtype).eps)
    biggest = float(np.abs(one[np.isfinite(one)]).max(initial=1.0))
    return np.allclose(one, other, rounding, rounding * biggest, equal_nan=True)


def same_bits(left: Any, right: Any) -> bool:
    if not (is_array(left) and is_array(right)):
        return left is right or bool(left == right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    return host(left).tobytes() == host(right).tobytes()


def buffer_of(array: Any) -> int | None:
    """The address of the array's memory, where it has one."""
    if not isinstance(array, jax.Array) or not array.size:
        return None
    try:
        return array.unsafe_buffer_pointer()
    except ANY_ERROR:  # a sharded array has many
        return None


def edit(leaf: Any, sign: int = 1) -> Any:
    """Another value of the same shape and dtype; integers stay valid indices if they can."""
    if is_key(leaf):
        data = jax.random.key_data(leaf) + np.uint32(sign + 2)
        return jax.random.wrap_key_data(data, impl=jax.random.key_impl(leaf))
    value = np.asarray(leaf)
    if value.dtype == bool:
        return on_device(~value)
    if not is_inexact(leaf):
        rolled = np.roll(value.ravel(), 1).reshape(value.shape)
        changed = value + 1 if np.array_equal(rolled, value) else rolled
        return on_device(changed, leaf.dtype)
    shift = np.asarray(sample(7, value.shape, "float32")) * sign
    return on_device(value + shift.astype(value.dtype), leaf.dtype)


# --- Objects -------------------------------------------------------------------------------

ATOMS = (type, types.ModuleType, str, bytes, int, float, complex, type(None), np.dtype)
CONTAINERS = (dict, list, tuple, set, frozenset, types.MappingProxyType)
MUTABLE = (dict, list, set, bytearray, np.ndarray)


def is_node(value: Any) -> bool:
    return one_level(value) is not None


def one_level(value: Any) -> tuple[Sequence[Any], Any] | None:
    """Children and aux of a node; None for a leaf."""
    return jax.tree_util.default_registry.flatten_one_level(value)  # type: ignore[attr-defined]


def nodes(tree: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every node of a class (not dict, list, tuple, None) with its place and aux."""
    level = one_level(tree)
    if level is None:
        return
    children, aux = level
    if not isinstance(tree, dict | list | tuple | None):
        yield where or type(tree).__name__, tree, aux
    for index, child in enumerate(children):
        name = next((n for n, v in attributes(tree).items() if v is child), str(index))
        yield from nodes(child, f"{where}.{name}" if where else name)


def attributes(value: Any) -> dict[str, Any]:
    """What is stored on the object itself: its `__dict__` and its slots."""
    found = dict(getattr(value, "__dict__", {}))
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found[name] = getattr(value, name)
    return found


def items(container: Any) -> list[tuple[str, Any]]:
    if isinstance(container, dict | types.MappingProxyType):
        return [(f"[{key!r}]", value) for key, value in container.items()]
    return [(f"[{i}]", value) for i, value in enumerate(container)]


def references(value: Any) -> list[tuple[str, Any]]:
    """What an object holds on to, wherever a stored array could hide."""
    if isinstance(value, ATOMS) or is_array(value):
        return []
    if isinstance(value, CONTAINERS):
        return items(value)
    if isinstance(value, functools.partial):
        return [
            ("(func)", value.func),
            ("(args)", value.args),
            ("(kw)", value.keywords),
        ]
    if isinstance(value, types.MethodType):
        return [("(self)", value.__self__), ("(func)", value.__func__)]
    found = [(f".{name}", held) for name, held in attributes(value).items()]
    if callable(value):
        found += function_references(value)
    return found


def function_references(function: Any) -> list[tuple[str, Any]]:
    found = [("(wrapped)", getattr(function, "__wrapped__", None))]
    found += [("(defaults)", getattr(function, "__defaults__", None))]
    found += [("(defaults)", getattr(function, "__kwdefaults__", None))]
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    for name, cell in zip(names, getattr(function, "__closure__", None) or ()):
        with contextlib.suppress(ValueError):  # an empty cell
            found.append((f"(closure over {name})", cell.cell_contents))
    return found


def reachable(
    root: Any, where: str, stop: Sequence[Any] = ()
) -> Iterator[tuple[str, Any]]:
    """Every object that can be reached from `root`, each once, except through `stop`."""
    seen = {id(value) for value in stop}
    todo = [(where, root)]
    kept = []  # keeps what is visited alive, so that ids stay unique
    while todo:
        place, value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        kept.append(value)
        yield place, value
        todo += [(place + step, held) for step, held in references(value)]


def class_attributes(instance: Any) -> Iterator[tuple[str, Any]]:
    """Attributes of the classes of all nodes, without those that a library brings."""
    for _, node, _ in nodes(instance):
        for cls in type(node).__mro__:
            if cls.__module__.partition(".")[0] not in ("builtins", "equinox", "jax"):
                for name, value in vars(cls).items():
                    if name not in attributes(node):  # else it is a field's default
                        yield f"{cls.__name__}.{name}", value


def mutables(root: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """The mutable containers that the fields hold, functions not looked into."""
    todo, seen = [(where, root)], set()
    while todo:
        place, value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, MUTABLE):
            yield place, value
        if isinstance(value, CONTAINERS):
            todo += [(place + step, held) for step, held in items(value)]
        elif is_plain_object(value):
            held = attributes(value).items()
            todo += [(f"{place}.{name}".lstrip("."), value) for name, value in held]


def is_plain_object(value: Any) -> bool:
    """An object that is its attributes: a pytree node, a dataclass, a configuration."""
    if isinstance(value, ATOMS) or is_array(value):
        return False
    return is_node(value) or (not callable(value) and bool(attributes(value)))


def frozen(value: Any, identity: bool = False, above: tuple[int, ...] = ()) -> Any:
    """A snapshot that compares with ==; `identity` tells replaced containers apart."""
    if id(value) in above:
        return "cycle"
    inside = functools.partial(frozen, identity=identity, above=(*above, id(value)))
    mark = id(value) if identity and type(value) in MUTABLE else None
    if isinstance(value, Tracer):
        return ("tracer", id(value))
    if is_array(value):
        return (
            type(value).__name__,
            str(value.dtype),
            value.shape,
            host(value).tobytes(),
        )
    if isinstance(value, dict | types.MappingProxyType):
        # Without the order of its keys, which no pytree keeps.
        return (mark, type(value), {key: inside(held) for key, held in value.items()})
    if isinstance(value, set | frozenset):
        return (mark, type(value), set(value))
    if isinstance(value, list | tuple):
        return (mark, type(value), [inside(held) for held in value])
    if is_plain_object(value):
        return (type(value), {n: inside(held) for n, held in attributes(value).items()})
    return (type(value), repr(value) if isinstance(value, float) else value)


def walk(tree: Any, path: Any) -> Any:
    """What the keys of a path lead to, by name."""
    for key in path:
        if isinstance(key, jax.tree_util.GetAttrKey):
            tree = getattr(tree, key.name)
        elif isinstance(key, jax.tree_util.SequenceKey):
            tree = tree[key.idx]
        elif isinstance(key, jax.tree_util.DictKey):
            tree = tree[key.key]
        else:  # a node without keys
            tree = (one_level(tree) or ((),))[0][key.key]
    return tree


def look_up(tree: Any, path: str) -> Any:
    """What a dotted path leads to: attributes, positions and dict keys."""
    for name in path.split("."):
        if isinstance(tree, list | tuple) and name.isdigit():
            tree = tree[int(name)]
        elif isinstance(tree, dict):
            tree = tree[name]
        else:
            tree = getattr(tree, name)
    return tree


def clone_as(cls: type, instance: Any, /, **changes: Any) -> Any:
    """An instance of `cls` with the same attributes, made without its constructor."""
    if isinstance(instance, tuple):
        return tuple.__new__(cls, instance)
    clone: Any = object.__new__(cls)
    for name, value in {**attributes(instance), **changes}.items():
        object.__setattr__(clone, name, value)
    return clone


def with_attribute(instance: Any, path: str, value: Any) -> Any:
    """An instance with another value at a dotted path of attributes, made around constructors."""
    name, _, below = path.partition(".")
    held = with_attribute(getattr(instance, name), below, value) if below else value
    return clone_as(type(instance), instance, **{name: held})


def another(value: Any) -> Any:
    """Another static value of the same type, or None where none is obvious."""
    if isinstance(value, bool):
        return not value
    if type(value) in (int, float):
        return value + 1 if value + 1 != value else 0.5  # 1e300 + 1 is 1e300
    if type(value) is str:
        return value + "x"
    return (*value, *value[:1]) if type(value) is tuple and value else None


def alternatives(value: Any) -> list[Any]:
    """Other static values of the same type, among them one that should matter."""
    if isinstance(value, bool):
        return [not value]
    if type(value) is int:
        return [value + 1, value - 1, 0, 2 * value + 3]
    if type(value) is float:
        return [value + 1, 2 * value, -value, 0.0]
    if callable(value):
        return [one for one in (jnp.sin, jnp.cos) if one is not value]
    return [another(value)]


def static_fault(value: Any) -> str | None:
    """What is wrong with a value as static, or None."""
    if is_array(value):
        return "an array: == on it has no truth value, and it gets no gradient"
    if isinstance(value, MUTABLE):
        return f"a {type(value).__name__}: it can change after a compilation"
    if isinstance(value, float) and math.isnan(value):
        return "NaN: it never equals itself, so every call is traced anew"
    if isinstance(value, functools.partial | types.MethodType):
        return f"a {type(value).__name__}: it is new, and unequal, in each instance"
    name = getattr(value, "__qualname__", "") if callable(value) else ""
    if "<lambda>" in name or "<locals>" in name and not isinstance(value, type):
        return f"a local function, {name}: it is new, and unequal, in each instance"
    if isinstance(value, tuple | frozenset):
        return next(filter(None, map(static_fault, value)), None)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if not type(value).__dataclass_params__.frozen:  # type: ignore[attr-defined]
            return "a dataclass that is not frozen: it can change after a compilation"
        return next(filter(None, map(static_fault, attributes(value).values())), None)
    return None


INSTALLED = re.compile(r"[\\/](site|dist)-packages[\\/]|^<")
NEEDS_VALUES = jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError
REGISTER = "a class that is not registered: in __init_subclass__, or mark it @final"
ARRAY = object()  # the place of an array leaf in the static half of a tree


def split(tree: Any) -> tuple[Any, list[Any]]:
    """A tree as a hashable part and its arrays, for trees with leaves that are no arrays."""
    leaves, treedef = flatten(tree)
    static = (treedef, tuple(ARRAY if is_array(leaf) else leaf for leaf in leaves))
    return static, [leaf for leaf in leaves if is_array(leaf)]


def merge(static: Any, arrays: Sequence[Any]) -> Any:
    treedef, leaves = static
    rest = iter(arrays)
    return treedef.unflatten([next(rest) if leaf is ARRAY else leaf for leaf in leaves])


def jit_split(function: Callable[..., Any]) -> Any:
    """`jax.jit` of a function of an instance that it takes in the two parts of `split`."""

    def merged(static: Any, arrays: Any, *arguments: Any) -> Any:
        return function(merge(static, arrays), *arguments)

    return compiled(merged, static_argnums=0)


class Compiled:
    """`jax.jit` of a function of an instance and arguments, which notes its traces.

    Leaves that are no arrays are held static where `mixed` says that an instance has such.
    """

    def __init__(self, function: Callable[..., Any], mixed: Callable[[Any], bool]):
        def traced(instance: Any, *arguments: Any) -> Any:
            self.traces.append(avals(arguments))
            return function(instance, *arguments)

        self.mixed, self.traces = mixed, list[Any]()
        self.plain, self.split = compiled(traced), jit_split(traced)

    def __call__(self, instance: Any, *arguments: Any) -> Any:
        if self.mixed(instance):
            return self.split(*split(instance), *arguments)
        return self.plain(instance, *arguments)

    def shapes(self, instance: Any, *arguments: Any) -> Any:
        """The result of a call as shapes and dtypes, from the same traces."""
        if self.mixed(instance):
            return self.split.eval_shape(*split(instance), *arguments)
        return self.plain.eval_shape(instance, *arguments)

    def traces_of(self, arguments: Any) -> int:
        """How often it was traced for arguments of these shapes and dtypes."""
        return self.traces.count(avals(jax.eval_shape(lambda: arguments)))


def read(instance: Any, name: str) -> Any:
    """An attribute, computed without compiling where it needs no values."""
    try:
        return jax.eval_shape(lambda: arrays_of(getattr(instance, name)))
    except NEEDS_VALUES:
        return getattr(instance, name)


def clear_caches(instance: Any) -> None:
    """Empties functools caches on the class and beside it, so that a call is cold."""
    module = vars(sys.modules.get(type(instance).__module__, types.ModuleType("none")))
    held = [value for _, value in class_attributes(instance)] + list(module.values())
    for value in held:
        for function in (value, *(got for _, got in references_of_wrapper(value))):
            clear = getattr(function, "cache_clear", None)
            if hasattr(function, "cache_info") and callable(clear):
                clear()


def references_of_wrapper(value: Any) -> list[tuple[str, Any]]:
    names = ("method", "__wrapped__", "__func__", "fget")
    found = [(name, inspect.getattr_static(value, name, None)) for name in names]
    return [(name, held) for name, held in found if held is not None]


def adamw(
    value: Any, slope: Any, moments: Any, count: Any, xp: Any = jnp
) -> tuple[Any, Any]:
    """One parameter's step of AdamW, with a rate of 0.05 and a decay of 0.1.

    The step is computed in 32 bits at least: in bfloat16, 1 - 0.999 is 0. `xp` is
    `jax.numpy`, or `numpy` where nothing has to be traced or compiled.
    """
    slope = xp.conj(slope).astype(moments[0].dtype)
    mean = 0.9 * moments[0] + 0.1 * slope
    square = 0.999 * moments[1] + 0.001 * xp.real(slope * xp.conj(slope))
    time = count.astype(square.dtype)
    scale = xp.sqrt(square / (1 - 0.999**time)) + 1e-6
    push = mean / (1 - 0.9**time).astype(mean.dtype) / scale.astype(mean.dtype)
    moved = value - 0.05 * (push + 0.1 * value.astype(push.dtype)).astype(value.dtype)
    return moved, (mean, square)


def descend(
    values: Sequence[Any], slopes: Sequence[Any], moments: Any, xp: Any = jnp
) -> tuple[list[Any], Any]:
    """A step of AdamW for all parameters, and the next state of the optimiser."""
    count, pairs = moments
    count = count + 1
    moved = [adamw(v, g, m, count, xp) for v, g, m in zip(values, slopes, pairs)]
    return [value for value, _ in moved], (count, [pair for _, pair in moved])


def weighted(output: Any) -> Any:
    """A real scalar on which every element of an output has its own weight."""
    wide = output.astype(np.promote_types(output.dtype, np.float32))
    real = jnp.stack([jnp.real(wide), jnp.imag(wide)])
    weight = sample(11, real.shape, str(real.dtype))
    return jnp.sum(weight * (real + real**2))


# --- Traces --------------------------------------------------------------------------------


def inner_jaxprs(equation: Any) -> list[Any]:
    """The jaxprs among the parameters of an equation."""
    held: list[Any] = []
    for value in equation.params.values():
        held += value if isinstance(value, list | tuple) else [value]
    return [getattr(one, "jaxpr", one) for one in held if hasattr(one, "eqns")]


def equations(jaxpr: Any) -> Iterator[Any]:
    """Every equation, those of inner jaxprs too."""
    for equation in jaxpr.eqns:
        yield equation
        for inner in inner_jaxprs(equation):
            yield from equations(inner)


def is_variable(atom: Any) -> bool:
    return not hasattr(atom, "val")  # a literal has a value


def constant_draws(jaxpr: Any, given: set[Any]) -> Iterator[Any]:
    """The random draws whose key does not depend on the variables `given`."""
    for equation in jaxpr.eqns:
        inputs = [is_variable(v) and v in given for v in equation.invars]
        draws = equation.primitive.name in ("random_bits", "threefry2x32")
        if draws and not any(inputs[:2]):
            yield equation
        for inner in inner_jaxprs(equation):
            marks = inputs[len(inputs) - len(inner.invars) :]
            if len(marks) != len(inner.invars):
                marks = [any(inputs)] * len(inner.invars)
            known = {v for v, mark in zip(inner.invars, marks) if mark}
            yield from constant_draws(inner, known)
        if any(inputs):
            given = given | set(equation.outvars)


def dead_equations(jaxpr: Any) -> Iterator[Any]:
    """The equations whose results nothing uses; jax leaves them out when it compiles."""
    used = {v for v in jaxpr.outvars if is_variable(v)}
    for equation in reversed(jaxpr.eqns):
        if equation.effects or used.intersection(equation.outvars):
            used |= {v for v in equation.invars if is_variable(v)}
            for inner in inner_jaxprs(equation):
                yield from dead_equations(inner)
        else:
            yield equation


def is_update_or_check(equation: Any) -> bool:
    """Whether it is `x.at[i].set(y)`, or holds the callback of a check such as `error_if`."""
    every = [
        equation,
        *(e for inner in inner_jaxprs(equation) for e in equations(inner)),
    ]
    names = [each.primitive.name for each in every]
    return names[0].startswith("scatter") or "pure_callback" in names


def repeated_draws(jaxpr: Any) -> Iterator[Any]:
    """The random draws whose key is computed just as that of an earlier draw."""
    yield from Numbering().repeated(jaxpr)


class Numbering:
    """Value numbering: variables that are computed in the same way have one number."""

    def __init__(self) -> None:
        self.of_values: dict[Any, int] = {}
        self.of_variables: dict[Any, int] = {}
        self.drawn: set[int] = set()

    def number(self, atom: Any) -> int:
        if not is_variable(atom):
            return self.intern("literal", str(atom.aval), repr(atom.val))
        return self.of_variables.setdefault(atom, self.intern("new", id(atom)))

    def intern(self, *value: Any) -> int:
        return self.of_values.setdefault(value, len(self.of_values))

    def repeated(self, jaxpr: Any) -> Iterator[Any]:
        for equation in jaxpr.eqns:
            numbers = tuple(map(self.number, equation.invars))
            inner = inner_jaxprs(equation)
            if equation.primitive.name == "random_bits":
                if numbers[0] in self.drawn:
                    yield equation
                self.drawn.add(numbers[0])
            if len(inner) == 1 and equation.primitive.name in ("jit", "pjit"):
                self.of_variables.update(zip(inner[0].invars, numbers))
                yield from self.repeated(inner[0])
                results = [self.number(atom) for atom in inner[0].outvars]
            else:
                # A loop or a branch is not looked into: it is like itself alone.
                what = id(equation) if inner else str(equation.params)
                one = equation.primitive.name, what, numbers
                results = [self.intern(*one, i) for i in range(len(equation.outvars))]
            self.of_variables.update(zip(equation.outvars, results))


def narrowing_casts(jaxpr: Any, narrowest: Mapping[str, int]) -> Iterator[Any]:
    """Casts to fewer bits than any array has that goes in or comes out, by kind."""
    for equation in equations(jaxpr):
        if equation.primitive.name != "convert_element_type":
            continue
        before, after = equation.invars[0].aval.dtype, equation.outvars[0].aval.dtype
        kind = kind_of(after)
        narrower = after.itemsize < min(before.itemsize, narrowest.get(kind, 4))
        if kind and kind == kind_of(before) and narrower:
            yield equation


def kind_of(dtype: Any) -> str:
    """Whether a dtype is one of floats, integers or complex numbers."""
    kinds = {
        "float": jnp.floating,
        "int": jnp.integer,
        "complex": jnp.complexfloating,
    }
    return next((k for k, kind in kinds.items() if jnp.issubdtype(dtype, kind)), "")


def bits_by_kind(values: Sequence[Any]) -> dict[str, int]:
    """The size of the narrowest dtype of each kind."""
    found: dict[str, int] = {}
    for dtype in (value.dtype for value in values):
        found[kind_of(dtype)] = min(found.get(kind_of(dtype), 16), dtype.itemsize)
    return found


def lacks_dtype(error: Exception) -> bool:
    """Whether jax itself says that it has no such operation in this dtype."""
    if isinstance(error, jax.dtypes.TypePromotionError):
        return False
    words = "not supported", "unsupported", "must be float", "does not accept dtype"
    text = str(error).lower()
    frames = traceback.extract_tb(error.__traceback__)
    inside = bool(frames) and "jax" in frames[-1].filename.replace("\\", "/").split("/")
    return inside and (
        isinstance(error, NotImplementedError) or any(word in text for word in words)
    )


LIBRARIES = ("builtins", "equinox", "jax", "jaxlib", "flax", "optax", "numpy", "penzai")


def is_of_library(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in LIBRARIES


def globals_of(instance: Any) -> dict[str, Any]:
    """The state of the modules and classes of all nodes, to compare with ==."""
    found: dict[str, Any] = {}
    for cls in {type(node): None for _, node, _ in nodes(instance)}:
        if is_of_library(cls):
            continue
        of_module = vars(sys.modules.get(cls.__module__, object))
        held: dict[str, Any] = {cls.__module__: of_module}
        held[f"{cls.__module__}.{cls.__qualname__}"] = vars(cls)
        for owner, variables in held.items():
            found |= {
                f"{owner}.{name}": state
                for name, value in variables.items()
                if not name.startswith("__") and (state := state_of(value)) is not None
            }
    return found


def state_of(value: Any) -> Any:
    """A snapshot of what a module or a class could count or cache in; None for others."""
    if isinstance(value, itertools.count):
        return repr(value)
    if is_array(value):
        return frozen(value) if not is_key(value) else None
    if isinstance(value, dict | list | set | bytearray | collections.deque):
        inside = value.items() if isinstance(value, dict) else value
        return type(value), len(value), [shallow(one) for one in inside]
    if isinstance(value, bool | int | float | str | tuple | None):
        return (type(value), shallow(value)) if value is not None else "None"
    weak = weakref.WeakKeyDictionary | weakref.WeakValueDictionary | weakref.WeakSet
    return len(value) if isinstance(value, weak) else None


def shallow(value: Any) -> Any:
    """A value as it is compared inside of a container: others by identity."""
    if isinstance(value, tuple):
        return tuple(map(shallow, value))
    if is_array(value) and not isinstance(value, Tracer) and not is_key(value):
        return frozen(value)
    if isinstance(value, dict | list | set) and len(value) < 100:
        inside = value.items() if isinstance(value, dict) else value
        return id(value), tuple(map(shallow, inside))
    return repr(value) if isinstance(value, bool | int | float | str) else id(value)


def surroundings() -> dict[str, Any]:
    """What a call or a constructor must leave alone: settings, and other generators."""
    values = getattr(jax.config, "values", {})
    settings = {f"jax.config.{k}": v for k, v in values.items()}
    name, state, *rest = np.random.get_state(legacy=True)
    # beartype draws from `random`: it checks one item of a container, any of them.
    is_drawn_from = "beartype" in sys.modules
    return settings | {
        "the state of `random`": None if is_drawn_from else random.getstate(),
        "the state of `np.random`": (name, bytes(np.asarray(state)), *rest),
        "the directory": os.getcwd(),
        "the environment": dict(os.environ),
    }


# --- What single laws need -----------------------------------------------------------------


def _is_no_container(value: Any) -> bool:
    return not isinstance(value, dict | list | tuple)


def given_arrays(inputs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The arrays among the inputs, in containers too, but not those inside of modules."""
    plain = {
        n: v
        for n, v in inputs.items()
        if is_array(v) or isinstance(v, dict | list | tuple)
    }
    pairs = jax.tree_util.tree_leaves_with_path(plain, is_leaf=_is_no_container)
    return [(path_name(path), value) for path, value in pairs if is_array(value)]


def named_arrays(tree: Any) -> list[tuple[str, Any]]:
    return [(name, leaf) for name, leaf in named_leaves(tree) if is_array(leaf)]


def turned_around(value: Any) -> Any:
    """A dict of several entries in the opposite order, and all else as it is."""
    several = type(value) is dict and len(value) > 1
    return dict(reversed(value.items())) if several else value


def signed(sign: int, value: Any) -> Any:
    """A given array with another sign, if it can have one."""
    return -value if sign < 0 and is_inexact(value) else value


def own_functions(cls: type) -> Iterator[tuple[str, Any]]:
    """The constructors and the call of a class, without those that a library brings."""
    for owner in cls.__mro__:
        if is_of_library(owner):
            continue
        for name, value in vars(owner).items():
            builds = isinstance(value, classmethod) or name in ("__init__", "__new__")
            function = getattr(value, "__func__", value)
            if (builds or name == "__call__") and callable(function):
                yield f"{owner.__name__}.{name}", inspect.unwrap(function)


def defaults_of(function: Any) -> list[tuple[str, Any]]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [(one.name, one.default) for one in parameters]


def scramble(value: Any) -> None:
    """Changes a mutable container in place."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        np.copyto(value, not np.any(value), casting="unsafe")
    elif isinstance(value, dict | list | set):
        value.clear()


def stand_in(kind: str, index: int) -> Any:
    """A leaf that is no ordinary array, another one for each index where it can be."""
    makers: dict[str, Callable[[], Any]] = {
        "object": object,
        "None": lambda: None,
        "str": lambda: f"leaf {index}",
        "bool": lambda: index % 2 == 0,
        "abstract": lambda: jax.ShapeDtypeStruct((index,), jnp.float32),
        "rank": lambda: np.zeros((1,) * (index + 4), np.int8),
    }
    return makers[kind]()


def trivial_subclass(cls: type) -> type:
    """A subclass without a body; skips where the class refuses subclasses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return types.new_class(
                "Trivial",
                (cls,),
                {},
                lambda body: body.update(__module__=cls.__module__),
            )
        except TypeError:
            pytest.skip("the class refuses subclasses")


def bfloat16(tree: Any) -> Any:
    """The tree with its floats in bfloat16."""
    dtype = jnp.dtype("bfloat16")
    return map_arrays(
        lambda v: on_device(v, dtype) if is_floating(v) else v,
        tree,
    )


def stack(trees: Sequence[Any]) -> Any:
    return jax.tree.map(stack_leaves, *trees)


def stack_leaves(*leaves: Any) -> Any:
    """jnp.stack, through NumPy where that can be, so that nothing is compiled."""
    if not all(isinstance(leaf, jax.Array) for leaf in leaves):
        return jnp.stack(leaves)
    return thaw(np.stack(list(map(raw, leaves))), leaves[0])


def check_overflow(
    told: str,
    found: Sequence[Any],
    run: Callable[[Any], Sequence[Any]],
    arrays: Sequence[Any],
) -> None:
    """What is not finite in 32 bits is not so in 64, or is too large for the result."""
    if all(np.isfinite(np.asarray(v)).all() for v in found if is_inexact(v)):
        return
    try:
        with in_64_bits(), jax.numpy_dtype_promotion("standard"):
            exact = [np.asarray(v) for v in compiled(run)(list(map(widened, arrays)))]
    except ANY_ERROR:
        return  # the class fixes a dtype
    hint = "`exp` of what may be large: `jax.nn.softmax`, `jnp.logaddexp`, or take the largest off first; `skips` says where they cannot come"
    for i, (narrow, wide) in enumerate(zip(found, exact)):
        if is_inexact(narrow):
            fits = np.abs(wide) < float(jnp.finfo(narrow.dtype).max)
            wrong = fits & ~np.isfinite(np.asarray(narrow))
            both = f"{told} it is {narrow}, in 64 bits {wide}"
            check(not wrong.any(), f"output {i}", both, hint)


def in_64_bits() -> Any:
    """A context where jax has 64 bits."""
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    # Before jax 0.8 it is there alone, and type checkers with a newer one do not know it.
    experimental: Any = importlib.import_module("jax.experimental")
    return experimental.enable_x64()


def widened(leaf: Any) -> Any:
    """A float array in 64 bits, where jax allows them."""
    return jnp.asarray(raw(leaf), jnp.float64) if is_floating(leaf) else leaf


STEP = 0.01  # a longer one takes a curve for a kink, and finds nothing
KINK = 0.05  # by which share two steps, or a step and a slope, differ on a smooth way


def moved(advance: Callable[[Any], Any], carry: Any, i: int, leaf: Any) -> Any:
    return advance(put(carry, {i: leaf}))


CARRY_HINT = "stop_gradient on the carry: nothing is learnt through time"


def check_slopes(
    where: str, move: Callable[[Any], Any], leaf: Any, hint: str = CARRY_HINT
) -> None:
    """Gradients agree with what small steps show, wherever these show a slope."""
    both = compiled(lambda value: jax.jvp(move, (value,), (jnp.ones_like(value),)))
    steps = [raw(leaf) + step for step in (-STEP, 0, STEP)]
    along, slopes = zip(*[both(on_device(value, leaf.dtype)) for value in steps])
    for *values, slope in zip(*along, slopes[1]):
        if is_floating(slope) and slope.dtype.itemsize > 2 and is_smooth(*values):
            first, _, last = (np.asarray(value, np.float64) for value in values)
            found = (last - first) / (2 * STEP)
            told = f"small steps show the slope {found}, its gradient is {slope}"
            off = np.abs(found - np.asarray(slope, np.float64))
            near = off.max() < KINK * np.abs(found).max()
            check(bool(near), where, told, hint)


def check_flow(
    where: str, run: Callable[[list[Any]], Any], values: Sequence[Any], hint: str
) -> None:
    """The same for several arrays at once, each element along a way of its own."""
    ways = [sample(5 + i, leaf.shape, "float32") for i, leaf in enumerate(values)]

    def move(size: Any) -> list[Any]:
        moved = [v + (size * w).astype(v.dtype) for v, w in zip(values, ways)]
        return [y for y in jax.tree.leaves(run(moved)) if is_floating(y)]

    check_slopes(where, move, on_device(0, np.float32), hint)


def own_rules(jaxpr: Any) -> list[str]:
    """The functions with a custom_jvp or custom_vjp that no installed library brings."""
    found = []
    for equation in equations(jaxpr):
        if equation.primitive.name.startswith(("custom_jvp_call", "custom_vjp_call")):
            held = next(iter(inner_jaxprs(equation)), None)
            told = getattr(getattr(held, "debug_info", None), "func_src_info", "")
            name, _, file = str(told).partition(" at ")
            if file and not INSTALLED.search(file):
                found.append(name)
    return found


def check_rule(name: str, loss: Callable[..., Any], values: dict[int, Any]) -> None:
    """Slopes by the rule agree with small steps, wherever these show a slope."""
    start, slopes = loss(values)
    middle = float(start)
    for i, leaf in values.items():
        along = np.asarray(sample(5, leaf.shape, "float32"), leaf.dtype)
        steps = [np.asarray(leaf) + step * along for step in (-STEP, STEP)]
        first, last = (
            float(loss({**values, i: on_device(v, leaf.dtype)})[0]) for v in steps
        )
        if leaf.dtype.itemsize > 2 and is_smooth(first, middle, last):
            found = (last - first) / (2 * STEP)
            slope = float(np.sum(np.asarray(slopes[i]) * along))
            told = f"small steps show the slope {found:.4g}, its own rule gives {slope:.4g}"
            hint = (
                "the derivative of another function in `defvjp` or `defjvp`; `skips` says where "
                "it is meant, as in a straight-through estimator"
            )
            check(abs(found - slope) < KINK * abs(found), name, told, hint)


def is_smooth(*values: Any) -> bool:
    """Whether a value moves, and as much to the one side as to the other."""
    before, middle, after = (np.asarray(value, np.float64) for value in values)
    one, two = middle - before, after - middle
    size = float(np.abs(one).max(initial=0.0))
    moves = size > 1e-4 * (1 + float(np.abs(middle).max(initial=0.0)))
    return moves and float(np.abs(one - two).max(initial=0.0)) < KINK * size


def new_carry(result: Any, carry: Any) -> Any:
    """The new carry: the result, or the first of its parts, or of theirs."""
    while structure(result) != structure(carry) and isinstance(result, tuple | list):
        result = result[0]
    return result


def compares_by_equinox(instance: Any) -> bool:
    """Whether its == is the one of Equinox, which takes the data of a key for a key."""
    equinox: Any = sys.modules.get("equinox")
    return equinox is not None and type(instance).__eq__ is equinox.Module.__eq__


def tree_at(path: Any, instance: Any, value: Any) -> Any:
    """Replaces one leaf by path, with Equinox where it is in use."""
    equinox: Any = sys.modules.get("equinox")
    if equinox is not None:
        return equinox.tree_at(lambda tree: walk(tree, path), instance, value)
    paths = [other for other, _ in jax.tree_util.tree_leaves_with_path(instance)]
    return put(instance, {paths.index(path): value})


def atoms_of(instance: Any) -> dict[int, Any]:
    """The functions among leaves and aux: by id, as a memo that deepcopy keeps them by."""
    held = list(jax.tree.leaves(instance))
    held += [one for _, _, aux in nodes(instance) for one in parts_of(aux)]
    return {id(v): v for v in held if callable(v) and not is_plain_object(v)}


def parts_of(value: Any) -> list[Any]:
    """What a tuple holds, in tuples inside of it too."""
    if not isinstance(value, tuple | frozenset):
        return [value]
    return [part for one in value for part in parts_of(one)]


def can_pickle(value: Any) -> bool:
    try:
        pickle.dumps(value)
    except ANY_ERROR:
        return False
    return True


def keys_as_data(tree: Any) -> Any:
    """Typed keys cannot be pickled; their data can."""
    return map_arrays(lambda v: jax.random.key_data(v) if is_key(v) else v, tree)


def thaw(saved: Any, like: Any) -> Any:
    """A saved array as the kind of `like`: keys were saved as their data."""
    if is_key(like):
        data = on_device(saved)
        return jax.random.wrap_key_data(data, impl=jax.random.key_impl(like))
    return on_device(saved, like.dtype) if isinstance(like, jax.Array) else saved


def copied(leaf: Any) -> Any:
    """An equal array with a buffer of its own."""
    return thaw(raw(leaf), leaf)


def damages(data: bytes, place: Any) -> dict[str, bytes]:
    """Files that are not the one that was saved; the pickle makes a folder at `place`."""

    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(place),)

    return {
        "a file without its last byte": data[:-1],
        "half of a file": data[: len(data) // 2],
        "an empty file": b"",
        "a file of other bytes": bytes(range(256)) * 8,
        "a pickle": pickle.dumps(Trap()),
    }


def shorter_archives(path: Any) -> Iterator[tuple[str, bytes]]:
    """For a file that is an archive, as those of np.savez are: it without one member."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    for dropped in members:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as shorter:
            for name in members.keys() - {dropped}:
                shorter.writestr(name, members[name])
        yield dropped, buffer.getvalue()


def check_damage_is_refused(path: Any, load: Callable[[], Any], name: str) -> None:
    """`load` reads the file at `path`, and nothing else that may be in its place."""
    place = path.with_name("unpickled")
    for what, data in damages(path.read_bytes(), place).items():
        path.write_bytes(data)
        refused = is_refused(load)
        check(not place.exists(), name, "load unpickles, which can run anything")
        hint = "the sizes of the leaves in the file, and allow_pickle=False"
        check(refused, name, f"{what} was loaded", hint)


def is_refused(load: Callable[[], Any]) -> bool:
    """Whether an error is raised; a reader that fails may leave its file open."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            load()
        except ANY_ERROR:
            return True
    return False


def refuses_abstractly(
    build: Callable[..., Any], inputs: Mapping[str, Any], error: type[BaseException]
) -> bool:
    """Whether an error comes without a look at values, so that nothing is computed."""
    try:
        jax.eval_shape(lambda: arrays_of(build(**inputs)))
    except ANY_ERROR as found:
        return isinstance(found, error) and not isinstance(found, NEEDS_VALUES)
    return False


def check_attributes(instance: Any, hint: str) -> None:
    """A round trip keeps what is stored on the object."""
    before = attributes(instance)
    after = attributes(jax.tree.map(lambda leaf: leaf, instance))
    for name in sorted(before.keys() | after.keys()):
        check(name in after, name, "the attribute is lost in a round trip", hint)
        check(name in before, name, "a round trip adds the attribute", hint)
        told = f"before a round trip {before[name]!r:.200}, after {after[name]!r:.200}"
        check(frozen(before[name]) == frozen(after[name]), name, told, hint)


def check_keys(where: str, run: Callable[[Any], Any], given: Any) -> None:
    """No key is consumed twice, as far as jax's own check can tell."""
    try:
        with warnings.catch_warnings(), jax.debug_key_reuse(True):
            warnings.simplefilter("ignore")
            try:
                jax.eval_shape(run, given)
            except NEEDS_VALUES:
                run(given)
    except jax.errors.KeyReuseError as error:
        if jax.__version_info__ < (0, 10) and "In slice," in str(error):
            return  # before 0.10 jax took `keys[0]` for a draw
        told = f"a key is used twice: {str(error).splitlines()[0]}"
        hint = "one key split per consumer: `key1, key2 = jax.random.split(key)`"
        raise Fault(where, told, hint) from error
    except ANY_ERROR:
        return  # the check is experimental; other laws report real errors


def check_caches_hold_no_tracer(variables: Sequence[tuple[str, Any]]) -> None:
    """No container among the variables of a module or a class holds a tracer."""
    for name, value in variables:
        if isinstance(value, dict | list | set) and not name.startswith("__"):
            for place, one in reachable(value, name):
                told = "a tracer was left behind by a call inside jit"
                hint = "a cache in the module or on the class: compute tables in the constructor"
                check(not isinstance(one, Tracer), place, told, hint)


def check_rows_differ(first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    """No drawn array, by path, repeats one row; `second` is drawn from another key."""
    for name, value in first.items():
        if is_floating(value) and name in second:
            same = rows_are_one_draw(host(value), host(second[name]))
            told = "its rows are one and the same draw"
            hint = "one key for all of them: `jax.vmap(draw)(jax.random.split(key, n))`"
            check(not same, name, told, hint)


def rows_are_one_draw(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether along some axis all rows are equal; `others` is a draw from another key.

    Where two draws have a value in common, as signs have, rows may be equal by chance.
    """
    if values.size < 2 or np.isin(values, others).any():
        return False
    sizes = enumerate(values.shape)
    axes = [axis for axis, size in sizes if 1 < size < values.size]
    return any(np.all(values == values.take([0], axis)) for axis in axes)


def check_draws(where: str, trace: Callable[[], Any]) -> None:
    """No two draws come from keys that are computed alike: folded, or of the old kind."""
    try:
        jaxpr = trace().jaxpr
    except NEEDS_VALUES:
        return
    repeated = list(repeated_draws(jaxpr))
    told = f"{len(repeated)} of its draws have the key of an earlier one"
    hint = "one key split per consumer: `key1, key2 = jax.random.split(key)`"
    check(not repeated, where, told, hint)


def trained_names(tree: Any) -> set[str]:
    """The paths that a sub-tree trains: each node by its own `trainable()`, if it has one."""

    def decides(node: Any) -> bool:
        return callable(getattr(node, "trainable", None))

    spec = jax.tree.map(
        lambda node: node.trainable() if decides(node) else is_inexact(node),
        tree,
        is_leaf=decides,
    )
    return {name for name, mark in named_leaves(spec) if mark is True}


def under(name: str, path: str) -> bool:
    return name == path or name.startswith(path + ".")


def twins(instance: Any) -> Iterator[Any]:
    """Instances of other classes with the same fields."""
    cls = type(instance)
    children, aux = one_level(instance) or ((), ())
    yield dataclass_twin(children, aux if isinstance(aux, tuple) else (aux,))
    source = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if source and "<locals>" not in cls.__qualname__:
        with contextlib.suppress(Exception):  # a module that cannot be run twice
            yield clone_as(second_class(cls, source), instance)


def dataclass_twin(children: Sequence[Any], aux: tuple[Any, ...]) -> Any:
    """A class registered by register_dataclass, whose treedef does not name its class."""
    data = [f"child{i}" for i in range(len(children))]
    meta = [f"static{i}" for i in range(len(aux))]
    twin = dataclasses.make_dataclass("Twin", data + meta, eq=False)
    jax.tree_util.register_dataclass(twin, data, meta)
    return twin(*children, *aux)


def second_class(cls: type, source: str) -> type:
    """The class again, from a second run of its module."""
    name = f"{cls.__module__}__twin"
    spec = importlib.util.spec_from_file_location(name, source)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__package__ = sys.modules[cls.__module__].__package__
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return functools.reduce(getattr, cls.__qualname__.split("."), module)  # type: ignore


# --- The platform --------------------------------------------------------------------------

BACKEND_VARIABLE = "PYTREE_LAWS_BACKEND"


def platform_fault(wanted: str) -> str | None:
    """Why the tests cannot run on `wanted`: cpu, cuda, rocm or tpu. None where jax runs on it."""
    try:
        found = jax.devices()
        if found[0] in jax.devices(wanted):
            return None
    except ANY_ERROR as error:
        # jax says it with an AssertionError without a text where no platform is left
        return f"jax has none: {str(error) or 'the platforms that it may use are not here'}"
    return f"jax runs on {found[0].platform} ({found[0].device_kind})"


class PlatformLaws:
    """P18: where the tests run, and for what else the class compiles."""

    backend: ClassVar[str | None] = None  # None: wherever jax runs
    lower_for: ClassVar[Sequence[str]] = ()  # platforms, with or without the hardware
    refused: ClassVar[bool] = (
        False  # True once it has been said that this is not `backend`
    )

    @pytest.fixture(autouse=True)
    def on_the_platform_that_was_asked_for(self):
        """Refuses to run anywhere else, before any work; nothing falls back."""
        wanted = os.environ.get(BACKEND_VARIABLE) or self.backend
        fault = platform_fault(wanted) if wanted else None
        if fault is None:
            return
        told = f"P18 backend: the tests must run on {wanted}, and {fault}"
        if type(self).refused:
            pytest.skip(told)
        type(self).refused = True
        pytest.fail(
            f"{told}\n"
            f"  to run on {wanted}: install jax for it, and set JAX_PLATFORMS={wanted}\n"
            f"  to run elsewhere: set {BACKEND_VARIABLE} to cpu, cuda, rocm or tpu for this run,\n"
            "    or change `backend` in the test class",
            pytrace=False,
        )

    @pytest.fixture(autouse=True)
    def under_the_settings_of_all_laws(self):
        with settings():
            yield

    def check_lowers(
        self, where: str, function: Callable[..., Any], arguments: Sequence[Any]
    ) -> None:
        """Says each platform of `lower_for` for which the function does not lower, and why."""
        found = [lowering_fault(function, name, *arguments) for name in self.lower_for]
        check(not any(found), where, "; ".join(filter(None, found)))


def committed(tree: Any) -> list[str]:
    """The paths of the arrays that are bound to a device, so that jit cannot move them."""
    pairs = [
        (name, leaf) for name, leaf in named_leaves(tree) if isinstance(leaf, jax.Array)
    ]
    return [name for name, leaf in pairs if getattr(leaf, "committed", False)]


def lowering_fault(
    function: Callable[..., Any], platform: str, *arguments: Any
) -> str | None:
    """Why the compiled function cannot be lowered for a platform, which need not be here."""
    from jax import export

    try:
        export.export(jax.jit(function), platforms=[platform])(*arguments)
    except NotImplementedError as error:
        missing = re.search(r"primitive '?([\w-]+)'? not found", str(error))
        told = f"`{platform}` has no primitive `{missing[1]}`" if missing else None
        return told or f"lowering for {platform} raised {str(error)[:300]}"
    except ANY_ERROR as error:
        return (
            f"lowering for {platform} raised {type(error).__name__}: {str(error)[:300]}"
        )
    return None


# --- The laws ------------------------------------------------------------------------------


class Suite(PlatformLaws):
    """What suites of all kinds declare and share."""

    laws: ClassVar[Mapping[str, Any]] = LAWS
    static: ClassVar[Mapping[str, Any]] = {}  # attribute path -> value
    other: ClassVar[Mapping[str, Any] | None] = None  # inputs of another configuration
    absent: ClassVar[Sequence[Mapping[str, Any]]] = ()  # inputs without an optional part
    rejected: ClassVar[Sequence[tuple[Mapping[str, Any], type[BaseException]]]] = ()
    accepted: ClassVar[Sequence[Mapping[str, Any]]] = ()  # changes that must be taken
    returns: ClassVar[Sequence[Output]] = ()
    carry: ClassVar[int | None] = None  # which argument is carried by lax.scan
    drawn: ClassVar[Sequence[str]] = ()  # paths of what is drawn from the key
    kept: ClassVar[Sequence[str]] = ()  # inputs that are held as they are given
    used: ClassVar[Sequence[str]] = ()  # static values and buffers that the call needs
    copies_arrays: ClassVar[bool] = True  # False: it keeps the jax arrays it is given
    ignores_key: ClassVar[bool] = False  # True: the example call draws nothing
    strict: ClassVar[bool] = True  # False: the call may change precision on the way
    broadcasts: ClassVar[bool] = True  # False: the call may not broadcast ranks
    skips: ClassVar[Sequence[str]] = ()  # parts of names of tests that do not hold here

    def inputs(self, seed: int) -> dict[str, Any]:
        """Fresh keyword arguments of the constructor."""
        return {"key": jax.random.key(seed)}

    def build(self, **inputs: Any) -> Any:
        raise NotImplementedError(
            "say how the class is built: def build(self, **inputs)"
        )

    def arguments(self, seed: int) -> tuple[Any, ...]:
        """Fresh example arguments of the call."""
        return ()

    def call(self, instance: Any, *arguments: Any) -> Any:
        pytest.skip("the class is not called")

    def make(self, seed: int) -> Any:
        laws: Any = type(self)
        first_build(laws)  # before any other, so that it sees what the first changes
        return self.build(**self.inputs(seed))

    def specimen(self) -> Any:
        """An instance for laws that only look at it, which is built once for all of them."""
        laws: Any = type(self)
        return specimen(laws)

    def make_other(self) -> Any:
        if self.other is None:
            pytest.skip("no other configuration is declared")
        return self.build(**{**self.inputs(0), **self.other})

    # What the laws share.

    def called(self) -> bool:
        return type(self).call is not Suite.call

    def need_call(self) -> None:
        """Skips where the class is not called, and stops where the example call fails."""
        if not self.called():
            pytest.skip("the class is not called")
        laws: Any = type(self)
        stop_if_broken(self, "P7", "call", first_call(laws).error)

    def example(self) -> tuple[Any, tuple[Any, ...]]:
        """An instance and arguments; skips where the class is not called."""
        self.need_call()
        return self.make(0), self.arguments(0)

    def fixed_values(self) -> dict[str, Any]:
        """What is declared to hold the same value in every instance, by path."""
        return {}

    def plain_inputs(self, seed: int) -> dict[str, Any]:
        """The inputs that belong to the caller."""
        return self.inputs(seed)

    def apply(self, instance: Any, *arguments: Any) -> Any:
        """A call on a copy of its arguments, which it may use up (as an eqx.nn.State)."""
        leaves, treedef = flatten(arguments)
        return self.call(instance, *treedef.unflatten(leaves))

    def traced_call(self) -> Any:
        """The jaxpr of the call on the arrays of an instance and the arguments."""
        raise NotImplementedError

    def named(self, instance: Any) -> dict[str, Any]:
        """The arrays that an instance holds, by path."""
        raise NotImplementedError

    def snapshot_of(self, instance: Any) -> Any:
        """All that an instance holds, to compare with ==."""
        return frozen(instance)

    def check_same(self, first: Any, second: Any, told: str, hint: str = "") -> None:
        """Two instances hold the same bits."""
        left, right = self.named(first), self.named(second)
        told = f"{told}: {{!r:.200}} and {{!r:.200}}"
        for name in {**left, **right}:
            one, other = left.get(name), right.get(name)
            same = is_array(one) and is_array(other) and same_bits(one, other)
            check(same, name, told.format(one, other), hint)

    def call_cases(self) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
        """Fresh instances of one configuration, each with other arguments."""
        for seed in range(3):
            yield f"call {seed + 1}", self.make(seed), self.arguments(seed)


@guard
class Laws(Suite):
    """The laws that are the same for all kinds."""

    # P1 construct

    def test_p01_leaves_its_inputs_alone(self):
        inputs = self.plain_inputs(0)
        before = {name: frozen(value, identity=True) for name, value in inputs.items()}
        self.build(**{**self.inputs(0), **inputs})
        for name, value in inputs.items():
            same = frozen(value, identity=True) == before[name]
            check(same, name, "the constructor changed its input in place")

    def test_p01_keeps_none_of_its_inputs(self):
        inputs = self.plain_inputs(0)
        instance = self.build(**{**self.inputs(0), **inputs})
        given = {id(v): p for name, i in inputs.items() for p, v in mutables(i, name)}
        for place, value in mutables(instance):
            name = given.get(id(value))
            told = f"it is the caller's own {type(value).__name__}, given as `{name}`"
            check(name is None, place, told)
        arrays = given_arrays(inputs) if self.copies_arrays else []
        buffers = {buffer_of(v): n for n, v in arrays if not is_key(v)}
        for name, leaf in self.named(instance).items():
            source = buffers.get(buffer_of(leaf) or -1)
            told = (
                f"it shares its buffer with the input `{source}`: donation takes both"
            )
            check(source is None, name, told, "copy with `jnp.array(x)`, not asarray")

    def test_p01_later_changes_of_its_inputs_do_not_reach_it(self):
        inputs = self.plain_inputs(0)
        instance = self.build(**{**self.inputs(0), **inputs})
        before = self.snapshot_of(instance)
        for _, value in [found for held in inputs.values() for found in mutables(held)]:
            scramble(value)
        told = "it changed when the caller's arrays, lists and dicts were changed later"
        check(self.snapshot_of(instance) == before, type(instance).__name__, told)

    def test_p01_same_inputs_build_the_same_instance(self):
        hint = "randomness that does not come from the key, or state kept in a global"
        told = "two instances of equal inputs differ"
        self.check_same(self.make(0), self.make(0), told, hint)

    def test_p01_the_order_of_dict_entries_does_not_matter(self):
        inputs = self.plain_inputs(0)
        turned = {n: turned_around(value) for n, value in inputs.items()}
        if all(turned[name] is inputs[name] for name in inputs):
            pytest.skip("the constructor takes no dict of several entries")
        first = self.build(**{**self.inputs(0), **inputs})
        second = self.build(**{**self.inputs(0), **turned})
        hint = "entries taken in the order of the dict: jax sorts them by key"
        told = "with the entries of a dict given in another order it differs"
        self.check_same(first, second, told, hint)
        same = structure(first) == structure(second)
        told = "with the entries of a dict given in another order the treedef differs"
        check(same, type(first).__name__, told, hint)

    def test_p01_keeps_the_values_that_it_is_given(self):
        if not self.kept:
            pytest.skip("no inputs are declared that are held as they are given")
        for sign in (1, -1):
            inputs = self.plain_inputs(0)
            for name in self.kept:
                inputs[name] = map_arrays(functools.partial(signed, sign), inputs[name])
            try:
                instance = self.build(**{**self.inputs(0), **inputs})
            except (TypeError, ValueError):
                continue  # refused by a check
            held = self.named(instance)
            wanted = given_arrays({name: inputs[name] for name in self.kept})
            fixed = self.fixed_values()
            for name, value in wanted:
                if any(path == name or path.endswith(f".{name}") for path in fixed):
                    continue
                got, bare = held.get(name), name.rpartition(".")[2]
                with contextlib.suppress(AttributeError, KeyError):
                    got = look_up(instance, name) if got is None else got
                told = f"it was given {value}, and holds {got}"
                hint = f"arithmetic on `{bare}` in the constructor that is not declared"
                if is_array(got) and not is_key(value):
                    value = jnp.asarray(value, jnp.result_type(got))
                kept = not is_array(got) or same_bits(got, value)
                check(kept, name, told, hint)

    def test_p01_draws_from_its_key(self):
        if not self.drawn:
            pytest.skip("nothing is declared as drawn from the key")
        first, second = self.named(self.make(0)), self.named(self.make(1))
        for path in self.drawn:
            names = [name for name in first if under(name, path)]
            # A module may take a key and draw nothing, as a layer norm does.
            names = [n for n in names if n == path or not is_constant(first[n])]
            same = all(same_bits(first[n], second[n]) for n in names if n in second)
            told = "declared as drawn from the key, and the same for two keys"
            hint = "a constant key, or NumPy's generator: use the key that is given"
            check(not (names and same), path, told, hint)

    def test_p01_instances_share_nothing_mutable(self):
        first, second = self.make(0), self.make(1)
        held = {id(value) for _, value in mutables(first)}
        for place, value in mutables(second):
            told = f"two instances hold one and the same {type(value).__name__}"
            check(id(value) not in held, place, told)

    def test_p01_defaults_are_immutable(self):
        instance = self.specimen()
        for where, function in own_functions(type(instance)):
            for name, default in defaults_of(function):
                told = (
                    f"the default of `{name}` is one {type(default).__name__} for all"
                )
                hint = "write `None` or a tuple, and make a new one in the body"
                wrong = isinstance(default, MUTABLE) or is_array(default)
                check(not wrong, where, told, hint)

    def test_p01_rejects_invalid_inputs(self):
        if not self.rejected:
            pytest.skip("no invalid inputs are declared")
        for changes, error in self.rejected:
            where = str(dict(changes))
            told = f"inputs that must raise {error.__name__} were accepted"
            hint = "a check that never runs, as `__post_init__` beside an `__init__`"
            inputs = {**self.inputs(0), **changes}
            if refuses_abstractly(self.build, inputs, error):
                continue
            try:
                self.build(**inputs)
            except error:
                continue
            except ANY_ERROR as other:
                told = f"they must raise {error.__name__}, and raised {other!r}"
            raise Fault(where, told, hint)

    def test_p01_accepts_inputs_at_the_bounds(self):
        if not self.accepted:
            pytest.skip("no bounds are declared")
        for changes in self.accepted:
            with doing(
                str(dict(changes)), "the constructor", "a check with `<`, not `<=`"
            ):
                self.build(**{**self.inputs(0), **changes})

    def test_p01_changes_no_globals(self):
        laws: Any = type(self)
        first_build(laws).check("build")
        first = self.make(0)
        self.make(1)
        before = globals_of(first)
        self.make(2)
        after = globals_of(first)
        wrong = [
            name for name in {**before, **after} if before.get(name) != after.get(name)
        ]
        told = f"the constructor changed {', '.join(wrong)}"
        hint = "a counter or a registry in the module or on the class"
        check(not wrong, ", ".join(wrong), told, hint)

    # P2 manifest

    def test_p02_leaves_hold_the_declared_values(self):
        declared = self.fixed_values()
        if not declared:
            pytest.skip("no values are declared")
        found = self.named(self.specimen())
        for path, value in declared.items():
            if path in found:
                wanted = np.asarray(value).astype(found[path].dtype)
                told = f"it holds {found[path]}, declared is {value}"
                same = bool(np.all(np.asarray(found[path]) == wanted))
                check(same, path, told, "another initial or preset value")

    # P7 jit equals eager

    def test_p07_outputs_are_as_declared(self):
        if not self.returns:
            pytest.skip("no outputs are declared")
        instance, arguments = self.example()
        got = jax.tree.leaves(self.call(instance, *arguments))
        told = f"{len(got)} outputs, declared are {len(self.returns)}"
        check(len(got) == len(self.returns), "call", told)
        for i, (value, output) in enumerate(zip(got, self.returns)):
            told = f"the shape is {jnp.shape(value)}, declared is {output.shape}"
            check(jnp.shape(value) == tuple(output.shape), f"output {i}", told)
            told = f"the dtype is {jnp.result_type(value)}, declared is {output.dtype}"
            check(has_dtype(value, output.dtype), f"output {i}", told)

    def test_p07_loses_no_precision_on_the_way(self):
        self.need_call()
        if not self.strict:
            pytest.skip("the call may change precision on the way")
        closed = self.traced_call()
        held = self.named(self.specimen())
        leaves = [*held.values(), *arrays_of(self.arguments(0))]
        narrowest = bits_by_kind([*leaves, *closed.out_avals])
        for equation in narrowing_casts(closed.jaxpr, narrowest):
            dtypes = equation.invars[0].aval.dtype, equation.outvars[0].aval.dtype
            told = f"it casts {dtypes[0]} to {dtypes[1]}, which nothing that it is given has"
            hint = "`astype` in the middle of the call; `strict = False` allows it"
            raise Fault("call", told, hint)

    # P12 purity

    def test_p12_a_call_changes_no_globals(self):
        self.need_call()
        laws: Any = type(self)
        first_call(laws).check("call")
        cases = list(self.call_cases())
        before: dict[str, Any] = {}
        for what, instance, arguments in cases:
            self.apply(instance, *arguments)
            after = globals_of(instance)
            wrong = [n for n in {**before, **after} if before.get(n) != after.get(n)]
            told = f"{what} on a fresh instance changed {', '.join(wrong)}"
            hint = "a counter in the module, or a cache with an entry for each instance"
            # The first call may fill a cache that depends on the configuration alone.
            check(not wrong or what == "call 1", ", ".join(wrong), told, hint)
            before = after

    def test_p12_the_call_has_no_side_effects(self):
        self.need_call()
        effects = {type(one).__name__ for one in self.traced_call().effects}
        told = f"the call has side effects: {', '.join(sorted(effects))}"
        hint = "`jax.debug.print`, `jax.debug.callback` or `io_callback` in the call"
        check(not effects, "call", told, hint)

    def test_p12_throws_no_update_away(self):
        self.need_call()
        dead = dead_equations(self.traced_call().jaxpr)
        wrong = [one.primitive.name for one in dead if is_update_or_check(one)]
        told = f"nothing uses the result of {', '.join(wrong)}"
        hint = (
            "`x.at[i].set(y)` and `eqx.error_if(x, ...)` change nothing in place: go on "
            "with what they return"
        )
        check(not wrong, "call", told, hint)

    def test_p12_leaves_numpy_arguments_alone(self):
        instance, arguments = self.example()
        given = map_arrays(lambda v: v if is_key(v) else np.array(v), arguments)
        before = [frozen(v) for v in arrays_of(given)]
        with contextlib.suppress(Exception):  # it may refuse NumPy arrays
            self.apply(instance, *given)
        same = [frozen(v) for v in arrays_of(given)] == before
        told = "the call changed an array of its caller in place"
        check(same, "call", told, "`x += y`: NumPy arrays change in place")

    # P15 ownership

    def test_p15_no_two_leaves_share_a_buffer(self):
        owners: dict[int, str] = {}
        for whose, instance in (
            ("", self.make(0)),
            ("another instance's ", self.make(1)),
        ):
            for name, leaf in self.named(instance).items():
                owner = owners.setdefault(buffer_of(leaf) or id(leaf), whose + name)
                told = f"it shares its buffer with {owner}"
                check(owner == whose + name, whose + name, told)

    def test_p15_no_two_parameters_are_the_same_draw(self):
        first, second = self.named(self.make(0)), self.named(self.make(1))
        given = {host(v).tobytes() for _, v in given_arrays(self.plain_inputs(0))}
        drawn: dict[Any, str] = {}
        for name, leaf in first.items():
            is_drawn = is_inexact(leaf) and leaf.size > 1 and name in second
            if is_drawn and not same_bits(leaf, second[name]):
                bits = host(leaf).tobytes()
                twin = drawn.setdefault((leaf.shape, bits), name)
                told, hint = f"it is the same draw as `{twin}`", "one key for two draws"
                check(twin == name or bits in given, name, told, hint)

    def test_p15_rows_of_a_draw_differ(self):
        keys = {n: v for n, v in self.inputs(1).items() if is_key(v)}
        if not keys:
            pytest.skip("the constructor takes no key")
        # What is given is the same in both, and so is no draw.
        drawn_anew = self.build(**{**self.inputs(0), **keys})
        check_rows_differ(self.named(self.make(0)), self.named(drawn_anew))

    # P18 backend

    def call_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The call as a function of pytrees of arrays, and what to give it."""
        raise NotImplementedError

    def gradient_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The gradient of a loss over the call, and what to give it."""
        raise NotImplementedError

    def test_p18_nothing_is_committed_to_a_device(self):
        instance = self.make(0)
        arguments = self.arguments(0) if self.called() else ()
        if committed((self.inputs(0), arguments)):
            pytest.skip("the examples are committed to a device")
        told = "is committed to a device, so that no caller can place it elsewhere"
        for name in committed(self.named(instance)):
            check(False, name, told)
        output = self.call(instance, *arguments) if self.called() else ()
        for name in committed(output):
            check(False, f"output {name}", told)

    def test_p18_the_call_lowers_for_every_platform(self):
        if not self.lower_for:
            pytest.skip("no platform is declared in `lower_for`")
        self.check_lowers("call", *self.call_program())

    def test_p18_the_gradient_lowers_for_every_platform(self):
        if not self.lower_for:
            pytest.skip("no platform is declared in `lower_for`")
        self.check_lowers("gradient of the call", *self.gradient_program())


class PytreeSuite(Laws):
    """What suites of pytrees declare besides, and what their laws share."""

    leaves: ClassVar[Sequence[Leaf]] = ()
    filters: ClassVar[Mapping[str, Sequence[str]]] = {}  # spec method -> selected paths
    tuples: ClassVar[Sequence[str]] = ()  # paths where a tuple is held, and no list
    takes_dtype: ClassVar[bool] = False  # True: `dtype` is an input of the constructor

    def named(self, instance: Any) -> dict[str, Any]:
        return dict(named_arrays(instance))

    def fixed_values(self) -> dict[str, Any]:
        return {one.path: one.value for one in self.leaves if one.value is not None}

    def save(self, instance: Any, path: Any) -> None:
        """By the class's own `save`, or by leaf path."""
        if hasattr(instance, "save"):
            return instance.save(path)
        hosts: dict[str, Any] = {n: host(v) for n, v in named_arrays(instance)}
        np.savez(path, **hosts)

    def load(self, path: Any, skeleton: Any) -> Any:
        """By the class's own `load`, or into the skeleton by leaf path."""
        if hasattr(skeleton, "load"):
            return type(skeleton).load(path, skeleton)
        names = [name for name, _ in named_arrays(skeleton)]
        with np.load(path) as file:
            saved = iter([file[name] for name in names])
        return map_arrays(lambda like: thaw(next(saved), like), skeleton)

    # What the laws share.

    def use(self, instance: Any, *arguments: Any) -> Any:
        """The call, or for a class without one a look at every array."""
        if not self.called():
            return arrays_of(instance)
        laws: Any = type(self)
        first_call(
            laws
        )  # before any other call, so that it sees what the first changes
        return self.apply(instance, *arguments)

    def declared(self, path: str) -> Leaf | None:
        for leaf in self.leaves:
            if path == leaf.path or (leaf.is_tree and under(path, leaf.path)):
                return leaf
        return None

    def is_unused(self, path: str) -> bool:
        leaf = self.declared(path)
        return leaf is not None and leaf.unused

    def is_frozen(self, path: str) -> bool:
        leaf = self.declared(path)
        return leaf is not None and leaf.frozen

    def flowing(self, instance: Any) -> set[str]:
        """The paths that gradients flow through: of a sub-module, what it would train."""
        floats = [name for name, value in named_leaves(instance) if is_floating(value)]
        own = {name for name in floats if self.role(name) in ("param", "data", "tree")}
        return own | (self._trained_below(instance, lambda leaf: True) & set(floats))

    def _trained_below(self, instance: Any, chosen: Callable[[Leaf], bool]) -> set[str]:
        """The paths that the chosen sub-modules train, each by its own word."""
        found: set[str] = set()
        for leaf in self.leaves:
            if leaf.role == "module" and chosen(leaf):
                with contextlib.suppress(AttributeError, KeyError, IndexError):
                    inner = trained_names(look_up(instance, leaf.path))
                    found |= {f"{leaf.path}.{name}".rstrip(".") for name in inner}
        return found

    def role(self, path: str) -> str:
        leaf = self.declared(path)
        return leaf.role if leaf else "undeclared"

    def mixed(self, instance: Any) -> bool:
        """Whether declared leaves are no arrays, so that jax.jit cannot take it."""
        pairs = named_leaves(instance)
        roles = {self.role(name) for name, leaf in pairs if not is_array(leaf)}
        return bool(roles & {"python", "module", "tree"})

    def dynamic(self, instance: Any) -> tuple[Any, Callable[[Any], Any]]:
        """What a transformation can take, and the way back from it to an instance."""
        if not self.mixed(instance):
            return instance, lambda value: value
        static, arrays = split(instance)
        return arrays, functools.partial(merge, static)

    def compiled_use(self) -> Compiled:
        """The compiled `use`, which all laws share: no instance is special to it."""
        laws: Any = type(self)
        return compiled_use(laws)

    def built_abstractly(self, inputs: Mapping[str, Any]) -> Any:
        """An instance of these inputs with zeros in its arrays, made without compiling."""
        kept: list[Any] = []
        leaves, treedef = flatten(inputs)
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

        def build(values: Sequence[Any]) -> Any:
            given = put(treedef.unflatten(leaves), dict(zip(places, values)))
            static, arrays = split(self.build(**given))
            kept.append(static)
            return arrays

        try:
            shapes = jax.eval_shape(build, [leaves[i] for i in places])
            zeros = [on_device(np.zeros(one.shape, one.dtype)) for one in shapes]
        except ANY_ERROR:  # it needs values, or holds keys
            return self.build(**inputs)
        return merge(kept[0], zeros)

    def keys_of_inputs(self) -> list[str]:
        """The names of the keys that the constructor takes."""
        found = self.inputs(0).items()
        return [name for name, value in found if is_key(value) and value.shape == ()]

    def drawn_instances(self) -> Any:
        """Many instances in one: the arrays, each with a leading axis of `DRAWS`."""
        laws: Any = type(self)
        return drawn_instances(laws)

    def traced_call(self) -> Any:
        """The jaxpr of the call on the arrays of an instance and the arguments."""
        laws: Any = type(self)
        return traced_call(laws)

    def traced_build(self) -> Any:
        """The jaxpr of the constructor on the arrays among its inputs."""
        laws: Any = type(self)
        return traced_build(laws)

    def trained(self, instance: Any) -> list[int]:
        """The positions of the trained leaves: `trainable()`, or all inexact arrays."""
        leaves = jax.tree.leaves(instance)
        method = getattr(instance, "trainable", None)
        if not callable(method):
            return inexact_places(instance)
        spec = jax.tree.leaves(method())
        marks = len(spec) == len(leaves) and all(type(mark) is bool for mark in spec)
        told = f"the spec must hold a bool for each of {len(leaves)} leaves, got {spec}"
        check(marks, "trainable", told)
        return [i for i, mark in enumerate(spec) if mark]

    def training_example(self) -> tuple[Any, tuple[Any, ...]]:
        """`example`; skips where nothing is trained or can be differentiated."""
        self.need_call()
        instance, results = self.specimen(), self.traced_call().out_avals
        if not any(jnp.issubdtype(result.dtype, jnp.inexact) for result in results):
            pytest.skip("the call returns nothing to differentiate")
        if not self.trained(instance):
            pytest.skip("the class trains nothing")
        return instance, (self.arguments(0), self.arguments(1))

    def summed_loss(self, instance: Any, examples: Any) -> Any:
        """A scalar on which every inexact element of every output has its own weight."""
        outputs = [self.apply(instance, *arguments) for arguments in examples]
        found = [weighted(y) for y in jax.tree.leaves(outputs) if is_inexact(y)]
        return sum(found, 0.0)

    def slopes(self, instance: Any, places: Sequence[int], examples: Any) -> list[Any]:
        """Gradients of the loss over the example arguments, for the leaves at `places`."""
        leaves = jax.tree.leaves(instance)

        def loss(values: Sequence[Any]) -> Any:
            return self.summed_loss(put(instance, dict(zip(places, values))), examples)

        values = [leaves[i] for i in places]
        try:
            return jax.grad(loss)(values)
        except ValueError as error:
            if "Reverse-mode differentiation" not in str(error):
                raise
            return jax.jacfwd(loss)(values)  # a while_loop has a forward mode alone

    def step(self, instance: Any, moments: Any, examples: Any) -> tuple[list[Any], Any]:
        """The trained leaves after a step of AdamW, and the state of the optimiser."""
        leaves, places = jax.tree.leaves(instance), self.trained(instance)
        slopes = self.slopes(instance, places, examples)
        return descend([leaves[i] for i in places], slopes, moments)

    def start(self, instance: Any) -> Any:
        """The optimiser's first state, in NumPy's arrays."""
        leaves = jax.tree.leaves(instance)
        values = [leaves[i] for i in self.trained(instance)]
        wide = [np.promote_types(v.dtype, np.float32) for v in values]
        zeros = [np.zeros(jnp.shape(v), w) for v, w in zip(values, wide)]
        return np.int32(0), [(zero, np.real(zero)) for zero in zeros]

    def stepped(self, instance: Any, steps: int = 1) -> Any:
        """The instance after some training; only its gradients have to be compiled."""
        examples = self.arguments(0), self.arguments(1)
        moments, places = self.start(instance), self.trained(instance)
        with doing(type(instance).__name__, "a training step"):
            for _ in range(steps):
                slopes = self.slopes_at(instance, examples)
                self.check_has_slopes(instance, slopes)
                leaves = jax.tree.leaves(instance)
                old = [np.asarray(leaves[i]) for i in places]
                along = [slopes[i] for i in places]
                new, moments = descend(old, along, moments, np)
                new = [on_device(v, was.dtype) for v, was in zip(new, old)]
                instance = put(instance, dict(zip(places, new)))
        return instance

    def slopes_at(self, instance: Any, examples: Any) -> dict[int, np.ndarray]:
        """By position, the gradients of the inexact leaves, summed over the examples."""
        found = [self.loss_and_slopes(instance, given)[1] for given in examples]
        return {
            place: np.sum([each[place] for each in found], axis=0) for place in found[0]
        }

    def loss_and_slopes(
        self, instance: Any, arguments: Any
    ) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """The loss of one example, and by position the gradients of the inexact leaves."""
        laws: Any = type(self)
        loss, *slopes = map(np.asarray, compiled_slopes(laws)(instance, *arguments))
        return loss, dict(zip(inexact_places(instance), slopes))

    def check_has_slopes(self, instance: Any, slopes: Mapping[int, Any]) -> None:
        names = [name for name, _ in named_leaves(instance)]
        wrong = [names[i] for i in self.trained(instance) if i not in slopes]
        told = "it is trained, and its dtype has no gradient"
        check(
            not wrong, ", ".join(wrong), told, "integers are counters, not parameters"
        )

    def traceable_build(self) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        """The constructor as a function of the arrays among its inputs, and those."""
        leaves, treedef = flatten(self.inputs(0))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

        def build(values: Sequence[Any]) -> Any:
            return self.build(
                **put(treedef.unflatten(leaves), dict(zip(places, values)))
            )

        return build, [leaves[i] for i in places]

    def check_equal(self, instance: Any, copied: Any, what: str) -> None:
        """Equal treedefs, and leaves of equal bits."""
        before, after = structure(instance), structure(copied)
        told = f"{what} changed the treedef from {before} to {after}"
        check(before == after, type(instance).__name__, told)
        for (name, leaf), other in zip(named_leaves(instance), jax.tree.leaves(copied)):
            if type(leaf) is not type(other) or not same_bits(leaf, other):
                raise Fault(name, f"{what} made {other!r:.200} of {leaf!r:.200}", "")


@guard
class StructureLaws(PytreeSuite):
    """P1 to P5: what the class is built of, and what jax sees of it."""

    # P1 construct

    def test_p01_builds_under_jit_without_leaking(self):
        strays: list[str] = []
        build, given = self.traceable_build()

        def looked_at(values: Sequence[Any]) -> Any:
            # Inside the trace: kept until it is over, an instance would be a leak itself.
            built = build(values)
            parts = reachable(built, type(built).__name__, jax.tree.leaves(built))
            strays.extend(place for place, value in parts if isinstance(value, Tracer))
            return arrays_of(built)

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of static arrays: P5 fails on them
                arrays = jax.eval_shape(looked_at, given)
        except NEEDS_VALUES as error:
            told = f"under jit the constructor needs values: {str(error)[:200]}"
            hint = (
                "a check on the values of arrays: make it where they are no tracers, or "
                "use `eqx.error_if` in the call"
            )
            raise Fault("build", told, hint) from error
        for place in strays:
            told = "built under jit it holds a tracer outside of its leaves"
            hint = "a value computed from arrays that is stored as static"
            raise Fault(place, told, hint)
        instance = self.specimen()
        wanted = [aval(leaf) for leaf in arrays_of(instance)]
        told = f"built under jit its leaves are {arrays}, and otherwise {wanted}"
        same = [aval(leaf) for leaf in arrays] == wanted
        check(same, type(instance).__name__, told)

    def test_p01_draws_have_the_declared_spread(self):
        declared = {leaf.path: leaf.std for leaf in self.leaves if leaf.std}
        if not declared or not self.keys_of_inputs():
            pytest.skip("no standard deviations are declared")
        drawn = dict(named_arrays(self.drawn_instances()))
        for path, std in declared.items():
            values = host(drawn[path]).astype(np.complex128)
            spread = float(np.sqrt(np.mean(np.abs(values) ** 2)))
            told = f"its standard deviation is {spread:.3g}, declared is {std:.3g}"
            slack = max(0.02, 4 / math.sqrt(2 * values.size))
            near = abs(spread / std - 1) < slack
            hint = "another initialiser, or one with fan-in and fan-out exchanged"
            check(near, path, told, hint)
            mean = abs(values.mean()) / std
            centred = mean < 5 / math.sqrt(values.size)
            check(centred, path, f"its mean is {values.mean():.3g}, and not 0", hint)

    def test_p01_every_draw_uses_the_key(self):
        if not self.keys_of_inputs():
            pytest.skip("the constructor takes no key")
        jaxpr = self.traced_build().jaxpr
        wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
        told = f"{len(wrong)} of its draws do not depend on the key that it is given"
        hint = "a constant key, as `jax.random.key(0)`, for one of the fields"
        check(not wrong, "build", told, hint)

    # P2 manifest

    def test_p02_leaves_are_the_declared_ones(self):
        instance = self.specimen()
        name = type(instance).__name__
        check(
            is_node(instance),
            name,
            "it is no pytree: jax takes it for a leaf",
            REGISTER,
        )
        found = dict(named_leaves(instance))
        for leaf in self.leaves:
            told = f"declared as {leaf.role}, but no leaf; the leaves are {list(found)}"
            check(any(self.declared(n) == leaf for n in found), leaf.path, told)
        for name, value in found.items():
            told = f"a leaf that is not declared: {type(value).__name__} {value!r:.200}"
            check(self.declared(name) is not None, name, told)

    def test_p02_leaves_are_as_declared(self):
        for name, value in named_leaves(self.specimen()):
            leaf = self.declared(name)
            if leaf is None or leaf.is_tree:
                continue
            told = f"declared as {leaf.role}, it must be {{}} and is {value!r:.200}"
            if leaf.role == "python":
                check(not is_array(value), name, told.format("no array"))
                continue
            check(isinstance(value, jax.Array), name, told.format("a jax.Array"))
            shape = value.shape if leaf.shape is None else tuple(leaf.shape)
            told = f"the shape is {value.shape}, declared is {shape}"
            check(value.shape == shape, name, told)
            dtype = "key" if leaf.role == "key" else leaf.dtype
            told = f"the dtype is {value.dtype}, declared is {dtype}"
            check(has_dtype(value, dtype), name, told)

    def test_p02_the_dtype_reaches_every_float_leaf(self):
        if not self.takes_dtype:
            pytest.skip("the constructor takes no dtype")
        given = {**self.inputs(0), "dtype": jnp.bfloat16}
        hint = "an array that is made without `dtype`, or a sub-module that is not given it"
        for name, value in named_leaves(self.built_abstractly(given)):
            leaf = self.declared(name)
            follows = leaf is not None and leaf.dtype == "float" and not leaf.is_tree
            if follows and is_inexact(value):
                told = f"built with dtype bfloat16, it is {value.dtype}"
                check(value.dtype == jnp.bfloat16, name, told, hint)

    def test_p02_no_array_hides_elsewhere(self):
        instance = self.specimen()
        name, treedef = type(instance).__name__, structure(instance)
        hollow = None  # the same without its leaves, which may be held twice
        with contextlib.suppress(Exception):  # P3 fails on it
            hollow = treedef.unflatten(
                [object() if is_array(v) else v for v in jax.tree.leaves(instance)]
            )
        found = [
            *reachable(instance, name, arrays_of(instance)),
            *reachable(hollow, name),
        ]
        for place, value in [*found, *class_attributes(instance)]:
            told = f"an array of shape {getattr(value, 'shape', ())} that is not a leaf"
            check(not is_array(value), place, told)

    # P3 round trip

    @pytest.mark.parametrize(
        "kind", ["object", "None", "str", "bool", "abstract", "rank"]
    )
    def test_p03_round_trip_keeps_any_leaves(self, kind):
        instance = self.specimen()
        name, (paths, treedef) = type(instance).__name__, flatten_with_path(instance)
        stand_ins = [stand_in(kind, i) for i in range(len(paths))]
        with doing(name, f"unflatten of {kind} leaves"):
            rebuilt = treedef.unflatten(stand_ins)
        told = f"unflatten of {kind} leaves gave a {type(rebuilt).__name__}"
        check(type(rebuilt) is type(instance), name, told)
        for (path, _), put_in in zip(paths, stand_ins):
            with doing(path_name(path), "reading the leaf after a round trip"):
                got = walk(rebuilt, path)
            told = f"put in {put_in!r}, came back as {got!r:.200}"
            hint = (
                "a conversion in unflatten, or children in another order than flatten"
            )
            check(got is put_in, path_name(path), told, hint)

    def test_p03_round_trip_keeps_treedef_and_leaves(self):
        instance = self.specimen()
        leaves, treedef = flatten(instance)
        again, after = flatten(treedef.unflatten(leaves))
        told = f"the treedef became {after}, it was {treedef}"
        check(after == treedef, type(instance).__name__, told)
        for (name, leaf), got in zip(named_leaves(instance), again):
            told = (
                f"came back as {type(got).__name__}, not as the object that was put in"
            )
            check(got is leaf, name, told, "jnp.asarray or arithmetic in unflatten")

    def test_p03_flatten_changes_nothing(self):
        instance = self.build(**self.inputs(0))
        before = dict(attributes(instance))
        flatten_with_path(instance), flatten(instance)
        after = attributes(instance)
        names = {**before, **after}
        changed = [n for n in names if after.get(n, ARRAY) is not before.get(n, ARRAY)]
        told = "flatten changed what the instance holds"
        check(not changed, ", ".join(changed), told, "a cache that flatten fills")

    def test_p03_round_trip_keeps_every_attribute(self):
        check_attributes(
            self.specimen(), "an attribute that flatten or unflatten leaves out"
        )

    def test_p03_round_trip_keeps_changed_static_values(self):
        for _, changed in self._changed_static_values():
            hint = "unflatten derives the value anew instead of restoring it from aux"
            check_attributes(changed, hint)

    def _changed_static_values(self) -> Iterator[tuple[str, Any]]:
        """Instances with one static value changed, made without the constructor."""
        instance = self.specimen()
        for path in self.static:
            value = None if "." in path else another(getattr(instance, path))
            if value is not None:
                yield path, clone_as(type(instance), instance, **{path: value})

    def test_p03_a_trivial_subclass_is_a_pytree_too(self):
        instance = self.specimen()
        cls = type(instance)
        if getattr(cls, "__final__", False):
            pytest.skip("the class is final")
        sub = trivial_subclass(cls)
        twin = clone_as(sub, instance)
        check(is_node(twin), cls.__name__, "a subclass of it is no pytree", REGISTER)
        rebuilt = jax.tree.map(lambda leaf: leaf, twin)
        told = f"a round trip of a subclass gives a {type(rebuilt).__name__}"
        check(type(rebuilt) is sub, cls.__name__, told, "unflatten names its class")
        leaves = jax.tree.leaves(rebuilt), jax.tree.leaves(instance)
        same = list(map(id, leaves[0])) == list(map(id, leaves[1]))
        check(same, cls.__name__, "a subclass has other leaves", REGISTER)

    # P4 key paths

    def test_p04_order_is_the_same_with_and_without_paths(self):
        instance = self.specimen()
        leaves, treedef = flatten(instance)
        pairs, with_paths = flatten_with_path(instance)
        told = f"with paths the treedef is {with_paths}, without {treedef}"
        check(with_paths == treedef, type(instance).__name__, told)
        for (path, leaf), other in zip(pairs, leaves):
            told = "flatten gives another leaf at this position"
            check(leaf is other, path_name(path), told)

    def test_p04_paths_are_unique_and_lead_to_their_leaf(self):
        instance = self.specimen()
        pairs, _ = flatten_with_path(instance)
        names = [path_name(path) for path, _ in pairs]
        for (path, leaf), name in zip(pairs, names):
            check(names.count(name) == 1, name, f"two leaves have this path: {names}")
            nameless = isinstance(
                next(iter(path), None), jax.tree_util.FlattenedIndexKey
            )
            check(not nameless, name, "the class was registered without keys")
            with doing(name, "walking the path"):
                got = walk(instance, path)
            check(got is leaf, name, f"the path leads to {got!r:.200}, not to its leaf")

    # P5 static

    def test_p05_aux_is_hashable_and_free_of_arrays(self):
        for place, node, aux in nodes(self.specimen()):
            for value in aux if isinstance(aux, tuple) else (aux,):
                names = [
                    f".{n}" for n, held in attributes(node).items() if held is value
                ]
                fault, where = static_fault(value), place + "".join(names[:1])
                check(fault is None, where, f"static is {value!r:.200}, {fault}")
            with doing(place, "hash of the aux data"):
                hash(aux)

    def test_p05_treedef_depends_on_the_configuration_alone(self):
        instance = self.make(0)
        name, first, second = (
            type(instance).__name__,
            structure(instance),
            structure(self.make(1)),
        )
        told = f"two instances of one configuration have treedefs {first} and {second}"
        check(first == second, name, told)
        for path, changed in self._changed_static_values():
            told = "the treedef does not depend on this static value"
            check(structure(changed) != first, path, told, "a value that is not in aux")

    def test_p05_the_order_of_keywords_does_not_matter(self):
        first, inputs = structure(self.specimen()), self.inputs(0)
        second = structure(self.build(**dict(reversed(inputs.items()))))
        told = f"with keywords in another order the treedef is {second}, not {first}"
        hint = "attributes set in the order of `**kwargs`, and flattened in theirs"
        check(first == second, "build", told, hint)

    def test_p05_static_values_are_the_declared_ones(self):
        if not self.static:
            pytest.skip("no static configuration is declared")
        instance = self.specimen()
        leaves = dict(named_leaves(instance))
        for path, value in self.static.items():
            check(path not in leaves, path, "declared as static, but it is a leaf")
            got = look_up(instance, path)
            same = bool(got == value) and isinstance(got, bool) is isinstance(
                value, bool
            )
            check(same, path, f"the static value is {got!r}, declared is {value!r}")

    def test_p05_tuples_are_no_lists(self):
        if not self.tuples:
            pytest.skip("no tuples are declared")
        instance = self.specimen()
        for path in self.tuples:
            got = look_up(instance, path)
            told = f"declared as a tuple, it is a {type(got).__name__}"
            hint = "who appends to a list changes the treedef behind compiled code"
            check(type(got) is tuple, path, told, hint)

    def test_p05_the_call_follows_its_static_values(self):
        if not self.used or not self.called():
            pytest.skip("no static values are declared on which the call depends")
        instance, arguments = self.example()
        leaves = self.named(instance)
        for path in (path for path in self.used if path not in leaves):
            value = look_up(instance, path)
            others = [one for one in alternatives(value) if one is not None]
            changed = [with_attribute(instance, path, other) for other in others]
            before = self.trace_text(instance, arguments)
            seen = any(self.trace_text(one, arguments) != before for one in changed)
            told = f"declared as used by the call, which is the same for {others}"
            hint = "a constant where `self." + path + "` belongs"
            check(seen or not others, path, told, hint)

    def trace_text(self, instance: Any, arguments: Any) -> str:
        """What the call computes, as text, or the error that it raises."""
        try:
            return str(
                jax.make_jaxpr(lambda given: self.apply(instance, *given))(arguments)
            )
        except ANY_ERROR as error:
            return f"{type(error)}"

    def test_p05_treedef_survives_calls(self):
        instance = self.make(0)
        name, before = type(instance).__name__, structure(instance)
        self.use(instance, *self.arguments(0))
        after = structure(instance)
        check(after == before, name, f"a call changed the treedef to {after}")
        value, back = self.dynamic(instance)
        after = structure(back(jax.eval_shape(lambda inside: inside, value)))
        check(after == before, name, f"jit changed the treedef to {after}")

    def test_p05_no_leaf_is_weakly_typed(self):
        for name, leaf in named_leaves(self.specimen()):
            if self.role(name) not in ("module", "tree", "python"):
                told = f"it is no jax.Array but {type(leaf).__name__} {leaf!r:.200}"
                check(isinstance(leaf, jax.Array), name, told)
                told = "it is weakly typed: its dtype changes on the first update"
                hint = "an array made from a Python number without a dtype"
                check(not getattr(leaf, "weak_type", False), name, told, hint)


@guard
class CallLaws(StructureLaws):
    """P6 to P8: the call, compiled and not, before and after edits."""

    # P6 one trace

    def test_p06_one_trace_serves_all_instances(self):
        compiled, arguments = self.compiled_use(), self.arguments(0)
        for what, instance in self._instances_of_one_configuration():
            with doing(what, "the compiled call"):
                compiled(instance, *self.arguments(0))
            told = f"{what} was traced anew, though the configuration is the same"
            once = compiled.traces_of(arguments) == 1
            check(once, type(instance).__name__, told)

    def _instances_of_one_configuration(self) -> Iterator[tuple[str, Any]]:
        yield "the first instance", self.make(0)
        yield "a second instance", self.make(1)
        yield "a round trip", jax.tree.map(lambda leaf: leaf, self.make(0))
        try:
            trained, _ = self.training_example()
        except pytest.skip.Exception:
            return
        yield "an instance after a training step", self.stepped(trained)

    def test_p06_another_configuration_is_traced_anew(self):
        if self.other is None:
            pytest.skip("no other configuration is declared")
        other = generic(self.built_abstractly({**self.inputs(0), **self.other}), 1)
        instance = self.specimen()
        name = f"{type(instance).__name__} with {self.other}"
        same = structure(other) == structure(instance) and avals(other) == avals(
            instance
        )
        told = "neither its treedef nor its leaves tell it from the first configuration"
        check(not same, name, told, "a setting that is not stored as static")
        compiled, arguments = Compiled(self.use, self.mixed), self.arguments(0)
        compiled.shapes(instance, *arguments)
        with contextlib.suppress(Exception):  # the arguments need not fit it
            compiled.shapes(other, *arguments)
        told = "a compiled call takes it for an instance of the first configuration"
        check(compiled.traces_of(arguments) == 2, name, told)

    # P7 jit equals eager

    def test_p07_works_without_what_is_optional(self):
        self.need_call()
        if not self.absent:
            pytest.skip("no part is optional")
        hint = "a part that may be None is asked for (`is None`) before it is used"
        for change in self.absent:
            with doing(f"the call with {dict(change)}", "it", hint):
                instance = self.built_abstractly({**self.inputs(0), **change})
                Compiled(self.use, self.mixed).shapes(instance, *self.arguments(0))

    def test_p07_jit_equals_eager(self):
        self.need_call()
        compiled, name = self.compiled_use(), type(self.specimen()).__name__
        for seed in (0, 1):
            instance = self.make(seed)
            before = frozen(instance)
            eager = self.apply(instance, *self.arguments(seed))
            check(
                frozen(instance) == before, name, "the eager call changed the instance"
            )
            with doing("call", "the call under jax.jit"):
                got = compiled(instance, *self.arguments(seed))
            check_close("call", "jit gives {}, eager {}", got, eager)
            same = frozen(instance) == before
            check(same, name, "the compiled call changed the instance")

    def test_p07_equal_arguments_give_no_nan(self):
        instance, arguments = self.example()
        hint = "a division by a deviation or a norm that can be 0: add an epsilon"
        for fill in (0, 1):
            try:
                results = self.compiled_use()(instance, *self.filled(arguments, fill))
            except ANY_ERROR:
                continue  # a check in the call refuses these values
            for i, result in enumerate(arrays_of(results)):
                told = f"with each element of the arguments {fill} it has NaN"
                has = is_inexact(result) and np.isnan(np.asarray(result)).any()
                check(not has, f"output {i}", told, hint)

    def test_p07_large_arguments_do_not_overflow_on_the_way(self):
        instance, arguments = self.example()
        for fill in (100, -100, 300, -300):
            large = self.filled(arguments, fill)
            try:
                found = arrays_of(self.compiled_use()(instance, *large))
            except ANY_ERROR:
                continue  # a check in the call refuses these values
            told = f"with each element of the arguments {fill}"
            static, arrays = split((instance, large))
            run = functools.partial(self._of_parts, static)
            check_overflow(told, found, run, arrays)

    def _of_parts(self, static: Any, arrays: Any) -> list[Any]:
        instance, arguments = merge(static, arrays)
        return arrays_of(self.apply(instance, *arguments))

    def filled(self, arguments: Sequence[Any], fill: int) -> list[Any]:
        """The arguments with one value in those that are arrays, except for the carry."""
        plain = [is_inexact(v) and i != self.carry for i, v in enumerate(arguments)]
        pairs = zip(arguments, plain)
        return [np.full_like(v, fill) if is_plain else v for v, is_plain in pairs]

    def test_p07_filter_jit_equals_eager(self):
        instance, arguments = self.example()
        equinox: Any = sys.modules.get("equinox")
        if equinox is None or not isinstance(instance, equinox.Module):
            pytest.skip("the class is no Equinox Module")
        eager = self.apply(instance, *arguments)
        options = {"compiler_options": quick_options()}  # handed on to jax.jit
        run = equinox.filter_jit(lambda *a: self.apply(*a), **options)
        got = run(instance, *arguments)
        check_close("call", "filter_jit gives {}, eager {}", got, eager)

    def test_p07_mixes_no_precisions(self):
        instance, arguments = self.example()
        if not self.strict:
            pytest.skip("the call may promote dtypes")
        hint = "operands of two dtypes: cast them explicitly"
        promotion = jax.numpy_dtype_promotion("strict")
        with doing("call", "the call under strict promotion", hint), promotion:
            try:
                jax.eval_shape(lambda: self.apply(instance, *arguments))
            except jax.dtypes.TypePromotionError as error:
                # An integer may meet a float.
                if not any(kind in str(error) for kind in ("int", "bool")):
                    raise

    def test_p07_broadcasts_no_ranks(self):
        instance, arguments = self.example()
        if self.broadcasts:
            pytest.skip("the call may broadcast ranks")
        hint = "operands of two ranks: write `x[None]`, or `broadcasts = True`"
        with doing("call", "the call", hint), jax.numpy_rank_promotion("raise"):
            jax.eval_shape(lambda: self.apply(instance, *arguments))

    def test_p07_bfloat16_in_bfloat16_out(self):
        instance, arguments = self.example()
        if not self._computes_in_one_dtype(instance, arguments):
            pytest.skip("the class fixes a dtype")
        values = bfloat16((instance, arguments))
        with doing("call", "the call in bfloat16"):
            try:
                result = jax.eval_shape(lambda: self.apply(values[0], *values[1]))
            except ANY_ERROR as error:
                if lacks_dtype(error):
                    pytest.skip(f"jax has no such operation in bfloat16: {error}")
                raise
        for i, out in enumerate(jax.tree.leaves(result)):
            wrong = (
                jnp.issubdtype(out.dtype, jnp.floating) and out.dtype != jnp.bfloat16
            )
            told = f"with bfloat16 leaves and arguments it is {out.dtype}"
            check(not wrong, f"output {i}", told, "an array with a fixed dtype")

    def _computes_in_one_dtype(self, instance: Any, arguments: Any) -> bool:
        declared = [leaf.dtype for leaf in self.leaves if leaf.shape is not None]
        declared += [str(out.dtype) for out in self.returns]
        fixed = [name for name in declared if is_fixed_inexact(name)]
        given = [
            v.dtype for v in jax.tree.leaves((instance, arguments)) if is_inexact(v)
        ]
        return not fixed and all(dtype == real_dtype("float") for dtype in given)

    # P8 never stale

    def test_p08_compiled_calls_see_every_edit(self):
        instance, arguments = self.example()
        compiled = self.compiled_use()
        compiled(instance, *arguments)
        for i, (name, leaf) in enumerate(named_leaves(instance)):
            if is_array(leaf):
                edited = put(instance, {i: edit(leaf)})
                got = compiled(edited, *arguments)
                told = "after an edit the compiled call gives {}, eager {}"
                check_close(name, told, got, self.apply(edited, *arguments))

    def test_p08_every_parameter_changes_the_output(self):
        self.need_call()
        compiled = self.compiled_use()
        for i, (name, _) in enumerate(named_leaves(self.specimen())):
            needed = self.role(name) == "param" and not self.is_unused(name)
            if needed or name in self.used:
                seen = any(self._changes_output(compiled, i, s) for s in range(4))
                hint = "a parameter that is not used, or a stored value derived from it"
                told = f"an edit of this {self.role(name)} changes no output"
                check(seen, name, told, hint)

    def _changes_output(self, compiled: Any, i: int, seed: int) -> bool:
        """Whether an edit of a leaf shows: at the start, or at a generic point."""
        instance, arguments = self.specimen(), [self.arguments(seed) for seed in (0, 1)]
        if seed:
            instance, arguments = generic((instance, arguments), seed)
        leaf = jax.tree.leaves(instance)[i]
        edits = [put(instance, {i: edit(leaf, sign)}) for sign in (1, -1)]
        before = [compiled(instance, *each) for each in arguments]
        after = [[compiled(each, *a) for a in arguments] for each in edits]
        return any(not close(before, each) for each in after)

    def test_p08_assignment_is_refused_or_seen(self):
        _, arguments = self.example()
        for i, (name, leaf) in enumerate(named_leaves(self.specimen())):
            if not is_array(leaf) or name not in attributes(self.specimen()):
                continue
            instance = self.make(0)
            self.apply(instance, *arguments)
            try:
                setattr(instance, name, edit(leaf))
            except ANY_ERROR:
                continue  # refused
            got = self.apply(instance, *arguments)
            fresh = self.apply(put(self.make(0), {i: edit(leaf)}), *arguments)
            told = "after an assignment the call gives {}, a fresh instance {}"
            hint = (
                "a method compiled with a static self, or a cache keyed by the instance"
            )
            check_close(name, told, got, fresh, hint)


@guard
class TransformationLaws(CallLaws):
    """P9 to P11: under grad, vmap and scan."""

    # P9 gradient and step

    def test_p09_every_parameter_has_a_gradient(self):
        start, every = next(self._slopes()), self._all_slopes()
        for name, slope in start.items():
            role = self.role(name)
            if role in TRAINED:
                told = f"the gradient is not finite: {slope}"
                check(bool(np.all(np.isfinite(slope))), name, told)
            if role == "param" and not self.is_unused(name):
                hint = "a parameter that the call does not use, or stop_gradient on it"
                told = "the gradient is zero everywhere"
                check(bool(np.any(every[name])), name, told, hint)
            if role == "buffer":
                told = (
                    f"declared as buffer, but the call has the gradient {every[name]}"
                )
                hint = "`jax.lax.stop_gradient` is missing where the buffer is used"
                check(not np.any(every[name]), name, told, hint)

    def test_p09_gradients_flow_through_what_is_not_trained(self):
        self.need_call()
        instance, arguments = generic(self.example(), 2)
        named = list(enumerate(named_leaves(instance)))
        flows = self.flowing(instance)
        data = [(i, n, leaf) for i, (n, leaf) in named if n in flows]
        data = [
            row for row in data if self.role(row[1]) == "data" or self.is_frozen(row[1])
        ]
        if not data:
            pytest.skip("no data is declared that has a gradient, and nothing frozen")
        hint = (
            "`jax.lax.stop_gradient` on data, or on what is frozen; what is to be cut off "
            "is a buffer"
        )
        for i, name, leaf in data:

            def run(values: list[Any], i: int = i) -> Any:
                return self.apply(put(instance, {i: values[0]}), *arguments)

            check_flow(name, run, [leaf], hint)

    def test_p09_every_element_of_a_parameter_has_a_gradient(self):
        for name, slope in self._all_slopes().items():
            if (
                self.role(name) == "param"
                and not self.is_unused(name)
                and np.any(slope)
            ):
                wrong = np.argwhere(slope == 0)
                told = (
                    f"{len(wrong)} of its {slope.size} elements never have a gradient"
                )
                told += (
                    f", the first at {tuple(map(int, wrong[0]))}" if len(wrong) else ""
                )
                hint = (
                    "a part of the parameter that the call does not use; "
                    "`Leaf(..., unused=True)` says that this is so on purpose"
                )
                check(not len(wrong), name, told, hint)

    def test_p09_every_trained_sub_tree_has_a_gradient(self):
        roots = [leaf for leaf in self.leaves if leaf.role in ("module", "tree")]
        if not roots:
            pytest.skip("no sub-trees are declared")
        slopes, instance = self._all_slopes(), self.specimen()
        names = [named_leaves(instance)[i][0] for i in self.trained(instance)]
        for root in roots:
            below = [name for name in names if under(name, root.path)]
            used = not below or any(np.any(slopes[name]) for name in below)
            told = "no leaf of this sub-tree has a gradient"
            check(used or root.unused, root.path, told)

    def test_p09_derivative_rules_of_its_own_are_right(self):
        self.need_call()
        rules = own_rules(self.traced_call().jaxpr)
        if not rules:
            pytest.skip("the call has no derivative rule of its own")
        leaves, treedef = flatten(self.example())
        floats = {i: leaf for i, leaf in enumerate(leaves) if is_floating(leaf)}

        def loss(values: Mapping[int, Any]) -> Any:
            placed = [values.get(i, leaf) for i, leaf in enumerate(leaves)]
            instance, arguments = treedef.unflatten(placed)
            return self.summed_loss(instance, [arguments])

        with doing(rules[0], "the gradient of the call"):
            check_rule(rules[0], compiled(jax.value_and_grad(loss)), floats)

    def _all_slopes(self) -> dict[str, np.ndarray]:
        """By path, the greatest size of each slope at the start and at generic points."""
        laws: Any = type(self)
        self.training_example()
        return all_slopes(laws)

    def _slopes(self) -> Iterator[dict[str, np.ndarray]]:
        """Gradients with respect to all inexact leaves: at the start, and elsewhere."""
        start, examples = self.training_example()
        names = [name for name, _ in named_leaves(start)]
        with doing("call", "the gradient of the call"):
            first = self.slopes_at(start, examples)
        yield {names[i]: slope for i, slope in first.items()}
        for _, instance, given in self._generic_points():
            # A check in the call may refuse the values.
            with contextlib.suppress(Exception):
                found = self.slopes_at(instance, given)
                yield {names[i]: slope for i, slope in found.items()}

    def _generic_points(self) -> Iterator[tuple[str, Any, Any]]:
        """Instances and arguments with random floats, every other time positive ones."""
        instance, _ = self.training_example()
        sizes = [size for leaf in arrays_of(instance) for size in leaf.shape]
        for seed in range(1, POINTS):
            given = self.arguments(2 * seed), self.arguments(2 * seed + 1)
            drawn, given = generic((instance, given), seed)
            given = generic_indices(given, seed, max(sizes, default=2))
            yield f"random values of seed {seed}", drawn, given

    def test_p09_no_gradient_is_nan_where_the_output_is_finite(self):
        start, given = self.training_example()
        names = [name for name, _ in named_leaves(start)]
        flat = tuple(self.filled(arguments, 0) for arguments in given)
        points = [("arguments of zeros", start, flat), *self._generic_points()]
        hint = (
            "`jnp.where` hides a NaN of the value, and not that of its gradient: make what "
            "goes in safe, `jnp.where(x > 0, x, 1)`; a root needs an epsilon inside"
        )
        for what, instance, examples in points:
            for loss, slopes in self._losses_and_slopes(instance, examples):
                wrong = [i for i, slope in slopes.items() if np.isnan(slope).any()]
                wrong = [names[i] for i in wrong if self.role(names[i]) in TRAINED]
                told = f"with {what} the output is finite, and the gradient is NaN"
                check(not wrong or not np.isfinite(loss), ", ".join(wrong), told, hint)

    def _losses_and_slopes(self, instance: Any, examples: Any) -> Iterator[Any]:
        for arguments in examples:
            # A check in the call may refuse the values.
            with contextlib.suppress(Exception):
                yield self.loss_and_slopes(instance, arguments)

    def test_p09_a_step_moves_the_parameters_alone(self):
        start, _ = self.training_example()
        ran = [(one, self.stepped(one)) for one in (start, generic(start, 2))]
        leaves = [map(jax.tree.leaves, pair) for pair in ran]
        pairs = list(zip(*(zip(*both) for both in leaves)))
        for (name, _), both in zip(named_leaves(start), pairs):
            role = self.role(name)
            moved = [new for old, new in both if not same_bits(old, new)]
            frozen = self.is_frozen(name)
            if role == "param" and not frozen:
                hint = "a parameter that `trainable()` leaves out"
                check(bool(moved), name, "a training step did not move it", hint)
            if frozen or role in ("data", "buffer", "key", "python"):
                role = "frozen" if frozen else role
                told = f"declared as {role}, a training step moved it to {moved!r:.200}"
                check(not moved, name, told)

    def test_p09_steps_keep_the_structure(self):
        instance, _ = self.training_example()
        name, after = type(instance).__name__, self.stepped(instance, steps=2)
        same = structure(after) == structure(instance)
        check(same, name, "two training steps changed the treedef")
        told = f"two training steps made {avals(after)} of {avals(instance)}"
        check(avals(after) == avals(instance), name, told)

    # P10 vmap equals loop

    def test_p10_stacked_instances(self):
        self.need_call()
        instances = [self.make(seed) for seed in range(3)]
        arguments = [self.arguments(seed) for seed in range(3)]
        _, back = self.dynamic(instances[0])
        stacked = stack([self.dynamic(each)[0] for each in instances])
        mapped = jax.vmap(lambda value, given: self.apply(back(value), *given))
        got = compiled(mapped)(stacked, stack(arguments))
        loop = stack([self.apply(each, *a) for each, a in zip(instances, arguments)])
        name = type(instances[0]).__name__
        check_close(name, "vmap gives {}, a loop {}", got, loop, slack=16)

    def test_p10_one_leaf_mapped(self):
        instance, arguments = self.example()
        value, back = self.dynamic(instance)
        leaves, treedef = flatten(value)
        if not leaves:
            pytest.skip("the class has no arrays")
        edits = [leaves[0], edit(leaves[0])]
        name, mapped = named_arrays(instance)[0][0], put(value, {0: stack(edits)})
        with doing(name, "vmap over this leaf alone, in_axes None for the others"):
            axes = treedef.unflatten([0] + [None] * (len(leaves) - 1))
            inner = jax.vmap(lambda v: self.apply(back(v), *arguments), in_axes=(axes,))
            got = compiled(inner)(mapped)
        loop = stack([self.apply(back(put(value, {0: e})), *arguments) for e in edits])
        check_close(name, "vmap gives {}, a loop {}", got, loop, slack=16)

    def test_p10_vmapped_constructor(self):
        keys = self.keys_of_inputs()
        if not keys:
            pytest.skip("the constructor takes no key")
        try:
            drawn = self.drawn_instances()
        except NEEDS_VALUES:
            pytest.skip("the constructor decides by the values of arrays")
        for seed in (0, 1):
            given = {name: jax.random.key(seed) for name in keys}
            wanted = self.build(**{**self.inputs(0), **given})
            for name, value in named_arrays(wanted):
                got = thaw(raw(dict(named_arrays(drawn))[name])[seed], value)
                check_close(name, "vmap gives {}, a loop {}", got, value, slack=16)

    # P11 carry

    def test_p11_the_carry_is_a_fixed_point(self):
        if self.carry is None:
            pytest.skip("no carry is declared")
        instance, arguments = self.make(0), list(self.arguments(0))
        at = self.carry
        where, first = f"argument {at}", arguments[at]

        def advance(carry: Any) -> Any:
            given = [*arguments[:at], carry, *arguments[at + 1 :]]
            return new_carry(self.apply(instance, *given), carry)

        after = jax.eval_shape(advance, first)
        same = structure(after) == structure(first)
        check(same, where, "its new value has another structure")
        told = f"its new value is {avals(after)}, it was {avals(first)}"
        check(avals(after) == avals(first), where, told)
        got, _ = jax.lax.scan(lambda c, _: (advance(c), None), first, length=2)
        loop = advance(advance(first))
        check_close(where, "scan gives {}, a loop {}", got, loop, slack=16)

    def _advance(self) -> tuple[Any, Callable[[Any], list[Any]]]:
        """The example carry, and how one call advances it; skips where there is none."""
        if self.carry is None:
            pytest.skip("no carry is declared")
        instance, arguments = self.make(0), list(self.arguments(0))
        at = self.carry

        def advance(carry: Any) -> list[Any]:
            given = [*arguments[:at], carry, *arguments[at + 1 :]]
            return arrays_of(new_carry(self.apply(instance, *given), carry))

        return arguments[at], advance

    def test_p11_the_carry_advances(self):
        carry, advance = self._advance()
        jaxpr = jax.make_jaxpr(advance)(carry).jaxpr
        same = [new is old for new, old in zip(jaxpr.outvars, jaxpr.invars)]
        told = "the new carry is the old one, whatever the arguments are"
        hint = "the call returns what it was given, and not what it computed"
        check(not same or not all(same), f"argument {self.carry}", told, hint)

    def test_p11_gradients_pass_through_the_carry(self):
        carry, advance = self._advance()
        if list(nodes(carry)):
            pytest.skip("the carry is an object, whose state may be held fixed")
        for i, (name, leaf) in enumerate(named_leaves(carry)):
            if is_floating(leaf):
                move = functools.partial(moved, advance, carry, i)
                check_slopes(f"argument {self.carry}.{name}".rstrip("."), move, leaf)

    def test_p11_scan_carries_the_instance(self):
        instance = self.make(0)
        value, back = self.dynamic(instance)
        examples = self.arguments(0), self.arguments(1)
        trains = self.called() and bool(self.trained(instance))

        def body(carry: Any, _: None) -> tuple[Any, None]:
            inside, moments = back(carry[0]), carry[1]
            if trains:
                values, moments = self.step(inside, moments, examples)
                inside = put(inside, dict(zip(self.trained(inside), values)))
            return (self.dynamic(inside)[0], moments), None

        with doing(type(instance).__name__, "lax.scan over training steps"):
            state = value, self.start(instance)
            jax.eval_shape(lambda first: jax.lax.scan(body, first, length=2), state)


@guard
class ValueLaws(TransformationLaws):
    """P12 to P14: nothing changes but what is meant to, in memory and in files."""

    # P12 purity

    def test_p12_a_cold_call_inside_jit_leaves_nothing_behind(self):
        instance, arguments = self.example()
        name = type(instance).__name__
        clear_caches(instance)
        before = frozen(instance, identity=True)
        jax.eval_shape(lambda *given: self.apply(instance, *given), *arguments)
        for place, value in reachable(instance, name):
            told = "a tracer was left behind by a call inside jit"
            check(not isinstance(value, Tracer), place, told)
        same = frozen(instance, identity=True) == before
        check(same, name, "a call inside jit changed what the instance holds")
        with doing(name, "the eager call after a first call inside a jit"):
            eager = self.apply(instance, *arguments)
            got = self.compiled_use()(instance, *arguments)
            told = "after a first call inside jit, jit gives {}, eager {}"
            check_close(name, told, got, eager)
        same = frozen(instance, identity=True) == before
        check(same, name, "an eager call changed what the instance holds")

    def test_p12_a_cold_call_inside_jit_leaves_no_tracer_in_globals(self):
        instance, arguments = self.example()
        cls = type(instance)
        source = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if not source or "<locals>" in cls.__qualname__:
            pytest.skip("the class is not at the top of a module")
        fresh: Any = None
        with contextlib.suppress(Exception):  # a module that cannot be run twice
            fresh = second_class(cls, source)
            # Before any call, no cache of the module holds anything.
            cold = clone_as(fresh, instance)
            jax.eval_shape(lambda *given: self.apply(cold, *given), *arguments)
        if fresh is None:
            pytest.skip("the module cannot be run twice")
        held = getattr(inspect.unwrap(fresh.__call__), "__globals__", {})
        check_caches_hold_no_tracer([*held.items(), *vars(fresh).items()])

    def test_p12_reading_properties_changes_nothing(self):
        instance = self.make(0)
        cached = functools.cached_property
        names = [
            name.rpartition(".")[2]
            for name, value in class_attributes(instance)
            if isinstance(value, property | cached)
        ]
        before = frozen(instance, identity=True)
        for name in names:
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read(instance, name)
            same = frozen(instance, identity=True) == before
            told = "reading this property changed what the instance holds"
            check(same, name, told, "functools.cached_property: write `property`")

    def test_p12_draws_use_a_key_that_is_given(self):
        self.need_call()
        instance, arguments = self.specimen(), self.arguments(0)
        settings = [v for _, _, aux in nodes(instance) for v in parts_of(aux)]
        held = jax.tree.leaves((instance, arguments))
        if not any(map(is_key, held)) and any(type(v) is int for v in settings):
            pytest.skip("a static value may be the seed")
        jaxpr = self.traced_call().jaxpr
        wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
        told = f"{len(wrong)} of its draws depend on nothing that it is given"
        hint = "a constant key, as `jax.random.key(0)`: the same noise in every call"
        check(not wrong, "call", told, hint)

    def test_p12_calls_do_not_depend_on_earlier_calls(self):
        instance, arguments = self.example()
        held = [value for _, value in mutables(arguments)]
        before = [frozen(value, identity=True) for value in held]
        first = self.call(instance, *arguments)
        same = [frozen(value, identity=True) for value in held] == before
        check(same, "call", "the call changed its arguments in place")
        self.apply(instance, *self.arguments(1))
        self.apply(self.make(1), *self.arguments(1))
        again = self.apply(instance, *self.arguments(0))
        check_close("call", "the same call gave {}, and later {}", first, again)

    # P13 edit

    def test_p13_replacing_one_leaf_leaves_the_rest_alone(self):
        instance = self.specimen()
        before, leaves = frozen(instance, identity=True), jax.tree.leaves(instance)
        for i, (path, _) in enumerate(flatten_with_path(instance)[0]):
            name, marker = path_name(path), object()
            with doing(name, "replacing this leaf"):
                edited = tree_at(path, instance, marker)
                got = walk(edited, path)
            check(got is marker, name, f"replaced by a marker, it is {got!r:.200}")
            after = enumerate(jax.tree.leaves(edited))
            others = [j for j, leaf in after if leaf is not leaves[j] and j != i]
            check(not others, name, f"replacing it changed the leaves at {others}")
        same = frozen(instance, identity=True) == before
        check(same, type(instance).__name__, "an edit of a copy changed the original")

    def test_p13_equality_has_a_truth_value(self):
        # In NumPy's arrays, whose == needs no program for each shape.
        leaf_of = raw if compares_by_equinox(self.specimen()) else numpy_leaf
        instance, other = (map_arrays(leaf_of, self.make(seed)) for seed in (0, 1))
        name = type(instance).__name__
        for what, right in (("itself", instance), ("another", other), ("None", None)):
            with doing(name, f"bool(x == {what})"):
                same = bool(instance == right)
            check(same or right is not instance, name, "x == x is not true")
        told = "two instances with other leaves are equal"
        hint = "`__eq__` compares the static values alone"
        moved = map_arrays(lambda leaf: leaf_of(edit(leaf)), self.specimen())
        apart = not arrays_of(instance) or not bool(instance == moved)
        check(apart, name, told, hint)
        with doing(name, "x == y inside jit", "`==` on arrays: `@dataclass(eq=False)`"):
            value, back = self.dynamic(self.make(0))
            jax.eval_shape(lambda v, w: (back(v) == back(w), ())[1], value, value)
        with doing(name, "hash(x)"), contextlib.suppress(TypeError):
            hash(self.make(0))  # or refused, with a TypeError

    def test_p13_an_instance_is_true(self):
        instance = self.specimen()
        with doing(type(instance).__name__, "bool(x)"):
            true = bool(instance) or not jax.tree.leaves(instance)
        told = "an instance is false, so that `if module:` takes it for none"
        check(true, type(instance).__name__, told, "`__len__` or `__bool__`")

    def test_p13_equal_instances_have_equal_hashes(self):
        instance, copied = self.make(0), jax.tree.map(lambda v: v, self.make(0))
        try:
            hashes = hash(instance), hash(copied)
        except TypeError:
            pytest.skip("instances have no hash")
        same = hashes[0] == hashes[1] or not bool(instance == copied)
        told = "equal instances have different hashes"
        check(same, type(instance).__name__, told)

    def changed_instance(self) -> Any:
        """An instance of which no array is that of a new one, as after training."""
        return map_arrays(edit, self.specimen())

    def test_p13_replace_and_copy_keep_the_value(self):
        fresh, later = self.specimen(), self.changed_instance()
        ways: list[tuple[str, Callable[[Any], Any], Any]] = [
            ("copy.copy", copy.copy, fresh),
            ("copy.copy", copy.copy, later),
        ]
        if dataclasses.is_dataclass(type(fresh)):
            # Of a fresh one alone: a constructor that presets an entry presets it again.
            ways.append(("dataclasses.replace", dataclasses.replace, fresh))
        for what, way, instance in ways:
            try:
                copied = way(instance)
            except ANY_ERROR:
                continue  # refused
            self.check_equal(instance, copied, f"{what} without changes")

    # P14 save and load

    def test_p14_deepcopy(self):
        instance = self.changed_instance()
        copies = {id(leaf): copied(leaf) for leaf in arrays_of(instance)}
        deep = copy.deepcopy(instance, {**copies, **atoms_of(instance)})
        self.check_equal(instance, deep, "copy.deepcopy")

    def test_p14_pickle(self):
        instance = self.changed_instance()
        cls = type(instance)
        if getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is not cls:
            pytest.skip("the class is not at the top of a module")
        if not all(map(can_pickle, atoms_of(instance).values())):
            pytest.skip("a function that it holds cannot be pickled")
        copied = pickle.loads(pickle.dumps(keys_as_data(instance)))
        copied = map_arrays(lambda v, like: thaw(v, like), copied, instance)
        self.check_equal(instance, copied, "pickle")

    def test_p14_save_and_load_into_a_fresh_skeleton(self, tmp_path):
        instance = self.changed_instance()
        self.save(instance, tmp_path / "saved.npz")
        loaded = self.load(tmp_path / "saved.npz", self.make(1))
        self.check_equal(instance, loaded, "save and load")

    def test_p14_another_configuration_is_refused(self, tmp_path):
        path = tmp_path / "saved.npz"
        instance = self.saved(path)
        if self.other is None:
            pytest.skip("no other configuration is declared")
        other = self.built_abstractly({**self.inputs(0), **self.other})
        try:
            self.load(path, other)
        except ANY_ERROR:
            return
        told = f"a file of one configuration was loaded into another, {self.other}"
        raise Fault(type(instance).__name__, told, "")

    def saved(self, path: Any) -> Any:
        """An instance that was saved; skips where the class has no load of its own."""
        instance = self.changed_instance()
        if not hasattr(instance, "load"):
            pytest.skip("the class has no load")
        self.save(instance, path)
        return instance

    def test_p14_a_damaged_file_is_refused(self, tmp_path):
        path = tmp_path / "saved"
        instance = self.saved(path)
        name = type(instance).__name__
        check_damage_is_refused(path, lambda: self.load(path, instance), name)

    def test_p14_a_file_without_a_leaf_is_refused(self, tmp_path):
        path = tmp_path / "saved"
        instance = self.saved(path)
        hint = "what a file does not have is no reason to keep the skeleton's value"
        skeleton = self.make(1)
        shorter = list(shorter_archives(path)) or self._hollow_files(instance, path)
        for what, file in shorter:
            path.write_bytes(file)
            refused = is_refused(lambda: self.load(path, skeleton))
            check(refused, what, "a file that lacks this leaf was loaded", hint)

    def _hollow_files(self, instance: Any, path: Any) -> Iterator[tuple[str, bytes]]:
        """Files of instances with None for an array, as far as they can be saved."""
        for i, (name, leaf) in enumerate(named_leaves(instance)):
            save = functools.partial(self.save, put(instance, {i: None}), path)
            if is_array(leaf) and not is_refused(save):
                yield name, path.read_bytes()

    def test_p14_load_leaves_the_skeleton_alone(self, tmp_path):
        self.saved(tmp_path / "saved")
        skeleton = self.make(1)
        loaded = self.load(tmp_path / "saved", skeleton)
        self.check_equal(self.make(1), skeleton, "load changed its skeleton")
        owned = {buffer_of(leaf) or id(leaf) for _, leaf in named_arrays(skeleton)}
        for name, leaf in named_arrays(loaded):
            told = "what was loaded shares its buffer with the skeleton"
            check((buffer_of(leaf) or id(leaf)) not in owned, name, told)


@guard
class UseLaws(ValueLaws):
    """P15 to P18: buffers and keys, helpers, the treedef, and the platforms."""

    # P15 ownership

    def test_p15_donation(self):
        Laws.test_p15_no_two_leaves_share_a_buffer(self)  # else it is destroyed
        value, _ = self.dynamic(self.make(0))
        expected = [host(leaf) for leaf in arrays_of(value)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of donated buffers that were of no use
            got = compiled(lambda donated: donated, donate_argnums=0)(value)
        same = all(map(np.array_equal, expected, map(host, arrays_of(got))))
        check(same, "jit", "donation changed the values")
        with doing("build", "using a fresh instance after one was donated"):
            self.use(self.make(0), *self.arguments(0))

    def test_p15_each_key_is_used_once(self):
        for where, run, given in self._programs():
            check_keys(where, run, given)

    def test_p15_each_draw_has_a_key_of_its_own(self):
        check_draws("build", self.traced_build)
        if self.called():
            check_draws("call", self.traced_call)

    def _programs(self) -> Iterator[tuple[str, Callable[[Any], Any], Any]]:
        """The constructor and the call as functions of one pytree of arrays, and that."""
        build, given = self.traceable_build()
        yield "build", lambda values: arrays_of(build(values)), given
        if self.called():
            value, back = self.dynamic(self.make(0))
            inputs = value, self.arguments(0)
            yield "call", lambda both: self.apply(back(both[0]), *both[1]), inputs

    # P16 helpers

    def test_p16_filter_specs_select_the_declared_leaves(self):
        instance = self.specimen()
        self._check_specs(instance, "a fresh instance")
        self._check_specs(map_arrays(copied, instance), "a copy")
        self._check_specs(map_arrays(edit, instance), "an updated instance")
        one = on_device(np.float32(1))
        tied = map_arrays(lambda leaf: one if is_inexact(leaf) else leaf, instance)
        self._check_specs(tied, "an instance with tied leaves")
        value, back = self.dynamic(instance)
        jax.eval_shape(
            lambda v: self._check_specs(back(v), "an instance in jit"), value
        )

    def _check_specs(self, instance: Any, what: str) -> None:
        pairs = named_leaves(instance)
        names = [name for name, _ in pairs]
        selected = {names[i] for i in self.trained(instance)}
        wanted = self.expected_to_train(instance)
        hint = (
            ""
            if hasattr(instance, "trainable")
            else "declared data, buffers and frozen parts need a `trainable()`"
        )
        told = f"on {what} it selects {sorted(selected)}, declared is {sorted(wanted)}"
        check(selected == wanted, "trainable", told, hint)
        for method, paths in self.filters.items():
            marks = zip(names, jax.tree.leaves(getattr(instance, method)()))
            selected = {name for name, mark in marks if mark is True}
            wanted = {n for n in names if any(under(n, path) for path in paths)}
            told = (
                f"on {what} it selects {sorted(selected)}, declared is {sorted(wanted)}"
            )
            check(selected == wanted, method, told)

    def expected_to_train(self, instance: Any) -> set[str]:
        """The paths that are declared as trained; sub-modules decide for themselves."""
        roles = {
            name: self.role(name) for name, v in named_leaves(instance) if is_inexact(v)
        }
        wanted = {name for name, role in roles.items() if role in ("param", "tree")}
        wanted = {name for name in wanted if not self.is_frozen(name)}
        return wanted | self._trained_below(instance, lambda leaf: not leaf.frozen)

    def test_p16_the_call_passes_through_lax(self):
        instance, arguments = self.example()
        value, back = self.dynamic(instance)

        def through(value: Any, arguments: Any) -> Any:
            function = jax.checkpoint(lambda *a: self.apply(back(value), *a))
            first = function(*arguments)
            once = jax.lax.cond(True, lambda: first, lambda: function(*arguments))
            loop = jax.lax.while_loop(
                lambda state: state[0] < 1,
                lambda state: (state[0] + 1, function(*arguments)),
                (0, once),
            )
            return jax.lax.scan(lambda c, _: (c, function(*arguments)), loop, length=2)

        with doing("call", "cond, while_loop, scan or checkpoint over the call"):
            jax.eval_shape(through, value, arguments)

    def test_p16_as_function_passes_through_lax(self):
        instance = self.make(0)
        if not hasattr(instance, "as_function"):
            pytest.skip("the class has no as_function")
        value, back = self.dynamic(instance)

        def through(value: Any, arguments: Any) -> Any:
            function = back(value).as_function()
            hash(function)
            once = jax.checkpoint(function)(*arguments)
            return once, jax.lax.cond(True, function, function, *arguments)

        with doing("as_function", "checkpoint or cond over the function"):
            jax.eval_shape(through, value, self.arguments(0))

    def test_p16_keys_give_different_draws(self):
        instance, arguments = self.example()
        leaves = jax.tree.leaves(arguments)
        keys = [i for i, leaf in enumerate(leaves) if is_key(leaf)]
        if not keys or self.ignores_key:
            pytest.skip("the call takes no key, or says that it ignores it")
        compiled = self.compiled_use()

        def draw(seed: int) -> Any:
            drawn = {i: sample(seed, leaves[i].shape, "key") for i in keys}
            return compiled(instance, *put(arguments, drawn))

        first = draw(0)
        varies = any(not close(first, draw(seed)) for seed in range(1, 8))
        hint = "a call that does not use its key"
        check(varies, "call", "eight keys give the same output", hint)

    # P17 identity

    def test_p17_the_treedef_names_the_class(self):
        instance = self.specimen()
        for twin in twins(instance):
            told = "a twin class with the same fields has an equal treedef"
            same = structure(twin) == structure(instance)
            check(not same, type(instance).__name__, told)

    # P18 backend

    def call_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        instance, arguments = self.example()
        value, back = self.dynamic(instance)
        return lambda value, *rest: self.apply(back(value), *rest), (value, *arguments)

    def gradient_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        instance, examples = self.training_example()
        value, back = self.dynamic(instance)
        places = self.trained(instance)
        return lambda value, *given: self.slopes(back(value), places, given), (
            value,
            *examples,
        )


class PytreeLaws(UseLaws):
    """Subclass it with a name that starts with `Test`; see the head of this file."""


DRAWS, POINTS = 512, 12


@functools.cache
def all_slopes(laws: Any) -> dict[str, np.ndarray]:
    """The greatest size of each slope of a suite, over points where it is finite."""
    found: dict[str, np.ndarray] = {}
    for point in laws()._slopes():
        for name, slope in point.items():
            size = np.where(np.isfinite(slope), np.abs(slope), 0)
            found[name] = np.maximum(found.get(name, 0 * size), size)
    return found


@functools.cache
def drawn_instances(laws: Any) -> Any:
    """Instances of `DRAWS` keys, the first of them those of the seeds 0 and 1."""
    suite = laws()
    keys = suite.keys_of_inputs()
    static: list[Any] = []

    inputs = suite.inputs(0)  # made here, where nothing is traced

    def build(seed: Any) -> Any:
        drawn = {name: jax.random.key(seed) for name in keys}
        kept, arrays = split(suite.build(**{**inputs, **drawn}))
        static.append(kept)
        return arrays

    seeds = on_device(np.arange(DRAWS, dtype=np.uint32))
    arrays = compiled(jax.vmap(build))(seeds)
    return merge(static[0], arrays)


@functools.cache
def traced_call(laws: Any) -> Any:
    suite = laws()
    instance, arguments = suite.example()
    value, back = suite.dynamic(instance)
    call = jax.make_jaxpr(lambda v, given: suite.apply(back(v), *given))
    return call(value, arguments)


@functools.cache
def traced_build(laws: Any) -> Any:
    build, given = laws().traceable_build()
    return jax.make_jaxpr(lambda values: arrays_of(build(values)))(given)


@functools.cache
def compiled_use(laws: Any) -> Compiled:
    """The call of one suite, compiled once for the laws that need it."""
    suite = laws()
    return Compiled(suite.use, suite.mixed)


@functools.cache
def compiled_slopes(laws: Any) -> Compiled:
    """The loss of one suite's example and its gradients, compiled once."""
    suite = laws()

    def loss_and_slopes(instance: Any, *arguments: Any) -> list[Any]:
        slopes = suite.slopes(instance, inexact_places(instance), [arguments])
        return [suite.summed_loss(instance, [arguments]), *slopes]

    return Compiled(loss_and_slopes, suite.mixed)
