import dataclasses

import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Module, data


class KalmanFilter(Module):
    """What is known of a linear system. Each step gives the next filter."""

    mean: Float[Array, " n"] = data()
    covariance: Float[Array, "n n"] = data()
    transition: Float[Array, "n n"] = data()
    transition_noise: Float[Array, "n n"] = data()
    observation: Float[Array, "m n"] = data()
    observation_noise: Float[Array, "m m"] = data()

    def predict(self) -> "KalmanFilter":
        """What is known a step later."""
        return dataclasses.replace(
            self,
            mean=self.transition @ self.mean,
            covariance=self.transition @ self.covariance @ self.transition.T + self.transition_noise,
        )

    def update(self, observed: Float[Array, " m"]) -> "KalmanFilter":
        """What is known once this is observed."""
        innovation = observed - self.observation @ self.mean
        spread = self.observation @ self.covariance @ self.observation.T + self.observation_noise
        gain = jnp.linalg.solve(spread, self.observation @ self.covariance).T
        return dataclasses.replace(
            self,
            mean=self.mean + gain @ innovation,
            covariance=self.covariance - gain @ self.observation @ self.covariance,
        )
