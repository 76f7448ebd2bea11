"""Trees: leaves, paths, nodes, and ways to replace what is in them."""

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .arrays import aval, is_array, is_floating, is_inexact, is_key, on_device, stack_leaves


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
    return [(path_name(path), leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)]


def named_arrays(tree: Any) -> list[tuple[str, Any]]:
    return [(name, leaf) for name, leaf in named_leaves(tree) if is_array(leaf)]


def arrays_of(tree: Any) -> list[Any]:
    return [leaf for leaf in jax.tree.leaves(tree) if is_array(leaf)]


def axis_sizes(tree: Any) -> set[int]:
    """The sizes of all axes of the arrays in a tree."""
    return {size for array in arrays_of(tree) for size in array.shape}


def numbers_of(tree: Any) -> list[Any]:
    """The arrays of a tree, and the numbers of Python in it as the arrays that a trace makes of them."""
    plain = bool | int | float | complex
    leaves = (leaf for leaf in jax.tree.leaves(tree) if is_array(leaf) or isinstance(leaf, plain))
    return [leaf if is_array(leaf) else jnp.asarray(leaf) for leaf in leaves]


def inexact_places(tree: Any) -> list[int]:
    """The positions of the leaves that have a gradient."""
    return [i for i, leaf in enumerate(jax.tree.leaves(tree)) if is_inexact(leaf)]


def avals(tree: Any) -> dict[str, tuple[Any, ...]]:
    return {name: aval(leaf) for name, leaf in named_leaves(tree)}


def differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parts of two mappings with the same names that are not equal, each by name."""
    names = [name for name, form in first.items() if second.get(name) != form]
    return {name: first[name] for name in names}, {name: second.get(name) for name in names}


def without_lost_weakness(
    before: Mapping[str, tuple[Any, ...]], after: Mapping[str, tuple[Any, ...]]
) -> dict[str, tuple[Any, ...]]:
    """The avals `after`, with those that are weakly typed no more as they were: P5 speaks of that."""
    return {
        name: before[name] if before.get(name) == (*form[:-1], True) else form for name, form in after.items()
    }


def remade(tree: Any) -> Any:
    """The tree again: the same leaves, in containers and nodes of its own."""
    return jax.tree.map(lambda leaf: leaf, tree)


def instances_in(tree: Any, cls: type) -> list[Any]:
    """The nodes of just this class, each whole."""
    nodes = jax.tree.leaves(tree, is_leaf=lambda node: type(node) is cls)
    return [node for node in nodes if type(node) is cls]


def is_under(name: str, path: str) -> bool:
    return name == path or name.startswith(path + ".")


def replace_leaves(tree: Any, places: Mapping[int, Any]) -> Any:
    """`tree` with the leaves at these positions replaced."""
    leaves, treedef = flatten(tree)
    return treedef.unflatten([places.get(i, leaf) for i, leaf in enumerate(leaves)])


def map_arrays(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """`jax.tree.map` over the arrays alone: other leaves stay as they are in `tree`."""
    return jax.tree.map(lambda leaf, *rest: function(leaf, *rest) if is_array(leaf) else leaf, tree, *others)


def stack(trees: Sequence[Any]) -> Any:
    return jax.tree.map(stack_leaves, *trees)


def unstacked(stacked: Any) -> list[Any]:
    """The layers one by one; what is no array is the same in all of them.

    Raises ValueError for an instance without arrays, which has no number of layers.
    """
    leaves, treedef = jax.tree.flatten(stacked)
    sizes = {leaf.shape[0] for leaf in leaves if is_array(leaf)}
    if len(sizes) != 1:
        raise ValueError(f"stacked layers have arrays with one first axis, got sizes {sorted(sizes)}")
    return [
        jax.tree.unflatten(treedef, [leaf[i] if is_array(leaf) else leaf for leaf in leaves])
        for i in range(sizes.pop())
    ]


def keys_as_data(tree: Any) -> Any:
    """Typed keys cannot be pickled; their data can."""
    return map_arrays(lambda v: jax.random.key_data(v) if is_key(v) else v, tree)


def bfloat16(tree: Any) -> Any:
    """The tree with its floats in bfloat16."""
    dtype = jnp.dtype("bfloat16")
    return map_arrays(lambda v: on_device(v, dtype) if is_floating(v) else v, tree)


ARRAY = object()  # the place of an array leaf in the static half of a tree


def partition(tree: Any) -> tuple[Any, list[Any]]:
    """A tree as a hashable part and its arrays, for trees with leaves that are no arrays."""
    leaves, treedef = flatten(tree)
    static = (treedef, tuple(ARRAY if is_array(leaf) else leaf for leaf in leaves))
    return static, [leaf for leaf in leaves if is_array(leaf)]


def combine(static: Any, arrays: Sequence[Any]) -> Any:
    treedef, leaves = static
    rest = iter(arrays)
    return treedef.unflatten([next(rest) if leaf is ARRAY else leaf for leaf in leaves])


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


def shown_path(tree: Any, path: str) -> str:
    """How a message names a leaf: by its attribute, where a class was registered without keys and the path has its position."""
    leaf = dict(named_leaves(tree)).get(path)
    names = [name for name, value in attributes(tree).items() if value is leaf and path.isdecimal()]
    return names[0] if len(names) == 1 else path


def parts_of_aux(aux: Any) -> tuple[Any, ...]:
    """The static values in the aux of a node."""
    return aux if isinstance(aux, tuple) else (aux,)


def attributes(value: Any) -> dict[str, Any]:
    """What is stored on the object itself: its `__dict__` and its slots."""
    result = dict(getattr(value, "__dict__", {}))
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                result[name] = getattr(value, name)
    return result


def unset_fields(instance: Any) -> list[str]:
    """The fields of a dataclass that its constructor has not stored: one with a default is read off the class."""
    fields = getattr(instance, "__dataclass_fields__", {})
    return [name for name in fields if name not in attributes(instance)]


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
        by_name = {str(key): value for key, value in tree.items()} if isinstance(tree, dict) else {}
        if name in by_name or (type(tree) is dict and not name.isdigit()):
            tree = by_name[name]
        elif name.isdigit() and (hasattr(tree, "__getitem__") or is_node(tree)):
            # Of what is registered without keys, and may be indexed by something else, the child there.
            place, children = int(name), () if isinstance(tree, Sequence) else (one_level(tree) or ((),))[0]
            tree = children[place] if place < len(children) else tree[place]
        else:
            held = attributes(tree)  # an instance may hand it out without the wrapper that keeps it static
            tree = held[name] if name in held else getattr(tree, name)
    return tree


def clone_as(cls: type, instance: Any, /, **changes: Any) -> Any:
    """An instance of `cls` with the same attributes, made without its constructor."""
    if isinstance(instance, tuple):
        return tuple.__new__(cls, getattr(instance, "_replace")(**changes) if changes else instance)  # noqa: B009
    if isinstance(instance, functools.partial):
        parts = instance.func, *instance.args
        return functools.partial.__new__(cls, *parts, **instance.keywords)
    clone: Any = object.__new__(cls)
    for name, value in {**attributes(instance), **changes}.items():
        object.__setattr__(clone, name, value)
    return clone


def with_attribute(instance: Any, path: str, value: Any) -> Any:
    """An instance with another value at a dotted path of attributes, made around constructors."""
    name, _, below = path.partition(".")
    attribute = with_attribute(getattr(instance, name), below, value) if below else value
    return clone_as(type(instance), instance, **{name: attribute})


def tree_at(path: Any, instance: Any, value: Any) -> Any:
    """Replaces one leaf by path, with Equinox where it is in use."""
    equinox: Any = sys.modules.get("equinox")
    if equinox is not None:
        return equinox.tree_at(lambda tree: walk(tree, path), instance, value)
    paths = [other for other, _ in jax.tree_util.tree_leaves_with_path(instance)]
    return replace_leaves(instance, {paths.index(path): value})


def new_carry(result: Any, carry: Any) -> Any:
    """The new carry: the result, or the first of its parts, or of theirs."""
    while structure(result) != structure(carry) and isinstance(result, tuple | list):
        result = result[0]
    return result


def next_of(part: Any, result: Any) -> Any:
    """The next of a part, if a result holds it: of the same type and treedef."""

    def is_next(node: Any) -> bool:
        return type(node) is type(part) and structure(node) == structure(part)

    return next(filter(is_next, jax.tree.leaves(result, is_leaf=is_next)), None)


def without_functions(result: Any) -> Any:
    """A result without what its modules hold besides arrays and numbers: that is static, as `filter_jit` has it."""
    if all(map(_is_value, jax.tree.leaves(result))):
        return result
    return jax.tree.map(_values_of_module, result, is_leaf=_is_no_container)


def _values_of_module(part: Any) -> Any:
    if not is_node(part):
        return part
    return jax.tree.map(lambda leaf: leaf if _is_value(leaf) else None, part)


def _is_value(leaf: Any) -> bool:
    """Whether a leaf is an array or a number; a `jax.ShapeDtypeStruct` has a dtype, and no value."""
    has_dtype = hasattr(leaf, "dtype") and not isinstance(leaf, jax.ShapeDtypeStruct)
    return has_dtype or isinstance(leaf, bool | int | float | complex)


def _is_no_container(value: Any) -> bool:
    # A NamedTuple is a class, whose arrays are its own.
    return not isinstance(value, dict | list | tuple) or is_named_tuple(value)


def is_named_tuple(value: Any) -> bool:
    """Whether the items of a value have names; a dict may refuse to be asked for an attribute."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def given_arrays(inputs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The arrays among the inputs, in containers too, but not those inside of modules."""
    plain = {n: v for n, v in inputs.items() if is_array(v) or not _is_no_container(v)}
    pairs = jax.tree_util.tree_leaves_with_path(plain, is_leaf=_is_no_container)
    return [(path_name(path), value) for path, value in pairs if is_array(value)]


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The paths at which two mappings differ."""
    return [path for path in {**before, **after} if before.get(path) != after.get(path)]


def under_any(name: str, roots: Sequence[str]) -> bool:
    """Whether a path is one of these, or below one."""
    return any(is_under(name, root) for root in roots)


def named_numbers(name: str, tree: Any) -> dict[str, Any]:
    """The numbers in a result, by path below its name."""
    pairs = ((f"{name}.{path}".rstrip("."), leaf) for path, leaf in named_leaves(tree))
    return {path: leaf for path, leaf in pairs if is_number(leaf)}


def is_number(value: Any) -> bool:
    """Whether a value is a float or complex number of Python, or an array that holds no keys."""
    if isinstance(value, bool | int | str):
        return False
    return isinstance(value, float | complex) or (is_array(value) and not is_key(value))
