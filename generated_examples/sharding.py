"""Sharding by the names of dims: specs, arrays on a mesh, and checkpoints of them."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from os import PathLike, fspath
from typing import Any, TypeVar

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

Axes = str | tuple[str, ...] | None
Rules = Mapping[str, Axes]
_Tree = TypeVar("_Tree")


def field_specs(
    node: _Tree,
    dims: Mapping[str, tuple[str, ...]],
    own: Rules,
    rules: Rules | None = None,
) -> _Tree:
    """A `PartitionSpec` for each leaf of `node`, in its structure.

    `dims` names the dims of the arrays in a field. `rules` maps names to mesh axes, and
    `own` does where there are none. A field without names answers as in `tree_specs`.
    """
    chosen = own if rules is None else rules
    named, treedef = jax.tree_util.tree_flatten_with_path(
        node, is_leaf=lambda value: value is not node
    )
    fields = {_name(path): value for path, value in named}
    specs = tree_specs(
        {name: fields[name] for name in fields if name not in dims}, rules
    )
    for name in fields.keys() & dims.keys():
        spec = spec_of(dims[name], chosen)
        specs[name] = jax.tree.map(partial(_padded, spec), fields[name])
    return jax.tree.unflatten(treedef, [specs[name] for name in fields])


def tree_specs(tree: _Tree, rules: Rules | None = None) -> _Tree:
    """A `PartitionSpec` for each leaf of any tree.

    What has a `partition_specs` of its own answers for itself. An array whose path ends
    like that of a sharded one of the same shape lies as that one: the state of an
    optimiser follows its parameters. All else is replicated.
    """
    nodes, treedef = jax.tree_util.tree_flatten_with_path(tree, is_leaf=_answers)
    answers = {
        path: node.partition_specs(rules) for path, node in nodes if _answers(node)
    }
    known: dict[tuple[Any, ...], PartitionSpec] = {}
    for path, node in nodes:
        if path in answers:
            below = jax.tree_util.tree_flatten_with_path(node)[0]
            specs = jax.tree.leaves(answers[path], is_leaf=_is_spec)
            for (inner, leaf), spec in zip(below, specs, strict=True):
                known[*inner, _shape(leaf)] = spec

    def following(path: tuple[Any, ...], leaf: Any) -> PartitionSpec:
        ends = ((*path[start:], _shape(leaf)) for start in range(len(path)))
        return next((known[end] for end in ends if end in known), PartitionSpec())

    return jax.tree.unflatten(
        treedef,
        [
            answers[path] if path in answers else following(path, node)
            for path, node in nodes
        ],
    )


def _padded(spec: PartitionSpec, leaf: Any) -> PartitionSpec:
    """The spec of an array that has an axis of stacked layers before its own."""
    return PartitionSpec(*[None] * (len(_shape(leaf)) - len(spec)), *spec)


def spec_of(dims: Iterable[str], rules: Rules) -> PartitionSpec:
    """The spec of an array with these dims: `4*hidden` lies as `hidden` unless it has a rule of its own."""
    return PartitionSpec(*(_axes(dim, rules) for dim in dims))


def shardings(tree: _Tree, mesh: Mesh, rules: Rules | None = None) -> _Tree:
    """A `NamedSharding` for each leaf; mesh axes that `mesh` lacks are left out.

    **Raises:**

    - `ValueError` where the devices of a mesh axis do not divide a dim; it names the dim.
    """
    names = jax.tree.leaves(tree_specs(tree, _Names()), is_leaf=_is_spec)
    specs, treedef = jax.tree.flatten(tree_specs(tree, rules), is_leaf=_is_spec)
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    placed = [_present(spec, mesh.axis_names) for spec in specs]
    faults = [
        fault
        for (path, leaf), spec, dims in zip(leaves, placed, names, strict=True)
        for fault in _indivisible(
            jax.tree_util.keystr(path), _shape(leaf), spec, dims, mesh
        )
    ]
    if faults:
        raise ValueError("; ".join(faults))
    return jax.tree.unflatten(treedef, [NamedSharding(mesh, spec) for spec in placed])


def create_sharded(
    create: Callable[..., _Tree],
    mesh: Mesh,
    rules: Rules | None = None,
    **arguments: Any,
) -> _Tree:
    """`create(**arguments)` under jit, each array made where it lies: no host holds the whole."""
    given = {name: value for name, value in arguments.items() if _is_array(value)}
    kept: list[Any] = []

    def arrays(given: Mapping[str, Any]) -> list[Any]:
        leaves, treedef = jax.tree.flatten(create(**{**arguments, **given}))
        kept[:] = [treedef, [None if _is_array(leaf) else leaf for leaf in leaves]]
        return [leaf for leaf in leaves if _is_array(leaf)]

    def whole(values: Iterable[Any]) -> _Tree:
        treedef, static = kept
        new = iter(values)
        leaves = [next(new) if leaf is None else leaf for leaf in static]
        return jax.tree.unflatten(treedef, leaves)

    with jax.set_mesh(mesh):
        wanted = shardings(whole(jax.eval_shape(arrays, given)), mesh, rules)
        places = [
            place
            for place, leaf in zip(jax.tree.leaves(wanted), kept[1], strict=True)
            if leaf is None
        ]
        return whole(jax.jit(arrays, out_shardings=places)(given))


def place(tree: _Tree, mesh: Mesh, rules: Rules | None = None) -> _Tree:
    """An existing tree with its arrays on the mesh."""
    leaves, treedef = jax.tree.flatten(tree)
    wanted = jax.tree.leaves(shardings(tree, mesh, rules))
    placed = [
        jax.device_put(leaf, sharding) if _is_array(leaf) else leaf
        for leaf, sharding in zip(leaves, wanted, strict=True)
    ]
    return jax.tree.unflatten(treedef, placed)


def out_sharding(*axes: Axes) -> PartitionSpec | None:
    """The `out_sharding` of a product that contracts a sharded dim.

    None where no mesh with explicit axes is set, so that the same code runs on one device
    and under a compiler that decides itself.
    """
    mesh = jax.sharding.get_abstract_mesh()
    pairs = zip(mesh.axis_names, mesh.axis_types, strict=True)
    explicit = [name for name, kind in pairs if kind == AxisType.Explicit]
    return _present(PartitionSpec(*axes), explicit) if explicit else None


def save_checkpoint(path: str | PathLike[str], tree: Any) -> None:
    """Write the arrays of a tree to a new folder with orbax, each process its own shards.

    All or nothing: a folder without its end was never there. One that is there already is
    a `ValueError`, so that the last checkpoint outlives whatever happens to the next.
    """
    with _checkpointer() as checkpointer:
        checkpointer.save(fspath(path), _arrays(tree))


def restore_checkpoint(
    path: str | PathLike[str], like: _Tree, mesh: Mesh, rules: Rules | None = None
) -> _Tree:
    """Read what `save_checkpoint` wrote, onto any mesh; `like` gives structure, shapes and dtypes."""
    leaves, treedef = jax.tree.flatten(like)
    places = jax.tree.leaves(shardings(like, mesh, rules))
    wanted = {
        name: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=place)
        for (name, leaf), place in zip(_named(leaves), places, strict=True)
        if _is_array(leaf)
    }
    with _checkpointer() as checkpointer:
        found = checkpointer.restore(fspath(path), wanted)
    return jax.tree.unflatten(
        treedef, [found.get(name, leaf) for name, leaf in _named(leaves)]
    )


class _Names(dict[str, Axes]):
    """Rules by which a spec holds the names of the dims."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> str:
        return name


