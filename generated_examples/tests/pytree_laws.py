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

import contextlib
import copy
import dataclasses
import functools
import importlib.util
import inspect
import math
import pickle
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.core import Tracer

# law -> (name, statement, usual mistake, fix)
LAWS = {
    "P1": (
        "construct",
        "The constructor builds the same instance from the same inputs, refuses invalid ones, and neither changes nor keeps what it is given.",
        "A dict, list or array of the caller is changed or stored as it is, or a default value is shared by all instances.",
        "Copy on the way in (`{**table}`, `list(layers)`, `jnp.array(x)`) and check there; derive randomness from the key alone.",
    ),
    "P2": (
        "manifest",
        "The array leaves are exactly the declared ones, and no array hides elsewhere.",
        "An array is stored as static, in a closure, a partial or a class attribute, or a field is never assigned; a setting is left among the leaves.",
        "Store every array in an annotated, assigned field that is flattened, and every setting as static.",
    ),
    "P3": (
        "round trip",
        "Flatten and unflatten keep the type, the treedef, every attribute and the leaves themselves, whatever the leaves are.",
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
        "The aux data of every node is immutable, hashable and equal by value; the treedef depends on the configuration alone and survives calls; no leaf is weakly typed.",
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
        "The call gives the same values and dtypes with and without jit, as declared, leaves the instance alone, and computes in the dtype that it is given.",
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
        "Every parameter has a gradient; a step of AdamW with weight decay moves the parameters alone and keeps structure, shapes and dtypes.",
        "A parameter is not used by the call, or a buffer is among the trained arrays (weight decay moves what gradients skip).",
        "Use each parameter in the call; apply stop_gradient to buffers where they are used and leave them out of `trainable()`.",
    ),
    "P10": (
        "vmap equals loop",
        "The call and the constructor give under vmap what a loop gives, also where only some leaves are mapped.",
        "A leaf is no array, the call uses Python control flow on values, or unflatten rejects batched leaves and None.",
        "Keep the leaves arrays, use jnp.where and lax.cond, and let unflatten only store.",
    ),
    "P11": (
        "carry",
        "A state transition keeps structure, shape, dtype and weak type, so that lax.scan can carry it.",
        "The update promotes the dtype or drops a weak type or an axis, or the initial state was made without a dtype.",
        "Make the initial state with an explicit shape and dtype, and compute the next one in the same dtype.",
    ),
    "P12": (
        "purity",
        "The first call inside a jit leaves no tracer behind and changes nothing.",
        "The call appends to a list, or caches on self, in cached_property, in lru_cache or in a module-level dict.",
        "Return what has to be remembered; compute tables in the constructor as buffers, or anew in each call.",
    ),
    "P13": (
        "edit",
        "Replacing one leaf leaves everything else alone; == has a truth value; copy and replace keep the value or are refused.",
        "A dataclass compares arrays with ==, or its `__post_init__` changes what `replace` passes through it.",
        "Use `@dataclass(eq=False)`, and preprocess in a factory instead of `__post_init__`.",
    ),
    "P14": (
        "save and load",
        "deepcopy, pickle and saving by leaf path into a fresh skeleton give back the same treedef and leaves; another configuration is refused.",
        "A static value is equal by identity alone, cannot be pickled, or the file is read by position.",
        "Keep static values equal by value, and save the leaf paths and the static configuration beside the arrays.",
    ),
    "P15": (
        "ownership",
        "No two leaves and no two instances share a buffer, an instance can be donated, and each random draw has its own key.",
        "One array object is stored twice, a module-level constant is stored as a leaf, or one key serves two draws.",
        "Copy with `jnp.array(x)`; use one key split per consumer: `key1, key2 = jax.random.split(key)`.",
    ),
    "P16": (
        "helpers",
        "Filter specs select exactly the declared leaves, on copies, with tied leaves and under jit; the call passes through lax; keys give different draws.",
        "A spec compares leaves by identity or value, the class has buffers and no `trainable()`, or the call ignores its key.",
        "Build specs from leaf paths alone, and use the key that is given.",
    ),
    "P17": (
        "identity",
        "The treedef differs from that of a twin class with the same fields.",
        "register_dataclass (flax.struct too) does not record the class in the treedef, so jit and scan mix two such classes up.",
        "Use register_pytree_with_keys, or an Equinox Module.",
    ),
}

ROLES = ("param", "buffer", "key", "module", "tree", "python")


@dataclasses.dataclass(frozen=True)
class Leaf:
    """A declared leaf, or a declared sub-tree of leaves.

    `path` is written as `layers.0.weight`. The role is `param` (a trained array), `buffer`
    (an array that is never trained), `key` (typed PRNG keys), `module` (a sub-tree that
    decides itself what is trained), `tree` (a sub-tree of parameters) or `python` (no
    array, held fixed). A shape of None is not checked; the dtype `float` is the default
    float dtype.
    """

    path: str
    role: str
    shape: tuple[int, ...] | None = None
    dtype: str = "float"

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"Leaf {self.path}: role {self.role!r} is none of {ROLES}")


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
        return jnp.asarray(order % 2 == 0, kind)
    if jnp.issubdtype(kind, jnp.integer):
        return jnp.asarray((order + seed) % (high - low) + low, kind)
    spread = 0.1 + 0.9 * (order + rng.uniform(0.1, 0.9, shape)) / max(size, 1)
    if jnp.issubdtype(kind, jnp.complexfloating):
        return jnp.asarray(spread + 1j * np.flip(spread), kind)
    return jnp.asarray(spread, kind)


# --- Failures ------------------------------------------------------------------------------


class LawBroken(AssertionError):
    """A class breaks one of the `LAWS`."""


def broken(law: str, where: str, what: str, hint: str = "") -> LawBroken:
    """The failure of a law; `hint` says more exactly than `LAWS` what to look for."""
    name, statement, mistake, fix = LAWS[law]
    lines = [f"{law} {name}, at `{where}`: {what}"]
    lines += [f"  look for: {hint}"] if hint else []
    lines += [f"  law: {statement}", f"  usual mistake: {mistake}", f"  fix: {fix}"]
    return LawBroken("\n".join(lines))


def check(holds: bool, law: str, where: str, what: str, hint: str = "") -> None:
    __tracebackhide__ = True
    if not holds:
        raise broken(law, where, what, hint)


@contextlib.contextmanager
def holding(law: str, where: str, doing: str, hint: str = "") -> Iterator[None]:
    """Turns an error of the class under test into the failure of a law."""
    __tracebackhide__ = True
    try:
        yield
    except LawBroken:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {str(error)[:500]}"
        raise broken(law, where, f"{doing} raised {told}", hint) from error


# --- Leaves --------------------------------------------------------------------------------


def real_dtype(name: str) -> Any:
    """The dtype of a declaration; `float`, `int` and `complex` follow jax_enable_x64."""
    python = {"float": float, "int": int, "complex": complex, "bool": bool}
    return jnp.result_type(python[name]) if name in python else jnp.dtype(name)


def is_array(value: Any) -> bool:
    return isinstance(value, jax.Array | np.ndarray | np.generic)


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


def host(value: Any) -> np.ndarray:
    """A NumPy copy, with keys as their data and small floats widened."""
    value = jax.random.key_data(value) if is_key(value) else value
    array = np.array(value)
    return array.astype(np.float64) if array.dtype.kind == "V" else array


def tolerance(dtype: Any) -> float:
    return (
        64 * float(jnp.finfo(dtype).eps) if jnp.issubdtype(dtype, jnp.inexact) else 0.0
    )


def close(left: Any, right: Any) -> bool:
    """Equal structure and dtypes, and values up to rounding."""
    if structure(left) != structure(right):
        return False
    return all(map(close_leaf, jax.tree.leaves(left), jax.tree.leaves(right)))


