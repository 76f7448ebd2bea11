"""A bridge of several spans."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, DTypeLike, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, data, module, param, static, test


class Reading(NamedTuple):
    """What instruments show."""

    strain: Float[Array, " joints"]
    safe: Bool[Array, " joints"]
    lorries: Int32[Array, ""]


@test(rejected=[{"damping": 1.0}])
class Span(Module):
    """Joints between two piers."""

    stiffness: Float[Array, "joints joints"] = param("lecun_normal")
    camber: Float[Array, " joints"] = param("full(0.2)", decay=False)
    rust: Float[Array, " joints"] = buffer("zeros")
    damping: float = static(0.2, check=lambda damping: 0 <= damping < 1)

    def __call__(self, load: Float[Array, " joints"], *, windy: bool = False) -> Float[Array, " joints"]:
        """How far each joint bends."""
        bent = (1 - self.damping) * jnp.tanh(self.stiffness @ load + self.camber)
        if windy:
            bent = bent + 0.1 * jnp.flip(load)
        return load + bent / (1 + self.rust)

    def moment(self, load: Float[Array, " joints"]) -> Float[Array, ""]:
        """The moment about the first joint."""
        arm = jnp.arange(load.shape[0], dtype=load.dtype)
        return jnp.sum(arm * (load + self.camber))


class Bridge(Module, save=True):
    """Spans one after the other, hung from cables."""

    deck: Float[Array, "joints lanes"] = param("glorot_normal")
    spans: list[Span] = module()
    pier: Span = module(frozen=True)
    """As it was surveyed, and not to be trained"""
    cables: dict[str, Float[Array, " joints"]] = data()
    limit: Float[Array, " joints"] = buffer()
    closed: Bool[Array, " lanes"] = buffer()
    toll: Float[Array, " lanes"] | None = param("ones", optional="tolled")
    count: int = static(2)
    movable: bool = static(False)

    def __init__(
        self,
        cables: dict[str, Float[Array, " joints"]],
        limit: Float[Array, " joints"],
        closed: Bool[Array, " lanes"],
        count: int = 2,
        movable: bool = False,
        tolled: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        joints = limit.shape[0]
        self.cables = cables
        self.limit = limit
        self.closed = closed
        self.count = count
        self.movable = movable
        self.spans = [Span.create(joints, dtype=dtype, key=one) for one in jax.random.split(key, count)]
        self.pier = Span.create(joints, dtype=dtype, key=key)

    def __call__(self, traffic: Float[Array, " lanes"], *, windy: bool = False) -> Reading:
        """What the instruments show under traffic."""
        load = self.loaded(traffic)
        for span in self.spans:
            load = span(load, windy=windy)
        strain = self.pier(load)
        for pull in self.cables.values():
            strain = strain - 0.1 * pull
        lorries = jnp.sum(jnp.where(self.closed, 0, traffic) > 1, dtype=jnp.int32)
        return Reading(strain, jnp.abs(strain) < self.limit, lorries)

    def loaded(self, traffic: Float[Array, " lanes"], *, raised: bool = False) -> Float[Array, " joints"]:
        """What the traffic weighs on each joint."""
        crossing = jnp.where(self.closed, 0, traffic)
        if self.toll is not None:
            crossing = crossing * jnp.exp(-jnp.square(self.toll))
        weight = self.deck @ crossing
        return 0.2 * weight if raised and self.movable else weight

    def moments(self, load: Float[Array, " joints"]) -> Float[Array, " count"]:
        """The moment of each span."""
        return jnp.stack([span.moment(load) for span in self.spans])

    def rusted(self, rain: Float[Array, " joints"]) -> "Bridge":
        """With rust on its pier."""
        rust = self.pier.rust + jnp.abs(rain)
        return eqx.tree_at(lambda one: one.pier.rust, self, rust)

    def shaken(
        self, traffic: Float[Array, " lanes"], *, strong: bool = False, key: PRNGKeyArray
    ) -> dict[str, Float[Array, " joints"]]:
        """How cables swing in an earthquake."""
        load = self.loaded(traffic)
        swings = {}
        for name, one in zip(sorted(self.cables), jax.random.split(key, len(self.cables)), strict=True):
            shock = jax.random.normal(one, load.shape, load.dtype)
            swings[name] = self.cables[name] + (0.5 if strong else 0.1) * shock * load
        return swings
