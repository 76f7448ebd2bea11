"""A small AdamW."""

from typing import Any

import flax.struct
import jax
import jax.numpy as jnp

from scaffold.skeleton import test


@test(
    skip=["p09_no_gradient_of_a_method_is_nan_at_zeros: nobody differentiates an optimiser"],
    values={
        "params": lambda: {"w": jnp.ones((3, 2)), "b": jnp.full((2,), 0.5)},
        "grads": lambda seed: {
            "w": jax.random.normal(jax.random.key(seed + 7), (3, 2)),
            "b": jax.random.normal(jax.random.key(seed + 8), (2,)),
        },
    },
)
@flax.struct.dataclass
class AdamW:
    """Moments of the gradient, and the settings of the update."""

    count: jax.Array
    mu: dict[str, jax.Array]
    nu: dict[str, jax.Array]
    rate: jax.Array
    b1: float = flax.struct.field(pytree_node=False, default=0.9)
    b2: float = flax.struct.field(pytree_node=False, default=0.999)
    eps: float = flax.struct.field(pytree_node=False, default=1e-8)
    decay: float = flax.struct.field(pytree_node=False, default=1e-2)

    @classmethod
    def init(cls, params: dict[str, jax.Array], rate: float = 1e-3) -> "AdamW":
        return cls(
            count=jnp.zeros((), jnp.int32),
            mu=jax.tree.map(jnp.zeros_like, params),
            nu=jax.tree.map(jnp.zeros_like, params),
            rate=jnp.asarray(rate, jnp.float32),
        )

    @classmethod
    def example(cls) -> "AdamW":
        return cls.init({"w": jnp.ones((3, 2)), "b": jnp.zeros((2,))})

    def update(
        self, grads: dict[str, jax.Array], params: dict[str, jax.Array]
    ) -> tuple[dict[str, jax.Array], "AdamW"]:
        """The parameters after a step, and the next state."""
        count = self.count + 1
        mu = jax.tree.map(lambda m, g: self.b1 * m + (1 - self.b1) * g, self.mu, grads)
        nu = jax.tree.map(lambda v, g: self.b2 * v + (1 - self.b2) * g**2, self.nu, grads)
        mu_scale = 1 / (1 - self.b1 ** count.astype(jnp.float32))
        nu_scale = 1 / (1 - self.b2 ** count.astype(jnp.float32))

        def move(p: jax.Array, m: jax.Array, v: jax.Array) -> Any:
            direction = m * mu_scale / (jnp.sqrt(v * nu_scale) + self.eps)
            return (p - self.rate * (direction + self.decay * p)).astype(p.dtype)

        moved = jax.tree.map(move, params, mu, nu)
        return moved, self.replace(count=count, mu=mu, nu=nu)
