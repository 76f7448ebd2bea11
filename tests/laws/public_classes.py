"""Public classes of several libraries, each with how it is built and called: five lines, and nothing declared."""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import diffrax
import equinox as eqx
import flax.struct
import jax
import jax.numpy as jnp
import lineax
import optax
import optimistix

from pytree_laws import sample


class Public(NamedTuple):
    """A class of a library: `build(seed)`, and `arguments(seed)` where it is called."""

    build: Callable[[int], Any]
    arguments: Callable[[int], Any] | None = None
    call: Callable[..., Any] | None = None
    found: tuple[str, ...] = ()
    """The laws that find something, with the causes told once; docs/laws.md explains them."""


def key(seed: int) -> Any:
    return jax.random.key(seed)


def vectors(*sizes: int) -> Callable[[int], Any]:
    return lambda seed: tuple(sample(seed + i, (size,)) for i, size in enumerate(sizes))


def image(*shape: int) -> Callable[[int], Any]:
    return lambda seed: (sample(seed, shape),)


class Moments(NamedTuple):
    """A NamedTuple of arrays."""

    mean: jax.Array
    square: jax.Array


@flax.struct.dataclass
class Scaler:
    """A flax.struct with a setting."""

    gain: jax.Array
    power: int = flax.struct.field(pytree_node=False, default=2)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.gain * x**self.power


@chex.dataclass(frozen=True)
class Particle:
    """A dataclass of chex."""

    place: chex.Array
    speed: chex.Array


def weights(seed: int) -> dict[str, jax.Array]:
    return {"weight": sample(seed, (2, 3)), "bias": sample(seed + 1, (2,))}


def operator(seed: int) -> Any:
    return lineax.MatrixLinearOperator(sample(seed, (3, 3)) + 2 * jnp.eye(3, dtype=jnp.float32))


PUBLIC: dict[str, Public] = {
    "equinox.nn.Linear": Public(lambda s: eqx.nn.Linear(3, 2, key=key(s)), vectors(3)),
    "equinox.nn.MLP": Public(lambda s: eqx.nn.MLP(3, 2, 5, 2, key=key(s)), vectors(3)),
    "equinox.nn.GRUCell": Public(lambda s: eqx.nn.GRUCell(3, 2, key=key(s)), vectors(3, 2)),
    "equinox.nn.Conv1d": Public(lambda s: eqx.nn.Conv1d(2, 3, 2, key=key(s)), image(2, 7)),
    "equinox.nn.Conv2d": Public(lambda s: eqx.nn.Conv2d(2, 3, 2, key=key(s)), image(2, 5, 5)),
    "equinox.nn.LayerNorm": Public(lambda s: eqx.nn.LayerNorm(5), vectors(5)),
    "equinox.nn.RMSNorm": Public(lambda s: eqx.nn.RMSNorm(5), vectors(5)),
    "equinox.nn.GroupNorm": Public(lambda s: eqx.nn.GroupNorm(2, 4), image(4, 3)),
    "equinox.nn.PReLU": Public(lambda s: eqx.nn.PReLU(), vectors(5), found=("P5",)),
    "equinox.nn.AvgPool1d": Public(lambda s: eqx.nn.AvgPool1d(2), image(2, 6)),
    "equinox.nn.Identity": Public(lambda s: eqx.nn.Identity(), vectors(3)),
    "diffrax.ODETerm": Public(lambda s: diffrax.ODETerm(eqx.nn.Linear(3, 3, key=key(s)))),
    "diffrax.LinearInterpolation": Public(
        lambda s: diffrax.LinearInterpolation(jnp.arange(4.0, dtype=jnp.float32), sample(s, (4, 2))),
        lambda s: (sample(s, ()),),
        lambda path, time: path.evaluate(time),
    ),
    "diffrax.SaveAt": Public(lambda s: diffrax.SaveAt(ts=sample(s, (3,)))),
    "diffrax.Euler": Public(lambda s: diffrax.Euler()),
    "lineax.MatrixLinearOperator": Public(operator, vectors(3), lambda one, x: one.mv(x)),
    "lineax.DiagonalLinearOperator": Public(
        lambda s: lineax.DiagonalLinearOperator(sample(s, (3,))), vectors(3), lambda one, x: one.mv(x)
    ),
    "lineax.LU": Public(lambda s: lineax.LU()),
    "optimistix.BFGS": Public(lambda s: optimistix.BFGS(rtol=1e-4, atol=1e-4)),
    "optimistix.Newton": Public(lambda s: optimistix.Newton(rtol=1e-4, atol=1e-4)),
    "optax.ScaleByAdamState": Public(lambda s: optax.scale_by_adam().init(weights(s)), found=("P13",)),
    "optax.TraceState": Public(lambda s: optax.trace(0.9).init(weights(s)), found=("P13",)),
    "optax.EmaState": Public(lambda s: optax.ema(0.9).init(weights(s)), found=("P13",)),
    "optax.ScaleByRmsState": Public(lambda s: optax.scale_by_rms().init(weights(s)), found=("P13",)),
    "NamedTuple": Public(lambda s: Moments(sample(s, (3,)), sample(s + 1, (3,))), found=("P13",)),
    "flax.struct.dataclass": Public(
        lambda s: Scaler(gain=sample(s, (3,))), vectors(3), found=("P3", "P13", "P17")
    ),
    "chex.dataclass": Public(
        lambda s: Particle(place=sample(s, (3,)), speed=sample(s + 1, (3,))), found=("P3", "P13")
    ),
}
