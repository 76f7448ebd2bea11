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
from flax import nnx

from pytree_laws import sample
from pytree_laws.nnx import NnxLaws, Var


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
    "tinygp.transforms.Linear": Public(
        lambda s: tinygp.transforms.Linear(regular(s, 2), tinygp.kernels.ExpSquared()), points
    ),
    "tinygp.means.Mean": Public(lambda s: tinygp.means.Mean(sample(s)), vectors(2), found=("P3", "P14")),
    "jaxlie.SO2": Public(lambda s: jaxlie.SO2.from_radians(sample(s)), vectors(2), applied, ("P3", "P4")),
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
    "NamedTuple": Public(lambda s: Moments(sample(s, (3,)), sample(s + 1, (3,)))),
    "flax.struct.dataclass": Public(
        lambda s: Scaler(gain=sample(s, (3,))), vectors(3), found=("P3", "P13", "P17")
    ),
    "chex.dataclass": Public(
        lambda s: Particle(place=sample(s, (3,)), speed=sample(s + 1, (3,))), found=("P3", "P13")
    ),
}


class Module(NamedTuple):
    """A module of NNX: `build(rngs)`, its arguments, and its Variables, of which a call updates some."""

    build: Callable[[nnx.Rngs], Any]
    arguments: Callable[[int], Any]
    variables: tuple[Var, ...]
    updates: tuple[str, ...] = ()
    slow: bool = False

    def suite(self) -> type[NnxLaws]:
        """As its user writes it in a test file."""
        one = self

        class Laws(NnxLaws):
            variables = one.variables
            updates = one.updates

            def build(self, rngs: nnx.Rngs) -> Any:
                return one.build(rngs)

            def arguments(self, seed: int) -> Any:
                return one.arguments(seed)

            def call(self, instance: Any, *arguments: Any) -> Any:
                return instance(*arguments)

        return Laws


def params(**shapes: tuple[int, ...]) -> tuple[Var, ...]:
    return tuple(Var(path, nnx.Param, shape) for path, shape in shapes.items())


def parts(*paths: str) -> tuple[Var, ...]:
    return tuple(Var(path, nnx.Module) for path in paths)


MODULES: dict[str, Module] = {
    "flax.nnx.Linear": Module(
        lambda rngs: nnx.Linear(3, 2, rngs=rngs), vectors(3), params(kernel=(3, 2), bias=(2,))
    ),
    "flax.nnx.Einsum": Module(
        lambda rngs: nnx.Einsum("a,ab->b", (3, 2), (2,), rngs=rngs),
        vectors(3),
        params(kernel=(3, 2), bias=(2,)),
        slow=True,
    ),
    "flax.nnx.Conv": Module(
        lambda rngs: nnx.Conv(2, 3, (2,), rngs=rngs),
        image(1, 5, 2),
        params(kernel=(2, 2, 3), bias=(3,)),
        slow=True,
    ),
    "flax.nnx.RMSNorm": Module(lambda rngs: nnx.RMSNorm(5, rngs=rngs), vectors(5), params(scale=(5,))),
    "flax.nnx.BatchNorm": Module(
        lambda rngs: nnx.BatchNorm(3, rngs=rngs),
        image(5, 3),
        params(scale=(3,), bias=(3,)) + tuple(Var(path, nnx.BatchStat, (3,)) for path in ("mean", "var")),
        updates=("mean", "var"),
        slow=True,
    ),
    "flax.nnx.Embed": Module(
        lambda rngs: nnx.Embed(5, 3, rngs=rngs),
        lambda s: (sample(s, (2,), "int", 0, 5),),
        params(embedding=(5, 3)),
        slow=True,
    ),
    "flax.nnx.Dropout": Module(lambda rngs: nnx.Dropout(0.5, rngs=rngs), vectors(5), parts("rngs")),
    "flax.nnx.GRUCell": Module(
        lambda rngs: nnx.GRUCell(3, 2, rngs=rngs), vectors(2, 3), parts("dense_i", "dense_h"), slow=True
    ),
}
"""All are clean."""
