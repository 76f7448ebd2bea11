"""Fit the model to noisy data, and draw the loss.

uv run examples/train.py --steps 300
"""

import argparse
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]
from jaxtyping import Array, Float, PRNGKeyArray
from matplotlib.figure import Figure
from tqdm import trange  # type: ignore[import-untyped]

from example_study import Affine, TrainState

EXAMPLES, IN_SIZE, OUT_SIZE = 256, 8, 4
NOISE = 0.1


def make_data(
    key: PRNGKeyArray,
) -> tuple[Float[Array, "examples in_size"], Float[Array, "examples out_size"]]:
    """Inputs, and what another model of the class makes of them, with noise."""
    truth_key, x_key, noise_key = jax.random.split(key, 3)
    truth = Affine.create(OUT_SIZE, IN_SIZE, key=truth_key)
    x = jax.random.normal(x_key, (EXAMPLES, IN_SIZE), jnp.float32)
    noise = jax.random.normal(noise_key, (EXAMPLES, OUT_SIZE), jnp.float32)
    return x, jax.vmap(truth)(x) + NOISE * noise


def loss_of(
    model: Affine,
    x: Float[Array, "examples in_size"],
    y: Float[Array, "examples out_size"],
) -> Float[Array, ""]:
    """The mean squared error."""
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


@eqx.filter_jit
def take_step(
    state: TrainState,
    optimiser: optax.GradientTransformation,
    x: Float[Array, "examples in_size"],
    y: Float[Array, "examples out_size"],
) -> tuple[TrainState, Float[Array, ""]]:
    """The next state, and the loss of this one."""
    loss, gradients = eqx.filter_value_and_grad(loss_of)(state.model, x, y)
    return state.apply_gradients(gradients, optimiser), loss


def train(steps: int, seed: int) -> list[float]:
    """The loss at each step."""
    model_key, data_key = jax.random.split(jax.random.key(seed))
    optimiser = optax.adam(3e-2)
    state = TrainState.create(
        Affine.create(OUT_SIZE, IN_SIZE, key=model_key), optimiser
    )
    x, y = make_data(data_key)
    losses: list[float] = []
    with trange(steps, desc="training") as progress:
        for _ in progress:
            state, loss = take_step(state, optimiser, x, y)
            losses.append(float(loss))
            progress.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    return losses


def draw(losses: list[float], path: Path) -> None:
    """The loss curve, as an image."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.semilogy(losses, label="training")
    axes.axhline(NOISE**2, color="gray", linestyle="--", label="noise")
    axes.set(xlabel="step", ylabel="mean squared error")
    axes.legend()
    figure.savefig(path)


def main() -> None:
    """Read the options, train, and draw."""
    parser = argparse.ArgumentParser(description="Fit the model, and draw the loss.")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("loss.png"))
    options = parser.parse_args()
    losses = train(options.steps, options.seed)
    draw(losses, options.out)
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}, drawn in {options.out}")


if __name__ == "__main__":
    main()
