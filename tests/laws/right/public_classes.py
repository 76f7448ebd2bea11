"""Public classes of several libraries, each with how it is built and called: five lines, and nothing declared."""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import diffrax
import equinox as eqx
import flax.struct
import flowjax.bijections
import flowjax.distributions
import jax
import jax.numpy as jnp
import jaxlie
import lineax
import optax
import optimistix
import tinygp

from pytree_laws import sample


class Public(NamedTuple):
    """A class of a library: `build(seed)`, and `arguments(seed)` where it is called."""

    build: Callable[[int], Any]
    arguments: Callable[[int], Any] | None = None
    call: Callable[..., Any] | None = None
    found: tuple[str, ...] = ()
    """The laws that find something, with the causes told once; docs/laws.md explains them."""
    slow: bool = False
    """Whether its suite takes long, and is left to `pytest -m slow`."""


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


def flow(bijection: Any, x: jax.Array) -> Any:
    return bijection.transform(x)


def applied(transform: Any, x: jax.Array) -> Any:
    return transform.apply(x)


def points(seed: int) -> tuple[jax.Array, jax.Array]:
    return sample(seed, (3, 2)), sample(seed + 1, (4, 2))


def regular(seed: int, size: int) -> jax.Array:
    """A matrix that has an inverse."""
    return sample(seed, (size, size)) + size * jnp.eye(size, dtype=jnp.float32)