def close_leaf(left: Any, right: Any) -> bool:
    if not (is_array(left) and is_array(right)):
        return left is right or bool(left == right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if not is_inexact(left):
        return np.array_equal(host(left), host(right))
    wide = (
        np.complex128 if jnp.issubdtype(left.dtype, jnp.complexfloating) else np.float64
    )
    one, other = np.asarray(left).astype(wide), np.asarray(right).astype(wide)
    finite = np.abs(one[np.isfinite(one)])
    slack = tolerance(left.dtype) * max(1.0, float(finite.max(initial=0.0)))
    return np.allclose(
        one, other, rtol=tolerance(left.dtype), atol=slack, equal_nan=True
    )


def same_bits(left: Any, right: Any) -> bool:
    if not (is_array(left) and is_array(right)):
        return left is right or bool(left == right)
    return left.dtype == right.dtype and host(left).tobytes() == host(right).tobytes()


def buffer_of(array: Any) -> int | None:
    """The address of the array's memory, where it has one."""
    if not isinstance(array, jax.Array) or not array.size:
        return None
    try:
        return array.unsafe_buffer_pointer()
    except Exception:  # a sharded array has many
        return None


def edit(leaf: Any, sign: int = 1) -> Any:
    """Another value of the same shape and dtype; integers stay valid indices if they can."""
    if is_key(leaf):
        data = jax.random.key_data(leaf) + np.uint32(sign + 2)
        return jax.random.wrap_key_data(data, impl=jax.random.key_impl(leaf))
    value = np.asarray(leaf)
    if value.dtype == bool:
        return jnp.asarray(~value)
    if not is_inexact(leaf):
        rolled = np.roll(value.ravel(), 1).reshape(value.shape)
        changed = value + 1 if np.array_equal(rolled, value) else rolled
        return jnp.asarray(changed, leaf.dtype)
    shift = np.asarray(sample(7, value.shape, "float32")) * sign
    return jnp.asarray(value + shift.astype(value.dtype), leaf.dtype)


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
                    yield f"{cls.__name__}.{name}", value


def mutables(root: Any) -> Iterator[tuple[str, Any]]:
    """The mutable containers that the fields hold, functions not looked into."""
    todo = [("", root)]
    seen: set[int] = set()
    while todo:
        place, value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, MUTABLE):
            yield place or type(value).__name__, value
        if isinstance(value, CONTAINERS):
            todo += [(place + step, held) for step, held in items(value)]
        elif is_plain_object(value):
            todo += [
                (f"{place}.{name}", held) for name, held in attributes(value).items()
            ]


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
        return (mark, type(value), [(key, inside(held)) for key, held in value.items()])
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


def clone_as(cls: type, instance: Any, **changes: Any) -> Any:
    """An instance of `cls` with the same attributes, made without its constructor."""
    if isinstance(instance, tuple):
        return tuple.__new__(cls, instance)
    clone: Any = object.__new__(cls)
    for name, value in {**attributes(instance), **changes}.items():
        object.__setattr__(clone, name, value)
    return clone


def another(value: Any) -> Any:
    """Another static value of the same type, or None where none is obvious."""
    if isinstance(value, bool):
        return not value
    if type(value) in (int, float):
        return value + 1
    if type(value) is str:
        return value + "x"
    return (*value, *value[:1]) if type(value) is tuple and value else None


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
        return next(filter(None, map(static_fault, attributes(value).values())), None)
    return None


NEEDS_VALUES = jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError
QUICK = {"xla_backend_optimization_level": 0}  # compiles random draws 3 times faster
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


def jit_split(function: Callable[..., Any]) -> Callable[..., Any]:
    """`jax.jit` with the non-array leaves of the first argument held static."""

    def merged(static: Any, arrays: Any, *arguments: Any) -> Any:
        return function(merge(static, arrays), *arguments)

    compiled = jax.jit(merged, static_argnums=0)
    return lambda instance, *arguments: compiled(*split(instance), *arguments)


@contextlib.contextmanager
def strict() -> Iterator[None]:
    """No silent promotion of dtypes, no silent broadcasting of ranks."""
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield


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


def adamw(value: Any, slope: Any, moments: Any, count: Any) -> tuple[Any, Any]:
    """One parameter's step of AdamW, with a rate of 0.05 and a decay of 0.1."""
    slope = jnp.conj(slope)
    mean = 0.9 * moments[0] + 0.1 * slope
    square = 0.999 * moments[1] + 0.001 * jnp.real(slope * jnp.conj(slope))
    time = count.astype(square.dtype)
    scale = jnp.sqrt(square / (1 - 0.999**time)) + 1e-6
    push = mean / (1 - 0.9**time).astype(mean.dtype) / scale.astype(mean.dtype)
    return value - 0.05 * (push + 0.1 * value), (mean, square)


def weighted(output: Any) -> Any:
    """A real scalar on which every element of an output has its own weight."""
    wide = output.astype(jnp.promote_types(output.dtype, jnp.float32))
    real = jnp.stack([jnp.real(wide), jnp.imag(wide)])
    weight = sample(11, real.shape, str(real.dtype))
    return jnp.sum(weight * (real + real**2))


# --- What single laws need -----------------------------------------------------------------


