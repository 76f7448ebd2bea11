"""Moths that smell their way to a lamp."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, DTypeLike, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, buffer, data, module, param, static, test


class Wing(Module):
    """How one beat of the wings turns a moth."""

    joint: Float[Array, "axes axes"] = param("glorot_normal")
    dust: Float[Array, " axes"] = param("full(0.2)", decay=False)

    def __call__(self, course: Float[Array, " axes"]) -> Float[Array, " axes"]:
        """The next course."""
        return course - self.dust * jnp.sin(self.joint @ course)


@test(sizes={"axes": 4, "moths": 5}, rejected=[{"thirst": 0.0}, {"beats": 0}])
class Moth(Module, save=True):
    """Moths that beat their wings and follow a scent."""

    wings: list[Wing] = module(stacked=True)
    scent: Float[Array, "moths axes"] = param("normal(0.7)")
    charm: Float[Array, " axes"] | None = param("truncated_normal(0.4)", optional="charmed", decay=False)
    lamp: Float[Array, " axes"] = data()
    """Where the light is"""
    asleep: Bool[Array, " moths"] = buffer()
    wind: PRNGKeyArray = buffer()
    beats: int = static(3, check=lambda beats: beats >= 1)
    thirst: float = static(0.6, check=lambda thirst: thirst > 0)
    hour: Literal["dusk", "night", "dawn"] = static("dusk")

    def __init__(
        self,
        lamp: Float[Array, " axes"],
        asleep: Bool[Array, " moths"],
        wind: PRNGKeyArray,
        beats: int = 3,
        thirst: float = 0.6,
        hour: Literal["dusk", "night", "dawn"] = "dusk",
        charmed: bool = True,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ) -> None:
        axes = lamp.shape[0]
        self.wings = [Wing.create(axes, dtype, key=one) for one in jax.random.split(key, beats)]
        self.lamp = lamp
        self.asleep = asleep
        self.wind = wind
        self.beats = beats
        self.thirst = thirst
        self.hour = hour

    def __call__(self, course: Float[Array, " axes"], *, lit: bool = False) -> Float[Array, " axes"]:
        """The course after all beats."""
        for wing in self.wings:
            course = wing(course)
        if self.charm is not None:
            course = course + self.charm * jnp.square(course)
        if lit:
            course = course - self.lamp
        if self.hour == "night":
            return self.thirst * course
        return jnp.cumsum(course) if self.hour == "dawn" else course

    def drawn(
        self, places: Float[Array, "moths axes"], *, waking: bool = False
    ) -> Float[Array, "moths axes"]:
        """Where the moths are after they have followed the scent."""
        step = jax.nn.softmax(self.scent * places, axis=1)
        moved = places + self.thirst * step
        return moved if waking else jnp.where(self.asleep[:, None], places, moved)

    def startled(
        self,
        places: Float[Array, "moths axes"],
        bat: Float[Array, " axes"] | None = None,
        *,
        key: PRNGKeyArray,
    ) -> Float[Array, "moths axes"]:
        """The places after a bat."""
        leap = jax.random.gumbel(key, places.shape, places.dtype)
        if bat is not None:
            leap = leap * jnp.tanh(places - bat)
        return places + 0.5 * leap

    def gusts(self, nights: Int32[Array, " m"]) -> Float[Array, "m axes"]:
        """The wind of each night."""

        def night(number: jax.Array) -> jax.Array:
            one = jax.random.fold_in(self.wind, number)
            return self.thirst * jax.random.normal(one, self.lamp.shape, self.lamp.dtype)

        return jax.vmap(night)(nights)

    def circling(
        self, places: Float[Array, "moths axes"], *, few: int = 2
    ) -> tuple[Int32[Array, " few"], Float[Array, " moths"]]:
        """The moths that are nearest to the lamp, and how far all are."""
        apart = jnp.sqrt(0.1 + jnp.sum(jnp.square(places - self.lamp), axis=1))
        _, who = jax.lax.top_k(-apart, few)
        return who.astype(jnp.int32), apart
