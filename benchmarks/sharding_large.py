"""What the decoder's rules give as a transformer of 70 billion parameters on 4,096 devices, without a device.

    python -m benchmarks.sharding_large

traces the step at full size on abstract meshes, and reads the collectives off programs that are compiled for eight virtual devices.
"""

import itertools
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax

jax.config.update("jax_num_cpu_devices", 8)

import jax.numpy as jnp  # noqa: E402
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[1] / "generated_examples"
sys.path.insert(0, str(EXAMPLES))

import train_decoder  # noqa: E402
from decoder import LanguageModel  # noqa: E402
from sharding import create_sharded, tree_specs  # noqa: E402

LARGE = {
    "vocabulary": 131072,
    "length": 4096,
    "size": 8192,
    "heads": 64,
    "head_size": 128,
    "hidden_size": 36864,
    "depth": 80,
}
BATCH = 1024
DEVICES = 4096
SMALL = (32, 16, 24, 8, 4, 64)
GIB = 2**30
_SHAPE = re.compile(r"f32\[([\d,]*)\]")


def traced(model: int) -> tuple[Any, Any]:
    """The state at full size, and a step of it as jax shards it on an abstract mesh."""
    mesh = AbstractMesh((DEVICES // model, model), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)

    def new(key: Any) -> Any:
        language_model = LanguageModel(**LARGE, key=key)
        return {"model": language_model, "optimiser": train_decoder.OPTIMISER.init(language_model)}

    state = jax.eval_shape(new, jax.random.key(0))
    specs = jax.tree.leaves(tree_specs(state), is_leaf=lambda one: isinstance(one, PartitionSpec))
    leaves, treedef = jax.tree.flatten(state)
    placed = [
        jax.ShapeDtypeStruct(one.shape, one.dtype, sharding=NamedSharding(mesh, spec))
        for one, spec in zip(leaves, specs, strict=True)
    ]
    rows = NamedSharding(mesh, PartitionSpec("data", None))
    tokens = jax.ShapeDtypeStruct((BATCH, LARGE["length"]), jnp.int32, sharding=rows)
    with jax.sharding.use_abstract_mesh(mesh):
        after, _ = jax.eval_shape(train_decoder.take_step, treedef.unflatten(placed), tokens)
    return treedef.unflatten(placed), after


def bytes_each(tree: Any) -> int:
    """The bytes of a sharded tree on each device."""
    shapes = ((one.sharding.shard_shape(one.shape), one.dtype) for one in jax.tree.leaves(tree))
    return sum(math.prod(shape) * dtype.itemsize for shape, dtype in shapes)


def reductions(depth: int) -> Iterator[tuple[int, int]]:
    """Of each all-reduce of a compiled step on 2 by 4 devices: how many devices take part, and elements."""
    train_decoder.DEPTH = depth
    mesh = jax.make_mesh((2, 4), ("data", "model"))
    with jax.set_mesh(mesh):
        state = create_sharded(train_decoder.new_state, mesh, key=jax.random.key(0))
        rows = NamedSharding(mesh, PartitionSpec("data", None))
        tokens = jax.jit(train_decoder.tokens_of, out_shardings=rows)(jnp.int32(0))
        text = jax.jit(train_decoder.take_step).lower(state, tokens).compile().as_text() or ""
    for line in (one for one in text.splitlines() if " all-reduce" in one and "replica_groups=" in one):
        shapes = _SHAPE.findall(line.partition(" all-reduce")[0])
        groups = line.partition("replica_groups=")[2]
        yield members(groups), sum(math.prod(map(int, filter(None, one.split(",")))) for one in shapes)


def members(groups: str) -> int:
    """How many devices a group of `{{0,1},{2,3}}`, or of `[2,4]<=[8]`, has."""
    if groups.startswith("["):
        return int(groups[1:].partition("]")[0].split(",")[1])
    return groups.removeprefix("{{").partition("}")[0].count(",") + 1


def per_layer() -> tuple[float, float, int]:
    """All-reduces of a layer among `model`: how many activations, how many operations; and other kinds in all."""
    counts, elements = [], []
    for depth in (1, 2, 3):
        own = [size for count, size in reductions(depth) if count == 4]
        counts.append(len(own))
        elements.append(sum(own))
    unit = train_decoder.BATCH // 2 * SMALL[1] * SMALL[2]
    steps = {later - one for one, later in itertools.pairwise(elements)}
    assert len(steps) == 1, f"no multiple of the depth: {elements}"
    return steps.pop() / unit, counts[1] - counts[0], counts[0]


def main() -> None:
    activations, operations, once = per_layer()
    print("Compiled for 2 by 4 devices, one layer more has")
    print(f"- {operations} all-reduces along `model`, of {activations:g} activations in all")
    print(f"- embedding, head and loss have {once - operations} more, whatever the depth\n")
    train_decoder.VOCABULARY = LARGE["vocabulary"]
    state, _ = traced(8)
    count = sum(math.prod(one.shape) for one in jax.tree.leaves(state["model"]))
    print(
        f"The model of {count / 1e9:.1f} billion parameters, batch {BATCH}, on {DEVICES} devices in float32:\n"
    )
    print(
        "| data by model | parameters and optimiser, GiB a device | gradients over `data`, GiB | activations over `model`, GiB |"
    )
    print("|---|---|---|---|")
    for model in (8, 16, 32, 64):
        before, after = traced(model)
        assert bytes_each(before) == bytes_each(after), "the step changes the sharding"
        rows = BATCH * model / DEVICES
        moved = activations * LARGE["depth"] * rows * LARGE["length"] * LARGE["size"] * 4
        own = bytes_each(before["model"]) / GIB
        print(
            f"| {DEVICES // model} by {model} | {bytes_each(before) / GIB:.1f} | {own:.1f} | {moved / GIB:.1f} |"
        )
    widest = math.gcd(LARGE["heads"], LARGE["hidden_size"], LARGE["vocabulary"])
    print(f"\n`model` divides heads, hidden size and vocabulary up to {widest} devices.")
    print(f"`data` divides the batch up to {BATCH}: {widest * BATCH} devices in all.")


if __name__ == "__main__":
    main()
