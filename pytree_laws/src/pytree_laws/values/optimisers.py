"""Optimisers with different forms of state, which every update must accept."""

from collections.abc import Callable

import jax
import optax  # type: ignore[import-untyped]

RATE = 0.5  # of the plain descent


OPTIMISERS: dict[str, Callable[[], optax.GradientTransformation]] = {
    "adam": lambda: optax.adam(0.01),
    "adamw": lambda: optax.adamw(0.01, weight_decay=0.1),
    "plain": lambda: optax.sgd(RATE),
    "momentum": lambda: optax.sgd(0.01, momentum=0.9),
    "schedule": lambda: optax.chain(
        optax.clip_by_global_norm(1.0), optax.sgd(optax.linear_schedule(0.1, 0.01, 10))
    ),
    "multi_transform": lambda: optax.multi_transform(
        {"flat": optax.sgd(0.01), "wide": optax.adamw(0.01)},
        lambda weights: jax.tree.map(lambda leaf: "flat" if leaf.ndim < 2 else "wide", weights),
    ),
    "noise": lambda: optax.chain(optax.add_noise(0.1, 0.5, 0), optax.sgd(0.01)),
    "injected": lambda: optax.inject_hyperparams(optax.adam)(learning_rate=0.01),
}
