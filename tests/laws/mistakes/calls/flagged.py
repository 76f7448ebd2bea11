"""Mistakes in what flags leave out, in numbers of layers, and in what is computed again, each with the form that is right."""

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import Weighted, further
from right.specimens import Leaf, Output, sample


class Scaled(eqx.Module):
    """A scan over layers, with a scale and a shift that flags leave out."""

    layers: jax.Array
    scale: jax.Array | None
    shift: jax.Array | None

    def __init__(self, layers, depth=2, use_scale=True, use_shift=True):
        self.layers = jnp.stack([jnp.array(layers)] * depth) * (1 + jnp.arange(depth)[:, None])
        self.scale = jnp.ones(3, jnp.float32) if use_scale else None
        self.shift = jnp.zeros(3, jnp.float32) if use_shift else None

    def __call__(self, x):
        x = x if self.scale is None else self.scale * x
        x, _ = jax.lax.scan(jax.checkpoint(lambda x, w: (jnp.tanh(w * x), None)), x, self.layers)
        return x if self.shift is None else x + self.shift


class ScaledLaws(Weighted):
    leaves = (Leaf("layers", "param", (2, 3)), Leaf("scale", "param", (3,)), Leaf("shift", "param", (3,)))
    left_out = {"use_scale": ("scale",), "use_shift": ("shift",)}  # noqa: RUF012
    layers = {"layers": "depth"}  # noqa: RUF012
    remat = True
    returns = (Output((3,)),)

    def inputs(self, seed):
        return {"layers": sample(seed, (3,)), "depth": 2}

    def build(self, layers, depth=2, use_scale=True, use_shift=True):
        return self.cls(layers, depth, use_scale, use_shift)

    def arguments(self, seed):
        return (sample(seed + 1, (3,)),)


def _of_scaled(law, title, *words, **body):
    wrong = type("Wrong" + title.title().replace(" ", ""), (Scaled,), {"__module__": __name__, **body})
    further(law, title, wrong, Scaled, *words, base=ScaledLaws)


def _by_one_flag(self, layers, depth=2, use_scale=True, use_shift=True):
    Scaled.__init__(self, layers, depth, use_scale, use_scale)


def _of_two(self, layers, depth=2, use_scale=True, use_shift=True):
    Scaled.__init__(self, layers, 2, use_scale, use_shift)


def _kept_without_scale(self, x):
    x = x if self.scale is None else self.scale * x

    def layer(x, w):
        return (jnp.tanh(w * x), None)

    x, _ = jax.lax.scan(layer if self.scale is None else jax.checkpoint(layer), x, self.layers)
    return x if self.shift is None else x + self.shift


_of_scaled(
    "P2", "one flag for two parts", "`shift with use_scale=False`", "it is not there", __init__=_by_one_flag
)
_of_scaled("P2", "two layers for every depth", "`layers with depth=3`", "2 layers are made", __init__=_of_two)
_of_scaled("P22", "layers that are kept behind a flag", "`call with use_scale=False`", "nothing is computed again",
    __call__=_kept_without_scale)  # fmt: skip
