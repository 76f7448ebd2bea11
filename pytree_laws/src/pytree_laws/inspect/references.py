"""Objects that other objects hold: hidden arrays, mutable containers, snapshots."""

import contextlib
import dataclasses
import functools
import pickle
import re
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from ..report import ANY_ERROR, check, or_else
from .arrays import host, is_array
from .classes import is_of_library
from .trees import arrays_of, attributes, changed, is_named_tuple, is_node, nodes, parts_of_aux, structure

ATOMS = (
    *(type, types.ModuleType, str, bytes, int, float, complex, type(None), np.dtype),
    *(jax.sharding.Mesh, jax.sharding.Sharding),  # static as jax means them: devices are their own
)


CONTAINERS = (dict, list, tuple, set, frozenset, types.MappingProxyType)


IN_UNDERSCORES = re.compile(r"__\w+__$")
"""Names of Python's own attributes, or of a library that makes classes, such as pydantic."""
MUTABLE = (dict, list, set, bytearray, np.ndarray)


def items(container: Any) -> list[tuple[str, Any]]:
    if isinstance(container, dict | types.MappingProxyType):
        return [(f"[{shown(key)}]", value) for key, value in container.items()]
    return [(f"[{i}]", value) for i, value in enumerate(container)]


def shown(key: Any) -> str:
    """Return the repr of a dict key, or a default repr if that fails."""
    try:
        return repr(key)
    except ANY_ERROR:
        return object.__repr__(key)


def references(value: Any) -> list[tuple[str, Any]]:
    """List the objects that an object holds, wherever a stored array could hide."""
    if isinstance(value, ATOMS) or is_array(value):
        return []
    if isinstance(value, CONTAINERS):
        return items(value)
    if isinstance(value, functools.partial):
        return [("(func)", value.func), ("(args)", value.args), ("(kw)", value.keywords)]
    if isinstance(value, types.MethodType):
        return [("(self)", value.__self__), ("(func)", value.__func__)]
    result = [(f".{name}", attribute) for name, attribute in attributes(value).items()]
    if callable(value):
        result += function_references(value)
    return result


def function_references(function: Any) -> list[tuple[str, Any]]:
    places = {"__wrapped__": "(wrapped)", "__defaults__": "(defaults)", "__kwdefaults__": "(defaults)"}
    result = [(place, held_as(function, name)) for name, place in places.items()]
    names = getattr(held_as(function, "__code__"), "co_freevars", ())
    for name, cell in zip(names, held_as(function, "__closure__") or ()):
        with contextlib.suppress(ValueError):  # an empty cell
            result.append((f"(closure over {name})", cell.cell_contents))
    return result


@or_else(None)
def held_as(function: Any, name: str) -> Any:
    """Return an attribute of a function, or None if a `__getattr__` of its class raises any error."""
    return getattr(function, name, None)


def reachable(root: Any, where: str, stop: Sequence[Any] = ()) -> Iterator[tuple[str, Any]]:
    """Yield every object reachable from `root` with its place, once each, without passing through `stop`."""
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
        todo += [(place + step, reference) for step, reference in references(value)]