def _axes(dim: str, rules: Rules) -> Axes:
    factors = (dim, *dim.split("*"))
    return next((rules[name] for name in factors if name in rules), None)


def _present(spec: PartitionSpec, names: Iterable[str]) -> PartitionSpec:
    """The spec without the mesh axes that are not there."""
    there = set(names)

    def kept(axes: Axes) -> Axes:
        if isinstance(axes, tuple):
            return tuple(axis for axis in axes if axis in there) or None
        return axes if axes in there else None

    return PartitionSpec(*map(kept, spec))


def _indivisible(
    name: str,
    shape: tuple[int, ...],
    spec: PartitionSpec,
    dims: PartitionSpec,
    mesh: Mesh,
) -> Iterable[str]:
    for size, axes, dim in zip(shape, spec, dims, strict=False):
        listed = axes if isinstance(axes, tuple) else (axes,) if axes else ()
        devices = 1
        for axis in listed:
            devices *= mesh.shape[axis]
        if size % devices:
            along = " and ".join(f"`{axis}`" for axis in listed)
            yield f"`{name}` has `{dim}` = {size}, which the {devices} devices along {along} do not divide"


def _checkpointer() -> Any:
    import orbax.checkpoint as ocp  # type: ignore[import-untyped]

    return ocp.StandardCheckpointer()


def _arrays(tree: Any) -> dict[str, Any]:
    return {
        name: leaf for name, leaf in _named(jax.tree.leaves(tree)) if _is_array(leaf)
    }


def _named(leaves: Iterable[Any]) -> list[tuple[str, Any]]:
    return [(str(number), leaf) for number, leaf in enumerate(leaves)]


def _answers(node: Any) -> bool:
    return hasattr(node, "partition_specs")


def _is_spec(node: Any) -> bool:
    return isinstance(node, PartitionSpec)


def _is_array(leaf: Any) -> bool:
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype")


def _shape(leaf: Any) -> tuple[int, ...]:
    return tuple(getattr(leaf, "shape", ()))


def _name(path: tuple[Any, ...]) -> str:
    key = path[0]
    return str(getattr(key, "name", getattr(key, "key", key)))
