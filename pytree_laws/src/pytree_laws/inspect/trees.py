"""Trees: leaves, paths and nodes, and functions that replace parts of them."""

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .arrays import as_result, aval, is_array, is_floating, is_inexact, is_key, on_device, stack_leaves


def flatten(tree: Any) -> tuple[list[Any], Any]:
    return jax.tree.flatten(tree)


def flatten_with_path(tree: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return jax.tree_util.tree_flatten_with_path(tree)


def structure(tree: Any) -> Any:
    return jax.tree.structure(tree)


def path_name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


def named_leaves(tree: Any) -> list[tuple[str, Any]]:
    """List paths and leaves in the order of flatten."""
    return [(path_name(path), leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)]


def output_name(names: Sequence[str], i: int) -> str:
    """Return the name of an output in messages: its position, and its key in a dict or its attribute."""
    is_named = not names[i].replace(".", "").isdecimal() and names[i]
    return f"output {i} ({names[i]})" if is_named else f"output {i}"


def named_arrays(tree: Any) -> list[tuple[str, Any]]:
    return [(name, leaf) for name, leaf in named_leaves(tree) if is_array(leaf)]


def named_results(tree: Any) -> list[tuple[str, Any]]:
    """List paths and arrays of a result, with numbers of Python that have a dtype as arrays."""
    return [(name, leaf) for name, value in named_leaves(tree) if is_array(leaf := as_result(value))]


def arrays_of(tree: Any) -> list[Any]:
    return [leaf for leaf in jax.tree.leaves(tree) if is_array(leaf)]


def axis_sizes(tree: Any) -> set[int]:
    """Return the sizes of all axes of the arrays in a tree."""
    return {size for array in arrays_of(tree) for size in array.shape}


def numbers_of(tree: Any) -> list[Any]:
    """List the arrays of a tree, with Python numbers as the arrays that a trace makes of them."""
    plain = bool | int | float | complex
    leaves = (leaf for leaf in jax.tree.leaves(tree) if is_array(leaf) or isinstance(leaf, plain))
    return [leaf if is_array(leaf) else jnp.asarray(leaf) for leaf in leaves]


def inexact_places(tree: Any) -> list[int]:
    """List the positions of the leaves that have a gradient."""
    return [i for i, leaf in enumerate(jax.tree.leaves(tree)) if is_inexact(leaf)]


def avals(tree: Any) -> dict[str, tuple[Any, ...]]:
    return {name: aval(leaf) for name, leaf in named_leaves(tree)}


def differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the entries of the first mapping that differ in the second, and their values there."""
    names = [name for name, form in first.items() if second.get(name) != form]
    return {name: first[name] for name in names}, {name: second.get(name) for name in names}


def without_lost_weakness(
    before: Mapping[str, tuple[Any, ...]], after: Mapping[str, tuple[Any, ...]]
) -> dict[str, tuple[Any, ...]]:
    """Return the avals `after`, undoing each change that only lost a weak type, which P5 reports."""
    return {
        name: before[name] if before.get(name) == (*form[:-1], True) else form for name, form in after.items()
    }


def remade(tree: Any) -> Any:
    """Rebuild a tree with the same leaves in new containers and nodes."""
    return jax.tree.map(lambda leaf: leaf, tree)


def instances_in(tree: Any, cls: type) -> list[Any]:
    """List the nodes whose type is exactly this class."""
    nodes = jax.tree.leaves(tree, is_leaf=lambda node: type(node) is cls)
    return [node for node in nodes if type(node) is cls]


def is_under(name: str, path: str) -> bool:
    return name == path or name.startswith(path + ".")


def replace_leaves(tree: Any, places: Mapping[int, Any]) -> Any:
    """Return the tree with the leaves at these positions replaced."""
    leaves, treedef = flatten(tree)
    return treedef.unflatten([places.get(i, leaf) for i, leaf in enumerate(leaves)])


def map_arrays(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Apply `jax.tree.map` to the arrays alone. Other leaves stay as they are in `tree`."""
    return jax.tree.map(lambda leaf, *rest: function(leaf, *rest) if is_array(leaf) else leaf, tree, *others)


def stack(trees: Sequence[Any]) -> Any:
    return jax.tree.map(stack_leaves, *trees)


def unstacked(stacked: Any) -> list[Any]:
    """Split stacked layers into a list. Leaves that are not arrays are the same in each layer.

    Raise ValueError unless all arrays share the size of their first axis.
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
    """Replace typed keys, which cannot be pickled, by their data."""
    return map_arrays(lambda v: jax.random.key_data(v) if is_key(v) else v, tree)


def bfloat16(tree: Any) -> Any:
    """Return the tree with its floating arrays in bfloat16."""
    dtype = jnp.dtype("bfloat16")
    return map_arrays(lambda v: on_device(v, dtype) if is_floating(v) else v, tree)


ARRAY = object()  # the place of an array leaf in the static half of a tree


def partition(tree: Any) -> tuple[Any, list[Any]]:
    """Split a tree into a static part, which `jit` can hash, and a list of its arrays."""
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
    """Return children and aux of a node, or None for a leaf."""
    return jax.tree_util.default_registry.flatten_one_level(value)  # type: ignore[attr-defined]


def nodes(tree: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield place, node and aux of every node other than a dict, list, tuple or None."""
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
    """Return the name of a leaf in messages: its attribute, if its path is a position.

    Paths are positions in a class that is registered without keys.
    """
    leaf = dict(named_leaves(tree)).get(path)
    names = [name for name, value in attributes(tree).items() if value is leaf and path.isdecimal()]
    return names[0] if len(names) == 1 else path


def parts_of_aux(aux: Any) -> tuple[Any, ...]:
    """Return the static values in the aux of a node as a tuple."""
    return aux if isinstance(aux, tuple) else (aux,)


def attributes(value: Any) -> dict[str, Any]:
    """Return the attributes stored on the object itself, in `__dict__` and in slots."""
    result = dict(getattr(value, "__dict__", {}))
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                result[name] = getattr(value, name)
    return result


def unset_fields(instance: Any) -> list[str]:
    """List the dataclass fields that the instance does not store, whose default the class provides."""
    fields = getattr(instance, "__dataclass_fields__", {})
    return [name for name in fields if name not in attributes(instance)]


def walk(tree: Any, path: Any) -> Any:
    """Follow the keys of a path through a tree."""
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
    """Follow a dotted path through attributes, positions and dict keys."""
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
    """Make an instance of `cls` with the same attributes but for `changes`, without its constructor."""
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
    """Return an instance with another value at a dotted path of attributes, without its constructor."""
    name, _, below = path.partition(".")
    attribute = with_attribute(getattr(instance, name), below, value) if below else value
    return clone_as(type(instance), instance, **{name: attribute})


def tree_at(path: Any, instance: Any, value: Any) -> Any:
    """Replace a leaf by path, with `equinox.tree_at` if Equinox is imported."""
    equinox: Any = sys.modules.get("equinox")
    if equinox is not None:
        return equinox.tree_at(lambda tree: walk(tree, path), instance, value)
    paths = [other for other, _ in jax.tree_util.tree_leaves_with_path(instance)]
    return replace_leaves(instance, {paths.index(path): value})


def new_carry(result: Any, carry: Any) -> Any:
    """Return the result, or the first of its nested parts with the structure of the carry."""
    while structure(result) != structure(carry) and isinstance(result, tuple | list):
        result = result[0]
    return result


def next_of(part: Any, result: Any) -> Any:
    """Return the first node in a result with the type and treedef of `part`, or None."""

    def is_next(node: Any) -> bool:
        return type(node) is type(part) and structure(node) == structure(part)

    return next(filter(is_next, jax.tree.leaves(result, is_leaf=is_next)), None)


def without_functions(result: Any) -> Any:
    """Drop leaves of modules in a result that are neither arrays nor numbers.

    `equinox.filter_jit` takes such leaves for static.
    """
    if all(map(_is_value, jax.tree.leaves(result))):
        return result
    return jax.tree.map(_values_of_module, result, is_leaf=_is_no_container)


def _values_of_module(part: Any) -> Any:
    if not is_node(part):
        return part
    return jax.tree.map(lambda leaf: leaf if _is_value(leaf) else None, part)


def _is_value(leaf: Any) -> bool:
    """Whether a leaf is an array or a number. A `jax.ShapeDtypeStruct` has a dtype but no value."""
    has_dtype = hasattr(leaf, "dtype") and not isinstance(leaf, jax.ShapeDtypeStruct)
    return has_dtype or isinstance(leaf, bool | int | float | complex)


def _is_no_container(value: Any) -> bool:
    # A NamedTuple is a class, whose arrays are its own.
    return not isinstance(value, dict | list | tuple) or is_named_tuple(value)


def is_named_tuple(value: Any) -> bool:
    """Whether a value is a NamedTuple. Dicts that refuse `hasattr` are excluded first."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def given_arrays(inputs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """List paths and arrays among the inputs, through containers but not inside modules."""
    plain = {n: v for n, v in inputs.items() if is_array(v) or not _is_no_container(v)}
    pairs = jax.tree_util.tree_leaves_with_path(plain, is_leaf=_is_no_container)
    return [(path_name(path), value) for path, value in pairs if is_array(value)]


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """List the paths at which two mappings differ."""
    return [path for path in {**before, **after} if before.get(path) != after.get(path)]


def under_any(name: str, roots: Sequence[str]) -> bool:
    """Whether a path is one of `roots`, or below one."""
    return any(is_under(name, root) for root in roots)


def named_numbers(name: str, tree: Any) -> dict[str, Any]:
    """Return the inexact values in a result, by path below `name`."""
    pairs = ((f"{name}.{path}".rstrip("."), leaf) for path, leaf in named_leaves(tree))
    return {path: leaf for path, leaf in pairs if is_number(leaf)}


def is_number(value: Any) -> bool:
    """Whether a value is a Python float or complex number, or an array other than a key."""
    if isinstance(value, bool | int | str):
        return False
    return isinstance(value, float | complex) or (is_array(value) and not is_key(value))
