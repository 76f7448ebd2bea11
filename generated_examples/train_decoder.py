"""Train the decoder with data and tensor parallelism.

python train_decoder.py --data 2 --model 4 --virtual 8

`--virtual 8` makes eight devices of the CPU. With `--coordinator` this is one process of
several; on a cluster that jax knows, `--cluster` finds them itself.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from decoder import LanguageModel
from sharding import (
    create_sharded,
    restore_checkpoint,
    save_checkpoint,
)

VOCABULARY, LENGTH, SIZE, HEADS, HEAD_SIZE, HIDDEN_SIZE, DEPTH = 32, 16, 24, 8, 4, 64, 2
BATCH = 16
OPTIMISER = optax.adam(1e-2)
State = dict[str, Any]


def new_state(key: PRNGKeyArray) -> State:
    """A new model, and the state of its optimiser."""
    model = LanguageModel(
        VOCABULARY, LENGTH, SIZE, HEADS, HEAD_SIZE, HIDDEN_SIZE, DEPTH, key=key
    )
    return {"model": model, "optimiser": OPTIMISER.init(model)}  # pyright: ignore[reportArgumentType]


def tokens_of(step: Int32[Array, ""]) -> Int32[Array, "batch tokens"]:
    """Sequences in which each token follows from the one before, but for some noise."""
    first, noise = jax.random.split(jax.random.fold_in(jax.random.key(7), step))
    start = jax.random.randint(first, (BATCH,), 0, VOCABULARY)
    jumps = jax.random.bernoulli(noise, 0.1, (LENGTH, BATCH)).astype(jnp.int32)

    def after(token: Array, jump: Array) -> tuple[Array, Array]:
        return (5 * token + 3 + jump) % VOCABULARY, token

    return jax.lax.scan(after, start, jumps)[1].T


def loss_of(
    model: LanguageModel, tokens: Int32[Array, "batch tokens"]
) -> Float[Array, ""]:
    """The mean cross entropy of each token given those before it."""
    logits = jax.vmap(model)(tokens)[:, :-1]
    wanted = jax.nn.one_hot(tokens[:, 1:], VOCABULARY)
    found = jnp.sum(logits * wanted, axis=-1)
    return jnp.mean(jax.nn.logsumexp(logits, axis=-1) - found)


def take_step(
    state: State, tokens: Int32[Array, "batch tokens"]
) -> tuple[State, Float[Array, ""]]:
    """The next state, and the loss of this one."""
    loss, gradients = jax.value_and_grad(loss_of)(state["model"], tokens)
    updates, optimiser = OPTIMISER.update(gradients, state["optimiser"], state["model"])
    model = optax.apply_updates(state["model"], updates)
    return {"model": model, "optimiser": optimiser}, loss


def train(
    state: State, mesh: Mesh, first: int, steps: int
) -> Iterator[tuple[State, float]]:
    """The state after each step, and the loss before it."""
    rows = NamedSharding(mesh, PartitionSpec("data", None))
    batch = jax.jit(tokens_of, out_shardings=rows)
    step = jax.jit(take_step, donate_argnums=0)
    for number in range(first, first + steps):
        state, loss = step(state, batch(jnp.int32(number)))
        yield state, float(loss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=int, default=1, help="devices along the batch")
    parser.add_argument("--model", type=int, default=1, help="devices along heads")
    parser.add_argument("--virtual", type=int, default=0, help="devices of the CPU")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--first", type=int, default=0, help="number of the first step")
    parser.add_argument("--every", type=int, default=0, help="steps between saves")
    parser.add_argument("--save", type=Path, help="folder of a checkpoint to write")
    parser.add_argument("--restore", type=Path, help="folder of a checkpoint to read")
    parser.add_argument("--losses", type=Path, help="JSON file to write")
    parser.add_argument("--cluster", action="store_true", help="several processes")
    parser.add_argument("--coordinator", help="address of process 0: several processes")
    parser.add_argument("--processes", type=int)
    parser.add_argument("--process", type=int)
    parser.add_argument(
        "--heartbeat",
        type=int,
        default=100,
        help="seconds until a silent process is lost",
    )
    options = parser.parse_args()
    if options.virtual:
        jax.config.update("jax_num_cpu_devices", options.virtual)
    if options.cluster or options.coordinator:
        # Slurm, Open MPI, Kubernetes and cloud pods tell jax all three.
        jax.distributed.initialize(
            options.coordinator,
            options.processes,
            options.process,
            heartbeat_timeout_seconds=options.heartbeat,
        )
    mesh = jax.make_mesh((options.data, options.model), ("data", "model"))
    with jax.set_mesh(mesh):
        if options.restore:
            like = jax.eval_shape(new_state, jax.random.key(0))
            state = restore_checkpoint(options.restore.absolute(), like, mesh)
        else:
            state = create_sharded(new_state, mesh, key=jax.random.key(0))
        losses: list[float] = []
        latest = state
        for latest, loss in train(state, mesh, options.first, options.steps):
            losses.append(loss)
            if options.every and len(losses) % options.every == 0:
                folder = options.save.absolute() / str(options.first + len(losses))
                save_checkpoint(folder, latest)
        if options.save and not options.every:
            save_checkpoint(options.save.absolute(), latest)
    if jax.process_index() == 0:
        print("\n".join(f"{loss:.6f}" for loss in losses))
        if options.losses:
            options.losses.write_text(json.dumps(losses))


if __name__ == "__main__":
    main()
