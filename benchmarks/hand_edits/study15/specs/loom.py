"""A loom with its threads."""

from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from scaffold.skeleton import Pytree, buffer, data, param, static, test


@test(
    sizes={"shafts": 3, "threads": 5},
    values={
        "dyes": {"madder": [0.3, -0.7, 1.2, 0.4, 0.9], "woad": [1.1, 0.2, -0.5, 0.8, 0.6]},
        "treadling": [2, 0, 1, 2, 0],
        "colour.dye": "madder",
    },
    rejected=[{"sett": 0}, {"beat": -0.5}],
)
class Loom(Pytree, save=True):
    """Threads of the warp, lifted by shafts."""

    tension: Float[Array, " threads"] = param("full(0.8)")
    draft: Float[Array, "shafts threads"] = param("glorot_normal")
    """How far each shaft lifts each thread"""
    dyes: dict[str, Float[Array, " threads"]] = data()
    heddles: Bool[Array, "shafts threads"] = buffer()
    treadling: Int32[Array, " picks"] = buffer()
    """The shaft of each pick"""
    weave: Literal["plain", "twill", "satin"] = static("plain")
    sett: int = static(2, check=lambda sett: sett > 0)
    beat: float = static(0.6, check=lambda beat: beat >= 0)
    selvedge: bool = static(False)

    def __call__(self, weft: Float[Array, " threads"], *, loose: bool = False) -> Float[Array, " threads"]:
        """One pick of the weft through all sheds."""
        lifted = jnp.where(self.heddles, self.draft, 0)
        height = jnp.sum(lifted, axis=0)
        if not loose:
            height = height * self.tension
        if self.weave == "twill":
            height = jnp.roll(height, self.sett)
        elif self.weave == "satin":
            height = jax.nn.soft_sign(height)
        return self.beat * weft + height

    def shed(self, pick: Int32[Array, ""]) -> Bool[Array, " threads"]:
        """The threads that are up at a pick."""
        return self.heddles[self.treadling[pick % len(self.treadling)]]

    def woven(
        self, wefts: Float[Array, "rows threads"], *, hemmed: bool = False
    ) -> tuple[Float[Array, "rows threads"], Float[Array, " rows"]]:
        """Cloth of many rows, and how even each is."""

        def row(last: jax.Array, weft: jax.Array) -> tuple[jax.Array, jax.Array]:
            cloth = self(weft) - 0.25 * last
            return cloth, cloth

        cloth = jax.lax.scan(row, jnp.zeros_like(wefts[0]), wefts)[1]
        if hemmed or self.selvedge:
            cloth = cloth.at[:, 0].set(0)
        return cloth, jnp.std(cloth, axis=1)

    def colour(self, dye: str, light: Float[Array, ""] | None = None) -> Float[Array, " threads"]:
        """The threads in one dye."""
        seen = self.dyes[dye] * jnp.tanh(self.tension)
        return seen if light is None else light * seen

    def lifts(self) -> Int32[Array, " shafts"]:
        """How often each shaft is lifted."""
        return jnp.zeros(len(self.heddles), jnp.int32).at[self.treadling].add(1)

    def tightened(self, by: Float[Array, " threads"], most: float = 2.0) -> "Loom":
        """The same loom with more tension."""
        return Loom(
            jnp.minimum(self.tension + jnp.abs(by), most),
            self.draft,
            self.dyes,
            self.heddles,
            self.treadling,
            self.weave,
            self.sett,
            self.beat,
            self.selvedge,
        )
