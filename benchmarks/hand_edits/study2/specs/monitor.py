import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int32

from scaffold.skeleton import Nnx, param, state, static, test


@test(skip=["p08_every_parameter: in training the batch stands in for the running statistics"])
class Monitor(Nnx, save=True):
    """A feed-forward block that standardises its batch, and drops units in training."""

    up: Float[Array, "size hidden"] = param("he_normal")
    down: Float[Array, "hidden size"] = param("lecun_normal")
    gain: Float[Array, " size"] = param("ones")
    shift: Float[Array, " size"] | None = param("zeros", optional="use_shift")
    mean: Float[Array, " size"] = state("zeros", variable="BatchStat")
    variance: Float[Array, " size"] = state("ones", variable="BatchStat")
    batches: Int32[Array, ""] = state("zeros", variable="Count")
    dropout: nnx.Dropout
    momentum: float = static(0.9, check=lambda momentum: 0 <= momentum < 1)
    epsilon: float = static(1e-5, check=lambda epsilon: epsilon > 0)
    training: bool = True

    def __init__(
        self,
        size: int,
        hidden: int,
        rate: float = 0.25,
        use_shift: bool = True,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        training: bool = True,
        *,
        rngs: nnx.Rngs,
    ):
        self.dropout = nnx.Dropout(rate, rngs=rngs)
        self.momentum = momentum
        self.epsilon = epsilon
        self.training = training

    def __call__(self, xs: Float[Array, "batch size"]) -> Float[Array, "batch size"]:
        """Transform a batch; in training move the statistics, too."""
        if self.training:
            mean, variance = jnp.mean(xs, axis=0), jnp.var(xs, axis=0)
            self.mean = self.moved(self.mean, mean)
            self.variance = self.moved(self.variance, variance)
            self.batches = self.batches + 1
        else:
            mean, variance = self.mean, self.variance
        standard = self.standardise(xs, mean, variance)
        hidden = jax.nn.gelu(standard @ self.up)
        hidden = self.dropout(hidden, deterministic=not self.training)
        return xs + hidden @ self.down

    def moved(self, running: Float[Array, " size"], batch: Float[Array, " size"]) -> Float[Array, " size"]:
        """A running statistic, moved towards that of a batch."""
        return self.momentum * running + (1 - self.momentum) * batch

    def standardise(
        self,
        xs: Float[Array, "batch size"],
        mean: Float[Array, " size"],
        variance: Float[Array, " size"],
    ) -> Float[Array, "batch size"]:
        """Rows with mean 0 and variance 1 where these are the statistics, scaled and shifted."""
        standard = (xs - mean) * jax.lax.rsqrt(variance + self.epsilon)
        scaled = self.gain * standard
        return scaled if self.shift is None else scaled + self.shift

    def corrected(self) -> Float[Array, " size"]:
        """The running mean without the bias of its start at 0."""
        weight = 1 - self.momentum ** self.batches.astype(self.mean.dtype)
        return self.mean / jnp.where(self.batches > 0, weight, 1)

    def surprise(self, x: Float[Array, " size"]) -> Float[Array, ""]:
        """Mean squared distance of a row from the running statistics, in deviations."""
        return jnp.mean((x - self.mean) ** 2 / (self.variance + self.epsilon))
