"""A sundial."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, Key, PRNGKeyArray

from scaffold.skeleton import Pytree, buffer, call, data, derived, groups, param, static, test


@groups(face=["marks", "rim"])
@test(rejected=[{"hours": 0}])
class Sundial(Pytree, rebuild="flag", save=True):
    """A shadow on a face with marks."""

    marks: Float[Array, "rings times"] = param("normal(0.4)")
    rim: Float[Array, " rings"] = param("ones")
    tilt: Float[Array, ""] = param("full(0.9)")
    figures: dict[str, Float[Array, " rings"]] = data()
    """What is carved between the rings"""
    stone: Float[Array, " rings"] = buffer()
    worn: Bool[Array, " rings"] = buffer()
    visits: Int32[Array, ""] = buffer("zeros")
    clouds: Key[Array, ""] = buffer()
    hours: int = static(12, check=lambda hours: hours > 0)
    southern: bool = static(False)
    metal: Literal["brass", "iron", "copper"] = static("brass")
    depth: Float[Array, "rings times"] = derived(lambda self: jnp.square(self.marks))

    def __call__(self, sun: Float[Array, " times"], *, noon: bool = False) -> Float[Array, " rings"]:
        """The shadow on each ring."""
        turned = jnp.flip(sun) if self.southern else sun
        shadow = self.rim * (self.depth @ jax.nn.sigmoid(turned)) / self.stone
        shadow = jnp.where(self.worn, 0.5 * shadow, shadow)
        if noon:
            shadow = shadow * jnp.cos(self.tilt)
        return shadow if self.metal == "brass" else shadow + 0.1

    def carved(self, light: Float[Array, ""]) -> dict[str, Float[Array, " rings"]]:
        """How bright each figure is."""
        return {name: light * figure / self.stone for name, figure in self.figures.items()}

    def read(self, shadows: Float[Array, "n rings"], *, rounded: bool = True) -> Float[Array, " n"]:
        """The hour that each shadow tells."""
        hour = self.hours * jax.nn.sigmoid(shadows @ self.rim)
        return jnp.round(hour) if rounded else hour

    def overcast(self, days: Int32[Array, " n"]) -> Bool[Array, " n"]:
        """Which days have clouds: the same whenever it is asked."""
        drawn = jax.vmap(lambda day: jax.random.uniform(jax.random.fold_in(self.clouds, day)))(days)
        return drawn < (0.3 if self.metal == "copper" else 0.5)

    @call(carry="self")
    def visited(self, people: Int32[Array, ""]) -> "Sundial":
        """With more visits behind it, and other clouds before it."""
        clouds = jax.random.fold_in(self.clouds, people)
        return eqx.tree_at(lambda one: (one.visits, one.clouds), self, (self.visits + people, clouds))

    def glance(
        self, sun: Float[Array, " times"], *, key: PRNGKeyArray
    ) -> tuple[Float[Array, " rings"], Float[Array, ""]]:
        """What a passer-by sees of the shadow, and how bright it is."""
        first, second = jax.random.split(key)
        shadow = self(sun)
        seen = shadow + 0.05 * jax.random.normal(first, shadow.shape, shadow.dtype)
        return seen, jnp.mean(seen) + 0.1 * jax.random.normal(second, (), shadow.dtype)
