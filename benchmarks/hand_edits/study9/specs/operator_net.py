"""An operator between functions, by where they are sampled."""

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, module, param, static, test


@test(sizes={"width": 4, "inner": 3})
class Residual(Module, compute="bfloat16"):
    """Adds what two layers say, behind a gate."""

    up: Float[Array, "inner width"] = param("lecun_normal")
    down: Float[Array, "width inner"] = param("normal(0.2)", std="0.2")
    gate: Float[Array, " width"] = param("full(0.5)", decay=False)
    scale: Float[Array, " width"] = param("ones", decay=False, compute=False)

    def __call__(self, x: Float[Array, " width"]) -> Float[Array, " width"]:
        """What came in, and what is added."""
        wide = x.astype(jnp.float32)
        normed = self.scale * wide / jnp.sqrt(jnp.mean(wide**2) + 1e-3).astype(self.scale.dtype)
        said = self.down @ jax.nn.silu(self.up @ normed.astype(self.up.dtype))
        return x + jax.nn.sigmoid(self.gate) * said


@test(sizes={"width": 4, "inner": 3, "sensors": 5, "waves": 2, "points": 3}, values={"depth": 2})
class OperatorNet(Module, save=True):
    """The value of an output function at a point, for an input function known at sensors."""

    branch: Float[Array, "width sensors"] = param("lecun_normal")
    trunk: Float[Array, "width 2*waves"] = param("lecun_normal")
    layers: list[Residual] = module(stacked=True, remat=True)
    offset: Float[Array, ""] | None = param("zeros", optional="use_offset")
    frequencies: Float[Array, " waves"] = buffer("=2.0 ** jnp.arange(waves, dtype=dtype)")
    mean: Float[Array, " sensors"] = buffer()
    """The mean input function"""
    depth: int = static(2, check=lambda depth: depth > 0)
    periodic: bool = static(True)
    """Whether points lie on a circle"""

    def __init__(
        self,
        mean: Float[Array, " sensors"],
        width: int,
        inner: int,
        waves: int,
        depth: int = 2,
        use_offset: bool = True,
        periodic: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.mean = mean
        self.depth = depth
        self.periodic = periodic
        self.layers = [Residual.create(inner, width, dtype, key=one) for one in jax.random.split(key, depth)]

    def __call__(
        self,
        u: Float[Array, " sensors"],
        point: Float[Array, ""],
        known: Bool[Array, " sensors"] | None = None,
    ) -> Float[Array, ""]:
        """The output function at a point."""
        value = self.coefficients(u, known) @ self.basis(point)
        return value if self.offset is None else value + self.offset

    def coefficients(
        self, u: Float[Array, " sensors"], known: Bool[Array, " sensors"] | None = None
    ) -> Float[Array, " width"]:
        """What the input function makes of the basis."""
        u = u - self.mean
        if known is not None:
            u = jnp.where(known, u, 0)
        x = self.branch @ u
        for layer in self.layers:
            x = layer(x).astype(x.dtype)
        return x

    def basis(self, point: Float[Array, ""]) -> Float[Array, " width"]:
        """The basis of output functions at a point."""
        phase = self.frequencies * (2 * jnp.pi * point if self.periodic else point)
        return self.trunk @ jnp.concatenate([jnp.sin(phase), jnp.cos(phase)])

    def curve(self, u: Float[Array, " sensors"], points: Float[Array, " points"]) -> Float[Array, " points"]:
        """The output function at many points."""
        coefficients = self.coefficients(u)
        values = jax.vmap(lambda point: coefficients @ self.basis(point))(points)
        return values if self.offset is None else values + self.offset

    def slope(self, u: Float[Array, " sensors"], point: Float[Array, ""]) -> Float[Array, ""]:
        """The derivative of the output function."""
        return jax.grad(self, argnums=1)(u, point)

    def residual(
        self, u: Float[Array, " sensors"], points: Float[Array, " points"], *, absolute: bool = False
    ) -> Float[Array, ""]:
        """How badly the slope fits the function itself, at points."""
        slopes = jax.vmap(lambda point: self.slope(u, point))(points)
        errors = slopes - self.curve(u, points)
        return jnp.mean(jnp.abs(errors)) if absolute else jnp.mean(errors**2)

    def spread(
        self, u: Float[Array, " sensors"], *, key: PRNGKeyArray, share: float = 0.3
    ) -> Float[Array, " width"]:
        """Coefficients where some sensors fail."""
        fail, noise = jax.random.split(key)
        known = jax.random.bernoulli(fail, 1 - share, u.shape)
        return self.coefficients(u + 0.1 * jax.random.normal(noise, u.shape, u.dtype), known)
