"""A linear layer whose largest singular value is held at 1."""

import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from scaffold.skeleton import Nnx, param, state, static


class SpectralDense(Nnx, constructor="init", save=True):
    """A linear layer with spectral normalisation and running statistics of its output."""

    weight: Float[Array, "out_size in_size"] = param("lecun_normal")
    bias: Float[Array, " out_size"] | None = param("zeros", optional="use_bias")
    left: Float[Array, " out_size"] = state(lambda out_size: jnp.ones(out_size) / jnp.sqrt(out_size))
    """Estimate of the first left singular vector"""
    mean: Float[Array, " out_size"] = state("zeros", variable="BatchStat")
    var: Float[Array, " out_size"] = state("ones", variable="BatchStat")
    seen: Int32[Array, ""] = state("zeros", variable="Count")
    n_steps: int = static(1, check=lambda n_steps: n_steps > 0)
    """Power iterations of a call"""
    momentum: float = static(0.9, check=lambda momentum: 0 <= momentum < 1)
    eps: float = static(1e-5)
    training: bool = static(True)

    def __call__(self, xs: Float[Array, "batch in_size"]) -> Float[Array, "batch out_size"]:
        """Map a batch, and normalise it."""
        y = xs @ self.normalised().T
        if self.training:
            mean, var = jnp.mean(y, axis=0), jnp.var(y, axis=0)
            self.mean = self.momentum * self.mean + (1 - self.momentum) * mean
            self.var = self.momentum * self.var + (1 - self.momentum) * var
            self.seen += 1
        else:
            mean, var = self.mean, self.var
        y = (y - mean) / jnp.sqrt(var + self.eps)
        return y if self.bias is None else y + self.bias

    def normalised(self) -> Float[Array, "out_size in_size"]:
        """The weight divided by its largest singular value."""
        left = self.left
        for _ in range(self.n_steps):
            right = self.weight.T @ left
            right = right / (jnp.linalg.norm(right) + self.eps)
            left = self.weight @ right
            left = left / (jnp.linalg.norm(left) + self.eps)
        if self.training:
            self.left = left
        return self.weight / (left @ self.weight @ right)

    def deviation(self, y: Float[Array, " out_size"], *, squared: bool = False) -> Float[Array, ""]:
        """How far an output lies from the running mean."""
        z = (y - self.mean) / jnp.sqrt(self.var + self.eps)
        total = jnp.sum(z**2)
        return total if squared else jnp.sqrt(total + self.eps)
