"""Sharp pictures of stars, through air that is not still."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from scaffold.skeleton import Module, buffer, groups, module, param, static, test


@test(sizes={"modes": 4, "inner": 3})
class Refine(Module):
    """Corrects an estimate by what is known of the air."""

    up: Float[Array, "inner modes"] = param("he_normal")
    down: Float[Array, "modes inner"] = param("normal(0.2)", std="0.2")
    shift: Float[Array, " inner"] = param("zeros", decay=False)
    damp: Float[Array, " modes"] = param("full(1.0)", decay=False)

    def __call__(self, modes: Float[Array, " modes"]) -> Float[Array, " modes"]:
        """A better estimate."""
        hidden = jax.nn.silu(self.up @ modes + self.shift)
        return jax.nn.sigmoid(self.damp) * modes + self.down @ hidden


@groups(optics=["influence", "gain"])
@test(sizes={"modes": 4, "inner": 3, "slopes": 6, "pixels": 5, "frames": 3}, values={"depth": 2})
class Wavefront(Module, save=True):
    """Estimates the shape of a wave from its slopes, and bends a mirror against it."""

    reconstructor: Float[Array, "modes slopes"] = param("lecun_normal")
    influence: Float[Array, "modes modes"] = param("orthogonal", frozen="keep_optics")
    """What each actuator of the mirror does"""
    gain: Float[Array, " modes"] = param("full(0.4)", decay=False)
    """Before a sigmoid, how much of an error a step corrects"""
    layers: list[Refine] = module(stacked=True, remat=True)
    bias: Float[Array, " modes"] | None = param("zeros", optional="use_bias", decay=False)
    """Errors of the optics that are always there"""
    basis: Float[Array, "pixels modes"] = buffer(
        "=jnp.cos(jnp.pi * jnp.arange(pixels, dtype=dtype)[:, None] * (1 + jnp.arange(modes, dtype=dtype)) / pixels)"
    )
    """The shape of each mode"""
    flat: Float[Array, " slopes"] = buffer()
    """Slopes that are measured where the wave is flat"""
    depth: int = static(2, check=lambda depth: depth > 0)
    keep_optics: bool = static(True)
    leak: float = static(0.05, check=lambda leak: 0 <= leak < 1)

    def __init__(
        self,
        flat: Float[Array, " slopes"],
        modes: int,
        inner: int,
        pixels: int,
        depth: int = 2,
        use_bias: bool = True,
        keep_optics: bool = True,
        leak: float = 0.05,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.flat = flat
        self.depth = depth
        self.keep_optics = keep_optics
        self.leak = leak
        self.layers = [Refine.create(inner, modes, dtype, key=one) for one in jax.random.split(key, depth)]

    def __call__(
        self,
        mirror: Float[Array, " modes"],
        slopes: Float[Array, " slopes"],
        lit: Bool[Array, " slopes"] | None = None,
    ) -> Float[Array, " modes"]:
        """The next commands of the mirror."""
        error = self.influence.T @ self.estimate(slopes, lit)
        return (1 - self.leak) * mirror - jax.nn.sigmoid(self.gain) * error

    def estimate(
        self, slopes: Float[Array, " slopes"], lit: Bool[Array, " slopes"] | None = None
    ) -> Float[Array, " modes"]:
        """The modes of a wave, from those slopes that are lit."""
        slopes = slopes - self.flat
        if lit is not None:
            slopes = jnp.where(lit, slopes, 0)
        modes = self.reconstructor @ slopes
        for layer in self.layers:
            modes = layer(modes)
        return modes if self.bias is None else modes - self.bias

    def phase(
        self,
        modes: Float[Array, " modes"],
        mirror: Float[Array, " modes"] | None = None,
        *,
        wrapped: bool = False,
    ) -> Float[Array, " pixels"]:
        """The phase in each pixel, behind the mirror where there is one."""
        left = modes if mirror is None else modes + self.influence @ mirror
        phase = self.basis @ left
        return jnp.sin(phase) if wrapped else phase

    def strehl(self, modes: Float[Array, " modes"], *, approximate: bool = False) -> Float[Array, ""]:
        """How bright a star is, compared with still air."""
        phase = self.phase(modes)
        if approximate:
            return jnp.exp(-jnp.var(phase))
        return jnp.mean(jnp.cos(phase)) ** 2 + jnp.mean(jnp.sin(phase)) ** 2

    def closed(
        self, slopes: Float[Array, "frames slopes"], mirror: Float[Array, " modes"]
    ) -> tuple[Float[Array, " modes"], Float[Array, "frames modes"]]:
        """The last commands of a closed loop, and those of each frame."""

        def step(mirror, slopes):
            mirror = self(mirror, slopes)
            return mirror, mirror

        return jax.lax.scan(step, mirror, slopes)

    def turbulent(
        self, *, key: PRNGKeyArray, wind: float = 1.0, gusts: bool = False
    ) -> Float[Array, " modes"]:
        """Modes of air, of which the high ones are weak."""
        calm, gust = jax.random.split(key)
        order = 1 + jnp.arange(self.gain.shape[0], dtype=self.gain.dtype)
        modes = wind * jax.random.normal(calm, order.shape, order.dtype) / order
        return modes * jnp.exp(0.5 * jax.random.normal(gust, (), order.dtype)) if gusts else modes

    def recalibrated(self, slopes: Float[Array, "frames slopes"]) -> "Wavefront":
        """With the slopes of flat waves that were measured anew."""
        return eqx.tree_at(lambda wave: wave.flat, self, jnp.mean(slopes, axis=0))
