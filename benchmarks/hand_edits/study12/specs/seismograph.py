"""A filter that follows the ground."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, Namedtuple, buffer, call, data, param, static, test


class Belief(Namedtuple):
    """What is known of the ground."""

    mean: Float[Array, " modes"] = data()
    spread: Float[Array, " modes"] = data()
    steps: Int32[Array, ""] = buffer()


@test(
    positive=["noise"],
    sizes={"modes": 3},
    values={
        "belief": lambda seed: Belief(
            jax.random.normal(jax.random.key(seed), (3,)),
            0.5 + jax.random.uniform(jax.random.key(seed + 50), (3,)),
            jnp.int32(seed),
        )
    },
    rejected=[{"gate": 0.0}],
)
class Seismograph(Module):
    """Follows modes of the ground by what stations show."""

    turn: Float[Array, "modes modes"] = param("orthogonal(0.9)")
    look: Float[Array, "stations modes"] = param("lecun_normal")
    trust: Float[Array, " modes"] = param("zeros")
    """The logit of how far a step goes"""
    offset: Float[Array, " stations"] | None = param("zeros", optional="use_offset", decay=False)
    noise: Float[Array, " stations"] = data()
    online: Bool[Array, " stations"] = buffer()
    gate: float = static(3.0, check=lambda gate: gate > 0)
    """Surprises are cut here"""
    robust: bool = static(True)
    order: int = static(2)

    def initial(self) -> Belief:
        """The ground at rest."""
        still = jnp.zeros_like(self.trust)
        return Belief(still, jnp.ones_like(self.trust), jnp.zeros((), jnp.int32))

    @call(carry="belief")
    def __call__(
        self, belief: Belief, shown: Float[Array, " stations"], *, blind: bool = False
    ) -> tuple[Belief, Float[Array, " stations"]]:
        """One step: the next belief, and how much the stations surprise."""
        ahead = self.ahead(belief)
        surprise = self.surprise(ahead, shown)
        if blind:
            return ahead, surprise
        rate = jax.nn.sigmoid(self.trust) * ahead.spread / (1 + ahead.spread)
        mean = ahead.mean + rate * (surprise @ self.look)
        return Belief(mean, (1 - rate) * ahead.spread, ahead.steps), surprise

    def ahead(self, belief: Belief) -> Belief:
        """What is believed of the next step."""
        mean = belief.mean
        for _ in range(self.order):
            mean = self.turn @ mean
        spread = jnp.square(self.turn) @ belief.spread + 0.05
        return Belief(mean, spread, belief.steps + 1)

    def surprise(self, belief: Belief, shown: Float[Array, " stations"]) -> Float[Array, " stations"]:
        """What stations show beyond what is believed, in units of their noise; 0 of those that are offline."""
        expected = self.look @ belief.mean
        if self.offset is not None:
            expected = expected + self.offset
        away = (shown - expected) / self.noise
        if self.robust:
            away = self.gate * jnp.tanh(away / self.gate)
        return jnp.where(self.online, away, 0)

    def sampled(
        self, belief: Belief, *, cold: bool = False, key: PRNGKeyArray
    ) -> tuple[Float[Array, " modes"], Float[Array, " stations"]]:
        """A ground that is drawn from a belief, and what stations show of it."""
        ground_key, noise_key = jax.random.split(key)
        drawn = jax.random.normal(ground_key, belief.mean.shape, belief.mean.dtype)
        ground = belief.mean + jnp.sqrt(belief.spread) * drawn
        shown = self.look @ ground
        if not cold:
            shown = shown + self.noise * jax.random.normal(noise_key, shown.shape, shown.dtype)
        return ground, shown

    def followed(self, belief: Belief, record: Float[Array, "n stations"]) -> Float[Array, "n modes"]:
        """The means along a record."""

        def step(belief: Belief, shown: Array) -> tuple[Belief, Array]:
            belief, _ = self(belief, shown)
            return belief, belief.mean

        return jax.lax.scan(step, belief, record)[1]

    def energy(self, belief: Belief, *, share: bool = False) -> Float[Array, " modes"]:
        """The energy of each mode, or its share of all."""
        power = jnp.square(belief.mean) + belief.spread
        return power / jnp.sum(power) if share else power

    def alarms(
        self, surprises: Float[Array, "n stations"], limit: Float[Array, ""]
    ) -> Int32[Array, " stations"]:
        """How often each station that is online surprises beyond a limit."""
        above = jnp.abs(surprises) > limit
        return jnp.sum(above & self.online, axis=0, dtype=jnp.int32)
