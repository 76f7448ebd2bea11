"""A tramway whose trams fall behind and whose switches wear."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Module, buffer, data, groups, param, state, static, test


@test(rejected=[{"grip": 0.0}, {"headway": 0}])
@groups(demand=["pull", "patience"])
class Tramway(Module, save=True):
    """Lines on which people wait, and trams that carry them."""

    pull: Float[Array, "lines stops"] = param("lecun_uniform")
    patience: Float[Array, " lines"] = param("full(0.4)", decay=False)
    detour: Float[Array, " lines"] | None = param("uniform(0.5)", optional="diverted", decay=False)
    gradient: Float[Array, " lines"] = data()
    """How steep each line is"""
    closed: Bool[Array, " stops"] = buffer()
    depot: Int32[Array, " trams"] = buffer()
    """The line to which each tram belongs"""
    late: Float[Array, " lines"] = state("zeros")
    wear: Float[Array, " stops"] = state("full(0.2)")
    runs: Int32[Array, ""] = state("zeros")
    inference: bool = buffer(False)
    grip: float = static(0.8, check=lambda grip: grip > 0)
    headway: int = static(2, check=lambda headway: headway >= 1)
    season: Literal["dry", "leaves", "ice"] = static("dry")

    def __call__(self, crowd: Float[Array, " stops"], *, express: bool = False) -> Float[Array, " lines"]:
        """One run: how many each line carries."""
        waiting = jnp.where(self.closed, 0, crowd)
        load = self.pull @ (waiting * (1 - self.wear))
        if self.detour is not None:
            load = load - self.detour
        if self.season == "leaves":
            load = load / (1 + jnp.square(self.gradient))
        elif self.season == "ice":
            load = jnp.tanh(load) * self.grip - self.gradient
        else:
            load = load + 0.1 * self.gradient
        if not self.inference:
            self.late = 0.9 * self.late + (0.05 if express else 0.1) * load
            self.wear = 0.95 * self.wear + 0.05 * jax.nn.sigmoid(waiting)
            self.runs += self.headway
        return load * jax.nn.softplus(self.patience)

    def caught_up(self, minutes: Float[Array, " lines"]) -> Float[Array, " lines"]:
        """Make up for what is late, by at most these minutes, and say by how much."""
        made = jnp.minimum(self.late, jnp.abs(minutes))
        self.late = self.late - made
        return made

    def forecast(
        self, crowds: Float[Array, "n stops"], *, smooth: bool = False
    ) -> tuple[Float[Array, "n lines"], Int32[Array, ""]]:
        """The load of each run to come, and the number of the last."""
        loads = crowds @ self.pull.T + self.late
        if smooth:
            loads = (loads + jnp.roll(loads, 1, axis=0)) / 2
        return loads, self.runs + len(crowds)

    def pooled(self, riders: Float[Array, " trams"]) -> Float[Array, " lines"]:
        """The riders of each line."""
        return jnp.zeros_like(self.patience, riders.dtype).at[self.depot].add(riders)

    def jammed(self, queues: Float[Array, "n stops"], *, cost: int = 2) -> Int32[Array, " n"]:
        """What the stops cost that are jammed at a time."""
        full = (queues > self.grip) & ~self.closed
        return cost * jnp.sum(full, axis=1, dtype=jnp.int32)
