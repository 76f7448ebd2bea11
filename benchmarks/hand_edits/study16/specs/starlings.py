"""A murmuration of starlings."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, DTypeLike, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, data, module, param, static, test


class Turn(Module):
    """How a flock turns in one layer."""

    lean: Float[Array, "size size"] = param("lecun_normal")
    drag: Float[Array, " size"] = param("full(0.3)", decay=False)

    def __call__(self, heading: Float[Array, " size"]) -> Float[Array, " size"]:
        """The next heading."""
        return heading + jnp.tanh(self.lean @ heading) - self.drag * heading


@test(sizes={"size": 6, "birds": 5}, rejected=[{"fear": -0.5}, {"depth": 0}])
class Starlings(Module, save=True):
    """Birds that turn with their neighbours."""

    layers: list[Turn] = module(stacked=True, remat=True)
    cohesion: Float[Array, "birds birds"] = param("truncated_normal(0.5)")
    call_note: Float[Array, " size"] | None = param("normal(0.1)", optional="vocal", decay=False)
    roost: Float[Array, " size"] = data()
    """Where they sleep"""
    leaders: Bool[Array, " birds"] = buffer()
    weather: PRNGKeyArray = buffer()
    depth: int = static(2, check=lambda depth: depth > 0)
    fear: float = static(0.4, check=lambda fear: fear >= 0)
    shape: Literal["ball", "ribbon", "funnel"] = static("ball")

    def __init__(
        self,
        roost: Float[Array, " size"],
        leaders: Bool[Array, " birds"],
        weather: PRNGKeyArray,
        depth: int = 2,
        fear: float = 0.4,
        shape: Literal["ball", "ribbon", "funnel"] = "ball",
        vocal: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> None:
        size = roost.shape[0]
        self.layers = [Turn.create(size, dtype, key=one) for one in jax.random.split(key, depth)]
        self.roost = roost
        self.leaders = leaders
        self.weather = weather
        self.depth = depth
        self.fear = fear
        self.shape = shape

    def __call__(self, heading: Float[Array, " size"], *, homing: bool = False) -> Float[Array, " size"]:
        """Where the flock turns."""
        for layer in self.layers:
            heading = layer(heading)
        if self.call_note is not None:
            heading = heading * (1 + self.call_note)
        if homing:
            heading = heading + self.roost
        if self.shape == "ribbon":
            return jnp.cumsum(heading)
        return jnp.flip(heading) if self.shape == "funnel" else heading

    def flocked(self, places: Float[Array, "birds size"], *, led: bool = False) -> Float[Array, "birds size"]:
        """The places after each bird has looked at the others."""
        pull = jax.nn.softmax(self.cohesion, axis=1)
        if led:
            pull = jnp.where(self.leaders[None, :], pull, 0)
        return pull @ places - self.fear * places

    def scattered(
        self,
        places: Float[Array, "birds size"],
        hawk: Float[Array, " size"] | None = None,
        *,
        key: PRNGKeyArray,
    ) -> Float[Array, "birds size"]:
        """The places after a fright."""
        jump = jax.random.laplace(key, places.shape, places.dtype)
        if hawk is not None:
            away = places - hawk
            jump = jump + away / (1 + jnp.sum(away**2, axis=1, keepdims=True))
        return places + self.fear * jump

    def gusts(self, hours: Int32[Array, " m"]) -> Float[Array, "m size"]:
        """The wind of each hour."""

        def hour(number: jax.Array) -> jax.Array:
            one = jax.random.fold_in(self.weather, number)
            return jax.random.normal(one, self.roost.shape, self.roost.dtype)

        return jax.vmap(hour)(hours)

    def followed(
        self, places: Float[Array, "birds size"], *, nearest: int = 2
    ) -> tuple[Int32[Array, "birds nearest"], Float[Array, " birds"]]:
        """The neighbours of each bird, and how far the nearest is."""
        apart = jnp.sum((places[:, None] - places[None, :]) ** 2, axis=2)
        apart = jnp.where(jnp.eye(len(places), dtype=bool), jnp.inf, apart)
        closest, who = jax.lax.top_k(-apart, nearest)
        return who.astype(jnp.int32), jnp.sqrt(0.01 - closest[:, 0])