def carried(instance: Any, leaves: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the objects that an instance holds besides its leaves, with their places.

    Values of a `functools.cached_property`, and arrays that unflatten computes anew, are left out.
    """
    name, again = type(instance).__name__, instance
    with contextlib.suppress(Exception):  # P3 fails on it
        again = jax.tree.unflatten(jax.tree.structure(instance), jax.tree.leaves(instance))
    twins = dict(reachable(again, name, leaves))
    for place, value in reachable(instance, name, [*leaves, *cached_values(instance)]):
        if not is_array(value) or twins.get(place, value) is value:
            yield place, value


def tracers_beside(instance: Any) -> list[str]:
    """List the places of tracers that are not leaves."""
    parts = carried(instance, jax.tree.leaves(instance))
    return [place for place, value in parts if isinstance(value, Tracer)]


def outside_of(instance: Any) -> Iterator[tuple[str, Any]]:
    """Yield objects held besides the array leaves, by the instance or by its treedef, with their places.

    Arrays that each unflatten makes anew are left out.
    """
    yield from carried(instance, arrays_of(instance))
    treedef = structure(instance)
    with contextlib.suppress(Exception):  # P3 fails on it
        leaves = [object() if is_array(v) else v for v in jax.tree.leaves(instance)]
        first, second = (treedef.unflatten(leaves) for _ in range(2))
        others = [value for _, value in reachable(second, "")]
        for place, value in reachable(first, type(instance).__name__, cached_values(first)):
            if not is_array(value) or any(value is other for other in others):
                yield place, value


def static_parts(instance: Any) -> Iterator[tuple[str, Any]]:
    """Yield each part of the aux of all nodes, with the place of the attribute that holds it."""
    for place, node, aux in nodes(instance):
        for value in parts_of_aux(aux):
            names = [f".{name}" for name, other in attributes(node).items() if other is value]
            yield place + "".join(names[:1]), value


def class_attributes(instance: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of the classes of all nodes, without classes of libraries."""
    for node in _instances(instance):
        own = attributes(node)
        for cls in type(node).__mro__:
            if not is_of_library(cls):
                for name, value in vars(cls).items():
                    if name not in own:  # else it is a field's default
                        yield f"{cls.__name__}.{name}", value


def _instances(tree: Any) -> Iterator[Any]:
    """Yield every node of a class, and every NamedTuple, which `nodes` takes for a plain container."""
    yield from (node for _, node, _ in nodes(tree))
    visited: list[Any] = []

    def go_on(node: Any) -> bool:
        visited.append(node)
        return False

    jax.tree.leaves(tree, is_leaf=go_on)
    yield from (node for node in visited if is_named_tuple(node))


def mutables(root: Any, where: str = "", modules: bool = True) -> Iterator[tuple[str, Any]]:
    """Yield the mutable containers that fields hold, with their places.

    Functions are not searched, and nested nodes only with `modules`. Private attributes of another package's
    objects, such as a unit of astropy, belong to that package. Attributes such as `__name__` belong to the
    library that makes the class.
    """
    todo, seen, package = [(where, root)], set(), package_of(root)
    while todo:
        place, value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, MUTABLE):
            yield place, value
        if isinstance(value, CONTAINERS):
            todo += [(place + step, member) for step, member in items(value)]
        elif is_plain_object(value) and (modules or not is_node(value)):
            is_own = package_of(value) == package or (is_node(value) and not is_of_library(type(value)))
            held = {n: v for n, v in attributes(value).items() if not IN_UNDERSCORES.match(n)}
            pairs = ((n, v) for n, v in held.items() if is_own or not n.startswith("_"))
            todo += [(f"{place}.{name}".lstrip("."), value) for name, value in pairs]


def cached_values(root: Any) -> list[Any]:
    """List the cached values of `functools.cached_property` in all reachable objects."""
    kept = ((attributes(value), caches_of(type(value))) for _, value in reachable(root, ""))
    return [held[name] for held, names in kept for name in sorted(names & held.keys())]


def caches_of(cls: type) -> set[str]:
    """Return the names of the cached properties of a class."""
    return {
        name
        for owner in cls.__mro__
        for name, attribute in vars(owner).items()
        if isinstance(attribute, functools.cached_property)
    }


def package_of(value: Any) -> str:
    """Return the top-level package of the class of a value."""
    return type(value).__module__.partition(".")[0]


def is_plain_object(value: Any) -> bool:
    """Whether a value consists of its attributes: a pytree node, a dataclass, a configuration."""
    if isinstance(value, ATOMS) or is_array(value):
        return False
    if package_of(value) == "jax":  # a jaxpr, which is jax's own
        return False
    return is_node(value) or (not callable(value) and bool(attributes(value)))


