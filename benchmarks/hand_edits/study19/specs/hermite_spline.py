"""Interpolation in one dimension."""

import jax
import jax.numpy as jnp

from scaffold.skeleton import test


@test(
    values={
        "through.knots": lambda: jnp.array([0.0, 0.5, 1.2, 2.0], jnp.float32),
        "through.values": lambda: jnp.array([0.3, -0.5, 1.0, 2.0], jnp.float32),
        "x": lambda seed: jax.random.normal(jax.random.key(seed + 7), ()),
    }
)
@jax.tree_util.register_pytree_node_class
class HermiteSpline:
    """A cubic Hermite spline through `values` at `knots`, with `slopes`."""

    def __init__(self, knots, values, slopes, extrapolate="linear"):
        self.knots = knots
        self.values = values
        self.slopes = slopes
        self.extrapolate = extrapolate

    @classmethod
    def through(cls, knots: jax.Array, values: jax.Array) -> "HermiteSpline":
        """Slopes by finite differences."""
        return cls(knots, values, jnp.gradient(values, knots))

    @classmethod
    def example(cls) -> "HermiteSpline":
        knots = jnp.array([0.0, 0.5, 1.2, 2.0, 3.1], jnp.float32)
        return cls.through(knots, jnp.cos(knots))

    def tree_flatten(self):
        return (self.knots, self.values, self.slopes), (self.extrapolate,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, extrapolate=aux[0])

    @property
    def num_pieces(self) -> int:
        return self.knots.shape[0] - 1

    def __call__(self, x: jax.Array) -> jax.Array:
        inside = jnp.clip(x, self.knots[0], self.knots[-1])
        i = jnp.searchsorted(self.knots, inside, side="right") - 1
        i = jnp.clip(i, 0, self.num_pieces - 1)
        width = self.knots[i + 1] - self.knots[i]
        s = (inside - self.knots[i]) / width
        h00 = 2 * s**3 - 3 * s**2 + 1
        h10 = s**3 - 2 * s**2 + s
        h01 = -2 * s**3 + 3 * s**2
        h11 = s**3 - s**2
        result = (
            h00 * self.values[i]
            + h10 * width * self.slopes[i]
            + h01 * self.values[i + 1]
            + h11 * width * self.slopes[i + 1]
        )
        if self.extrapolate == "constant":
            return result
        slope = jnp.where(x < self.knots[0], self.slopes[0], self.slopes[-1])
        return result + slope * (x - inside)

    def integral(self) -> jax.Array:
        """The integral from the first knot to the last one."""
        width = jnp.diff(self.knots)
        ends = (self.values[1:] + self.values[:-1]) / 2
        bends = (self.slopes[:-1] - self.slopes[1:]) / 12
        return jnp.sum(width * ends + width**2 * bends)
