"""Forecasts of series with a trend and a season."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from scaffold.skeleton import Nnx, buffer, param, state, static, test


@test(sizes={"size": 3, "period": 4, "time": 5})
class Seasonal(Nnx, constructor="init", save=True):
    """Smooths level, slope and season of several series, and forecasts them."""

    mixing: Float[Array, "size size"] = param("orthogonal")
    """How much a surprise of one series says of the others"""
    quick: Float[Array, " size"] = param("zeros")
    """Logits of how fast the level follows"""
    steady: Float[Array, " size"] = param("full(-1.0)")
    """Logits of how fast the slope follows"""
    unit: Float[Array, " size"] = buffer("ones")
    """In what each series is measured"""
    level: Float[Array, " size"] = state("zeros", variable="BatchStat")
    slope: Float[Array, " size"] = state("zeros", variable="BatchStat")
    season: Float[Array, "period size"] | None = state("zeros", variable="Season", optional="repeats")
    seen: Int32[Array, ""] = state("zeros", variable="Tick")
    damping: float = static(0.9, check=lambda damping: 0 < damping <= 1)
    """By what the slope is multiplied at each step"""
    robust: bool = static(False)
    """Whether large surprises count as less"""

    def __call__(self, x: Float[Array, " size"], *, tell: bool = True) -> Float[Array, " size"]:
        """Take an observation into account, and forecast the next one, or its level alone where not `tell`."""
        told = self.mixing @ self.surprise(x)
        before, seasonal, rate = self.level, self.seasonal(), jax.nn.sigmoid(self.steady)
        self.level = before + self.damping * self.slope + jax.nn.sigmoid(self.quick) * told
        self.slope = (1 - rate) * self.damping * self.slope + rate * (self.level - before)
        if self.season is not None:
            at = self.seen % self.season.shape[0]
            self.season = self.season.at[at].set(seasonal + 0.1 * told)
        self.seen += 1
        return self.forecast(1)[0] if tell else self.unit * self.level

    def surprise(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """How far an observation is from the forecast, in units."""
        surprise = x / self.unit - self.level - self.damping * self.slope - self.seasonal()
        return surprise / (1 + jnp.abs(surprise)) if self.robust else surprise

    def seasonal(self, ahead: int = 0) -> Float[Array, " size"]:
        """What the season adds, some steps from now."""
        if self.season is None:
            return jnp.zeros_like(self.level)
        return self.season[(self.seen + ahead) % self.season.shape[0]]

    def forecast(self, steps: int = 3, *, trend: bool = True) -> Float[Array, "steps size"]:
        """The next observations, without a slope where not `trend`."""
        damped = self.damping ** jnp.arange(1, steps + 1).astype(self.level.dtype)
        rises = jnp.cumsum(damped)[:, None] * self.slope if trend else 0
        seasons = jnp.stack([self.seasonal(ahead) for ahead in range(steps)])
        return self.unit * (self.level + rises + seasons)

    def follow(self, xs: Float[Array, "time size"]) -> Float[Array, ""]:
        """The mean square of the surprises of a series that is taken into account."""
        squares = []
        for x in xs:
            squares.append(self.surprise(x) ** 2)
            self(x)
        return jnp.mean(jnp.stack(squares))

    def forget(self) -> None:
        """Begin anew: only the unit is kept."""
        self.level = jnp.zeros_like(self.level)
        self.slope = jnp.zeros_like(self.slope)
        if self.season is not None:
            self.season = jnp.zeros_like(self.season)
        self.seen = jnp.zeros_like(self.seen)
