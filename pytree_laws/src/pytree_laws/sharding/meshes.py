"""A call, its gradients and a step on a mesh of real devices."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from ..inspect.trees import arrays_of, combine, partition, stack
from .specs import Example, Spec, axes_in, descend, moved_places

BATCH = "data"
"""Mesh axis of the batch, if no rule uses it."""
COLLECTIVES = ("all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter")
_OPERATION = re.compile(rf" ({'|'.join(COLLECTIVES)})(?:-start)?\(")


class Placed(NamedTuple):
    """An example on a mesh: the arrays of its instance and of a batch, and the program of a step."""

    mesh: Mesh
    own: Sequence[Any]
    batch: Sequence[Any]
    step: Callable[..., Any]

    def run(self) -> Any:
        with jax.set_mesh(self.mesh):
            return jax.jit(self.step)(self.own, self.batch)

    def text(self) -> str:
        """Return the text of the compiled program."""
        with jax.set_mesh(self.mesh):
            return jax.jit(self.step).lower(self.own, self.batch).compile().as_text() or ""


def layouts(axes: Sequence[str], devices: int) -> Iterator[Mapping[str, int]]:
    """Yield meshes of a number of devices: along the axes of the rules, and with an axis for the batch."""
    if len(axes) == 1:
        yield {axes[0]: devices}
    first, last = (BATCH, axes[0]) if len(axes) == 1 else (axes[0], axes[-1])
    for rows in range(2, devices):
        if devices % rows == 0 and len(axes) < 3:
            yield {first: rows, last: devices // rows}


def indivisible(example: Example, specs: Sequence[Spec], sizes: Mapping[str, int]) -> list[str]:
    """Describe the dims that the number of devices along their mesh axes does not divide."""
    messages: dict[str, None] = {}
    for array, spec, dims in zip(example.arrays(), specs, example.all_dims()):
        for size, axes, dim in zip(array.shape, spec, dims or [""] * array.ndim):
            count = math.prod(sizes[axis] for axis in axes_in(axes))
            if size % count:
                messages[f"`{dim}` = {size} is not divided by the {count} devices of its axis"] = None
    return [*messages]


def mesh_of(sizes: Mapping[str, int], kind: AxisType) -> Mesh:
    shape = tuple(sizes.values())
    return jax.make_mesh(shape, tuple(sizes), axis_types=(kind,) * len(shape))


def placed(
    example: Example,
    arguments: Sequence[tuple[Any, ...]],
    specs: Sequence[Spec],
    trained: Collection[str],
    mesh: Mesh,
) -> Placed:
    """Put an example on a mesh, with the arguments of several calls stacked as a batch."""
    arrays = partition(example.tree)[1]
    rest, batch = partition(stack([*arguments]))
    taken = {axis for spec in specs for axes in spec for axis in axes_in(axes)}
    rows = BATCH if BATCH in {*mesh.axis_names} - taken else None

    def on_mesh(array: Any, spec: Spec) -> Any:
        place = NamedSharding(mesh, PartitionSpec(*spec))
        return jax.device_put(jnp.copy(array), place)  # which donation may delete

    return Placed(
        mesh,
        list(map(on_mesh, arrays, specs)),
        [on_mesh(v, (rows, *s)) for v, s in zip(batch, specs[len(arrays) :])],
        step_on_batch(example, rest, trained),
    )


def step_on_batch(example: Example, rest: Any, trained: Collection[str]) -> Callable[..., Any]:
    """Return a step on the arrays of an instance and of a batch.

    `rest` is the static part of the arguments.
    """
    static, leaves = partition(example.tree)
    moved = moved_places(example, leaves, trained)

    def call(arrays: Sequence[Any], batch: Sequence[Any]) -> Any:
        def one(arguments: Sequence[Any]) -> Any:
            instance = example.back(combine(static, arrays))  # which a call may change
            return arrays_of(example.call(instance, *combine(rest, arguments)))

        return jax.vmap(one)([*batch])

    def step(arrays: Sequence[Any], batch: Sequence[Any]) -> Any:
        outputs, slopes, momenta, new = descend(lambda arrays: call(arrays, batch), arrays, moved)
        after = dict(zip(moved, new))
        whole = [after.get(i, value) for i, value in enumerate(arrays)]
        return {"outputs": outputs, "gradients": slopes, "momenta": momenta, "new leaves": whole}

    return step


def collectives(text: str) -> dict[str, int]:
    """Count the operations of each kind in a compiled program that move data between devices."""
    operations = _OPERATION.findall(text)
    return {kind: operations.count(kind) for kind in COLLECTIVES if kind in operations}
