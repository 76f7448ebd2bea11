"""What each pixel of an image shows."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from scaffold.skeleton import Module, TrainState, buffer, data, param, static, test


@test(sizes={"channels": 2, "width": 4, "classes": 3, "height": 6, "breadth": 8})
class Segmenter(Module, save=True):
    """Convolutions at two scales, which are added."""

    fine: Float[Array, "width channels 3 3"] = param("he_normal")
    coarse: Float[Array, "width width 3 3"] = param("he_normal")
    gain: Float[Array, " width"] = param("ones", decay=False)
    head: eqx.nn.Linear
    prior: Float[Array, " classes"] | None = param("zeros", optional="use_prior", decay=False)
    mean: Float[Array, " channels"] = buffer()
    """Mean of the channels in the data"""
    dropout: float = static(0.2, check=lambda dropout: 0 <= dropout < 1)
    circular: bool = static(False)
    """Whether an image goes on at its other side"""

    def __init__(
        self,
        mean: Float[Array, " channels"],
        width: int,
        classes: int,
        use_prior: bool = True,
        dropout: float = 0.2,
        circular: bool = False,
        dtype: DTypeLike | None = None,
        *,
        key: PRNGKeyArray,
    ):
        self.mean = mean
        self.dropout = dropout
        self.circular = circular
        self.head = eqx.nn.Linear(width, classes, use_bias=False, dtype=dtype, key=key)

    def __call__(
        self, image: Float[Array, "channels height breadth"], *, key: PRNGKeyArray | None = None
    ) -> Float[Array, "classes height breadth"]:
        """Logits of each pixel."""
        x = self.convolved(image - self.mean[:, None, None], self.fine)
        x = jax.nn.gelu(self.normed(x))
        x = x + self.enlarged(jax.nn.gelu(self.convolved(self.halved(x), self.coarse)))
        if key is not None:
            kept = jax.random.bernoulli(key, 1 - self.dropout, (x.shape[0], 1, 1))
            x = jnp.where(kept, x / (1 - self.dropout), 0)
        logits = jnp.einsum("kc,chw->khw", self.head.weight, x)
        return logits if self.prior is None else logits + self.prior[:, None, None]

    def convolved(
        self, x: Float[Array, "inner rows columns"], kernel: Float[Array, "outer inner 3 3"]
    ) -> Float[Array, "outer rows columns"]:
        """An image after a convolution of 3 by 3 pixels."""
        padded = jnp.pad(x, ((0, 0), (1, 1), (1, 1)), mode="wrap" if self.circular else "constant")
        return jax.lax.conv(padded[None], kernel, (1, 1), "VALID")[0]

    def normed(self, x: Float[Array, "width height breadth"]) -> Float[Array, "width height breadth"]:
        """Channels divided by their deviation."""
        centred = x - jnp.mean(x, axis=(1, 2), keepdims=True)
        deviation = jnp.sqrt(jnp.mean(centred**2, axis=(1, 2), keepdims=True) + 1e-3)
        return self.gain[:, None, None] * centred / deviation

    def halved(self, x: Float[Array, "width height breadth"]) -> Float[Array, "width height//2 breadth//2"]:
        """The mean of two by two pixels."""
        blocks = x.reshape(x.shape[0], x.shape[1] // 2, 2, x.shape[2] // 2, 2)
        return jnp.mean(blocks, axis=(2, 4))

    def enlarged(self, x: Float[Array, "width height breadth"]) -> Float[Array, "width 2*height 2*breadth"]:
        """Each pixel two by two times."""
        return jnp.repeat(jnp.repeat(x, 2, axis=1), 2, axis=2)


@test(sizes={"channels": 2, "classes": 3, "height": 6, "breadth": 8, "images": 2})
class Campaign(TrainState, ema=0.9, key=True, save=True):
    """Trains a segmenter, and counts what its images show."""

    model: Segmenter
    shown: Float[Array, " classes"] = data("ones")
    """How many pixels showed each class"""
    looked: Int32[Array, ""] = data("zeros")
    """How many images were counted"""
    balance: float = static(0.4, check=lambda balance: 0 <= balance <= 1)
    """How much rare classes count for more"""

    def loss(
        self,
        images: Float[Array, "images channels height breadth"],
        labels: Int32[Array, "images height breadth"],
        valid: Bool[Array, "images height breadth"] | None = None,
        *,
        noisy: bool = True,
    ) -> Float[Array, ""]:
        """The cross entropy of pixels, where rare classes count for more."""
        labels = jnp.clip(labels, 0, self.shown.shape[0] - 1)
        if noisy:
            keys = jax.random.split(self.step_key, images.shape[0])
            logits = jax.vmap(lambda image, key: self.model(image, key=key))(images, keys)
        else:
            logits = jax.vmap(self.model)(images)
        logs = jax.nn.log_softmax(logits, axis=1)
        chosen = jnp.take_along_axis(logs, labels[:, None], axis=1)[:, 0]
        weights = self.weights()[labels]
        if valid is not None:
            weights = jnp.where(valid, weights, 0)
        return -jnp.sum(weights * chosen) / (jnp.sum(weights) + 1e-3)

    def weights(self) -> Float[Array, " classes"]:
        """How much each class counts."""
        share = jnp.abs(self.shown) / (jnp.sum(jnp.abs(self.shown)) + 1e-3)
        return (share + 0.1) ** -self.balance

    def counted(self, labels: Int32[Array, "images height breadth"]) -> "Campaign":
        """The state that has counted labels."""
        found = jax.nn.one_hot(labels, self.shown.shape[0], dtype=self.shown.dtype)
        return dataclasses.replace(
            self, shown=self.shown + jnp.sum(found, axis=(0, 1, 2)), looked=self.looked + labels.shape[0]
        )

    def flipped(
        self, image: Float[Array, "channels height breadth"], *, upright: bool = True
    ) -> Float[Array, "channels height breadth"]:
        """An image, mirrored or not, each step another way."""
        sideways, down = jax.random.split(jax.random.fold_in(self.step_key, 1))
        image = jnp.where(jax.random.bernoulli(sideways), image[:, :, ::-1], image)
        return image if upright else jnp.where(jax.random.bernoulli(down), image[:, ::-1], image)

    def predicted(
        self, image: Float[Array, "channels height breadth"]
    ) -> Float[Array, "classes height breadth"]:
        """The chances of classes by the average of the weights, over an image and its mirror."""
        model = self.averaged()
        logits = 0.5 * (model(image) + model(image[:, :, ::-1])[:, :, ::-1])
        return jax.nn.softmax(logits, axis=0)