PUBLIC: dict[str, Public] = {
    "equinox.nn.Linear": Public(lambda s: eqx.nn.Linear(3, 2, key=key(s)), vectors(3)),
    "equinox.nn.MLP": Public(lambda s: eqx.nn.MLP(3, 2, 5, 2, key=key(s)), vectors(3), slow=True),
    "equinox.nn.GRUCell": Public(lambda s: eqx.nn.GRUCell(3, 2, key=key(s)), vectors(3, 2), slow=True),
    "equinox.nn.Conv1d": Public(lambda s: eqx.nn.Conv1d(2, 3, 2, key=key(s)), image(2, 7)),
    "equinox.nn.Conv2d": Public(lambda s: eqx.nn.Conv2d(2, 3, 2, key=key(s)), image(2, 5, 5), slow=True),
    "equinox.nn.LayerNorm": Public(lambda s: eqx.nn.LayerNorm(5), vectors(5)),
    "equinox.nn.RMSNorm": Public(lambda s: eqx.nn.RMSNorm(5), vectors(5)),
    "equinox.nn.GroupNorm": Public(lambda s: eqx.nn.GroupNorm(2, 4), image(4, 3), slow=True),
    "equinox.nn.PReLU": Public(lambda s: eqx.nn.PReLU(), vectors(5), found=("P1", "P5")),
    "equinox.nn.Embedding": Public(
        lambda s: eqx.nn.Embedding(5, 3, key=key(s)), lambda s: (sample(s, (), "int", 0, 5),), slow=True
    ),
    "equinox.nn.LSTMCell": Public(
        lambda s: eqx.nn.LSTMCell(3, 2, key=key(s)),
        lambda s: (*vectors(3)(s), vectors(2, 2)(s + 1)),
        slow=True,
    ),
    "equinox.nn.Dropout": Public(
        lambda s: eqx.nn.Dropout(0.5),
        lambda s: (sample(s, (5,)), key(s)),
        lambda dropout, x, key: dropout(x, key=key),
    ),
    "equinox.nn.MultiheadAttention": Public(
        lambda s: eqx.nn.MultiheadAttention(2, 4, key=key(s)),
        lambda s: (*image(3, 4)(s), *image(5, 4)(s + 1), *image(5, 4)(s + 2)),
        slow=True,
    ),
    "equinox.nn.RotaryPositionalEmbedding": Public(
        lambda s: eqx.nn.RotaryPositionalEmbedding(4), image(5, 4), slow=True
    ),
    "equinox.nn.ConvTranspose1d": Public(
        lambda s: eqx.nn.ConvTranspose1d(2, 3, 2, key=key(s)), image(2, 5), slow=True
    ),
    "equinox.nn.WeightNorm": Public(
        lambda s: eqx.nn.WeightNorm(eqx.nn.Linear(3, 2, key=key(s))),
        vectors(3),
        found=("P6", "P14"),
        slow=True,
    ),
    "equinox.nn.Sequential": Public(
        lambda s: eqx.nn.Sequential([eqx.nn.Linear(3, 4, key=key(s)), eqx.nn.Lambda(jax.nn.tanh)]),
        vectors(3),
        slow=True,
    ),
    "equinox.nn.AdaptiveAvgPool1d": Public(lambda s: eqx.nn.AdaptiveAvgPool1d(3), image(2, 7), slow=True),
    "equinox.nn.MaxPool1d": Public(lambda s: eqx.nn.MaxPool1d(2), image(2, 6), slow=True),
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
    "diffrax.Tsit5": Public(lambda s: diffrax.Tsit5()),
    "diffrax.PIDController": Public(lambda s: diffrax.PIDController(rtol=1e-3, atol=1e-3)),
    "lineax.MatrixLinearOperator": Public(operator, vectors(3), lambda one, x: one.mv(x)),
    "lineax.DiagonalLinearOperator": Public(
        lambda s: lineax.DiagonalLinearOperator(sample(s, (3,))), vectors(3), lambda one, x: one.mv(x)
    ),
    "lineax.TridiagonalLinearOperator": Public(
        lambda s: lineax.TridiagonalLinearOperator(*vectors(4, 3, 3)(s)),
        vectors(4),
        lambda one, x: one.mv(x),
        slow=True,
    ),
    "lineax.CG": Public(lambda s: lineax.CG(rtol=1e-4, atol=1e-4)),
    "lineax.LU": Public(lambda s: lineax.LU()),
    "optimistix.BFGS": Public(lambda s: optimistix.BFGS(rtol=1e-4, atol=1e-4)),
    "optimistix.Newton": Public(lambda s: optimistix.Newton(rtol=1e-4, atol=1e-4)),
    "optimistix.LevenbergMarquardt": Public(lambda s: optimistix.LevenbergMarquardt(rtol=1e-4, atol=1e-4)),
    "flowjax.bijections.Exp": Public(lambda s: flowjax.bijections.Exp((3,)), vectors(3), flow),
    "flowjax.bijections.Permute": Public(
        lambda s: flowjax.bijections.Permute(jnp.array([2, 0, 1])), vectors(3), flow, slow=True
    ),
    "flowjax.bijections.Affine": Public(
        lambda s: flowjax.bijections.Affine(sample(s, (3,)), sample(s + 1, (3,), positive=True)),
        vectors(3),
        flow,
    ),
    "flowjax.bijections.TriangularAffine": Public(
        lambda s: flowjax.bijections.TriangularAffine(sample(s, (3,)), regular(s, 3)),
        vectors(3),
        flow,
        ("P6", "P9", "P14"),
        slow=True,
    ),
    "flowjax.bijections.RationalQuadraticSpline": Public(
        lambda s: flowjax.bijections.RationalQuadraticSpline(knots=4, interval=2),
        lambda s: (sample(s),),
        flow,
        ("P5", "P14"),
        slow=True,
    ),
    "flowjax.bijections.Coupling": Public(
        lambda s: flowjax.bijections.Coupling(
            key(s),
            transformer=flowjax.bijections.Affine(),
            untransformed_dim=2,
            dim=4,
            nn_width=5,
            nn_depth=1,
        ),
        vectors(4),
        flow,
        ("P2", "P6", "P7", "P14"),
        slow=True,
    ),
    "flowjax.distributions.Normal": Public(
        lambda s: flowjax.distributions.Normal(sample(s, (3,)), sample(s + 1, (3,), positive=True)),
        vectors(3),
        lambda normal, x: normal.log_prob(x),
        ("P7",),
    ),
    "tinygp.kernels.ExpSquared": Public(
        lambda s: tinygp.kernels.ExpSquared(scale=sample(s, positive=True)), points
    ),
    "tinygp.kernels.Matern32": Public(
        lambda s: tinygp.kernels.Matern32(scale=sample(s, positive=True)), points, found=("P7",)
    ),
    "tinygp.kernels.Sum": Public(
        lambda s: sample(s) * tinygp.kernels.Exp(sample(s + 1)) + tinygp.kernels.Constant(sample(s + 2)),
        points,
        slow=True,
    ),
    "tinygp.kernels.RationalQuadratic": Public(
        lambda s: tinygp.kernels.RationalQuadratic(
            scale=sample(s, positive=True), alpha=sample(s + 1, positive=True)
        ),
        points,
        slow=True,
    ),
    "tinygp.noise.Diagonal": Public(
        lambda s: tinygp.noise.Diagonal(sample(s, (3,), positive=True)), image(3, 2), lambda one, x: one @ x
    ),
    "tinygp.transforms.Linear": Public(
        lambda s: tinygp.transforms.Linear(regular(s, 2), tinygp.kernels.ExpSquared()), points
    ),
    "tinygp.means.Mean": Public(lambda s: tinygp.means.Mean(sample(s)), vectors(2), found=("P3", "P14")),
    "jaxlie.SO2": Public(
        lambda s: jaxlie.SO2.from_radians(sample(s)), vectors(2), applied, ("P3", "P4", "P7")
    ),
    "jaxlie.SE2": Public(
        lambda s: jaxlie.SE2.exp(sample(s, (3,))), vectors(2), applied, ("P3", "P4"), slow=True
    ),
    "jaxlie.SO3": Public(lambda s: jaxlie.SO3.exp(sample(s, (3,))), vectors(3), applied, ("P3", "P4", "P7")),
    "jaxlie.SE3": Public(
        lambda s: jaxlie.SE3.exp(sample(s, (6,))), vectors(3), applied, ("P3", "P4", "P7"), slow=True
    ),
    "optax.ScaleByAdamState": Public(lambda s: optax.scale_by_adam().init(weights(s))),
    "optax.TraceState": Public(lambda s: optax.trace(0.9).init(weights(s))),
    "optax.EmaState": Public(lambda s: optax.ema(0.9).init(weights(s))),
    "optax.ScaleByRmsState": Public(lambda s: optax.scale_by_rms().init(weights(s))),
    "optax.ScaleByLionState": Public(lambda s: optax.scale_by_lion().init(weights(s))),
    "NamedTuple": Public(lambda s: Moments(sample(s, (3,)), sample(s + 1, (3,)))),
    "flax.struct.dataclass": Public(
        lambda s: Scaler(gain=sample(s, (3,))), vectors(3), found=("P3", "P13", "P17")
    ),
    "chex.dataclass": Public(
        lambda s: Particle(place=sample(s, (3,)), speed=sample(s + 1, (3,))), found=("P3", "P13")
    ),
}