def kept_attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object whose change matters, without caches.

    Values of a `functools.cached_property` are caches. So are private attributes, other than fields, of an
    object with its own hash, such as a unit of astropy.
    """
    caches = caches_of(type(value))
    fields = getattr(type(value), "__dataclass_fields__", {})
    has_hash = type(value).__hash__ not in (None, object.__hash__) and not is_node(value)
    return {
        name: attribute
        for name, attribute in attributes(value).items()
        if name not in caches and not (has_hash and name.startswith("_") and name not in fields)
    }


def snapshot(value: Any, identity: bool = False, above: tuple[int, ...] = ()) -> Any:
    """Return a snapshot that compares with `==`. With `identity`, a replaced container is a difference."""
    if id(value) in above:
        return "cycle"
    inside = functools.partial(snapshot, identity=identity, above=(*above, id(value)))
    mark = id(value) if identity and type(value) in MUTABLE else None
    if isinstance(value, Tracer):
        return ("tracer", id(value))
    if is_array(value):
        return (type(value).__name__, str(value.dtype), value.shape, host(value).tobytes())
    if isinstance(value, dict | types.MappingProxyType):
        # Without the order of its keys, which no pytree keeps.
        return (mark, type(value), {key: inside(member) for key, member in value.items()})
    if isinstance(value, set | frozenset):
        return (mark, type(value), set(value))
    if isinstance(value, list | tuple):
        return (mark, type(value), [inside(member) for member in value])
    if is_plain_object(value):
        return (type(value), {n: inside(attribute) for n, attribute in kept_attributes(value).items()})
    if is_node(value):  # of a library, as a sparse array, whose == may be none
        return (jax.tree.structure(value), [inside(leaf) for leaf in jax.tree.leaves(value)])
    return (type(value), repr(value) if isinstance(value, float) else value)


def named_changes(before: Any, after: Any) -> str:
    """Return the end of a message that lists the attributes at which two snapshots of an object differ.

    It is empty if the snapshots have no attribute names.
    """
    mappings = [part for part in (before[-1], after[-1]) if isinstance(part, dict)]
    names = changed(*mappings) if len(mappings) == 2 else []
    return f": {', '.join(f'`{name}`' for name in names)}" if names else ""


def atoms_of(instance: Any) -> dict[int, Any]:
    """Return the functions among leaves and aux by id, as a memo with which `deepcopy` keeps them."""
    parts = list(jax.tree.leaves(instance))
    parts += [part for _, _, aux in nodes(instance) for part in parts_of(aux)]
    return {id(v): v for v in parts if callable(v) and not is_plain_object(v)}


def parts_of(value: Any) -> list[Any]:
    """List a static value and its parts, through containers and dataclasses.

    Tuples count by their parts alone.
    """
    inside = [part for member in members(value) for part in parts_of(member)]
    return inside if isinstance(value, tuple | frozenset) else [value, *inside]


def members(value: Any) -> Iterable[Any]:
    """Return the entries of a container, or the attribute values of a dataclass."""
    if isinstance(value, CONTAINERS):
        return [member for _, member in items(value)]
    is_record = dataclasses.is_dataclass(value) and not isinstance(value, type)
    return attributes(value).values() if is_record else ()


@or_else(False)
def can_pickle(value: Any) -> bool:
    pickle.dumps(value)
    return True


def check_caches_hold_no_tracer(variables: Sequence[tuple[str, Any]]) -> None:
    """Check that no container among the variables of a module or class holds a tracer."""
    for name, value in variables:
        if isinstance(value, dict | list | set) and not name.startswith("__"):
            for place, target in reachable(value, name):
                message = "a tracer was left behind by a call inside jit"
                hint = "a cache in the module or on the class: compute tables in the constructor"
                check(not isinstance(target, Tracer), place, message, hint)


def containers_of(inputs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """List the mutable containers in the inputs, but not inside modules, which own theirs."""
    containers = [mutables(i, name, modules=False) for name, i in inputs.items()]
    return [pair for pairs in containers for pair in pairs]


def objects_in(value: Any) -> Iterator[Any]:
    """Yield the objects in nested containers that are not containers."""
    if not isinstance(value, CONTAINERS):
        yield value
        return
    for _, member in items(value):
        yield from objects_in(member)


def turned_around(value: Any) -> Any:
    """Reverse a dict of several entries, and return any other value unchanged."""
    several = type(value) is dict and len(value) > 1
    return dict(reversed(value.items())) if several else value


def scramble(value: Any) -> None:
    """Change a mutable container in place."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        np.copyto(value, not np.any(value), casting="unsafe")
    elif isinstance(value, dict | list | set):
        value.clear()
