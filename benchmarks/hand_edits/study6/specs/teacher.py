"""Learning from few labels: a student, and a teacher that is the mean of former students."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from scaffold.skeleton import Module, TrainState, data, param, static


class Classifier(Module):
    """Tells classes apart by features that are fixed and by a hidden layer."""

    basis: Float[Array, "hidden size"] = param("orthogonal", frozen=True)
    lift: Float[Array, "hidden size"] = param("he_uniform")
    tilt: Float[Array, " hidden"] = param("zeros", decay=False)
    head: Float[Array, "classes hidden"] = param("lecun_normal")
    prior: Float[Array, " classes"] | None = param("zeros", optional="use_prior", decay=False)

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " classes"]:
        """Scores of the classes."""
        hidden = jax.nn.gelu(self.lift @ x + self.tilt) + jnp.sin(self.basis @ x)
        scores = self.head @ hidden
        return scores if self.prior is None else scores + self.prior


class Teaching(TrainState, ema=0.95, key=True, save=True):
    """Trains a classifier by what its own mean is sure of."""

    model: Classifier
    share: Float[Array, " classes"] = data()
    """How often each class is told, in the mean"""
    told: Int32[Array, ""] = data("zeros")
    """How many labels the teacher has given"""
    noise: float = static(0.3, check=lambda noise: noise >= 0)
    sure: float = static(0.7, check=lambda sure: 0 < sure < 1)
    """The least probability that counts"""

    def views(self, x: Float[Array, " size"]) -> tuple[Float[Array, " size"], Float[Array, " size"]]:
        """An observation, moved at random twice: little for the teacher, more for the student."""
        weak, strong = jax.random.split(self.step_key)
        return (
            x + 0.1 * self.noise * jax.random.normal(weak, x.shape, x.dtype),
            x + self.noise * jax.random.normal(strong, x.shape, x.dtype),
        )

    def teach(self, x: Float[Array, " size"], *, balanced: bool = True) -> Float[Array, " classes"]:
        """What the teacher says of an observation, divided by how often it says so where `balanced`."""
        probabilities = jax.nn.softmax(self.averaged()(x))
        if balanced:
            probabilities = probabilities / (self.share + 0.01)
            probabilities = probabilities / jnp.sum(probabilities)
        return probabilities

    def loss(self, x: Float[Array, " size"]) -> Float[Array, ""]:
        """The cross entropy of the student with the teacher, where that is sure."""
        weak, strong = self.views(x)
        target = self.teach(weak)
        loss = -jnp.sum(target * jax.nn.log_softmax(self.model(strong)))
        return jnp.where(jnp.max(target) > self.sure, loss, 0.2 * loss)