def given_arrays(inputs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The arrays among the inputs, in containers too, but not those inside of modules."""
    plain = {
        n: v
        for n, v in inputs.items()
        if is_array(v) or isinstance(v, dict | list | tuple)
    }
    is_leaf = lambda v: not isinstance(v, dict | list | tuple)  # noqa: E731
    pairs = jax.tree_util.tree_leaves_with_path(plain, is_leaf=is_leaf)
    return [(path_name(path), value) for path, value in pairs if is_array(value)]


def named_array_leaves(tree: Any) -> list[tuple[str, Any]]:
    return [(name, leaf) for name, leaf in named_leaves(tree) if is_array(leaf)]


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
    """The tree with its floats in bfloat16; through NumPy, which compiles nothing."""
    dtype = jnp.dtype("bfloat16")
    return map_arrays(
        lambda v: jnp.asarray(np.asarray(v).astype(dtype)) if is_floating(v) else v,
        tree,
    )


def stack(trees: Sequence[Any]) -> Any:
    return jax.tree.map(stack_leaves, *trees)


def stack_leaves(*leaves: Any) -> Any:
    """jnp.stack, through NumPy where it can be, which compiles nothing."""
    if not all(isinstance(leaf, jax.Array) for leaf in leaves) or is_key(leaves[0]):
        return jnp.stack(leaves)
    return jnp.asarray(np.stack([np.asarray(leaf) for leaf in leaves]))


def near(left: Any, right: Any) -> bool:
    """`close`, with room for the other algorithms of batched operations."""
    left, right = jax.tree.leaves(left), jax.tree.leaves(right)
    if len(left) != len(right):
        return False
    return all(map(near_leaf, left, right))


def near_leaf(left: Any, right: Any) -> bool:
    if not is_inexact(left):
        return close_leaf(left, right)
    slack = 16 * tolerance(left.dtype)
    wide = np.complex128 if jnp.iscomplexobj(left) else np.float64
    one, other = np.asarray(left).astype(wide), np.asarray(right).astype(wide)
    return one.shape == other.shape and np.allclose(one, other, slack, slack, True)


def carried(result: Any, carry: Any) -> Any:
    """The new carry: the result, or the first of its parts."""
    if structure(result) == structure(carry):
        return result
    return result[0]


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
    for _, _, aux in nodes(instance):
        held += aux if isinstance(aux, tuple) else [aux]
    return {id(v): v for v in held if callable(v) and not is_plain_object(v)}


def can_pickle(value: Any) -> bool:
    try:
        pickle.dumps(value)
    except Exception:
        return False
    return True


def keys_as_data(tree: Any) -> Any:
    """Typed keys cannot be pickled; their data can."""
    return map_arrays(lambda v: jax.random.key_data(v) if is_key(v) else v, tree)


def unpickle(dumped: bytes, like: Any) -> Any:
    return map_arrays(
        lambda v, old: (
            jax.random.wrap_key_data(v, impl=jax.random.key_impl(old))
            if is_key(old)
            else v
        ),
        pickle.loads(dumped),
        like,
    )


def tied(instance: Any) -> Any:
    """The instance with one and the same array at every inexact leaf."""
    one = jnp.ones((), jnp.float32)
    return map_arrays(lambda v: one if is_inexact(v) else v, instance)


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


# --- The laws ------------------------------------------------------------------------------


class PytreeLaws:
    """Subclass it with a name that starts with `Test`; see the head of this file."""

    leaves: ClassVar[Sequence[Leaf]] = ()
    static: ClassVar[Mapping[str, Any]] = {}  # attribute path -> value
    other: ClassVar[Mapping[str, Any] | None] = None  # inputs of another configuration
    rejected: ClassVar[Sequence[tuple[Mapping[str, Any], type[BaseException]]]] = ()
    returns: ClassVar[Sequence[Output]] = ()
    carry: ClassVar[int | None] = None  # which argument is carried by lax.scan
    filters: ClassVar[Mapping[str, Sequence[str]]] = {}  # spec method -> selected paths
    copies_arrays: ClassVar[bool] = (
        True  # False: it keeps the jax arrays that it is given
    )
    ignores_key: ClassVar[bool] = False  # True: the example call draws nothing
    strict: ClassVar[bool] = True  # False: the call may promote dtypes and ranks

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
        return self.build(**self.inputs(seed))

    def make_other(self) -> Any:
        if self.other is None:
            pytest.skip("no other configuration is declared")
        return self.build(**{**self.inputs(0), **self.other})

    def save(self, instance: Any, path: Any) -> None:
        """By the class's own `save`, or by leaf path."""
        if hasattr(instance, "save"):
            return instance.save(path)
        hosts: dict[str, Any] = {n: host(v) for n, v in named_array_leaves(instance)}
        np.savez(path, **hosts)

    def load(self, path: Any, skeleton: Any) -> Any:
        """By the class's own `load`, or into the skeleton by leaf path."""
        if hasattr(skeleton, "load"):
            return type(skeleton).load(path, skeleton)
        with np.load(path) as saved:
            pairs = enumerate(named_leaves(skeleton))
            return put(
                skeleton, {i: thaw(saved[n], v) for i, (n, v) in pairs if is_array(v)}
            )

    # What the laws share.

    def called(self) -> bool:
        return type(self).call is not PytreeLaws.call

    def need_call(self) -> None:
        if not self.called():
            pytest.skip("the class is not called")

    def use(self, instance: Any, *arguments: Any) -> Any:
        """The call, or for a class without one a look at every array."""
        if self.called():
            return self.call(instance, *arguments)
        return arrays_of(instance)

    def declared(self, path: str) -> Leaf | None:
        for leaf in self.leaves:
            below = leaf.role in ("module", "tree") and path.startswith(leaf.path + ".")
            if path == leaf.path or below:
                return leaf
        return None

    def role(self, path: str) -> str:
        leaf = self.declared(path)
        return leaf.role if leaf else "undeclared"

    def mixed(self, instance: Any) -> bool:
        """Whether leaves that are no arrays are declared, so that jax.jit cannot take it."""
        roles = ("python", "module", "tree")
        pairs = named_leaves(instance)
        return any(not is_array(v) and self.role(n) in roles for n, v in pairs)

    def dynamic(self, instance: Any) -> tuple[Any, Callable[[Any], Any]]:
        """What a transformation can take, and the way back from it to an instance."""
        if not self.mixed(instance):
            return instance, lambda value: value
        static, arrays = split(instance)
        return arrays, functools.partial(merge, static)

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A compiled function of an instance and arguments, with a cache of its own."""
        plain, mixed = jax.jit(lambda *values: function(*values)), jit_split(function)
        return lambda value, *rest: (mixed if self.mixed(value) else plain)(
            value, *rest
        )

    def trained(self, instance: Any) -> list[int]:
        """The positions of the trained leaves: `trainable()`, or all inexact arrays."""
        leaves = jax.tree.leaves(instance)
        method = getattr(instance, "trainable", None)
        if not callable(method):
            return [i for i, leaf in enumerate(leaves) if is_inexact(leaf)]
        with holding("P16", "trainable", "building the filter spec"):
            spec = jax.tree.leaves(method())
        check(
            len(spec) == len(leaves) and all(type(mark) is bool for mark in spec),
            "P16",
            "trainable",
            f"the spec must hold a bool for each of {len(leaves)} leaves, got {spec}",
        )
        return [i for i, mark in enumerate(spec) if mark]

    def need_trained(self) -> None:
        self.need_call()
        instance, arguments = self.make(0), self.arguments(0)
        result = jax.eval_shape(lambda: self.call(instance, *arguments))
        if not any(
            jnp.issubdtype(out.dtype, jnp.inexact) for out in jax.tree.leaves(result)
        ):
            pytest.skip("the call returns nothing to differentiate")
        if not self.trained(instance):
            pytest.skip("the class trains nothing")

    def slopes(self, instance: Any, places: Sequence[int], arguments: Any) -> list[Any]:
        """Gradients of a loss over all example arguments with respect to some leaves."""
        leaves = jax.tree.leaves(instance)

        def loss(values: Sequence[Any]) -> Any:
            edited = put(instance, dict(zip(places, values)))
            outputs = [self.call(edited, *each) for each in arguments]
            return sum(weighted(y) for y in jax.tree.leaves(outputs) if is_inexact(y))

        return jax.grad(loss)([leaves[i] for i in places])

    def step(
        self, instance: Any, moments: Any, arguments: Any
    ) -> tuple[list[Any], Any]:
        """The trained leaves after a step of AdamW, and the state of the optimiser."""
        places, (count, pairs) = self.trained(instance), moments
        leaves = jax.tree.leaves(instance)
        slopes = self.slopes(instance, places, arguments)
        count = count + 1
        moved = [
            adamw(leaves[i], g, m, count) for i, g, m in zip(places, slopes, pairs)
        ]
        return [value for value, _ in moved], (count, [pair for _, pair in moved])

    def start(self, instance: Any) -> Any:
        """The optimiser's first state."""
        leaves = jax.tree.leaves(instance)
        values = [leaves[i] for i in self.trained(instance)]
        zeros = [np.zeros(jnp.shape(v), v.dtype) for v in values]
        pairs = [(jnp.asarray(z), jnp.asarray(z.real)) for z in zeros]
        return jnp.asarray(0, jnp.int32), pairs

    def stepped(self, instance: Any, steps: int = 1) -> Any:
        """The instance after some training; unchanged where nothing is trained."""
        moments = self.start(instance)
        arguments = self.arguments(0), self.arguments(1)
        with holding("P9", type(instance).__name__, "a training step"):
            for _ in range(steps):
                values, moments = compiled_step(type(self))(
                    instance, moments, arguments
                )
                instance = put(instance, dict(zip(self.trained(instance), values)))
        return instance

    # P1 construct

    def test_p01_leaves_its_inputs_alone(self):
        inputs = self.inputs(0)
        before = {name: frozen(value, identity=True) for name, value in inputs.items()}
        with holding("P1", "build", "building an example"):
            self.build(**inputs)
        for name, value in inputs.items():
            with holding("P1", name, "reading the input after construction"):
                same = frozen(value, identity=True) == before[name]
            check(same, "P1", name, "the constructor changed its input in place")

    def test_p01_keeps_none_of_its_inputs(self):
        inputs = self.inputs(0)
        instance = self.build(**inputs)
        given = {id(v): f"{n}{p}" for n, i in inputs.items() for p, v in mutables(i)}
        for place, value in mutables(instance):
            name = given.get(id(value))
            told = f"it is the caller's own {type(value).__name__}, given as `{name}`"
            check(name is None, "P1", place, told)
        if self.copies_arrays:
            self._check_no_buffer_is_kept(inputs, instance)

    def _check_no_buffer_is_kept(self, inputs: Any, instance: Any) -> None:
        given = {buffer_of(v): n for n, v in given_arrays(inputs) if not is_key(v)}
        for name, leaf in named_leaves(instance):
            source = None if buffer_of(leaf) is None else given.get(buffer_of(leaf))
            told = f"it shares its buffer with the input `{source}`, so donation takes both"
            check(
                source is None,
                "P1",
                name,
                told,
                "copy with `jnp.array(x)`, not asarray",
            )

    def test_p01_later_changes_of_its_inputs_do_not_reach_it(self):
        inputs = self.inputs(0)
        instance = self.build(**inputs)
        before = frozen(instance)
        for _, value in [found for held in inputs.values() for found in mutables(held)]:
            scramble(value)
        told = "it changed when the caller's arrays, lists and dicts were changed later"
        check(frozen(instance) == before, "P1", type(instance).__name__, told)

    def test_p01_same_inputs_build_the_same_instance(self):
        first, second = self.make(0), self.make(0)
        for (name, left), right in zip(named_leaves(first), jax.tree.leaves(second)):
            told = f"two instances of equal inputs differ: {left!r} and {right!r}"
            hint = (
                "randomness that does not come from the key, or state kept in a global"
            )
            check(same_bits(left, right), "P1", name, told, hint)

    def test_p01_instances_share_nothing_mutable(self):
        first, second = self.make(0), self.make(1)
        held = {id(value): place for place, value in mutables(first)}
        for place, value in mutables(second):
            told = f"two instances hold one and the same {type(value).__name__}"
            check(id(value) not in held, "P1", place, told)

    def test_p01_rejects_invalid_inputs(self):
        if not self.rejected:
            pytest.skip("no invalid inputs are declared")
        for changes, error in self.rejected:
            told = f"inputs that must raise {error.__name__} were accepted"
            try:
                self.build(**{**self.inputs(0), **changes})
            except error:
                continue
            except Exception as other:
                told = f"they must raise {error.__name__}, and raised {other!r}"
            hint = (
                "a check that never runs: `__post_init__` beside an `__init__`, or none"
            )
            raise broken("P1", str(dict(changes)), told, hint)

    def test_p01_builds_under_jit_without_leaking(self):
        built: list[Any] = []
        build, given = self._traceable_build()

        def kept(values: Sequence[Any]) -> Any:
            built.append(build(values))
            return arrays_of(built[0])

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of arrays as static: P5 fails on them
                arrays = jax.eval_shape(kept, given)
        except NEEDS_VALUES:
            pytest.skip("the constructor decides by the values of arrays")
        for place, value in reachable(built[0], "instance", jax.tree.leaves(built[0])):
            told = "built under jit it holds a tracer outside of its leaves"
            hint = "a value computed from arrays that is stored as static"
            check(not isinstance(value, Tracer), "P1", place, told, hint)
        wanted = [aval(leaf) for leaf in arrays_of(self.make(0))]
        told = f"built under jit its leaves are {arrays}, and otherwise {wanted}"
        check(list(map(aval, arrays)) == wanted, "P1", "build", told)

    def _traceable_build(self) -> tuple[Callable[[Sequence[Any]], Any], list[Any]]:
        """The constructor as a function of the arrays among its inputs, and those."""
        leaves, treedef = flatten(self.inputs(0))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

        def build(values: Sequence[Any]) -> Any:
            return self.build(
                **put(treedef.unflatten(leaves), dict(zip(places, values)))
            )

        return build, [leaves[i] for i in places]

    # P2 manifest

    def test_p02_is_a_pytree(self):
        instance = self.make(0)
        told = f"{type(instance).__name__} is no pytree: jax takes it for a single leaf"
        hint = "a class, or a subclass, that is not registered"
        check(is_node(instance), "P2", type(instance).__name__, told, hint)

    def test_p02_leaves_are_the_declared_ones(self):
        found = dict(named_leaves(self.make(0)))
        for leaf in self.leaves:
            names = [n for n in found if self.declared(n) == leaf]
            told = f"declared as {leaf.role}, but no leaf; the leaves are {list(found)}"
            check(bool(names), "P2", leaf.path, told)
        for name, value in found.items():
            declared = self.declared(name)
            if declared is None:
                told = f"a leaf that is not declared: {type(value).__name__} {value!r:.200}"
                raise broken("P2", name, told)
            if declared.role not in ("module", "tree"):
                self._check_manifest(declared, value)

    def _check_manifest(self, declared: Leaf, value: Any) -> None:
        if declared.role == "python":
            told = f"declared as no array, but it is {value!r:.200}"
            return check(not is_array(value), "P2", declared.path, told)
        kind = (
            f"declared as {declared.role}, it must be a jax.Array and is {value!r:.200}"
        )
        check(isinstance(value, jax.Array), "P2", declared.path, kind)
        if declared.shape is not None:
            told = f"the shape is {value.shape}, declared is {declared.shape}"
            check(value.shape == tuple(declared.shape), "P2", declared.path, told)
        if declared.role == "key" or declared.dtype == "key":
            told = f"it must hold typed keys (jax.random.key), not {value.dtype}"
            return check(is_key(value), "P2", declared.path, told)
        told = f"the dtype is {value.dtype}, declared is {declared.dtype}"
        check(value.dtype == real_dtype(declared.dtype), "P2", declared.path, told)

    def test_p02_no_array_hides_elsewhere(self):
        instance = self.make(0)
        leaves = arrays_of(instance)
        name = type(instance).__name__
        found = [f for f in reachable(instance, name, leaves) if f[1] is not instance]
        found += [f for f in class_attributes(instance) if is_array(f[1])]
        for place, value in found:
            told = f"an array of shape {getattr(value, 'shape', ())} that is not a leaf"
            check(not is_array(value), "P2", place, told)

    # P3 round trip

    @pytest.mark.parametrize(
        "kind", ["object", "None", "str", "bool", "abstract", "rank"]
    )
    def test_p03_round_trip_keeps_any_leaves(self, kind):
        instance = self.make(0)
        paths, treedef = flatten_with_path(instance)
        stand_ins = [stand_in(kind, i) for i in range(len(paths))]
        with holding("P3", type(instance).__name__, f"unflatten of {kind} leaves"):
            rebuilt = treedef.unflatten(stand_ins)
        told = f"unflatten of {kind} leaves gave a {type(rebuilt).__name__}"
        check(type(rebuilt) is type(instance), "P3", type(instance).__name__, told)
        for (path, _), put_in in zip(paths, stand_ins):
            with holding("P3", path_name(path), "reading the leaf after a round trip"):
                got = walk(rebuilt, path)
            told = f"put in {put_in!r}, came back as {got!r:.200}"
            hint = (
                "a conversion in unflatten, or children in another order than flatten"
            )
            check(got is put_in, "P3", path_name(path), told, hint)

    def test_p03_round_trip_keeps_treedef_and_leaves(self):
        instance = self.make(0)
        leaves, treedef = flatten(instance)
        with holding("P3", type(instance).__name__, "unflatten of its own leaves"):
            again, retreedef = flatten(treedef.unflatten(leaves))
        told = f"the treedef became {retreedef}, it was {treedef}"
        check(retreedef == treedef, "P3", type(instance).__name__, told)
        for (name, leaf), got in zip(named_leaves(instance), again):
            told = (
                f"came back as {type(got).__name__}, not as the object that was put in"
            )
            check(
                got is leaf, "P3", name, told, "jnp.asarray or arithmetic in unflatten"
            )

    def test_p03_round_trip_keeps_every_attribute(self):
        instance = self.make(0)
        self._check_attributes(instance, "")

    def test_p03_round_trip_keeps_changed_static_values(self):
        instance = self.make(0)
        for path in self.static:
            value = another(look_up(instance, path))
            if "." in path or value is None:
                continue
            changed = clone_as(type(instance), instance, **{path: value})
            hint = "unflatten derives the value anew instead of restoring it from aux"
            self._check_attributes(changed, hint)
            told = (
                f"the treedef does not tell {look_up(instance, path)!r} from {value!r}"
            )
            same = structure(changed) == structure(instance)
            check(not same, "P5", path, told, "a static value that flatten leaves out")

    def _check_attributes(self, instance: Any, hint: str) -> None:
        with holding("P3", type(instance).__name__, "a round trip", hint):
            rebuilt = jax.tree.map(lambda leaf: leaf, instance)
        before, after = attributes(instance), attributes(rebuilt)
        for name in before.keys() | after.keys():
            check(
                name in after, "P3", name, "the attribute is lost in a round trip", hint
            )
            check(name in before, "P3", name, "a round trip adds the attribute", hint)
            told = (
                f"before a round trip {before[name]!r:.200}, after {after[name]!r:.200}"
            )
            check(frozen(before[name]) == frozen(after[name]), "P3", name, told, hint)

    def test_p03_a_trivial_subclass_is_a_pytree_too(self):
        instance = self.make(0)
        cls = type(instance)
        if getattr(cls, "__final__", False):
            pytest.skip("the class is final")
        sub = trivial_subclass(cls)
        twin = clone_as(sub, instance)
        told = (
            f"a subclass of {cls.__name__} is no pytree: jax takes it for a single leaf"
        )
        hint = "register subclasses in __init_subclass__, or mark the class @final"
        check(is_node(twin), "P3", cls.__name__, told, hint)
        with holding("P3", cls.__name__, "a round trip of a trivial subclass", hint):
            rebuilt = jax.tree.map(lambda leaf: leaf, twin)
        told = f"a round trip of a subclass gives a {type(rebuilt).__name__}"
        check(
            type(rebuilt) is sub, "P3", cls.__name__, told, "unflatten names its class"
        )
        same = all(
            map(lambda a, b: a is b, jax.tree.leaves(rebuilt), jax.tree.leaves(twin))
        )
        check(same, "P3", cls.__name__, "a subclass has other leaves", hint)

    # P4 key paths

    def test_p04_order_is_the_same_with_and_without_paths(self):
        instance = self.make(0)
        leaves, treedef = flatten(instance)
        pairs, with_paths = flatten_with_path(instance)
        told = f"with paths the treedef is {with_paths}, without {treedef}"
        check(with_paths == treedef, "P4", type(instance).__name__, told)
        for (path, leaf), other in zip(pairs, leaves):
            told = "flatten gives another leaf at this position"
            check(leaf is other, "P4", path_name(path), told)

    def test_p04_paths_are_unique_and_lead_to_their_leaf(self):
        instance = self.make(0)
        pairs = jax.tree_util.tree_leaves_with_path(instance)
        names = [path_name(path) for path, _ in pairs]
        for (path, leaf), name in zip(pairs, names):
            check(
                names.count(name) == 1,
                "P4",
                name,
                f"two leaves have this path: {names}",
            )
            keyed = (
                not isinstance(path[0], jax.tree_util.FlattenedIndexKey)
                if path
                else True
            )
            check(keyed, "P4", name, "the class was registered without keys")
            with holding("P4", name, "walking the path"):
                got = walk(instance, path)
            check(
                got is leaf,
                "P4",
                name,
                f"the path leads to {got!r:.200}, not to its leaf",
            )

    # P5 static

    def test_p05_aux_is_hashable_and_free_of_arrays(self):
        for place, node, aux in nodes(self.make(0)):
            values = aux if isinstance(aux, tuple) else (aux,)
            for value in values:
                names = [n for n, held in attributes(node).items() if held is value]
                where = f"{place}.{names[0]}" if names else place
                fault = static_fault(value)
                check(fault is None, "P5", where, f"static is {value!r:.200}, {fault}")
            with holding("P5", place, "hash of the aux data"):
                hash(aux)

    def test_p05_treedef_depends_on_the_configuration_alone(self):
        first, second = self.make(0), self.make(1)
        name = type(first).__name__
        trees = structure(first), structure(second)
        with holding("P5", name, "comparing the treedefs of two instances"):
            same = trees[0] == trees[1]
        told = f"two instances of one configuration have treedefs {trees[0]} and {trees[1]}"
        check(same, "P5", name, told)

    def test_p05_static_values_are_the_declared_ones(self):
        if not self.static:
            pytest.skip("no static configuration is declared")
        instance = self.make(0)
        leaves = dict(named_leaves(instance))
        for path, value in self.static.items():
            check(
                path not in leaves, "P5", path, "declared as static, but it is a leaf"
            )
            with holding("P5", path, "reading the static value"):
                got = look_up(instance, path)
                same = bool(got == value) and isinstance(got, bool) is isinstance(
                    value, bool
                )
            check(
                same, "P5", path, f"the static value is {got!r}, declared is {value!r}"
            )

    def test_p05_treedef_survives_calls(self):
        instance = self.make(0)
        before = structure(instance)
        if self.called():
            self.call(instance, *self.arguments(0))
        name = type(instance).__name__
        after = structure(instance)
        check(after == before, "P5", name, f"a call changed the treedef to {after}")
        value, back = self.dynamic(instance)
        with holding("P5", name, "passing it through jax.jit"):
            after = structure(back(jax.jit(lambda inside: inside)(value)))
        check(after == before, "P5", name, f"jit changed the treedef to {after}")

    def test_p05_no_leaf_is_weakly_typed(self):
        for name, leaf in named_leaves(self.make(0)):
            if self.role(name) in ("module", "tree", "python"):
                continue
            told = f"it is no jax.Array but {type(leaf).__name__} {leaf!r:.200}"
            check(isinstance(leaf, jax.Array), "P5", name, told)
            told = "it is weakly typed: its dtype changes on the first update"
            hint = "an array made from a Python number without a dtype"
            check(not getattr(leaf, "weak_type", False), "P5", name, told, hint)

    # P6 one trace

    def test_p06_one_trace_serves_all_instances(self):
        traces = 0

        def counted(instance: Any, *arguments: Any) -> Any:
            nonlocal traces
            traces += 1
            return self.use(instance, *arguments)

        compiled = self.compiled(counted)
        for what, instance in self._instances_of_one_configuration():
            with holding("P6", what, "the compiled call"):
                compiled(instance, *self.arguments(0))
            told = f"{what} was traced anew ({traces} traces), though nothing static differs"
            check(traces == 1, "P6", type(instance).__name__, told)

    def _instances_of_one_configuration(self) -> Iterator[tuple[str, Any]]:
        yield "the first instance", self.make(0)
        yield "a second instance", self.make(1)
        yield "a round trip", jax.tree.map(lambda leaf: leaf, self.make(0))
        trains = self.called() and self.trained(self.make(0))
        yield (
            "an instance after a training step",
            (self.stepped(self.make(0)) if trains else self.make(2)),
        )

    def test_p06_another_configuration_is_traced_anew(self):
        other, instance = self.make_other(), self.make(0)
        name = f"{type(instance).__name__} with {self.other}"
        trees = structure(other), structure(instance)
        differs = trees[0] != trees[1] or avals(other) != avals(instance)
        told = "neither its treedef nor its leaves tell it from the first configuration"
        check(differs, "P6", name, told, "a setting that is not stored as static")
        if not self.called():
            return
        compiled = self.compiled(self.use)
        compiled(instance, *self.arguments(0))
        try:
            eager = self.call(other, *self.arguments(0))
        except Exception:
            return  # the example arguments do not fit the other configuration
        got = compiled(other, *self.arguments(0))
        check(close(got, eager), "P6", name, f"compiled it gives {got}, eager {eager}")

    # P7 jit equals eager

    def test_p07_jit_equals_eager(self):
        self.need_call()
        compiled, name = self.compiled(self.call), type(self.make(0)).__name__
        for seed in (0, 1):
            instance = self.make(seed)
            before = frozen(instance)
            eager = self.call(instance, *self.arguments(seed))
            same = frozen(instance) == before
            check(same, "P7", name, "the eager call changed the instance")
            with holding("P7", "call", "the call under jax.jit"):
                got = compiled(instance, *self.arguments(seed))
            check(close(got, eager), "P7", "call", f"jit gives {got}, eager {eager}")
            same = frozen(instance) == before
            check(same, "P7", name, "the compiled call changed the instance")

    def test_p07_promotes_nothing_silently(self):
        self.need_call()
        if not self.strict:
            pytest.skip("the call may promote dtypes and ranks")
        instance, arguments = self.make(0), self.arguments(0)
        hint = "operands of two dtypes or ranks: cast or broadcast them explicitly"
        with holding("P7", "call", "the call under strict promotion", hint), strict():
            jax.eval_shape(lambda: self.call(instance, *arguments))

    def test_p07_outputs_are_as_declared(self):
        if not self.returns:
            pytest.skip("no outputs are declared")
        got = jax.tree.leaves(self.call(self.make(0), *self.arguments(0)))
        told = f"{len(got)} outputs, declared are {len(self.returns)}"
        check(len(got) == len(self.returns), "P7", "call", told)
        for i, (value, output) in enumerate(zip(got, self.returns)):
            where = f"output {i}"
            told = f"the shape is {jnp.shape(value)}, declared is {output.shape}"
            check(jnp.shape(value) == tuple(output.shape), "P7", where, told)
            if output.dtype is not None:
                told = (
                    f"the dtype is {jnp.result_type(value)}, declared is {output.dtype}"
                )
                key = output.dtype == "key" and is_key(value)
                same = key or jnp.result_type(value) == real_dtype(output.dtype)
                check(same, "P7", where, told)

    def test_p07_filter_jit_equals_eager(self):
        self.need_call()
        instance = self.make(0)
        equinox: Any = sys.modules.get("equinox")
        if equinox is None or not isinstance(instance, equinox.Module):
            pytest.skip("the class is no Equinox Module")
        eager = self.call(instance, *self.arguments(0))
        with holding("P7", "call", "the call under equinox.filter_jit"):
            got = equinox.filter_jit(lambda *a: self.call(*a))(
                instance, *self.arguments(0)
            )
        check(close(got, eager), "P7", "call", f"filter_jit gives {got}, eager {eager}")

    def test_p07_bfloat16_in_bfloat16_out(self):
        self.need_call()
        self._need_one_dtype()
        instance, arguments = bfloat16((self.make(0), self.arguments(0)))
        with holding("P7", "call", "the call in bfloat16"), self._modes():
            result = jax.eval_shape(lambda: self.call(instance, *arguments))
        for i, out in enumerate(jax.tree.leaves(result)):
            wrong = (
                jnp.issubdtype(out.dtype, jnp.floating) and out.dtype != jnp.bfloat16
            )
            told = f"with bfloat16 leaves and arguments it is {out.dtype}"
            check(not wrong, "P7", f"output {i}", told, "an array with a fixed dtype")

    def _modes(self) -> contextlib.AbstractContextManager[None]:
        return strict() if self.strict else contextlib.nullcontext()

    def _need_one_dtype(self) -> None:
        dtypes = [
            leaf.dtype for leaf in self.leaves if leaf.role in ("param", "buffer")
        ]
        dtypes += [str(out.dtype) for out in self.returns]
        arguments = [v for v in jax.tree.leaves(self.arguments(0)) if is_inexact(v)]
        fixed = {d for d in dtypes if d.startswith(("float", "bfloat", "complex"))}
        given = {v.dtype for v in arguments} | {real_dtype(d) for d in fixed}
        if fixed - {"float"} or given - {real_dtype("float")}:
            pytest.skip("the class fixes a dtype")

    # P8 never stale

    def test_p08_compiled_calls_see_every_edit(self):
        self.need_call()
        instance, compiled = self.make(0), self.compiled(self.call)
        compiled(instance, *self.arguments(0))
        for i, (name, leaf) in enumerate(named_leaves(instance)):
            if not is_array(leaf):
                continue
            edited = put(instance, {i: edit(leaf)})
            with holding("P8", name, "the call after an edit of this leaf"):
                got = compiled(edited, *self.arguments(0))
                eager = self.call(edited, *self.arguments(0))
            told = f"after an edit the compiled call gives {got}, the eager one {eager}"
            check(close(got, eager), "P8", name, told)

    def test_p08_every_parameter_changes_the_output(self):
        self.need_call()
        instance, compiled = self.make(0), self.compiled(self.call)
        for i, (name, leaf) in enumerate(named_leaves(instance)):
            if self.role(name) != "param":
                continue
            edits = [put(instance, {i: edit(leaf, sign)}) for sign in (1, -1)]
            changed = any(
                not close(
                    compiled(e, *self.arguments(s)),
                    compiled(instance, *self.arguments(s)),
                )
                for e in edits
                for s in (0, 1)
            )
            told = "an edit of this parameter changes no output"
            hint = "a parameter that is not used, or a stored value derived from it"
            check(changed, "P8", name, told, hint)

    def test_p08_assignment_is_refused_or_seen(self):
        self.need_call()
        for i, (name, leaf) in enumerate(named_leaves(self.make(0))):
            instance = self.make(0)
            if "." in name or not is_array(leaf) or not is_node(instance):
                continue
            self.call(instance, *self.arguments(0))
            try:
                setattr(instance, name, edit(leaf))
            except Exception:
                continue  # refused
            got = self.call(instance, *self.arguments(0))
            fresh = self.call(put(self.make(0), {i: edit(leaf)}), *self.arguments(0))
            told = f"after an assignment the call gives {got}, a fresh instance {fresh}"
            hint = (
                "a method compiled with a static self, or a cache keyed by the instance"
            )
            check(close(got, fresh), "P8", name, told, hint)

    # P9 gradient and step

    def test_p09_every_parameter_has_a_gradient(self):
        self.need_trained()
        slopes = self._slopes()
        for name, slope in slopes.items():
            role = self.role(name)
            if role in ("param", "module", "tree"):
                told = f"the gradient is not finite: {slope}"
                check(bool(np.all(np.isfinite(slope))), "P9", name, told)
            if role == "param":
                told = "the gradient is zero everywhere"
                hint = "a parameter that the call does not use, or stop_gradient on it"
                check(bool(np.any(slope)), "P9", name, told, hint)
            if role == "buffer":
                told = f"declared as buffer, but the call has the gradient {slope}"
                hint = "`jax.lax.stop_gradient` is missing where the buffer is used"
                check(not np.any(slope), "P9", name, told, hint)

    def test_p09_every_trained_sub_tree_has_a_gradient(self):
        roots = [leaf.path for leaf in self.leaves if leaf.role in ("module", "tree")]
        if not roots:
            pytest.skip("no sub-trees are declared")
        self.need_trained()
        slopes, instance = self._slopes(), self.make(0)
        names = [named_leaves(instance)[i][0] for i in self.trained(instance)]
        for root in roots:
            below = [n for n in names if n == root or n.startswith(root + ".")]
            used = not below or any(np.any(slopes[name]) for name in below)
            check(used, "P9", root, "no leaf of this sub-tree has a gradient")

    def _slopes(self) -> dict[str, np.ndarray]:
        """Gradients with respect to all inexact leaves, by path."""
        instance = self.make(0)
        pairs = enumerate(named_leaves(instance))
        places = {name: i for i, (name, leaf) in pairs if is_inexact(leaf)}
        arguments = self.arguments(0), self.arguments(1)

        def slopes(instance: Any, arguments: Any) -> Any:
            return self.slopes(instance, list(places.values()), arguments)

        with holding("P9", type(instance).__name__, "the gradient of the call"):
            found = self.compiled(slopes)(instance, arguments)
        return {name: np.asarray(slope) for name, slope in zip(places, found)}

    def test_p09_a_step_moves_the_parameters_alone(self):
        self.need_trained()
        instance = self.make(0)
        after = jax.tree.leaves(self.stepped(instance))
        for (name, leaf), moved in zip(named_leaves(instance), after):
            role = self.role(name)
            if role == "param":
                told = "a training step did not move this parameter"
                hint = "a parameter that `trainable()` leaves out"
                check(not same_bits(leaf, moved), "P9", name, told, hint)
            if role in ("buffer", "key", "python"):
                told = f"declared as {role}, a training step moved it to {moved!r:.200}"
                check(same_bits(leaf, moved), "P9", name, told)

    def test_p09_steps_keep_the_structure(self):
        self.need_trained()
        instance = self.make(0)
        name = type(instance).__name__
        after = self.stepped(instance, steps=2)
        same = structure(after) == structure(instance)
        check(same, "P9", name, "two training steps changed the treedef")
        told = f"two training steps made {avals(after)} of {avals(instance)}"
        check(avals(after) == avals(instance), "P9", name, told)

    # P10 vmap equals loop

    def test_p10_stacked_instances(self):
        self.need_call()
        instances = [self.make(seed) for seed in range(3)]
        arguments = [self.arguments(seed) for seed in range(3)]
        values, back = (
            [self.dynamic(each)[0] for each in instances],
            self.dynamic(instances[0])[1],
        )
        with holding("P10", type(instances[0]).__name__, "stacking and vmap"):
            stacked, given = stack(values), stack(arguments)
            got = jax.jit(jax.vmap(lambda v, a: self.call(back(v), *a)))(stacked, given)
        loop = stack([self.call(i, *a) for i, a in zip(instances, arguments)])
        told = f"vmap gives {got}, a loop {loop}"
        check(near(got, loop), "P10", type(instances[0]).__name__, told)

    def test_p10_one_leaf_mapped(self):
        self.need_call()
        instance, arguments = self.make(0), self.arguments(0)
        value, back = self.dynamic(instance)
        leaves, treedef = flatten(value)
        if not leaves:
            pytest.skip("the class has no arrays")
        edits = [leaves[0], edit(leaves[0])]
        with holding("P10", named_leaves(value)[0][0], "vmap over this leaf alone"):
            mapped = put(value, {0: stack(edits)})
            axes = treedef.unflatten([0] + [None] * (len(leaves) - 1))
            inner = jax.vmap(lambda v: self.call(back(v), *arguments), in_axes=(axes,))
            got = jax.jit(inner)(mapped)
        loop = stack([self.call(back(put(value, {0: e})), *arguments) for e in edits])
        told = f"vmap gives {got}, a loop {loop}"
        check(near(got, loop), "P10", named_leaves(value)[0][0], told)

    def test_p10_vmapped_constructor(self):
        keys = [
            name for name, v in self.inputs(0).items() if is_key(v) and v.shape == ()
        ]
        if not keys:
            pytest.skip("the constructor takes no key")

        def build(*drawn: Any) -> Any:
            instance = self.build(**{**self.inputs(0), **dict(zip(keys, drawn))})
            return self.dynamic(instance)[0]

        drawn = [[jax.random.key(seed) for _ in keys] for seed in range(2)]
        try:
            with holding("P10", "build", "the constructor under vmap"):
                got = jax.jit(jax.vmap(build), compiler_options=QUICK)(
                    *map(stack, zip(*drawn))
                )
        except LawBroken as error:
            if isinstance(error.__cause__, NEEDS_VALUES):
                pytest.skip("the constructor decides by the values of arrays")
            raise
        loop = stack([build(*each) for each in drawn])
        check(near(got, loop), "P10", "build", f"vmap gives {got}, a loop {loop}")

    # P11 carry

    def test_p11_the_carry_is_a_fixed_point(self):
        if self.carry is None:
            pytest.skip("no carry is declared")
        instance, arguments = self.make(0), list(self.arguments(0))
        first = arguments[self.carry]

        def advance(carry: Any) -> Any:
            arguments[self.carry] = carry
            return carried(self.call(instance, *arguments), carry)

        after = jax.eval_shape(advance, first)
        where = f"argument {self.carry}"
        same = structure(after) == structure(first)
        check(same, "P11", where, "its new value has another structure")
        told = f"its new value is {avals(after)}, it was {avals(first)}"
        check(avals(after) == avals(first), "P11", where, told)
        with holding("P11", where, "two steps of lax.scan"):
            got, _ = jax.lax.scan(lambda c, _: (advance(c), None), first, length=2)
        loop = advance(advance(first))
        check(near(got, loop), "P11", where, f"scan gives {got}, a loop {loop}")

    def test_p11_scan_carries_the_instance(self):
        instance = self.make(0)
        value, back = self.dynamic(instance)
        arguments = self.arguments(0), self.arguments(1)
        trains = self.called() and bool(self.trained(instance))

        def body(carry: Any, _: None) -> tuple[Any, None]:
            inside, moments = back(carry[0]), carry[1]
            if trains:
                values, moments = self.step(inside, moments, arguments)
                inside = put(inside, dict(zip(self.trained(inside), values)))
            return (self.dynamic(inside)[0], moments), None

        with holding("P11", type(instance).__name__, "lax.scan over training steps"):
            state = value, self.start(instance)
            jax.eval_shape(lambda first: jax.lax.scan(body, first, length=2), state)

    # P12 purity

    def test_p12_a_cold_call_inside_jit_leaves_nothing_behind(self):
        self.need_call()
        instance = self.make(0)
        name = type(instance).__name__
        clear_caches(instance)
        before = frozen(instance, identity=True)
        with holding("P12", name, "the first call, inside a jit that closes over it"):
            got = jax.jit(lambda *a: self.call(instance, *a))(*self.arguments(0))
        for place, value in reachable(instance, name):
            told = "a tracer was left behind by a call inside jit"
            check(not isinstance(value, Tracer), "P12", place, told)
        same = frozen(instance, identity=True) == before
        check(same, "P12", name, "a call inside jit changed what the instance holds")
        with holding("P12", name, "the eager call after a first call inside a jit"):
            eager = self.call(instance, *self.arguments(0))
            told = f"after a first call inside jit, eager gives {eager}, jit gave {got}"
            check(close(got, eager), "P12", name, told)
        same = frozen(instance, identity=True) == before
        check(same, "P12", name, "an eager call changed what the instance holds")

    def test_p12_calls_do_not_depend_on_earlier_calls(self):
        self.need_call()
        instance = self.make(0)
        first = self.call(instance, *self.arguments(0))
        self.call(instance, *self.arguments(1))
        self.call(self.make(1), *self.arguments(1))
        again = self.call(instance, *self.arguments(0))
        told = f"the same call gave {first}, and later {again}"
        check(close(first, again), "P12", "call", told)

    # P13 edit

    def test_p13_replacing_one_leaf_leaves_the_rest_alone(self):
        instance = self.make(0)
        before = frozen(instance, identity=True)
        leaves = jax.tree.leaves(instance)
        for i, (path, leaf) in enumerate(jax.tree_util.tree_leaves_with_path(instance)):
            name, marker = path_name(path), object()
            with holding("P13", name, "replacing this leaf"):
                edited = tree_at(path, instance, marker)
                got = walk(edited, path)
            check(
                got is marker, "P13", name, f"replaced by a marker, it is {got!r:.200}"
            )
            kept = [
                v is w or j == i
                for j, (v, w) in enumerate(zip(leaves, jax.tree.leaves(edited)))
            ]
            told = f"replacing it changed the leaves at {[j for j, k in enumerate(kept) if not k]}"
            check(all(kept), "P13", name, told)
        same = frozen(instance, identity=True) == before
        check(
            same,
            "P13",
            type(instance).__name__,
            "an edit of a copy changed the original",
        )

    def test_p13_equality_has_a_truth_value(self):
        instance, name = self.make(0), type(self.make(0)).__name__
        for what, right in (
            ("itself", instance),
            ("another", self.make(1)),
            ("None", None),
        ):
            with holding("P13", name, f"bool(x == {what})"):
                same = bool(instance == right)
            check(same or right is not instance, "P13", name, "x == x is not true")
        try:
            hash(instance)
        except TypeError:
            pass  # refused in the usual way
        except Exception as error:
            raise broken("P13", name, f"hash(x) raised {error!r}") from error

    def test_p13_replace_and_copy_keep_the_value(self):
        instance = self.make(0)
        ways: dict[str, Callable[[], Any]] = {"copy.copy": lambda: copy.copy(instance)}
        if dataclasses.is_dataclass(type(instance)):
            ways["dataclasses.replace"] = lambda: dataclasses.replace(instance)
        if hasattr(instance, "replace"):
            ways["replace()"] = lambda: instance.replace()
        for what, way in ways.items():
            try:
                copied = way()
            except Exception:
                continue  # refused
            self._check_equal("P13", instance, copied, f"{what} without changes")

    def _check_equal(self, law: str, instance: Any, copied: Any, what: str) -> None:
        """Equal treedefs and leaves."""
        trees = structure(instance), structure(copied)
        with holding(law, type(instance).__name__, f"comparing treedefs after {what}"):
            same = trees[0] == trees[1]
        told = f"{what} changed the treedef from {trees[0]} to {trees[1]}"
        check(same, law, type(instance).__name__, told)
        for (name, leaf), other in zip(named_leaves(instance), jax.tree.leaves(copied)):
            told = f"{what} made {other!r:.200} of {leaf!r:.200}"
            check(type(leaf) is type(other) and same_bits(leaf, other), law, name, told)

    # P14 save and load

    def test_p14_deepcopy(self):
        instance = self.make(0)
        with holding("P14", type(instance).__name__, "copy.deepcopy"):
            copied = copy.deepcopy(instance, atoms_of(instance))
        self._check_equal("P14", instance, copied, "copy.deepcopy")

    def test_p14_pickle(self):
        instance = self.make(0)
        cls = type(instance)
        if getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is not cls:
            pytest.skip("the class is not at the top of a module")
        if not all(map(can_pickle, atoms_of(instance).values())):
            pytest.skip("a function that it holds cannot be pickled")
        with holding("P14", cls.__name__, "pickle"):
            copied = unpickle(pickle.dumps(keys_as_data(instance)), instance)
        self._check_equal("P14", instance, copied, "pickle")

    def test_p14_save_and_load_into_a_fresh_skeleton(self, tmp_path):
        instance, skeleton = self.make(0), self.make(1)
        with holding("P14", type(instance).__name__, "save and load"):
            self.save(instance, tmp_path / "saved.npz")
            loaded = self.load(tmp_path / "saved.npz", skeleton)
        self._check_equal("P14", instance, loaded, "save and load")

    def test_p14_another_configuration_is_refused(self, tmp_path):
        instance, other = self.make(0), self.make_other()
        if not hasattr(instance, "load"):
            pytest.skip("the class has no load")
        self.save(instance, tmp_path / "saved.npz")
        try:
            self.load(tmp_path / "saved.npz", other)
        except Exception:
            return
        told = f"a file of one configuration was loaded into another, {self.other}"
        raise broken("P14", type(instance).__name__, told)

    # P15 ownership

    def test_p15_no_two_leaves_share_a_buffer(self):
        owners: dict[int, str] = {}
        instances = [("", self.make(0)), ("another instance's ", self.make(1))]
        for whose, instance in instances:
            for name, leaf in named_leaves(instance):
                owner = owners.setdefault(buffer_of(leaf) or -id(leaf), whose + name)
                told = f"it shares its buffer with {owner}"
                alone = owner == whose + name or not is_array(leaf)
                check(alone, "P15", whose + name, told)

    def test_p15_donation(self):
        instance = self.make(0)
        name = type(instance).__name__
        expected = [host(leaf) for leaf in arrays_of(instance)]
        with holding("P15", name, "donating the instance"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of donated buffers that were of no use
            value, _ = self.dynamic(instance)
            got = jax.jit(lambda donated: donated, donate_argnums=0)(value)
        same = all(map(np.array_equal, expected, map(host, arrays_of(got))))
        check(same, "P15", name, "donation changed its values")
        with holding("P15", name, "using a fresh instance after one was donated"):
            self.use(self.make(0), *self.arguments(0))

    def test_p15_each_key_is_used_once(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            build, given = self._traceable_build()
            self._check_keys("build", lambda v: arrays_of(build(v)), given)
            value, back = self.dynamic(self.make(0))
            if self.called():
                inputs = value, self.arguments(0)
                self._check_keys("call", lambda v: self.call(back(v[0]), *v[1]), inputs)

    def _check_keys(self, where: str, run: Callable[[Any], Any], given: Any) -> None:
        hint = "one key split per consumer: `key1, key2 = jax.random.split(key)`"
        try:
            with jax.debug_key_reuse(True):
                try:
                    jax.eval_shape(run, given)
                except NEEDS_VALUES:
                    run(given)
        except jax.errors.KeyReuseError as error:
            told = f"a key is used twice: {str(error).splitlines()[0]}"
            raise broken("P15", where, told, hint) from error
        except Exception:
            pass  # the check of keys is experimental; other laws report real errors

    def test_p15_no_two_parameters_are_the_same_draw(self):
        first, second = named_leaves(self.make(0)), jax.tree.leaves(self.make(1))
        given = {host(v).tobytes() for _, v in given_arrays(self.inputs(0))}
        drawn = {}
        for (name, leaf), other in zip(first, second):
            if not is_inexact(leaf) or leaf.size < 2 or same_bits(leaf, other):
                continue
            bits = host(leaf).tobytes()
            twin = drawn.setdefault((leaf.shape, bits), name)
            told = f"it is the same draw as `{twin}`"
            hint = "one key for two draws: split it, one key per consumer"
            check(twin == name or bits in given, "P15", name, told, hint)

    # P16 helpers

    def test_p16_filter_specs_select_the_declared_leaves(self):
        instance = self.make(0)
        self._check_specs(instance, "a fresh instance")
        self._check_specs(map_arrays(jnp.array, instance), "a copy")
        self._check_specs(map_arrays(edit, instance), "an updated instance")
        self._check_specs(tied(instance), "an instance with tied leaves")
        value, back = self.dynamic(instance)
        jax.eval_shape(
            lambda v: self._check_specs(back(v), "an instance inside jit"), value
        )

    def _check_specs(self, instance: Any, what: str) -> None:
        names = [name for name, _ in named_leaves(instance)]
        selected = {names[i] for i in self.trained(instance)}
        self._check_selected(
            instance, "trainable", selected, self._to_train(instance), what
        )
        for method, paths in self.filters.items():
            with holding("P16", method, f"the filter spec of {what}"):
                marks = jax.tree.leaves(getattr(instance, method)())
            selected = {name for name, mark in zip(names, marks) if mark is True}
            wanted = {
                n for n in names if any(n == p or n.startswith(p + ".") for p in paths)
            }
            self._check_selected(instance, method, selected, wanted, what)

    def _check_selected(
        self,
        instance: Any,
        method: str,
        selected: set[str],
        wanted: set[str],
        what: str,
    ) -> None:
        free = {n for n, _ in named_leaves(instance) if self.role(n) == "module"}
        free = free if method == "trainable" else set()
        told = f"on {what} it selects {sorted(selected)}, declared is {sorted(wanted)}"
        hint = "declared buffers need a `trainable()`" if method == "trainable" else ""
        hint = "" if hasattr(instance, method) else hint
        check(selected - free == wanted - free, "P16", method, told, hint)

    def _to_train(self, instance: Any) -> set[str]:
        pairs = [
            (name, leaf) for name, leaf in named_leaves(instance) if is_inexact(leaf)
        ]
        return {name for name, _ in pairs if self.role(name) in ("param", "tree")}

    def test_p16_the_call_passes_through_lax(self):
        self.need_call()
        value, back = self.dynamic(self.make(0))

        def through(value: Any, arguments: Any) -> Any:
            function = jax.checkpoint(lambda *a: self.call(back(value), *a))
            first = function(*arguments)
            once = jax.lax.cond(True, lambda: first, lambda: function(*arguments))
            loop = jax.lax.while_loop(
                lambda state: state[0] < 1,
                lambda state: (state[0] + 1, function(*arguments)),
                (0, once),
            )
            return jax.lax.scan(lambda c, _: (c, function(*arguments)), loop, length=2)

        with holding(
            "P16", "call", "cond, while_loop, scan or checkpoint over the call"
        ):
            jax.eval_shape(through, value, self.arguments(0))

    def test_p16_as_function_passes_through_lax(self):
        if not hasattr(self.make(0), "as_function"):
            pytest.skip("the class has no as_function")
        value, back = self.dynamic(self.make(0))

        def through(value: Any, arguments: Any) -> Any:
            function = back(value).as_function()
            hash(function)
            once = jax.checkpoint(function)(*arguments)
            return once, jax.lax.cond(True, function, function, *arguments)

        with holding("P16", "as_function", "checkpoint or cond over the function"):
            jax.eval_shape(through, value, self.arguments(0))

    def test_p16_keys_give_different_draws(self):
        self.need_call()
        leaves, treedef = flatten(self.arguments(0))
        keys = [i for i, leaf in enumerate(leaves) if is_key(leaf)]
        if not keys or self.ignores_key:
            pytest.skip("the call takes no key, or says that it ignores it")
        instance, compiled = self.make(0), self.compiled(self.call)

        def draw(seed: int) -> Any:
            drawn = sample(seed, leaves[keys[0]].shape, "key")
            given = put(treedef.unflatten(leaves), {i: drawn for i in keys})
            return compiled(instance, *given)

        first = draw(0)
        told = "eight keys give the same output"
        varies = any(not close(first, draw(seed)) for seed in range(1, 8))
        check(varies, "P16", "call", told, "a call that does not use its key")

    # P17 identity

    def test_p17_the_treedef_names_the_class(self):
        instance = self.make(0)
        told = "a twin class with the same fields has an equal treedef"
        for twin in twins(instance):
            same = structure(twin) == structure(instance)
            check(not same, "P17", type(instance).__name__, told)


@functools.cache
def compiled_step(laws: Any) -> Callable[..., Any]:
    """The training step of one suite, compiled once for the laws that need it."""
    suite = laws()
    return suite.compiled(suite.step)


def thaw(saved: np.ndarray, like: Any) -> Any:
    """A saved array as the dtype of `like`, keys from their data."""
    if is_key(like):
        return jax.random.wrap_key_data(
            jnp.asarray(saved), impl=jax.random.key_impl(like)
        )
    return jnp.asarray(saved, like.dtype)
