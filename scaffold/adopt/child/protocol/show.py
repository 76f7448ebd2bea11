"""Instance as the nodes, leaves and static values of its tree, for a picture."""

import ast
import contextlib
import dataclasses
import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp

from pytree_laws.discover.inference import inferred_leaves, inferred_statics
from pytree_laws.engine.timeout import TooLong, time_limit
from pytree_laws.inspect.arrays import is_array, is_key
from pytree_laws.inspect.trees import attributes, is_node, look_up, one_level, path_name, walk

from ..building.built import Built, Failure, instance_of, model_of
from ..classes.kinds import kind_of
from ..classes.lookup import add_to_path, load_class
from ..judge.declare import as_it_flows, suite_of
from ..judge.validate_example import validate_example
from ..values.annotations import fields_of, is_shaped, names_around, resolved, union_members
from ..values.sources import Source, as_said
from .adopt import Example, built_and_called, syntax_text
from .options import MistakeError

Request = dict[str, Any]
LONGEST_VALUE = 40
MOST_OTHERS = 16
"""Maximum number of instances of other sizes to build."""


def show(request: Request) -> dict[str, Any]:
    """Describe the parts of an instance as plain JSON, from which the parent draws a picture."""
    add_to_path(request["folders"])
    cls = load_class(request["module"], request["name"])
    if not isinstance(cls, type):
        return {"is_function": True, "why": "it is a function, and what it makes has no class to draw"}
    failure = Failure()
    try:
        with time_limit(request["seconds"], "show"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _shown(cls, request, failure)
    except TooLong:
        return {"why": f"it took more than {request['seconds']:.0f} seconds"}
    except SyntaxError as error:
        return {"why": syntax_text(error)}
    except MistakeError as mistake:
        return {"why": f"{mistake.option} {mistake.problem}"}


def _shown(cls: Any, request: Request, failure: Failure) -> dict[str, Any]:
    said = {name: as_said(text, cls.__module__) for name, text in request["said"].items()}
    example = Example(failure=failure)
    built_and_called(cls, request, said, example)
    built, called = example.built, example.called
    if built is None:
        return {"why": failure.why, "unknown": failure.unknown}
    if not request["build"]:
        built, called = validate_example(cls, built, called, said)
    kind = kind_of(cls).name
    suite: Any = suite_of({"kind": kind}, built, called)()
    instance = model_of(built, 0)
    tree = _tree(instance, _roles(suite, kind))
    state = _state(instance, built)
    statics = _statics(suite, instance, kind, tree["nodes"])
    statics = {path: value for path, value in statics.items() if path.rpartition(".")[0] not in state}
    known = {*statics, *tree["nodes"], *tree["absent"], *state, *(leaf["path"] for leaf in tree["leaves"])}
    tree["leaves"] += [
        _hidden_array(path, value) for path, value in _beside(instance, kind, known, state) if is_array(value)
    ]
    statics |= {path: value for path, value in _beside(instance, kind, known, state) if not is_array(value)}
    every = [*statics, *tree["nodes"], *(leaf["path"] for leaf in tree["leaves"])]
    above = dict.fromkeys(path.rpartition(".")[0] for path in every if "." in path)
    tree["nodes"] = {**{path: _class(_at(instance, path)) for path in above}, **tree["nodes"]}
    tree["leaves"] += [leaf for leaves in state.values() for leaf in leaves]
    return {
        "why": "",
        "kind": kind,
        "build": built.source.text,
        "calls": called is not None,
        "marks": callable(getattr(instance, "trainable", None)),
        "sizes": _sizes(built),
        "others": list(_others(built, [leaf["path"] for leaf in tree["leaves"]], statics)),
        "statics": [[path, _text(value)] for path, value in statics.items()],
        "numbers": {path: value for path, value in statics.items() if type(value) is int},
        "order": {path: [*attributes(_at(instance, path))] for path in ("", *tree["nodes"])},
        **tree,
    }


def _beside(instance: Any, kind: str, known: set[str], state: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield attributes beside leaves and known static values, such as arrays that jax does not see.

    Attributes that are lost when jax rebuilds the instance, such as a cache, are left out.
    """
    leaves = {id(leaf) for leaf in jax.tree.leaves(instance) if is_array(leaf)}
    rebuilt = jax.tree.map(lambda leaf: leaf, instance)
    for path in ("", *sorted(known - state.keys())):
        node = _at(instance, path)
        if kind == "nnx" or one_level(node) is None or isinstance(node, dict | list | tuple):
            continue
        kept = attributes(_at(rebuilt, path))
        for attribute, value in attributes(node).items():
            name = f"{path}.{attribute}" if path else attribute
            below = jax.tree.leaves(value) if is_node(value) else []
            is_in_tree = any(other == name or other.startswith(f"{name}.") for other in known)
            is_in_tree = is_in_tree or any(id(leaf) in leaves for leaf in below)
            if value is not None and attribute in kept and not is_in_tree:
                yield name, value


def _hidden_array(path: str, value: Any) -> dict[str, Any]:
    leaf = _leaf(value, path, {path: "hidden"})
    return {**leaf, "role": "hidden", "dims": [], "owner": path}


def _statics(suite: Any, instance: Any, kind: str, nodes: Mapping[str, str]) -> dict[str, Any]:
    """Return the static values by path. In an NNX module these are attributes with plain values."""
    if kind != "nnx":
        with contextlib.suppress(Exception):
            return dict(inferred_statics(suite))
        return {}
    owners = {path: _at(instance, path) for path in ("", *nodes)}
    return {
        f"{path}.{name}" if path else name: value
        for path, owner in owners.items()
        if _class(owner) not in ("Param", "dict", "list", "tuple") and not hasattr(owner, "get_metadata")
        for name, value in attributes(owner).items()
        if not name.startswith("_") and (f"{path}.{name}" if path else name) not in nodes
        if value is None or callable(value) or isinstance(value, bool | int | float | str | tuple)
    }


def _state(instance: Any, built: Built) -> dict[str, list[dict[str, Any]]]:
    """Return the arrays in `equinox.nn.State`, by the path of the `StateIndex` in the instance."""
    if not built.has_state:
        return {}
    import equinox as eqx

    state = built.source.value(0)[1]
    leaves_by_path: dict[str, list[dict[str, Any]]] = {}
    for keys, index in jax.tree_util.tree_leaves_with_path(
        instance, is_leaf=lambda node: isinstance(node, eqx.nn.StateIndex)
    ):
        if isinstance(index, eqx.nn.StateIndex):
            above = path_name(keys)
            pairs = [
                (".".join(filter(None, (above, path_name(key)))), leaf)
                for key, leaf in jax.tree_util.tree_leaves_with_path(state.get(index))
            ]
            leaves_by_path[above] = [
                {**_leaf(leaf, path, {path: "state"}), "dims": [], "owner": path}
                for path, leaf in pairs
                if is_array(leaf)
            ]
    return leaves_by_path


def _sizes(built: Built) -> dict[str, int]:
    """Return the integer arguments of the constructor by name."""
    sizes: dict[str, int] = {}
    for name, source in built.arguments.items():
        with contextlib.suppress(Exception):
            value = source.value(0)
            sizes |= {name: value} if type(value) is int else {}
    return sizes


def _others(built: Built, leaves: Iterable[str], statics: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield shapes and integers of instances with a changed size, which show the dims that follow it."""
    for other in itertools.islice(_resized(built), MOST_OTHERS):
        with contextlib.suppress(Exception):  # a size that does not fit the others
            instance = model_of(other, 0) if other.has_state else instance_of(other.source)
            arrays = {path: _at(instance, path) for path in leaves}
            of_state = {
                leaf["path"]: leaf["shape"] for each in _state(instance, other).values() for leaf in each
            }
            values = {path: _at(instance, path) for path in statics}
            yield {
                "shapes": {path: [*jnp.shape(leaf)] for path, leaf in arrays.items() if is_array(leaf)}
                | of_state,
                "sizes": _sizes(other),
                "numbers": {path: value for path, value in values.items() if type(value) is int},
            }


def _resized(built: Built) -> Iterator[Built]:
    """Yield the build with an integer changed, in an argument or in the user's expression."""
    for name, size in _sizes(built).items():
        for other in (size + 1, 2 * size):
            yield replace(built, arguments={**built.arguments, name: Source(repr(other))})
    if built.positional < 0:
        tree = ast.parse(built.maker.text, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and type(size := node.value) is int and size > 1:
                for node.value in (size + 1, 2 * size):
                    yield replace(built, maker=built.maker.but(ast.unparse(tree)))
                node.value = size


def _roles(suite: Any, kind: str) -> dict[str, str]:
    """Return the role of each leaf by path, as the laws infer it."""
    if kind != "nnx":
        return {leaf.path: leaf.role for leaf in inferred_leaves(suite)}
    from flax import nnx

    from pytree_laws.kinds.nnx.inference import inferred_updates, inferred_variables

    updated: tuple[str, ...] = ()
    with contextlib.suppress(Exception):
        updated = tuple(inferred_updates(suite))
    return {
        variable.path: _role(variable, updated, nnx.Param)
        for variable in (as_it_flows(suite, variable) for variable in inferred_variables(suite))
    }


def _role(variable: Any, updated: tuple[str, ...], param: type) -> str:
    if issubclass(variable.type, param):
        return "param"
    return "updated" if variable.path in updated else "data" if variable.flows else "buffer"


def _tree(instance: Any, roles: Mapping[str, str]) -> dict[str, Any]:
    """Return nodes and leaves in the order of flatten, and the fields that are None."""
    nodes: dict[str, str] = {}
    leaves: list[dict[str, Any]] = []
    first: dict[int, str] = {}
    for keys, leaf in jax.tree_util.tree_leaves_with_path(instance):
        names = _attribute_names(instance, keys)
        for end in range(1, len(keys)):
            nodes.setdefault(".".join(names[:end]), _class(walk(instance, keys[:end])))
        path = ".".join(names)
        owner = first.setdefault(id(leaf), path) if is_array(leaf) else path
        said = {"path": path, "dims": _dims(instance, keys), "owner": owner}
        leaves.append({**_leaf(leaf, path_name(keys), roles), **said})
    return {"nodes": nodes, "leaves": leaves, "absent": [*_absent(instance, [*nodes])]}


def _attribute_names(instance: Any, keys: Any) -> list[str]:
    """Return the names along a path.

    A child of a class that is registered without keys has the name of the attribute that holds it.
    """
    names: list[str] = []
    for end, key in enumerate(keys):
        held: Iterable[str] = ()
        if isinstance(key, jax.tree_util.FlattenedIndexKey):
            child = walk(instance, keys[: end + 1])
            held = (name for name, value in attributes(walk(instance, keys[:end])).items() if value is child)
        names.append(next(iter(held), path_name(keys[end : end + 1])))
    return names


def _leaf(leaf: Any, path: str, roles: Mapping[str, str]) -> dict[str, Any]:
    if not is_array(leaf):
        sort = (
            "callable"
            if callable(leaf)
            else "number"
            if isinstance(leaf, int | float | complex)
            else "python"
        )
        return {"path": path, "role": sort, "value": _text(leaf)}
    # In NNX the role belongs to the Variable, a node above its array.
    role = roles.get(path) or roles.get(path.rpartition(".")[0]) or "buffer"
    dtype = "key" if is_key(leaf) else str(jnp.result_type(leaf))
    return {
        "path": path,
        "role": "key" if is_key(leaf) else role,
        "shape": [*jnp.shape(leaf)],
        "dtype": dtype,
    }


def _at(instance: Any, path: str) -> Any:
    """Return the value at a path, or None if the path has indices of a class registered without keys."""
    if not path:
        return instance
    with contextlib.suppress(Exception):
        return look_up(instance, path)
    return None


def _class(value: Any) -> str:
    return type(value).__name__


def _absent(instance: Any, paths: list[str]) -> Iterator[str]:
    """Yield fields that are None, and that may hold an array in another configuration."""
    for path in ("", *paths):
        node = _at(instance, path)
        if dataclasses.is_dataclass(node) and one_level(node) is not None:
            names = [field.name for field in dataclasses.fields(node) if not field.metadata.get("static")]
            values_by_name = attributes(node)
            yield from (
                f"{path}.{name}" if path else name
                for name in names
                if name in values_by_name and values_by_name[name] is None
            )


def _dims(instance: Any, keys: Any) -> list[str]:
    """Return the dims in the annotation of the field that holds a leaf, or [] without any."""
    with contextlib.suppress(Exception):
        owner = type(walk(instance, keys[:-1]) if len(keys) > 1 else instance)
        annotation = resolved(fields_of(owner).get(keys[-1].name), names_around(owner, owner))
        shaped = [member for member in union_members(annotation) if is_shaped(member)]
        return shaped[0].dim_str.split() if len(shaped) == 1 else []
    return []


def _text(value: Any) -> str:
    """Return a short text of a value, such as the name of a function or class."""
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if isinstance(name, str):
        return name
    try:
        text = " ".join(repr(value).split())
    except Exception:  # from a class of the user
        text = f"<{type(value).__name__}>"
    if " at 0x" in text:
        return f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
