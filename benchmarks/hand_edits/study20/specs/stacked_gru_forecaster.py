"""Layers of GRU cells over a multivariate series, one-step forecasts and free rollouts."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from scaffold.skeleton import test


@test(skip=["p16_a_flag_that_ends_the_noise_does: the call says itself whether there is any"])
class StackedGruForecaster(eqx.Module):
    cells: list[eqx.nn.GRUCell]
    norms: list[eqx.nn.LayerNorm]
    head: eqx.nn.Linear
    initial: Float[Array, "layers hidden"]  # learned first state
    dropout: eqx.nn.Dropout
    difference: bool = eqx.field(static=True)

    def __init__(
        self,
        features: int,
        hidden: int,
        layers: int,
        *,
        dropout: float = 0.1,
        difference: bool = True,
        key: PRNGKeyArray,
    ):
        head_key, *cell_keys = jax.random.split(key, layers + 1)
        sizes = [features] + [hidden] * (layers - 1)
        self.cells = [eqx.nn.GRUCell(size, hidden, key=k) for size, k in zip(sizes, cell_keys)]
        self.norms = [eqx.nn.LayerNorm(hidden) for _ in range(layers)]
        self.head = eqx.nn.Linear(hidden, features, key=head_key)
        self.initial = jnp.zeros((layers, hidden))
        self.dropout = eqx.nn.Dropout(dropout)
        self.difference = difference

    def step(
        self, carry: Float[Array, "layers hidden"], x: Float[Array, " features"], *, key=None
    ) -> tuple[Float[Array, "layers hidden"], Float[Array, " features"]]:
        """One time step: new carry and forecast of the next x; no key means no dropout."""
        keys = [None] * len(self.cells) if key is None else jax.random.split(key, len(self.cells))
        new, h = [], x
        for cell, norm, state, k in zip(self.cells, self.norms, carry, keys):
            state = cell(h, state)
            new.append(state)
            h = self.dropout(norm(state), key=k, inference=k is None)
        out = self.head(h)
        return jnp.stack(new), x + out if self.difference else out

    def __call__(
        self, xs: Float[Array, "time features"], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, "time features"]:
        """Forecast of xs[t + 1] for every t."""
        if key is None:
            return jax.lax.scan(lambda carry, x: self.step(carry, x), self.initial, xs)[1]
        keys = jax.random.split(key, xs.shape[0])
        body = lambda carry, inp: self.step(carry, inp[0], key=inp[1])
        return jax.lax.scan(body, self.initial, (xs, keys))[1]

    def rollout(self, xs: Float[Array, "time features"], horizon: int) -> Float[Array, "horizon features"]:
        """Read xs, then go on alone for `horizon` steps."""
        carry, forecasts = jax.lax.scan(lambda carry, x: self.step(carry, x), self.initial, xs)

        def body(loop, _):
            carry, x = loop
            carry, nxt = self.step(carry, x)
            return (carry, nxt), x

        return jax.lax.scan(body, (carry, forecasts[-1]), None, length=horizon)[1]

    def loss(self, xs: Float[Array, "time features"], *, key: PRNGKeyArray | None = None) -> Float[Array, ""]:
        return jnp.mean((self(xs, key=key)[:-1] - xs[1:]) ** 2)
